"""An answer that is there already becomes the events of one that is being made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerSentence,
    CitationMade,
    Evidence,
    SentenceGrounded,
    TextWritten,
    UsageCounted,
)


class Drafts(Protocol):
    """Answers at once, without a model that writes; `ReaderAnswerer` does."""

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The answer, or a refusal; its confidence is how likely the evidence answers, 0…1."""
        ...


def numbered(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence in the order in which a model is shown it."""
    return tuple(sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id)))


def events_of(answer: Answer) -> Iterator[AnswerEvent]:
    """Everything that follows the sources, sentence by sentence."""
    left = {citation.marker: citation for citation in answer.citations}
    before: AnswerSentence | None = None
    for sentence in answer.sentences:
        yield TextWritten(text=sentence.piece(before))
        for marker in sentence.markers:
            if marker in left:
                yield CitationMade(citation=left.pop(marker))
        before = sentence
    yield from closing_events(answer)


def closing_events(answer: Answer) -> Iterator[AnswerEvent]:
    """What follows the text of an answer: how its sentences hold, what it cost, itself."""
    for position, sentence in enumerate(answer.sentences):
        yield SentenceGrounded(
            position=position, verdict=sentence.verdict, support=sentence.support
        )
    if answer.usage.requests:
        yield UsageCounted(usage=answer.usage)
    yield AnswerDone(answer=answer)
