"""Looks into the documents that promise most, and into those whose evidence speaks for itself.

What the flat search finds is known before anything is left out. So what it ranks first, fused or
in either recall, stays, and with it the documents it is from.
"""

from __future__ import annotations

from collections import Counter

from footnote.domain import MetadataValue, Ranking, StageRecord
from footnote.ports import Recalled

ROUTE = "route"
"""The stage that ranks documents before chunks."""
EVIDENT = 3
"""First ranks of the flat search whose documents are always looked into."""


def within_routes(
    ranking: Ranking, recalled: Recalled, wanted: int, evident: int = EVIDENT
) -> Ranking:
    """The fused ranking without the chunks of documents that are not looked into.

    Looked into are the chosen documents, those of the first `evident` hits of the ranking and of
    the first `EVIDENT` of either recall, and those of which it is not known what they are about.
    While they have fewer than `wanted` hits, the document of the best other hit joins them, so
    that a routed search never finds less than a flat one. Order and scores stay.
    """
    if recalled.routes is None or not recalled.routes.documents:
        return ranking
    documents = recalled.routes.documents
    first = (*ranking[:evident], *recalled.dense[:EVIDENT], *recalled.lexical[:EVIDENT])
    inside = {each.rank for each in documents.values() if each.chosen}
    inside |= {documents[hit.chunk_no].rank for hit in first if hit.chunk_no in documents}
    hits = Counter(documents[hit.chunk_no].rank for hit in ranking if hit.chunk_no in documents)
    found = len(ranking) - sum(count for rank, count in hits.items() if rank not in inside)
    for hit in ranking:
        if found >= wanted:
            break
        document = documents.get(hit.chunk_no)
        if document is not None and document.rank not in inside:
            inside.add(document.rank)
            found += hits[document.rank]
    return tuple(
        hit
        for hit in ranking
        if hit.chunk_no not in documents or documents[hit.chunk_no].rank in inside
    )


def route_records(chunk_no: int, recalled: Recalled) -> list[StageRecord]:
    """What routing made of the chunk's document; nothing where documents were not ranked."""
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


def why_routed(record: StageRecord, place: str) -> str:
    """The record in words; `place` is its rank as an ordinal."""
    whole = record.detail.get("documents")
    if record.detail.get("chosen"):
        return f"in the {place} most promising of {whole} documents"
    return f"evident, though its document is only the {place} most promising of {whole}"
