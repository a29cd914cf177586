"""Prefer the newest document of a series that answers, or the one that the question names.

Policies of 2023 and 2026 both answer "How long may a lead be?"; only one applies. Their order is
read from their names (`language/series.py`), as is the document that "under the 2023 policy" names,
even if its text never says 2023. If the search was asked for the newest or the oldest, that order
is used.
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

LEAST_SHARED, _FEWEST_TERMS = 0.6, 3
"""Share of an answer's terms, of which there are as many, that its counterpart in another document
of the series has. Of 31 statements of three older policies 17 have one with as many, each about the
same thing, and the others share .5 at most with any."""
_SEARCHED = "series"
"""The stage of a search that has ranked a series, the one that is asked for first."""


def prefer_newest(
    question: str,
    chosen: Sequence[LocatedAnswer],
    answers: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    *,
    minimum: float,
    terms: Terms,
) -> list[LocatedAnswer]:
    """The answers that were chosen, each from the first document of its series that answers too:
    the newest, or what the search was told to prefer.

    Such a document answers where one of its statements is as likely as `minimum`, both as it was
    read and among what was found in it alone; or else where one says the same as the answer with
    most of its words, as clauses of a policy do in its next version.
    """
    if not chosen or stated(question):
        return list(chosen)
    preferred_documents = documents_before(evidence)
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


def documents_before(evidence: Sequence[Evidence]) -> Mapping[UUID, Sequence[UUID]]:
    """For each document of a series those that are newer, the newest first, or that the search was
    told to prefer."""
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
    preferred_documents, names = documents_before(evidence), _document_names(evidence)
    cited = dict.fromkeys(citation.document_id for citation in answer.citations)
    newer_by_document = {
        used: preferred_documents[used][0]
        for used in cited
        if preferred_documents.get(used) and preferred_documents[used][0] not in cited
    }
    reason = "is asked for" if _series_ranks(evidence) else "is newer"
    notes = [
        f"answer: from {names[used]}, since {names[newer]}, which {reason}, was not found to answer"
        for used, newer in newer_by_document.items()
    ]
    return replace(answer, degraded=(*answer.degraded, *notes)) if notes else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVersions:
    """The documents of a series that a question names by their year or version."""

    question: str
    """Without that, since they need not repeat it."""
    evidence: Sequence[Evidence]
    """Theirs."""
    others: frozenset[UUID]
    """The documents of the series that it does not name."""

    def is_passed_over(self, answer: Answer) -> bool:
        """Whether an answer was not found, or rests on documents that are not named alone."""
        cited_documents = {citation.document_id for citation in answer.citations}
        return not answer.found or cited_documents <= self.others


def named_versions(question: str, evidence: Sequence[Evidence]) -> NamedVersions | None:
    """What a question names of a series; None where it names nothing, or several years."""
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
    """Where the search ranked documents in their series."""
    return {
        item.passage.document_id: record.rank_after
        for item in evidence
        for record in item.explanation
        if record.stage == _SEARCHED
    }


def _document_names(evidence: Sequence[Evidence]) -> Mapping[UUID, str]:
    """What documents are called: by their files, or else their titles."""
    return {
        item.passage.document_id: item.passage.filename or item.passage.document_title
        for item in evidence
    }


def _document_series(evidence: Sequence[Evidence]) -> Iterator[tuple[str, Mapping[UUID, Stated]]]:
    """Each series of two or more documents, with what it is ordered by and what they state."""
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
    """The likeliest answer of a document, as likely as it is among those of that document."""
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
    """The statement of a document that says most of what an answer of another one says.

    It is as likely as that one. None of a row, which is told by its titles and name.
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
    if best is None or overlap < LEAST_SHARED:
        return None
    located = next((other for other in answers if other.candidate == best), None)
    start, end = (best.start, best.end) if located is None else (located.start, located.end)
    return replace(answer, candidate=best, start=start, end=end)
