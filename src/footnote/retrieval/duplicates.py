"""Collapse near-duplicate passages into the best-ranked of them, which lists the others."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, NearDuplicate, Passage, StageRecord
from footnote.retrieval.resemblance import (
    Wording,
    numerals_of,
    overlap,
    tell_the_same,
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
        (each.passage.text[: each.passage.body_offset], numerals_of(_body(each.passage)))
        for each in evidence
    ]
    common = Counter(marks)
    groups: list[_Group] = []
    known: defaultdict[_Mark, _Known] = defaultdict(_Known)
    for each, mark in zip(evidence, marks, strict=True):
        if common[mark] == 1:
            groups.append(_Group(kept=each, listed=[]))
        elif (new := known[mark].admit(each, threshold)) is not None:
            groups.append(new)
    return tuple(_collapsed(group, rank) for rank, group in enumerate(groups, start=1))


@dataclass(slots=True)
class _Group:
    """A kept passage, and its duplicates with their overlap."""

    kept: Evidence
    listed: list[tuple[Evidence, float]]


@dataclass(slots=True)
class _Known:
    """The passages seen so far that have one table header and the same numbers."""

    by_words: dict[tuple[str, ...], _Group] = field(default_factory=dict)
    """Group of every passage by its words."""
    by_shingle: dict[int, list[tuple[int, _Group, Wording]]] = field(default_factory=dict)
    """Number, group and wording of the kept passages, by each shingle of their prefixes."""
    kept: int = 0

    def admit(self, each: Evidence, threshold: float) -> _Group | None:
        """Add the evidence to the group it repeats, or return a new group for it."""
        wording = wording_of("\n".join((*each.passage.heading_path, _body(each.passage))))
        if wording.words in self.by_words:
            self.by_words[wording.words].listed.append((each, 1.0))
            return None
        # So many of the shingles, in one order for all, that near duplicates share one of them:
        # sets whose Jaccard similarity is t share t·n of the n in either, so not all of these can
        # be lacking (Chaudhuri, Ganti and Kaushik, ICDE 2006).
        size = len(wording.shingles)
        prefix = sorted(wording.shingles)[: size - math.ceil(threshold * size - 1e-9) + 1]
        for group, kept in self._near(prefix):
            shared = overlap(wording, kept)
            if shared >= threshold and tell_the_same(
                _body(each.passage), _body(group.kept.passage)
            ):
                group.listed.append((each, shared))
                self.by_words[wording.words] = group
                return None
        begun = _Group(kept=each, listed=[])
        self.by_words[wording.words] = begun
        self.kept += 1
        for shingle in prefix:
            self.by_shingle.setdefault(shingle, []).append((self.kept, begun, wording))
        return begun

    def _near(self, prefix: Sequence[int]) -> list[tuple[_Group, Wording]]:
        """Return the kept passages that share a prefix shingle with this one, best first."""
        near = {
            number: (group, wording)
            for shingle in prefix
            for number, group, wording in self.by_shingle.get(shingle, ())
        }
        return [near[number] for number in sorted(near)]


def _body(passage: Passage) -> str:
    return passage.text[passage.body_offset :]


def _collapsed(group: _Group, rank: int) -> Evidence:
    kept = group.kept
    listed = list(kept.near_duplicates)
    for each, shared in group.listed:
        listed += [_near_duplicate(each.passage, shared), *each.near_duplicates]
    record = StageRecord(
        stage=STAGE,
        rank_before=kept.rank,
        rank_after=rank,
        score_before=kept.score,
        score_after=kept.score,
        detail={"near_duplicates": len(group.listed)},
    )
    return replace(
        kept,
        rank=rank,
        near_duplicates=tuple(listed),
        explanation=(*kept.explanation, record),
    )


def _near_duplicate(passage: Passage, shared: float) -> NearDuplicate:
    return NearDuplicate(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        page=passage.page_start,
        overlap=shared,
    )
