"""Saved list views of a principal: list, store and remove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import cast
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import DocumentClass, DocumentSort, DocumentStatus, SavedView, SortOrder
from footnote.errors import InvalidRequest, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import VIEW, VIEW_NAME
from footnote.store.statements import load_statements

_SQL = load_statements("views")

MAX_VIEWS = 100
"""Most views of one principal."""
_FIELDS = tuple(
    field.name for field in fields(SavedView) if field.name not in ("name", "updated_at")
)


async def list_views(scope: WorkspaceScope) -> tuple[SavedView, ...]:
    """Every view of the acting principal, in the order in which they were first kept."""
    return tuple(view for _, view in await _views(scope))


async def keep_view(scope: WorkspaceScope, view: SavedView) -> SavedView:
    """Store a view, replacing one of the same name. Raises InvalidRequest above `MAX_VIEWS`."""
    await scope.execute(_SQL["one_at_a_time"])
    existing = {saved.name: view_id for view_id, saved in await _views(scope)}
    if view.name not in existing and len(existing) >= MAX_VIEWS:
        raise InvalidRequest(
            f"there are {len(existing)} views already",
            hint="delete one that is not needed any more",
        )
    view_id = existing.get(view.name, uuid4())
    key = (scope.principal.principal_id, view_id)
    row = await scope.single(
        _SQL["keep"],
        {
            "view_id": view_id,
            "name": scope.sealing.text(VIEW_NAME.of(*key), view.name),
            "view": Jsonb(
                scope.sealing.json(VIEW.of(*key), {name: getattr(view, name) for name in _FIELDS})
            ),
        },
    )
    return replace(view, updated_at=row["updated_at"])


async def remove_view(scope: WorkspaceScope, name: str) -> None:
    """Remove a view. Raises NotFound for a name that the acting principal has no view of."""
    for view_id, view in await _views(scope):
        if view.name == name:
            await scope.execute(_SQL["remove"], {"view_id": view_id})
            return
    raise NotFound(f"there is no view {name!r}", hint="`GET /v1/views` lists yours")


async def _views(scope: WorkspaceScope) -> tuple[tuple[UUID, SavedView], ...]:
    return tuple((row["view_id"], _view_of(scope, row)) for row in await scope.all(_SQL["list"]))


def _view_of(scope: WorkspaceScope, row: DictRow) -> SavedView:
    key = (scope.principal.principal_id, row["view_id"])
    content = cast("Mapping[str, str | None]", scope.sealing.plain_json(VIEW.of(*key), row["view"]))
    status, document_class = content["status"], content["document_class"]
    return SavedView(
        name=scope.sealing.plain_text(VIEW_NAME.of(*key), row["name"]),
        query=content["query"] or "",
        collection=content["collection"],
        status=None if status is None else DocumentStatus(status),
        document_class=None if document_class is None else DocumentClass(document_class),
        tag=content["tag"],
        where=content["where"],
        sort=DocumentSort(content["sort"] or DocumentSort.CREATED_AT),
        order=SortOrder(content["order"] or SortOrder.DESCENDING),
        updated_at=row["updated_at"],
    )
