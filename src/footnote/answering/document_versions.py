"""Prefer the newest document of a series that answers, or the one that the question names.

Policies of 2023 and 2026 both answer "How long may a lead be?"; only one applies. Their order is
read from their names (`language/series.py`), as is the document that "under the 2023 policy" names,
even if its text does not contain 2023. If the search was asked for the newest or the oldest, that
order is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from uuid import UUID

from footnote.answering.answer_selection import LocatedAnswer, by_probability
from footnote.answering.sentences import candidates_of
from footnote.answering.titles import Terms
from footnote.domain import Answer, BlockKind, Evidence
from footnote.language.series import (
    Stated,
    ordered_by,
    series_name,
    stated,
    without_year_or_version,
    year_or_version,
)

MIN_SHARED, _FEWEST_TERMS = 0.6, 3
"""Minimum share of an answer's terms that its counterpart in another document must have, and
minimum number of terms. Of 31 statements of three older policies 17 have a counterpart with as
many, each about the same thing, and the others share .5 at most with any."""
_SERIES_STAGE = "series"
"""The search stage that ranks a series by the requested order."""


def prefer_newest(
    question: str,
    chosen: Sequence[LocatedAnswer],
    answers: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    *,
    minimum: float,
    terms: Terms,
) -> list[LocatedAnswer]:
    """The chosen answers, each replaced by that of the preferred document of its series: the
    newest, or the one that the search was asked to prefer.

    A document qualifies if one of its statements is as likely as `minimum`, both as read and among
    the answers of that document alone; or if one of its statements shares most words with the
    answer, as clauses of a policy do in the next version.
    """
    if not chosen or stated(question):
        return list(chosen)
    preferred_documents = newer_documents(evidence)
    selected: list[LocatedAnswer] = []
    for answer in chosen:
        replacement = answer
        for document in preferred_documents.get(answer.passage.document_id, ()):
            alternative = _best_answer_within(document, answers, minimum)
            alternative = alternative or _counterpart(answer, document, answers, evidence, terms)
            if alternative is not None:
                replacement = alternative
                break
        if all(replacement.candidate is not other.candidate for other in selected):
            selected.append(replacement)
    return selected


def newer_documents(evidence: Sequence[Evidence]) -> Mapping[UUID, Sequence[UUID]]:
    """For each document of a series the preferred ones: the newer ones, newest first, or those that
    the search was asked to prefer."""
    ranks = _series_ranks(evidence)
    preferred: dict[UUID, Sequence[UUID]] = {}
    for kind, members in _document_series(evidence):
        newest_first = sorted({values[kind] for values in members.values()}, reverse=True)
        positions = {member: newest_first.index(values[kind]) for member, values in members.items()}
        if members.keys() <= ranks.keys():
            positions = {member: ranks[member] for member in members}
        ordered = sorted(members, key=lambda member: positions[member])
        for document in members:
            preferred[document] = [
                member for member in ordered if positions[member] < positions[document]
            ]
    return preferred


def with_newer_note(answer: Answer, evidence: Sequence[Evidence]) -> Answer:
    """Add a note if the answer cites a document although the newest one of its series is not
    cited."""
    if not answer.found or stated(answer.question):
        return answer
    preferred_documents, names = newer_documents(evidence), _document_names(evidence)
    cited = dict.fromkeys(citation.document_id for citation in answer.citations)
    newer_by_document = {
        old: preferred_documents[old][0]
        for old in cited
        if preferred_documents.get(old) and preferred_documents[old][0] not in cited
    }
    reason = "is asked for" if _series_ranks(evidence) else "is newer"
    notes = [
        f"answer: from {names[old]}, since {names[newer]}, which {reason}, was not found to answer"
        for old, newer in newer_by_document.items()
    ]
    return replace(answer, degraded=(*answer.degraded, *notes)) if notes else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVersions:
    """The documents of a series that a question names by their year or version."""

    question: str
    """The question without the year or version, which documents need not repeat."""
    evidence: Sequence[Evidence]
    """The evidence from these documents."""
    others: frozenset[UUID]
    """The documents of the series that the question does not name."""

    def is_passed_over(self, answer: Answer) -> bool:
        """Whether an answer was not found, or cites only documents that were not named."""
        cited_documents = {citation.document_id for citation in answer.citations}
        return not answer.found or cited_documents <= self.others


def named_versions(question: str, evidence: Sequence[Evidence]) -> NamedVersions | None:
    """The documents of a series that a question names; None if it names none, or several years."""
    version = year_or_version(question)
    for kind, members in _document_series(evidence) if version is not None else ():
        named_documents = {
            document for document, values in members.items() if (kind, values[kind]) == version
        }
        if named_documents:
            return NamedVersions(
                question=without_year_or_version(question),
                evidence=[item for item in evidence if item.passage.document_id in named_documents],
                others=frozenset(members.keys() - named_documents),
            )
    return None


def _series_ranks(evidence: Sequence[Evidence]) -> Mapping[UUID, int]:
    """The rank of each document in its series, from the search."""
    return {
        item.passage.document_id: record.rank_after
        for item in evidence
        for record in item.explanation
        if record.stage == _SERIES_STAGE
    }


def _document_names(evidence: Sequence[Evidence]) -> Mapping[UUID, str]:
    """Document names: the file name, or else the title."""
    return {
        item.passage.document_id: item.passage.filename or item.passage.document_title
        for item in evidence
    }


def _document_series(evidence: Sequence[Evidence]) -> Iterator[tuple[str, Mapping[UUID, Stated]]]:
    """Each series of two or more documents, with the kind of its order and the values of each
    document."""
    documents_by_series: dict[tuple[str, ...], dict[UUID, Stated]] = defaultdict(dict)
    for item in evidence:
        passage = item.passage
        key = series_name(passage.filename, passage.document_title)
        if any(key):
            names = f"{PurePath(passage.filename).stem}\n{passage.document_title}"
            documents_by_series[key][passage.document_id] = stated(names)
    for members in documents_by_series.values():
        if len(members) > 1 and (kind := ordered_by(members.values())) is not None:
            yield kind, members


def _best_answer_within(
    document: UUID, answers: Sequence[LocatedAnswer], minimum: float
) -> LocatedAnswer | None:
    """The likeliest answer of a document, with its probability among the answers of that
    document."""
    document_answers = by_probability(
        answer for answer in answers if answer.passage.document_id == document
    )
    no_answer_probability = max(0.0, 1.0 - sum(answer.probability for answer in answers))
    document_probability = no_answer_probability + sum(
        answer.probability for answer in document_answers
    )
    best = next(
        (answer for answer in document_answers if not answer.candidate.is_prompt_injection), None
    )
    if best is None or best.reader_probability < minimum or document_probability <= 0:
        return None
    probability = min(1.0, best.probability / document_probability)
    return replace(best, probability=probability) if probability >= minimum else None


def _counterpart(
    answer: LocatedAnswer,
    document: UUID,
    answers: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    terms: Terms,
) -> LocatedAnswer | None:
    """The statement of another document that shares most of the terms of an answer.

    It gets the answer's probability. None for a table row, which is identified by its titles and
    name.
    """
    answer_terms = frozenset(terms(answer.candidate.statement))
    if len(answer_terms) < _FEWEST_TERMS or answer.candidate.kind is BlockKind.TABLE:
        return None
    document_evidence = [item for item in evidence if item.passage.document_id == document]
    overlaps = [
        (len(answer_terms & frozenset(terms(candidate.statement))) / len(answer_terms), candidate)
        for candidate in candidates_of(document_evidence)
        if candidate.kind is not BlockKind.TABLE and not candidate.is_prompt_injection
    ]
    overlap, best = max(overlaps, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or overlap < MIN_SHARED:
        return None
    located = next((other for other in answers if other.candidate == best), None)
    start, end = (best.start, best.end) if located is None else (located.start, located.end)
    return replace(answer, candidate=best, start=start, end=end)
