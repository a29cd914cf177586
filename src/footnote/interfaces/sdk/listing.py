"""Lists of a remote server: documents in any order, views of them, and what one has and is like."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from uuid import UUID

from footnote.domain import (
    Condition,
    Document,
    DocumentClass,
    DocumentMap,
    DocumentOutcome,
    DocumentPage,
    DocumentSort,
    DocumentStatus,
    DocumentVersion,
    MetadataValue,
    PassagePage,
    SavedView,
    SimilarDocument,
    SortOrder,
    Visibility,
)
from footnote.domain.clusters import ClusterGranularity
from footnote.filters import condition_to_json
from footnote.interfaces.schemas import (
    decoded,
)
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import MapWait, Name, PageLimit, SimilarLimit


async def documents(
    client: Remote,
    *,
    query: str = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: str | None = None,
    where: Condition | None = None,
    sort: DocumentSort = DocumentSort.CREATED_AT,
    order: SortOrder | None = None,
    facets: Sequence[str] = (),
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> DocumentPage:
    """A page of documents, newest first or as they are to be sorted."""
    values = {
        "query": query or None,
        "collection": collection,
        "status": status,
        "document_class": document_class,
        "tag": tag,
        "where": None if where is None else json.dumps(condition_to_json(where)),
        "sort": None if sort is DocumentSort.CREATED_AT else sort,
        "order": order,
        "facets": list(facets) or None,
        "limit": limit,
        "cursor": cursor,
    }
    content = Content(params={name: value for name, value in values.items() if value is not None})
    return decoded(DocumentPage, await client.transport.json("GET", "/v1/documents", content))


async def document_map(
    client: Remote,
    *,
    query: str = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: str | None = None,
    where: Condition | None = None,
    clusters: ClusterGranularity | None = None,
    wait_seconds: MapWait = 30,
) -> DocumentMap:
    """The documents that meet the filters, where they lie among all that one may see.

    A map that takes longer than `wait_seconds` comes without points and with its progress.
    """
    values = {
        "query": query or None,
        "collection": collection,
        "status": status,
        "document_class": document_class,
        "tag": tag,
        "where": None if where is None else json.dumps(condition_to_json(where)),
        "clusters": clusters,
        "wait_seconds": f"{wait_seconds:g}",
    }
    content = Content(params={name: value for name, value in values.items() if value is not None})
    return decoded(DocumentMap, await client.transport.json("GET", "/v1/map", content))


@verb("PATCH", "/v1/documents/{document_id}")
async def change_document(
    client: Remote,
    document_id: UUID,
    *,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, MetadataValue | None] | None = None,
) -> Document:
    """Give a document, and its attachments, other tags, or it other metadata; None leaves either.

    Metadata is merged with what there is, and a member that is None is removed.
    """


@verb("POST", "/v1/documents/changes", "documents")
async def change_documents(
    client: Remote,
    document_ids: Sequence[UUID],
    *,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    metadata: Mapping[str, MetadataValue | None] | None = None,
    visibility: Visibility | None = None,
    shared_with: Sequence[str] = (),
) -> tuple[DocumentOutcome, ...]:
    """Give each tags and take others from it, merge metadata into it, and say who sees it."""


@verb("POST", "/v1/documents/deletions", "documents", repeat=Repeat.REFUSED)
async def delete_documents(
    client: Remote, document_ids: Sequence[UUID]
) -> tuple[DocumentOutcome, ...]:
    """Delete each with its attachments; one that is refused does not keep the others."""


@verb("GET", "/v1/documents/{document_id}/versions", "versions")
async def versions(client: Remote, document_id: UUID) -> tuple[DocumentVersion, ...]:
    """The versions that were received of a document, the last first."""


@verb("GET", "/v1/documents/{document_id}/passages")
async def document_passages(
    client: Remote, document_id: UUID, *, limit: PageLimit = 50, cursor: str | None = None
) -> PassagePage:
    """A page of what is searched of a document, in its order."""


@verb("GET", "/v1/documents/{document_id}/similar", "documents")
async def similar_documents(
    client: Remote, document_id: UUID, *, limit: SimilarLimit = 5
) -> tuple[SimilarDocument, ...]:
    """The documents that are most like one, by the vectors of their passages, nearest first."""


@verb("GET", "/v1/views", "views")
async def views(client: Remote) -> tuple[SavedView, ...]:
    """One's own views of the list of documents."""


@verb("PUT", "/v1/views", names={"view_name": "name"})
async def keep_view(
    client: Remote,
    view_name: str,
    *,
    query: str = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: str | None = None,
    where: str | None = None,
    sort: DocumentSort = DocumentSort.CREATED_AT,
    order: SortOrder = SortOrder.DESCENDING,
) -> SavedView:
    """Keep a view under a name, in the place of an earlier one."""


@verb("DELETE", "/v1/views", repeat=Repeat.REFUSED, names={"view_name": "name"})
async def remove_view(client: Remote, view_name: str) -> None:
    """Remove one's own view. Raises NotFound."""
