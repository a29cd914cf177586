"""Restrict a ranking to the best-routed documents and those of the top hits.

The unrouted search runs first, so its top hits, fused or in either recall, are always kept with
their documents.
"""

from __future__ import annotations

from collections import Counter

from footnote.domain import MetadataValue, Ranking, StageRecord
from footnote.ports import Recalled

ROUTE = "route"
"""Name of the stage that ranks documents before chunks."""
EVIDENT = 3
"""Top ranks of the unrouted search whose documents are always kept."""


def within_routes(
    ranking: Ranking, recalled: Recalled, minimum: int, evident: int = EVIDENT
) -> Ranking:
    """Remove the chunks of documents that were not selected from the fused ranking.

    Selected are the documents chosen by routing, those of the first `evident` hits of the ranking
    and of the first `EVIDENT` of either recall, and those without a routing entry. While these have
    fewer than `minimum` hits, the document of the best other hit is added, so that a routed search
    never finds less than an unrouted one. Order and scores are kept.
    """
    if recalled.routes is None or not recalled.routes.documents:
        return ranking
    documents = recalled.routes.documents
    first = (*ranking[:evident], *recalled.dense[:EVIDENT], *recalled.lexical[:EVIDENT])
    selected = {document.rank for document in documents.values() if document.chosen}
    selected |= {documents[hit.chunk_no].rank for hit in first if hit.chunk_no in documents}
    hits = Counter(documents[hit.chunk_no].rank for hit in ranking if hit.chunk_no in documents)
    hit_count = len(ranking) - sum(count for rank, count in hits.items() if rank not in selected)
    for hit in ranking:
        if hit_count >= minimum:
            break
        document = documents.get(hit.chunk_no)
        if document is not None and document.rank not in selected:
            selected.add(document.rank)
            hit_count += hits[document.rank]
    return tuple(
        hit
        for hit in ranking
        if hit.chunk_no not in documents or documents[hit.chunk_no].rank in selected
    )


def route_records(chunk_no: int, recalled: Recalled) -> list[StageRecord]:
    """Record how routing ranked the chunk's document; empty without routing."""
    routes = recalled.routes
    document = None if routes is None else routes.documents.get(chunk_no)
    if routes is None or document is None:
        return []
    detail: dict[str, MetadataValue] = {
        "chosen": document.chosen,
        "documents": routes.in_scope,
        "bm25": document.bm25,
    }
    if document.similarity is not None:
        detail["similarity"] = document.similarity
    return [
        StageRecord(
            stage=ROUTE,
            rank_after=document.rank,
            score_after=document.score,
            detail=detail,
        )
    ]


def why_routed(record: StageRecord, rank: str) -> str:
    """The record in words; `rank` is its rank as an ordinal."""
    total = record.detail.get("documents")
    if record.detail.get("chosen"):
        return f"in the {rank} most promising of {total} documents"
    return f"evident, though its document is only the {rank} most promising of {total}"
