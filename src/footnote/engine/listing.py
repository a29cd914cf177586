"""List a workspace's documents, and the versions, passages and similar documents of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import numpy as np

from footnote.domain import (
    AllOf,
    Comparison,
    Condition,
    DocumentClass,
    DocumentPage,
    DocumentSort,
    DocumentStatus,
    DocumentVersion,
    Operator,
    PassagePage,
    SearchFilters,
    SimilarDocument,
    SortOrder,
)
from footnote.engine.lanes import serving
from footnote.engine.services import WorkspaceAccess
from footnote.ports import RecallRequest, Vector
from footnote.store import listing as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.passages import passage_numbers, passages_after
from footnote.validation.constrained_types import ListQuery, Name, PageLimit, SimilarLimit, Tag

_PASSAGES_FOR_EACH = 6
"""Passages retrieved for each wanted document, as a long one has several among the nearest."""
_MAX_RECALLED = 1000
_MAX_SAMPLED_PASSAGES = 256
"""Most passages of a document in its mean vector; a longer one is sampled evenly."""


async def documents(
    workspace: WorkspaceAccess,
    *,
    query: ListQuery = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: Tag | None = None,
    where: Condition | None = None,
    sort: DocumentSort = DocumentSort.CREATED_AT,
    order: SortOrder | None = None,
    facets: Sequence[Name] = (),
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> DocumentPage:
    """List documents, published or not, newest first or sorted as requested.

    By default times sort in descending and all else in ascending order. Each facet counts documents
    that match all filters except the one on its own field. Raises InvalidRequest.
    """
    if order is None:
        descending = sort is DocumentSort.CREATED_AT
        order = SortOrder.DESCENDING if descending else SortOrder.ASCENDING
    listing = stored.Listing(
        query=query,
        collection=collection,
        status=status,
        document_class=document_class,
        tag=tag,
        where=where,
        sort=sort,
        order=order,
    )
    return await workspace.read(
        partial(stored.list_documents, listing=listing, facets=facets, limit=limit, cursor=cursor)
    )


async def select_documents(
    workspace: WorkspaceAccess,
    condition: Condition | None = None,
    *,
    status: DocumentStatus | None = None,
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> DocumentPage:
    """A page of the documents that meet a condition, newest first. Raises InvalidRequest."""
    return await workspace.read(
        partial(
            stored.select_documents,
            condition=condition or AllOf(conditions=()),
            status=status,
            limit=limit,
            cursor=cursor,
        )
    )


async def versions(workspace: WorkspaceAccess, document_id: UUID) -> tuple[DocumentVersion, ...]:
    """The versions that were received of a document, the last first. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.list_versions(scope, document_id)


async def document_passages(
    workspace: WorkspaceAccess,
    document_id: UUID,
    *,
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> PassagePage:
    """List the searchable passages of a document in order; empty before it is published.

    Raises NotFound, and InvalidRequest for a foreign cursor.
    """

    async def page(scope: WorkspaceScope) -> PassagePage:
        await get_document(scope, document_id)
        return await passages_after(scope, document_id, limit=limit, cursor=cursor)

    return await workspace.read(page)


async def similar_documents(
    workspace: WorkspaceAccess, document_id: UUID, *, limit: SimilarLimit = 5
) -> tuple[SimilarDocument, ...]:
    """Return the documents most similar to one, by the vectors of passages, nearest first.

    Each is ranked by its passage nearest to the mean vector of the given document's passages. Empty
    for a document that is not published or not embedded. Raises NotFound.
    """
    async with workspace.scope() as scope:
        await get_document(scope, document_id)
        numbers = await passage_numbers(scope, document_id)
    lane = (await serving(workspace)).embedder.lane
    index = workspace.index_in(lane)
    sampled = numbers[:: max(1, -(-len(numbers) // _MAX_SAMPLED_PASSAGES))]
    vectors = [*(await index.vectors(sampled)).values()]
    if not vectors:
        return ()
    mean: Vector = np.asarray(np.mean(vectors, axis=0), dtype=np.float32)
    length = float(np.linalg.norm(mean))
    if length == 0:
        return ()
    other = Comparison(field="document_id", operator=Operator.DIFFERS, value=str(document_id))
    nearest: dict[UUID, float] = {}
    recall_limit = limit * _PASSAGES_FOR_EACH
    while True:
        recalled = await index.recall(
            RecallRequest(
                vector=mean / np.float32(length),
                limit=recall_limit,
                filters=SearchFilters(where=other),
            )
        )
        passages = await index.passages([hit.chunk_no for hit in recalled.dense])
        for hit in recalled.dense:
            if hit.chunk_no in passages:
                nearest.setdefault(passages[hit.chunk_no].document_id, hit.score)
        if (
            len(nearest) >= limit
            or len(recalled.dense) < recall_limit
            or recall_limit >= _MAX_RECALLED
        ):
            break
        recall_limit *= 4  # A long document had most of the nearest passages: retrieve more.
    async with workspace.scope() as scope:
        similar = await stored.documents_of_ids(scope, [*nearest][:limit])
    return tuple(
        SimilarDocument(document=document, similarity=nearest[document.document_id])
        for document in similar
    )
