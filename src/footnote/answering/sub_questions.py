"""Answer a question for several things, or a comparison, part by part.

Parts without an answer are noted. Table rows are compared by their cells (`row_comparison.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from footnote.answering.streaming import Answerer
from footnote.domain import Answer, AnswerSentence, Citation, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a question."""

    question: str
    """As a standalone question."""
    evidence: Sequence[Evidence]
    """The evidence of the search for this part."""


class ComparesRows(Protocol):
    """Answers a question that compares rows of a table; `ReaderAnswerer.compare_rows` implements
    it."""

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer | None:
        """The compared cells of the rows that the question names in one table.

        If the compared column is unclear, the answer to the whole question. None where the question
        names no rows.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPart:
    """Answers each part from its own evidence; implements `Answerer`.

    A part without an answer is named in `degraded`. Where no part has one, the question is answered
    as a whole.
    """

    answerer: Answerer
    parts: Sequence[Part]
    compare_rows: ComparesRows | None = None

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The answers in the order of the parts; `evidence` is that of all of them."""
        if self.compare_rows is not None:
            comparison = await self.compare_rows(question, evidence)
            if comparison is not None:
                return comparison
        answers = [await self.answerer(part.question, part.evidence) for part in self.parts]
        answered = [answer for answer in answers if answer.found]
        if not answered:
            return await self.answerer(question, evidence)
        unanswered = (
            f"answer: nothing was found for “{part.question}”"
            for part, answer in zip(self.parts, answers, strict=True)
            if not answer.found
        )
        merged = _CombinedAnswer()
        for answer in answered:
            merged.add(answer.sentences, answer.citations)
        notes = dict.fromkeys(
            (*unanswered, *(note for answer in answers for note in answer.degraded))
        )
        return Answer(
            question=question,
            found=True,
            sentences=tuple(merged.sentences),
            citations=tuple(merged.citations),
            evidence=tuple(evidence),
            confidence=min(answer.confidence for answer in answered),
            degraded=tuple(notes),
        )


@dataclass(slots=True)
class _CombinedAnswer:
    """Merges several answers: each statement once, with citations renumbered."""

    sentences: list[AnswerSentence] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)

    def add(self, sentences: Iterable[AnswerSentence], citations: Iterable[Citation]) -> None:
        citations_by_marker = {citation.marker: citation for citation in citations}
        for sentence in sentences:
            cited = [citations_by_marker[marker] for marker in sentence.markers]
            if not self._merge_if_duplicate(sentence, cited):
                first_marker = len(self.citations) + 1
                markers = range(first_marker, first_marker + len(cited))
                self.citations += [
                    replace(citation, marker=marker)
                    for citation, marker in zip(cited, markers, strict=True)
                ]
                self.sentences.append(replace(sentence, markers=tuple(markers)))

    def _merge_if_duplicate(self, sentence: AnswerSentence, cited: Sequence[Citation]) -> bool:
        """Merge a sentence that exists with the same quotes; whether it was merged."""
        for existing in self.sentences:
            indices = [marker - 1 for marker in existing.markers]
            quotes = [_quote_key(self.citations[index]) for index in indices]
            if existing.text == sentence.text and quotes == [
                _quote_key(citation) for citation in cited
            ]:
                for index, citation in zip(indices, cited, strict=True):
                    self.citations[index] = _with_answer(self.citations[index], citation)
                return True
        return False


def _quote_key(citation: Citation) -> tuple[str, int, int]:
    return citation.chunk_id, citation.char_start, citation.char_end


def _with_answer(citation: Citation, other: Citation) -> Citation:
    """The citation with its answer span extended to that of another citation of the same quote."""
    starts = [
        candidate.answer_start
        for candidate in (citation, other)
        if candidate.answer_start is not None
    ]
    ends = [
        candidate.answer_end for candidate in (citation, other) if candidate.answer_end is not None
    ]
    return replace(
        citation,
        answer_start=min(starts, default=None),
        answer_end=max(ends, default=None),
    )
