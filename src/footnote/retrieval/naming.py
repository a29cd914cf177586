"""Prefers what stands in the documents that the question names."""

from __future__ import annotations

import math
from collections.abc import Mapping

from footnote.domain import MetadataValue, Recall, StageRecord
from footnote.retrieval.fusion import Fused, rank_by_score

NAMES = "names"
"""The stage that holds it against a passage that its document is not the one named."""
PULL = 0.15
"""Share of its score, about, that a passage loses for each nat that its document is named less.
Fitted on one half of `bench/filings.py`."""
MOST_LACKING = 4.0
"""In nats; however rare a name is, a passage of another document may still be the best."""


def naming_words(text: str) -> str:
    """The words of a query that can name a document: with a capital letter or a digit in them.

    Names, tickers, numbers and years have one. Other words say what is asked of documents, and
    that a title has one of them is no more than BM25 tells already.
    """
    return " ".join(
        word for word in text.split() if any(each.isupper() or each.isdigit() for each in word)
    )


def toward_named(fused: Fused, lacks: Mapping[int, float]) -> Fused:
    """The ranking in which a chunk's score is less, the less its document is named.

    Parts still add up to their score. Without a document that is named nothing changes.
    """
    if not lacks:
        return fused
    shares = {hit.chunk_no: share_left(lacks.get(hit.chunk_no, 0.0)) for hit in fused.ranking}
    scores = {hit.chunk_no: hit.score * shares[hit.chunk_no] for hit in fused.ranking}
    parts: dict[int, Mapping[Recall, float]] = {
        number: {recall: part * shares.get(number, 1.0) for recall, part in each.items()}
        for number, each in fused.parts.items()
    }
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def share_left(lack: float) -> float:
    """What is left of a score at such a lack: 1 for the documents that are named best."""
    return math.exp(-PULL * min(max(lack, 0.0), MOST_LACKING))


def name_records(chunk_no: int, lacks: Mapping[int, float]) -> list[StageRecord]:
    """How well the chunk's document is named; nothing where the question names none."""
    lack = lacks.get(chunk_no)
    if lack is None:
        return []
    rank = 1 + len({other for other in lacks.values() if other < lack})
    detail: dict[str, MetadataValue] = {"lack": lack}
    return [StageRecord(stage=NAMES, rank_after=rank, score_after=share_left(lack), detail=detail)]


def why_named(record: StageRecord) -> str:
    """The record in words."""
    return "in a document that the question names" if record.rank_after == 1 else ""
