"""Lists of a remote server: documents in any order, views of them, and what one has and is like."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode
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
    DocumentOutcomes,
    SimilarDocuments,
    VersionList,
    ViewList,
    decoded,
)
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.validation.constrained_types import MapWait, PageLimit, SimilarLimit

_DOCUMENTS = "/v1/documents"
_VIEWS = "/v1/views"


async def documents(
    client: Remote,
    *,
    query: str = "",
    collection: str | None = None,
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
    given = {
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
    asked = Content(params={name: each for name, each in given.items() if each is not None})
    return decoded(DocumentPage, await client.transport.json("GET", "/v1/documents", asked))


async def document_map(
    client: Remote,
    *,
    query: str = "",
    collection: str | None = None,
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
    given = {
        "query": query or None,
        "collection": collection,
        "status": status,
        "document_class": document_class,
        "tag": tag,
        "where": None if where is None else json.dumps(condition_to_json(where)),
        "clusters": clusters,
        "wait_seconds": f"{wait_seconds:g}",
    }
    asked = Content(params={name: each for name, each in given.items() if each is not None})
    return decoded(DocumentMap, await client.transport.json("GET", "/v1/map", asked))


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
    content = Content(
        json={
            "tags": None if tags is None else list(tags),
            "metadata": None if metadata is None else dict(metadata),
        }
    )
    path = f"/v1/documents/{document_id}"
    return decoded(Document, await client.transport.json("PATCH", path, content))


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
    content = Content(
        json={
            "document_ids": [str(each) for each in document_ids],
            "add_tags": list(add_tags),
            "remove_tags": list(remove_tags),
            "metadata": None if metadata is None else dict(metadata),
            "visibility": visibility,
            "shared_with": list(shared_with),
        }
    )
    done = await client.transport.json("POST", f"{_DOCUMENTS}/changes", content)
    return decoded(DocumentOutcomes, done).documents


async def delete_documents(
    client: Remote, document_ids: Sequence[UUID]
) -> tuple[DocumentOutcome, ...]:
    """Delete each with its attachments; one that is refused does not keep the others."""
    content = Content(json={"document_ids": [str(each) for each in document_ids]})
    # Once more it would say of each that it is not there.
    done = await client.transport.json("POST", f"{_DOCUMENTS}/deletions", content, Repeat.REFUSED)
    return decoded(DocumentOutcomes, done).documents


async def versions(client: Remote, document_id: UUID) -> tuple[DocumentVersion, ...]:
    """The versions that were received of a document, the last first."""
    found = await client.transport.json("GET", f"/v1/documents/{document_id}/versions")
    return decoded(VersionList, found).versions


async def document_passages(
    client: Remote, document_id: UUID, *, limit: PageLimit = 50, cursor: str | None = None
) -> PassagePage:
    """A page of what is searched of a document, in its order."""
    asked = Content(params={"limit": limit} | ({} if cursor is None else {"cursor": cursor}))
    path = f"/v1/documents/{document_id}/passages"
    return decoded(PassagePage, await client.transport.json("GET", path, asked))


async def similar_documents(
    client: Remote, document_id: UUID, *, limit: SimilarLimit = 5
) -> tuple[SimilarDocument, ...]:
    """The documents that are most like one, by the vectors of their passages, nearest first."""
    path = f"/v1/documents/{document_id}/similar"
    found = await client.transport.json("GET", path, Content(params={"limit": limit}))
    return decoded(SimilarDocuments, found).documents


async def views(client: Remote) -> tuple[SavedView, ...]:
    """One's own views of the list of documents."""
    return decoded(ViewList, await client.transport.json("GET", _VIEWS)).views


async def keep_view(
    client: Remote,
    view_name: str,
    *,
    query: str = "",
    collection: str | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: str | None = None,
    where: str | None = None,
    sort: DocumentSort = DocumentSort.CREATED_AT,
    order: SortOrder = SortOrder.DESCENDING,
) -> SavedView:
    """Keep a view under a name, in the place of an earlier one."""
    content = Content(
        json={
            "name": view_name,
            "query": query,
            "collection": collection,
            "status": status,
            "document_class": document_class,
            "tag": tag,
            "where": where,
            "sort": sort,
            "order": order,
        }
    )
    return decoded(SavedView, await client.transport.json("PUT", _VIEWS, content))


async def remove_view(client: Remote, view_name: str) -> None:
    """Remove one's own view. Raises NotFound."""
    path = f"{_VIEWS}?{urlencode({'name': view_name})}"
    await client.transport.call("DELETE", path, repeat=Repeat.REFUSED)
