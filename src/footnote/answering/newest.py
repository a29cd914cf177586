"""Of documents that replace each other, the newest that answers is believed, or the one named.

A policy of 2023 and the one of 2026 both answer "How long may a lead be?", and only one of them
holds. Which is the newer is exact where their names say it (`language/series.py`), and so is which
one "under the 2023 policy" names, though no sentence of that says 2023. A question of which the
search was told that the oldest is asked for is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from uuid import UUID

from footnote.answering.choosing import Located, by_probability
from footnote.domain import Answer, Evidence
from footnote.language.series import (
    Stated,
    ordered_by,
    series_name,
    stated,
    without_year_or_version,
    year_or_version,
)

_SEARCHED = "series"
"""The stage of a search that has preferred the newest of a series, or the oldest, already."""


def of_newest(
    question: str,
    chosen: Sequence[Located],
    found: Sequence[Located],
    evidence: Sequence[Evidence],
    least: float,
) -> list[Located]:
    """The answers that were chosen, each from the newest document of its series that answers too.

    A newer document answers where one of its statements is as likely as `least`, both as it was
    read and among what was found in it alone.
    """
    minded = any(record.stage == _SEARCHED for each in evidence for record in each.explanation)
    if not chosen or minded or stated(question):
        return list(chosen)
    newer = newer_documents(evidence)
    kept: list[Located] = []
    for each in chosen:
        instead = each
        for document in newer.get(each.passage.document_id, ()):
            if (better := _best_within(document, found, least)) is not None:
                instead = better
                break
        if all(instead.candidate is not other.candidate for other in kept):
            kept.append(instead)
    return kept


def newer_documents(evidence: Sequence[Evidence]) -> Mapping[UUID, Sequence[UUID]]:
    """For each document of a series those that are newer, the newest first."""
    newer: dict[UUID, Sequence[UUID]] = {}
    for kind, members in _series(evidence):
        order = sorted(members, key=lambda each: members[each][kind], reverse=True)
        for document, said in members.items():
            newer[document] = [each for each in order if members[each][kind] > said[kind]]
    return newer


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
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


def of_named(question: str, evidence: Sequence[Evidence]) -> Named | None:
    """What a question names of a series; None where it names nothing, or several years."""
    said = year_or_version(question)
    for kind, members in _series(evidence) if said is not None else ():
        named = {each for each, its in members.items() if (kind, its[kind]) == said}
        if named:
            return Named(
                question=without_year_or_version(question),
                evidence=[each for each in evidence if each.passage.document_id in named],
                others=frozenset(members.keys() - named),
            )
    return None


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


def _best_within(document: UUID, found: Sequence[Located], least: float) -> Located | None:
    """The likeliest answer of a document, as likely as it is among those of that document."""
    own = by_probability(each for each in found if each.passage.document_id == document)
    none = max(0.0, 1.0 - sum(each.probability for each in found))
    within = none + sum(each.probability for each in own)
    best = next((each for each in own if not each.candidate.gives_orders), None)
    if best is None or best.read < least or within <= 0:
        return None
    chance = min(1.0, best.probability / within)
    return replace(best, probability=chance) if chance >= least else None
