"""Stream an answer as events while it is made, and collect the answer from them."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterator, Sequence
from typing import Protocol

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    AnswerSentence,
    CitationMade,
    Evidence,
    SentenceGrounded,
    TextWritten,
    Usage,
    UsageCounted,
)
from footnote.errors import FootnoteError, ModelUnavailable


class Answerer(Protocol):
    """Answers at once, without a generating model; implemented by `ReaderAnswerer`."""

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The answer, or a refusal; its confidence is the probability that the evidence answers,
        0…1."""
        ...


def numbered(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence in the order of a model's prompt."""
    return tuple(sorted(evidence, key=lambda item: (item.rank, item.passage.chunk_id)))


def events_of(answer: Answer) -> Iterator[AnswerEvent]:
    """All events after the sources, sentence by sentence."""
    pending_citations = {citation.marker: citation for citation in answer.citations}
    previous: AnswerSentence | None = None
    for sentence in answer.sentences:
        yield TextWritten(text=sentence.piece(previous))
        for marker in sentence.markers:
            if marker in pending_citations:
                yield CitationMade(citation=pending_citations.pop(marker))
        previous = sentence
    yield from closing_events(answer)


def closing_events(answer: Answer) -> Iterator[AnswerEvent]:
    """The events after the text of an answer: its grounding, its cost and the answer itself."""
    for position, sentence in enumerate(answer.sentences):
        yield SentenceGrounded(
            position=position, verdict=sentence.verdict, support=sentence.support
        )
    if answer.usage.requests:
        yield UsageCounted(usage=answer.usage)
    yield AnswerDone(answer=answer)


async def completed(events: AsyncIterable[AnswerEvent]) -> Answer:
    """The answer at the end of a stream of events.

    Raises ModelUnavailable if the stream ends with a failure.
    """
    async for event in events:
        if isinstance(event, AnswerDone):
            return event.answer
        if isinstance(event, AnswerFailed):
            usage = event.usage if event.usage.requests else None
            raise ModelUnavailable(event.message, hint=event.hint, usage=usage)
    raise ModelUnavailable("The answer broke off before it was complete.", hint="Ask again.")


def failed_with(error: Exception) -> AnswerFailed:
    """The final event of a stream after an error.

    Internal errors are not shown in detail.
    """
    if not isinstance(error, FootnoteError):
        return AnswerFailed(
            code="Unexpected",
            message="Something failed inside Footnote.",
            hint="The server's log says what; nothing of it is shown here.",
        )
    usage = error.usage if isinstance(error, ModelUnavailable) else None
    return AnswerFailed(
        code=type(error).__name__,
        message=str(error),
        hint=error.hint,
        retryable=error.retryable,
        usage=usage or Usage(),
    )
