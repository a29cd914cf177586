"""Saved views of the list of documents, private to each principal."""

from __future__ import annotations

from footnote.domain import DocumentClass, DocumentSort, DocumentStatus, SavedView, SortOrder
from footnote.engine.services import WorkspaceAccess
from footnote.filters import condition_from_text
from footnote.store import views as stored
from footnote.validation.constrained_types import FilterText, ListQuery, Name, Tag, ViewName

_KEEP = "keep views"


async def views(workspace: WorkspaceAccess) -> tuple[SavedView, ...]:
    """List one's own views in order of creation. Raises Forbidden for a link."""
    workspace.refuse_guest(_KEEP)
    async with workspace.scope() as scope:
        return await stored.list_views(scope)


async def keep_view(
    workspace: WorkspaceAccess,
    view_name: ViewName,
    *,
    query: ListQuery = "",
    collection: Name | None = None,
    status: DocumentStatus | None = None,
    document_class: DocumentClass | None = None,
    tag: Tag | None = None,
    where: FilterText | None = None,
    sort: DocumentSort = DocumentSort.CREATED_AT,
    order: SortOrder = SortOrder.DESCENDING,
) -> SavedView:
    """Save a view of the list of documents under a name, replacing an earlier one.

    Raises Forbidden for a link, and InvalidRequest for an invalid filter or too many views.
    """
    workspace.refuse_guest(_KEEP)
    if where is not None:
        condition_from_text(where)
    view = SavedView(
        name=view_name,
        query=query,
        collection=collection,
        status=status,
        document_class=document_class,
        tag=tag,
        where=where,
        sort=sort,
        order=order,
    )
    async with workspace.scope() as scope:
        return await stored.keep_view(scope, view)


async def remove_view(workspace: WorkspaceAccess, view_name: ViewName) -> None:
    """Remove one's own view. Raises NotFound, and Forbidden for a link."""
    workspace.refuse_guest(_KEEP)
    async with workspace.scope() as scope:
        await stored.remove_view(scope, view_name)
