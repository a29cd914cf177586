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
    found: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    *,
    least: float,
    terms: Terms,
) -> list[LocatedAnswer]:
    """The answers that were chosen, each from the first document of its series that answers too:
    the newest, or what the search was told to prefer.

    Such a document answers where one of its statements is as likely as `least`, both as it was
    read and among what was found in it alone; or else where one says the same as the answer with
    most of its words, as clauses of a policy do in its next version.
    """
    if not chosen or stated(question):
        return list(chosen)
    before = documents_before(evidence)
    kept: list[LocatedAnswer] = []
    for each in chosen:
        instead = each
        for document in before.get(each.passage.document_id, ()):
            better = _best_within(document, found, least)
            better = better or _counterpart(each, document, found, evidence, terms)
            if better is not None:
                instead = better
                break
        if all(instead.candidate is not other.candidate for other in kept):
            kept.append(instead)
    return kept


def documents_before(evidence: Sequence[Evidence]) -> Mapping[UUID, Sequence[UUID]]:
    """For each document of a series those that are newer, the newest first, or that the search was
    told to prefer."""
    ranks = _ranks(evidence)
    before: dict[UUID, Sequence[UUID]] = {}
    for kind, members in _series(evidence):
        newest = sorted({said[kind] for said in members.values()}, reverse=True)
        place = {each: newest.index(said[kind]) for each, said in members.items()}
        if members.keys() <= ranks.keys():
            place = {each: ranks[each] for each in members}
        order = sorted(members, key=lambda each: place[each])
        for document in members:
            before[document] = [each for each in order if place[each] < place[document]]
    return before


def with_newer_note(answer: Answer, evidence: Sequence[Evidence]) -> Answer:
    """Add a note if the answer cites a document although a newer one of its series did not
    answer."""
    if not answer.found or stated(answer.question):
        return answer
    before, names = documents_before(evidence), _names(evidence)
    passed_over = {
        cited.document_id: before[cited.document_id][0]
        for cited in answer.citations
        if before.get(cited.document_id)
    }
    how = "is asked for" if _ranks(evidence) else "is newer"
    notes = [
        f"answer: from {names[own]}, since {names[other]}, which {how}, was not found to answer"
        for own, other in passed_over.items()
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
        cited = {each.document_id for each in answer.citations}
        return not answer.found or cited <= self.others


def named_versions(question: str, evidence: Sequence[Evidence]) -> NamedVersions | None:
    """What a question names of a series; None where it names nothing, or several years."""
    said = year_or_version(question)
    for kind, members in _series(evidence) if said is not None else ():
        named = {each for each, its in members.items() if (kind, its[kind]) == said}
        if named:
            return NamedVersions(
                question=without_year_or_version(question),
                evidence=[each for each in evidence if each.passage.document_id in named],
                others=frozenset(members.keys() - named),
            )
    return None


def _ranks(evidence: Sequence[Evidence]) -> Mapping[UUID, int]:
    """Where the search ranked documents in their series."""
    return {
        each.passage.document_id: record.rank_after
        for each in evidence
        for record in each.explanation
        if record.stage == _SEARCHED
    }


def _names(evidence: Sequence[Evidence]) -> Mapping[UUID, str]:
    """What documents are called: by their files, or else their titles."""
    return {
        each.passage.document_id: each.passage.filename or each.passage.document_title
        for each in evidence
    }


def _series(evidence: Sequence[Evidence]) -> Iterator[tuple[str, Mapping[UUID, Stated]]]:
    """Each series of two or more documents, with what it is ordered by and what they state."""
    series: dict[tuple[str, ...], dict[UUID, Stated]] = defaultdict(dict)
    for each in evidence:
        passage = each.passage
        key = series_name(passage.filename, passage.document_title)
        if any(key):
            names = f"{PurePath(passage.filename).stem}\n{passage.document_title}"
            series[key][passage.document_id] = stated(names)
    for members in series.values():
        if len(members) > 1 and (kind := ordered_by(members.values())) is not None:
            yield kind, members


def _best_within(
    document: UUID, found: Sequence[LocatedAnswer], least: float
) -> LocatedAnswer | None:
    """The likeliest answer of a document, as likely as it is among those of that document."""
    own = by_probability(each for each in found if each.passage.document_id == document)
    none = max(0.0, 1.0 - sum(each.probability for each in found))
    within = none + sum(each.probability for each in own)
    best = next((each for each in own if not each.candidate.is_prompt_injection), None)
    if best is None or best.reader_probability < least or within <= 0:
        return None
    chance = min(1.0, best.probability / within)
    return replace(best, probability=chance) if chance >= least else None


def _counterpart(
    answer: LocatedAnswer,
    document: UUID,
    found: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    terms: Terms,
) -> LocatedAnswer | None:
    """The statement of a document that says most of what an answer of another one says.

    It is as likely as that one. None of a row, which is told by its titles and name.
    """
    own = frozenset(terms(answer.candidate.statement))
    if len(own) < _FEWEST_TERMS or answer.candidate.kind is BlockKind.TABLE:
        return None
    passages = [each for each in evidence if each.passage.document_id == document]
    shares = [
        (len(own & frozenset(terms(each.statement))) / len(own), each)
        for each in candidates_of(passages)
        if each.kind is not BlockKind.TABLE and not each.is_prompt_injection
    ]
    share, best = max(shares, key=lambda each: each[0], default=(0.0, None))
    if best is None or share < LEAST_SHARED:
        return None
    read = next((each for each in found if each.candidate == best), None)
    start, end = (best.start, best.end) if read is None else (read.start, read.end)
    return replace(answer, candidate=best, start=start, end=end)
