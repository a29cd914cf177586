"""Routes of collections: what they hold, and the removal of empty ones."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import CollectionList
from footnote.validation.constrained_types import Name

router = workspace_router("collections")


@router.get("/v1/collections")
async def list_collections(workspace: TheWorkspace) -> CollectionList:
    """List the collections that you administer, with counts of what you may see of each."""
    return CollectionList(collections=await workspace.collections())


@router.delete(
    "/v1/collections", status_code=204, responses=problem_responses("not-found", "conflict")
)
async def delete_collection(
    workspace: TheWorkspace, collection: Annotated[Name, Query(description="Its name.")]
) -> None:
    """Remove a collection without documents, with the roles that were granted in it alone."""
    await workspace.delete_collection(collection)
