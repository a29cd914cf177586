"""Lower the scores of passages outside the documents that the question names."""

from __future__ import annotations

import math
from collections.abc import Mapping

from footnote.domain import MetadataValue, Recall, StageRecord
from footnote.retrieval.fusion import Fused, rank_by_score

NAMES = "names"
"""Name of the stage that lowers the scores of passages outside the named documents."""
PULL = 0.15
"""Rate at which a score decays per nat that the document's name score is below the best.
Fitted on one half of `bench/filings.py`."""
MAX_LACKING = 4.0
"""Upper limit of the gap, in nats, so that a passage of another document may still be the best."""


def naming_words(text: str) -> str:
    """Return the words of a query that can name a document: with a capital letter or a digit.

    Names, tickers, numbers and years have one. Other words say what is asked of documents; a match
    of one in a title is already counted by BM25.
    """
    return " ".join(
        word
        for word in text.split()
        if any(character.isupper() or character.isdigit() for character in word)
    )


def favour_named(fused: Fused, gaps: Mapping[int, float]) -> Fused:
    """Lower each chunk's score by how much less than the best its document is named.

    Parts still add up to their score. Nothing changes if the query names no document.
    """
    if not gaps:
        return fused
    shares = {hit.chunk_no: score_factor(gaps.get(hit.chunk_no, 0.0)) for hit in fused.ranking}
    scores = {hit.chunk_no: hit.score * shares[hit.chunk_no] for hit in fused.ranking}
    parts: dict[int, Mapping[Recall, float]] = {
        number: {recall: part * shares.get(number, 1.0) for recall, part in recall_parts.items()}
        for number, recall_parts in fused.parts.items()
    }
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def score_factor(gap: float) -> float:
    """Factor of a score at this gap in nats: 1 for the documents that are named best."""
    return math.exp(-PULL * min(max(gap, 0.0), MAX_LACKING))


def name_records(chunk_no: int, gaps: Mapping[int, float]) -> list[StageRecord]:
    """Record how well the chunk's document is named; empty if the question names none."""
    gap = gaps.get(chunk_no)
    if gap is None:
        return []
    rank = 1 + len({other for other in gaps.values() if other < gap})
    detail: dict[str, MetadataValue] = {"lack": gap}
    return [StageRecord(stage=NAMES, rank_after=rank, score_after=score_factor(gap), detail=detail)]


def naming_in_words(record: StageRecord) -> str:
    """The record in words."""
    return "in a document that the question names" if record.rank_after == 1 else ""
