"""The collections of a workspace: list them with counts, and remove empty ones."""

from __future__ import annotations

from footnote.domain import Grant, Right
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.domain.listing import CollectionSummary
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Conflict, NotFound
from footnote.store import collections as stored
from footnote.store.access import list_grants
from footnote.validation.constrained_types import Name


async def collections(workspace: WorkspaceAccess) -> tuple[CollectionSummary, ...]:
    """List the collections that the caller administers, by name, with counts of what it may see.

    All of them for administrators of the workspace. Raises Forbidden.
    """
    principal = workspace.principal
    names = None
    if not principal.may(Right.ADMINISTER, WHOLE_WORKSPACE):
        names = [name for name, _ in principal.collections if principal.may(Right.ADMINISTER, name)]
    granted: dict[str, list[Grant]] = {}
    async with workspace.scope() as scope:
        for grant in await list_grants(scope):
            if grant.collection is not None:
                granted.setdefault(grant.collection, []).append(grant)
        return await stored.list_collections(scope, names, granted)


async def delete_collection(workspace: WorkspaceAccess, collection: Name) -> None:
    """Remove a collection that has no documents, with the roles granted in it alone.

    Raises NotFound, Forbidden, and Conflict where there is a document in it, even one that the
    caller may not see.
    """
    workspace.require(Right.ADMINISTER, collection)
    async with workspace.scope() as scope:
        removal = await stored.remove_collection(scope, collection)
    if removal == "absent":
        raise NotFound(
            f"there is no collection {collection!r}",
            hint="`footnote collections list` or `GET /v1/collections` shows what there is",
        )
    if removal == "in use":
        raise Conflict(
            f"the collection {collection!r} has documents, and is not removed",
            hint="delete its documents first, or erase the collection as a whole",
        )
