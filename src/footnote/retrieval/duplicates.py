"""Collapse near-duplicate passages into the best-ranked of them, which lists the others."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, NearDuplicate, Passage, StageRecord
from footnote.retrieval.near_duplicates import (
    Wording,
    agree_in_details,
    numerals_of,
    overlap,
    wording_of,
)

THRESHOLD = 0.85
STAGE = "duplicates"

_Mark = tuple[str, tuple[str, ...]]
"""What near duplicates must share exactly: the repeated table header, and the numbers."""


def collapse_near_duplicates(
    evidence: Sequence[Evidence], threshold: float = THRESHOLD
) -> tuple[Evidence, ...]:
    """Remove evidence that repeats better-ranked evidence; the order is kept.

    Two passages are duplicates if their words and headings are equal, or if their shingles of three
    words have a Jaccard similarity of at least `threshold` (0…1) and numbers, codes, names and
    negations agree. So a clause with another amount stays, and so does the next chunk of a
    document, which shares a sentence with this one. A table's repeated header must be equal and is
    not compared further.

    Laws: every passage is kept or listed once; passages of equal words and headings are always
    together, in whatever order they come.
    """
    # One group for each kept passage, in order.
    marks = [
        (item.passage.text[: item.passage.body_offset], numerals_of(_body(item.passage)))
        for item in evidence
    ]
    counts = Counter(marks)
    groups: list[_Group] = []
    kept_by_mark: defaultdict[_Mark, _KeptPassages] = defaultdict(_KeptPassages)
    for item, mark in zip(evidence, marks, strict=True):
        if counts[mark] == 1:
            groups.append(_Group(best=item, duplicates=[]))
        elif (new := kept_by_mark[mark].admit(item, threshold)) is not None:
            groups.append(new)
    return tuple(_collapsed(group, rank) for rank, group in enumerate(groups, start=1))


@dataclass(slots=True)
class _Group:
    """A kept passage, and its duplicates with their overlap."""

    best: Evidence
    duplicates: list[tuple[Evidence, float]]


@dataclass(slots=True)
class _KeptPassages:
    """The passages seen so far that have one table header and the same numbers."""

    by_words: dict[tuple[str, ...], _Group] = field(default_factory=dict)
    """Group of every passage by its words."""
    by_shingle: dict[int, list[tuple[int, _Group, Wording]]] = field(default_factory=dict)
    """Number, group and wording of the kept passages, by each shingle of their prefixes."""
    count: int = 0

    def admit(self, item: Evidence, threshold: float) -> _Group | None:
        """Add the evidence to the group it repeats, or return a new group for it."""
        wording = wording_of("\n".join((*item.passage.heading_path, _body(item.passage))))
        if wording.words in self.by_words:
            self.by_words[wording.words].duplicates.append((item, 1.0))
            return None
        # So many of the shingles, in one order for all, that near duplicates share one of them:
        # sets whose Jaccard similarity is t share t·n of the n in either, so not all of these can
        # be lacking (Chaudhuri, Ganti and Kaushik, ICDE 2006).
        size = len(wording.shingles)
        prefix = sorted(wording.shingles)[: size - math.ceil(threshold * size - 1e-9) + 1]
        for group, other in self._candidates(prefix):
            similarity = overlap(wording, other)
            if similarity >= threshold and agree_in_details(
                _body(item.passage), _body(group.best.passage)
            ):
                group.duplicates.append((item, similarity))
                self.by_words[wording.words] = group
                return None
        new_group = _Group(best=item, duplicates=[])
        self.by_words[wording.words] = new_group
        self.count += 1
        for shingle in prefix:
            self.by_shingle.setdefault(shingle, []).append((self.count, new_group, wording))
        return new_group

    def _candidates(self, prefix: Sequence[int]) -> list[tuple[_Group, Wording]]:
        """Return the kept passages that share a prefix shingle with this one, best first."""
        candidates = {
            number: (group, wording)
            for shingle in prefix
            for number, group, wording in self.by_shingle.get(shingle, ())
        }
        return [candidates[number] for number in sorted(candidates)]


def _body(passage: Passage) -> str:
    return passage.text[passage.body_offset :]


def _collapsed(group: _Group, rank: int) -> Evidence:
    best = group.best
    duplicates = list(best.near_duplicates)
    for item, similarity in group.duplicates:
        duplicates += [_near_duplicate(item.passage, similarity), *item.near_duplicates]
    record = StageRecord(
        stage=STAGE,
        rank_before=best.rank,
        rank_after=rank,
        score_before=best.score,
        score_after=best.score,
        detail={"near_duplicates": len(group.duplicates)},
    )
    return replace(
        best,
        rank=rank,
        near_duplicates=tuple(duplicates),
        explanation=(*best.explanation, record),
    )


def _near_duplicate(passage: Passage, similarity: float) -> NearDuplicate:
    return NearDuplicate(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        page=passage.page_start,
        overlap=similarity,
    )
