"""Expand evidence by neighbouring chunks, and merge overlaps so that no text is returned twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from uuid import UUID

from footnote.domain import Evidence, MetadataValue, Neighbour, Passage, StageRecord
from footnote.domain.passage_merging import any_suspicious, mean_confidence, merged_passage
from footnote.ports import ExpandedPassage

DECAY = 0.85
STAGE = "expand"


def expand(
    evidence: Sequence[Evidence], widened: Mapping[int, ExpandedPassage], decay: float = DECAY
) -> tuple[Evidence, ...]:
    """Widen the passages of the evidence, and merge those that overlap or touch.

    `widened` is by chunk number; evidence that is not in it keeps its passage. Spans of one
    document version that overlap, or are adjacent and may be joined, are merged into the
    best-ranked, whose record names the others and which takes over their neighbours, matched terms
    and near duplicates. Scores do not change.

    Laws: no two results share text; a passage's text from `body_offset` on is the canonical text
    from `char_start` to `char_end`, if that holds for what comes in.
    """
    stretches = [_Stretch.of(each, widened.get(each.passage.chunk_no)) for each in evidence]
    by_version: defaultdict[tuple[UUID, int], list[_Stretch]] = defaultdict(list)
    for each in stretches:
        by_version[each.passage.document_id, each.passage.version].append(each)
    merged = [one for each in by_version.values() for one in _merged(each)]
    merged.sort(key=lambda stretch: stretch.found[0].rank)
    return tuple(_expanded(each, rank, decay) for rank, each in enumerate(merged, start=1))


def decayed(score: float, distance: int, decay: float = DECAY) -> float:
    """Return the score of a neighbour at this distance in chunks from a found chunk.

    It is `score * decay ** distance`; negative scores, which rerankers give, are lowered by as much
    as a positive one would be: a neighbour never scores above the found chunk.
    """
    return score - abs(score) * (1.0 - decay**distance)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A contiguous text span: its passage, the evidence in it, best first, and its chunks'
    ordinals."""

    passage: Passage
    found: tuple[Evidence, ...]
    ordinals: Mapping[str, int]
    """By chunk id, of every chunk in the stretch."""
    after: str
    """The text between the span and the next chunk that could extend it."""

    @classmethod
    def of(cls, each: Evidence, widened: ExpandedPassage | None) -> _Stretch:
        passage = each.passage
        ordinals = {passage.chunk_id: passage.ordinal}
        if widened is None:
            return cls(passage=passage, found=(each,), ordinals=ordinals, after="")
        ordinals |= {
            chunk_id: passage.ordinal + distance for chunk_id, distance in widened.distances.items()
        }
        return cls(passage=widened.passage, found=(each,), ordinals=ordinals, after=widened.after)


def _merged(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Merge the spans of one document version that overlap or are adjacent."""
    in_order = sorted(stretches, key=lambda each: (each.passage.char_start, each.passage.char_end))
    merged = in_order[:1]
    for each in in_order[1:]:
        between = _between(merged[-1], each)
        if between is None:
            merged.append(each)
        else:
            merged[-1] = _joined(merged[-1], between, each)
    return merged


def _between(one: _Stretch, following: _Stretch) -> str | None:
    """The text between two spans: empty if they overlap, None if they cannot be joined."""
    gap = following.passage.char_start - one.passage.char_end
    if gap <= 0:
        return ""
    return one.after if gap == len(one.after) else None


def _joined(one: _Stretch, between: str, following: _Stretch) -> _Stretch:
    """Join two spans, under the identity of the better-ranked."""
    found = tuple(sorted((*one.found, *following.found), key=lambda each: each.rank))
    left, right = one.passage, following.passage
    shared = max(0, left.char_end - right.char_start)
    best = left if one.found[0].rank <= following.found[0].rank else right
    return _Stretch(
        passage=merged_passage(
            best,
            header=left.text[: left.body_offset],
            body=left.text[left.body_offset :] + between + right.text[right.body_offset + shared :],
            char_start=left.char_start,
            spans=(*left.spans, *right.spans),
            confidence=mean_confidence(
                (each.confidence, each.char_end - each.char_start) for each in (left, right)
            ),
            suspicious=any_suspicious((left.suspicious, right.suspicious)),
        ),
        found=found,
        ordinals={**one.ordinals, **following.ordinals},
        after=following.after if right.char_end >= left.char_end else one.after,
    )


def _expanded(stretch: _Stretch, rank: int, decay: float) -> Evidence:
    best, *others = stretch.found
    neighbours = tuple(
        Neighbour(
            chunk_id=chunk_id,
            distance=ordinal - best.passage.ordinal,
            score=decayed(best.score, abs(ordinal - best.passage.ordinal), decay),
        )
        for chunk_id, ordinal in sorted(stretch.ordinals.items(), key=lambda item: item[1])
        if chunk_id != best.passage.chunk_id
    )
    detail: dict[str, MetadataValue] = {"neighbours": len(neighbours)}
    if others:
        detail["merged"] = ", ".join(each.passage.chunk_id for each in others)
        detail["merged_ranks"] = ", ".join(str(each.rank) for each in others)
    record = StageRecord(
        stage=STAGE,
        rank_before=best.rank,
        rank_after=rank,
        score_before=best.score,
        score_after=best.score,
        detail=detail,
    )
    terms = chain.from_iterable(each.matched_terms for each in stretch.found)
    duplicates = chain.from_iterable(each.near_duplicates for each in stretch.found)
    return replace(
        best,
        passage=stretch.passage,
        rank=rank,
        matched_terms=tuple(dict.fromkeys(terms)),
        near_duplicates=tuple(dict.fromkeys(duplicates)),
        neighbours=neighbours,
        explanation=(*best.explanation, record),
    )
