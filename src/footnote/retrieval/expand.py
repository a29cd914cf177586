"""Expand evidence by neighbouring chunks, and merge overlaps so that no text is returned twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from uuid import UUID

from footnote.domain import Evidence, MetadataValue, Neighbour, Passage, StageRecord
from footnote.domain.passage_merging import any_suspicious, merged_passage
from footnote.domain.probability import mean_confidence
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
    stretches = [_Stretch.of(item, widened.get(item.passage.chunk_no)) for item in evidence]
    by_version: defaultdict[tuple[UUID, int], list[_Stretch]] = defaultdict(list)
    for stretch in stretches:
        by_version[stretch.passage.document_id, stretch.passage.version].append(stretch)
    merged = [stretch for group in by_version.values() for stretch in _merged(group)]
    merged.sort(key=lambda stretch: stretch.items[0].rank)
    return tuple(_expanded(stretch, rank, decay) for rank, stretch in enumerate(merged, start=1))


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
    items: tuple[Evidence, ...]
    ordinals: Mapping[str, int]
    """By chunk id, of every chunk in the stretch."""
    following_text: str
    """The text between the span and the next chunk that could extend it."""

    @classmethod
    def of(cls, item: Evidence, widened: ExpandedPassage | None) -> _Stretch:
        passage = item.passage
        ordinals = {passage.chunk_id: passage.ordinal}
        if widened is None:
            return cls(passage=passage, items=(item,), ordinals=ordinals, following_text="")
        ordinals |= {
            chunk_id: passage.ordinal + distance for chunk_id, distance in widened.distances.items()
        }
        return cls(
            passage=widened.passage, items=(item,), ordinals=ordinals, following_text=widened.after
        )


def _merged(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Merge the spans of one document version that overlap or are adjacent."""
    ordered = sorted(
        stretches, key=lambda stretch: (stretch.passage.char_start, stretch.passage.char_end)
    )
    merged = ordered[:1]
    for stretch in ordered[1:]:
        gap_text = _text_between(merged[-1], stretch)
        if gap_text is None:
            merged.append(stretch)
        else:
            merged[-1] = _joined(merged[-1], gap_text, stretch)
    return merged


def _text_between(preceding: _Stretch, following: _Stretch) -> str | None:
    """The text between two spans: empty if they overlap, None if they cannot be joined."""
    gap = following.passage.char_start - preceding.passage.char_end
    if gap <= 0:
        return ""
    return preceding.following_text if gap == len(preceding.following_text) else None


def _joined(preceding: _Stretch, gap_text: str, following: _Stretch) -> _Stretch:
    """Join two spans, under the identity of the better-ranked."""
    items = tuple(sorted((*preceding.items, *following.items), key=lambda item: item.rank))
    left, right = preceding.passage, following.passage
    shared = max(0, left.char_end - right.char_start)
    best = left if preceding.items[0].rank <= following.items[0].rank else right
    return _Stretch(
        passage=merged_passage(
            best,
            header=left.text[: left.body_offset],
            body=left.text[left.body_offset :]
            + gap_text
            + right.text[right.body_offset + shared :],
            char_start=left.char_start,
            spans=(*left.spans, *right.spans),
            confidence=mean_confidence(
                (passage.confidence, passage.char_end - passage.char_start)
                for passage in (left, right)
            ),
            suspicious=any_suspicious((left.suspicious, right.suspicious)),
        ),
        items=items,
        ordinals={**preceding.ordinals, **following.ordinals},
        following_text=following.following_text
        if right.char_end >= left.char_end
        else preceding.following_text,
    )


def _expanded(stretch: _Stretch, rank: int, decay: float) -> Evidence:
    best, *merged = stretch.items
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
    if merged:
        detail["merged"] = ", ".join(item.passage.chunk_id for item in merged)
        detail["merged_ranks"] = ", ".join(str(item.rank) for item in merged)
    record = StageRecord(
        stage=STAGE,
        rank_before=best.rank,
        rank_after=rank,
        score_before=best.score,
        score_after=best.score,
        detail=detail,
    )
    terms = chain.from_iterable(item.matched_terms for item in stretch.items)
    duplicates = chain.from_iterable(item.near_duplicates for item in stretch.items)
    return replace(
        best,
        passage=stretch.passage,
        rank=rank,
        matched_terms=tuple(dict.fromkeys(terms)),
        near_duplicates=tuple(dict.fromkeys(duplicates)),
        neighbours=neighbours,
        explanation=(*best.explanation, record),
    )
