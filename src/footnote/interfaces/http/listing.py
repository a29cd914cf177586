"""Routes of lists: documents, versions, passages, similar ones; saved views; collections."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain import (
    DocumentClass,
    DocumentMap,
    DocumentPage,
    DocumentSort,
    DocumentStatus,
    PassagePage,
    SavedView,
    SortOrder,
)
from footnote.domain.clusters import ClusterGranularity
from footnote.filters import condition_from_text
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import CollectionList, SimilarDocuments, VersionList, ViewList
from footnote.validation.constrained_types import (
    MAX_PAGE,
    FilterText,
    ListQuery,
    Name,
    Tag,
    ViewName,
)

router = workspace_router("documents")
collections_router = workspace_router("collections")

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="The most of them in a page.")]
Cursor = Annotated[
    str | None, Query(max_length=2000, description="`next_cursor` of the page before.")
]
Words = Annotated[
    ListQuery, Query(description="Words that each stand in the title or the file name.")
]
OfStatus = Annotated[DocumentStatus | None, Query(description="Only with this status.")]
OfCollection = Annotated[Name | None, Query(description="Only in this collection.")]
OfClass = Annotated[DocumentClass | None, Query(description="Only of this sort of document.")]
WithTag = Annotated[Tag | None, Query(description="Only with this tag.")]
Where = Annotated[
    FilterText | None,
    Query(description="Only what meets this filter, as JSON text in the grammar of filters."),
]


class KeptView(Request):
    """A view of the list of documents, which is kept under a name."""

    name: ViewName
    query: ListQuery = Field("", description="Words that each stand in the title or file name.")
    collection: Name | None = None
    status: DocumentStatus | None = None
    document_class: DocumentClass | None = None
    tag: Tag | None = None
    where: FilterText | None = Field(None, description="A filter as JSON text.")
    sort: DocumentSort = DocumentSort.CREATED_AT
    order: SortOrder = SortOrder.DESCENDING


@router.get("/v1/documents")
async def list_documents(
    *,
    workspace: TheWorkspace,
    limit: Limit = 50,
    cursor: Cursor = None,
    query: Words = "",
    status: OfStatus = None,
    collection: OfCollection = None,
    document_class: OfClass = None,
    tag: WithTag = None,
    where: Where = None,
    sort: Annotated[
        DocumentSort, Query(description="By what they are sorted; ties go by the id.")
    ] = DocumentSort.CREATED_AT,
    order: Annotated[
        SortOrder | None,
        Query(description="Which way; without it, times fall and all else rises."),
    ] = None,
    facets: Annotated[
        list[Name] | None,
        Query(
            description="Fields to count the commonest values of: `status`, those of a search's "
            "facets; repeat the parameter. The page then has the `total` too."
        ),
    ] = None,
) -> DocumentPage:
    """List the documents of the workspace, newest first or as they are to be sorted."""
    return await workspace.documents(
        query=query,
        collection=collection,
        status=status,
        document_class=document_class,
        tag=tag,
        where=None if where is None else condition_from_text(where),
        sort=sort,
        order=order,
        facets=facets or (),
        limit=limit,
        cursor=cursor,
    )


@router.get("/v1/map")
async def map_documents(
    *,
    workspace: TheWorkspace,
    query: Words = "",
    status: OfStatus = None,
    collection: OfCollection = None,
    document_class: OfClass = None,
    tag: WithTag = None,
    where: Where = None,
    clusters: Annotated[
        ClusterGranularity | None,
        Query(description="Say to which clusters of this granularity the points belong."),
    ] = None,
    wait_seconds: Annotated[
        float,
        Query(ge=0, le=60, description="How long to wait before its progress is answered instead."),
    ] = 30,
) -> DocumentMap:
    """Give each document a place near to what it is like, among all that you may see."""
    return await workspace.document_map(
        query=query,
        collection=collection,
        status=status,
        document_class=document_class,
        tag=tag,
        where=None if where is None else condition_from_text(where),
        clusters=clusters,
        wait_seconds=wait_seconds,
    )


@router.get("/v1/documents/{document_id}/versions")
async def list_versions(workspace: TheWorkspace, document_id: UUID) -> VersionList:
    """List the versions that were received of a document, the last first."""
    return VersionList(versions=await workspace.versions(document_id))


@router.get("/v1/documents/{document_id}/passages")
async def list_passages(
    *, workspace: TheWorkspace, document_id: UUID, limit: Limit = 50, cursor: Cursor = None
) -> PassagePage:
    """List what is searched of a document, in its order, with headings and pages."""
    return await workspace.document_passages(document_id, limit=limit, cursor=cursor)


@router.get("/v1/documents/{document_id}/similar")
async def list_similar(
    *,
    workspace: TheWorkspace,
    document_id: UUID,
    limit: Annotated[int, Query(ge=1, le=50, description="The most documents.")] = 5,
) -> SimilarDocuments:
    """List the documents that are most like one, by what their passages mean."""
    return SimilarDocuments(documents=await workspace.similar_documents(document_id, limit=limit))


@router.get("/v1/views")
async def list_views(workspace: TheWorkspace) -> ViewList:
    """List your views of the list of documents."""
    return ViewList(views=await workspace.views())


@router.put("/v1/views")
async def keep_view(workspace: TheWorkspace, view: KeptView) -> SavedView:
    """Keep a view under its name, in the place of an earlier one; nobody else sees it."""
    return await workspace.keep_view(
        view.name,
        query=view.query,
        collection=view.collection,
        status=view.status,
        document_class=view.document_class,
        tag=view.tag,
        where=view.where,
        sort=view.sort,
        order=view.order,
    )


@router.delete("/v1/views", status_code=204)
async def remove_view(
    workspace: TheWorkspace, name: Annotated[ViewName, Query(description="Of your view.")]
) -> None:
    """Remove a view."""
    await workspace.remove_view(name)


@collections_router.get("/v1/collections")
async def list_collections(workspace: TheWorkspace) -> CollectionList:
    """List the collections that you administer, with counts of what you may see of each."""
    return CollectionList(collections=await workspace.collections())


@collections_router.delete(
    "/v1/collections", status_code=204, responses=problem_responses("not-found", "conflict")
)
async def delete_collection(
    workspace: TheWorkspace, collection: Annotated[Name, Query(description="Its name.")]
) -> None:
    """Remove a collection without documents, with the roles that were granted in it alone."""
    await workspace.delete_collection(collection)
