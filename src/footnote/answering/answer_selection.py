"""Select the answers to show: the best one and those about as probable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from uuid import UUID

from footnote.answering.sentences import Candidate
from footnote.domain import BlockKind, Evidence, Passage
from footnote.language.identifiers import (
    identifiers_in,
    is_numbered_otherwise,
    numbered_things,
    speaks_of_another,
)

_NOT_WORD = re.compile(r"[\W_]+")
EQUAL_SHARE = 0.8
"""Minimum probability of a further answer, as a share of the best one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedAnswer:
    """An answer span in a statement.

    Law: the answer `passage.text[start:end]` is not empty and lies in the candidate's quote.
    """

    candidate: Candidate
    start: int
    end: int
    probability: float
    """Probability that it answers, after all scoring steps, 0…1."""
    reader_probability: float = 0.0
    """Probability by the reader alone, 0…1."""
    score: float = 0.0
    """The reader's log-odds against "the passage does not answer"."""
    relevance: float = 0.0
    """The reader's log-odds that its passage answers at all."""
    mismatch: float = 0.0
    """Log-odds that the question is about something that its passage does not mention; about 0
    where every word matches."""

    @property
    def answer(self) -> str:
        """The text of the answer span."""
        return self.passage.text[self.start : self.end]

    @property
    def passage(self) -> Passage:
        """The passage that contains the answer."""
        return self.candidate.evidence.passage


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSelector:
    """Selects answers by a limit and by probability thresholds."""

    limit: int
    least: float
    """Minimum probability of the first answer."""
    further_threshold: float
    """Minimum probability of a further answer, by itself and together with the best one."""

    def __call__(
        self, question: str, answers: Sequence[LocatedAnswer], evidence: Sequence[Evidence]
    ) -> list[LocatedAnswer]:
        """Select answers, best first; the first may still be below the threshold.

        Repeated answers and prompt injections are dropped. If the question names several
        identifiers or documents, each gets its best answer, with its probability among the answers
        about it.
        """
        return self._best_of_each(
            question, answers, _document_texts(evidence)
        ) or self._comparable_answers(answers)

    def _best_of_each(
        self, question: str, answers: Sequence[LocatedAnswer], document_texts: dict[UUID, str]
    ) -> list[LocatedAnswer]:
        """The best answer for each identifier or document that is named; none unless two have
        one."""
        best_answers: dict[int, LocatedAnswer] = {}
        no_answer_probability = max(0.0, 1.0 - sum(answer.probability for answer in answers))
        for is_about in _mention_filters(question, answers, document_texts):
            answers_about = [answer for answer in answers if is_about(answer)]
            total = no_answer_probability + sum(answer.probability for answer in answers_about)
            for answer in answers_about:
                probability = min(1.0, answer.probability / total) if total else 0.0
                if probability < self.least:
                    break
                if not answer.candidate.is_prompt_injection:
                    best_answers[id(answer.candidate)] = replace(answer, probability=probability)
                    break
        return by_probability(best_answers.values())[: self.limit] if len(best_answers) > 1 else []

    def _comparable_answers(self, answers: Sequence[LocatedAnswer]) -> list[LocatedAnswer]:
        selected: list[LocatedAnswer] = []
        for answer in answers:
            if len(selected) >= self.limit:
                break
            if selected and not self._is_comparable(answer.probability, selected[0].probability):
                break
            if (
                any(_repeats(answer, other) for other in selected)
                or answer.candidate.is_prompt_injection
            ):
                continue
            selected.append(answer)
        return selected

    def _is_comparable(self, probability: float, best: float) -> bool:
        """Whether an answer is probable enough beside the best one, rather than a weaker
        alternative."""
        return probability + best >= self.further_threshold and probability >= EQUAL_SHARE * best


def without_other_identifiers(
    question: str, answers: Iterable[LocatedAnswer], evidence: Sequence[Evidence]
) -> list[LocatedAnswer]:
    """Drop answers about other identifiers or numbered things than those in the question."""
    identifiers, numbered = identifiers_in(question), numbered_things(question)
    document_texts = _document_texts(evidence) if identifiers else {}
    return [
        answer
        for answer in answers
        if not is_numbered_otherwise(numbered, answer.candidate.statement)
        and not (
            identifiers
            and speaks_of_another(
                identifiers, answer.candidate.statement, document_texts[answer.passage.document_id]
            )
        )
    ]


def by_probability(answers: Iterable[LocatedAnswer]) -> list[LocatedAnswer]:
    """Sort by probability; ties by evidence rank, then by position in the text."""
    return sorted(
        answers,
        key=lambda answer: (
            -answer.probability,
            answer.candidate.evidence.rank,
            answer.passage.chunk_id,
            answer.candidate.start,
        ),
    )


def names_several(question: str, evidence: Sequence[Evidence]) -> bool:
    """Whether a question names two identifiers or documents, each of which may have its answer."""
    documents = {
        item.passage.document_id for item in evidence if _is_document_named(item.passage, question)
    }
    return len(documents) + len(dict.fromkeys(identifiers_in(question))) > 1


def contains_phrase(text: str, question: str) -> bool:
    """Whether the words of a text occur in the question, in order."""
    words = plain_words(text)
    return bool(words) and f" {words} " in f" {plain_words(question)} "


def plain_words(text: str) -> str:
    """The words of a text, case-folded, with single spaces."""
    return _NOT_WORD.sub(" ", text).casefold().strip()


def _document_texts(evidence: Sequence[Evidence]) -> dict[UUID, str]:
    """Map each document to all its text in the evidence: titles, file name, headings, passages."""
    parts: dict[UUID, list[str]] = {}
    for item in evidence:
        passage = item.passage
        document_parts = parts.setdefault(passage.document_id, [])
        document_parts += [
            passage.document_title,
            passage.filename,
            *passage.heading_path,
            passage.text,
        ]
    return {document: "\n".join(document_parts) for document, document_parts in parts.items()}


def _mention_filters(
    question: str, answers: Sequence[LocatedAnswer], document_texts: dict[UUID, str]
) -> Iterator[Callable[[LocatedAnswer], bool]]:
    """One filter for each identifier or document in the question: whether an answer is about it."""
    for identifier in dict.fromkeys(identifiers_in(question)):
        yield (
            lambda answer, target=identifier: (
                not speaks_of_another(  # type: ignore[misc]  # a bound default has no declared type
                    [target], answer.candidate.statement, document_texts[answer.passage.document_id]
                )
            )
        )
    documents = dict.fromkeys(
        answer.passage.document_id
        for answer in answers
        if _is_document_named(answer.passage, question)
    )
    for document in documents:
        yield lambda answer, target=document: answer.passage.document_id == target  # type: ignore[misc]  # as above


def _is_document_named(passage: Passage, question: str) -> bool:
    stem = PurePath(passage.filename).stem
    return contains_phrase(passage.document_title, question) or contains_phrase(stem, question)


def _repeats(answer: LocatedAnswer, other: LocatedAnswer) -> bool:
    """Whether two answers have the same text, or are in the same row."""
    first, second = plain_words(answer.answer), plain_words(other.answer)
    same_row = (
        answer.candidate.kind is BlockKind.TABLE
        and answer.candidate.canonical_span == other.candidate.canonical_span
    )
    return first in second or second in first or same_row
