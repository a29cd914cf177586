"""Routes of entities: listed, shown with every mention, merged, split and renamed."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain.entities import (
    Entity,
    EntityDecision,
    EntityKind,
    EntityPage,
    EntityProgress,
    MentionPage,
)
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import EntityDecisionList
from footnote.validation.constrained_types import EntityName, EntityQuery, WrittenName

router = workspace_router("entities")

Limit = Annotated[int, Query(ge=1, le=200, description="The most of them.")]
Cursor = Annotated[
    str | None, Query(max_length=1000, description="`next_cursor` of the page before.")
]


class EntityMerge(Request):
    """Which entity another takes in."""

    other_id: UUID = Field(description="The entity that is taken in, with all its names.")


class EntitySplit(Request):
    """What becomes an entity of its own."""

    names: list[WrittenName] = Field(
        default_factory=list, max_length=200, description="Names, as documents write them."
    )
    document_ids: list[UUID] = Field(
        default_factory=list, max_length=200, description="Documents in which it is another one."
    )


class EntityRenaming(Request):
    """The name that an entity gets."""

    name: EntityName


@router.get("/v1/entities", responses=problem_responses("not-found"))
async def list_entities(
    workspace: TheWorkspace,
    *,
    query: Annotated[
        EntityQuery, Query(description="Words that are all in one of its names.")
    ] = "",
    kind: Annotated[tuple[EntityKind, ...], Query(description="Only of these kinds.")] = (),
    document_id: Annotated[UUID | None, Query(description="Only what this document names.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> EntityPage:
    """List entities, those that most documents name first."""
    return await workspace.entities(
        query=query, kinds=kind, document_id=document_id, limit=limit, cursor=cursor
    )


@router.get("/v1/entities/progress")
async def get_entity_progress(workspace: TheWorkspace) -> EntityProgress:
    """Say how far the documents of the workspace are read for entities."""
    return await workspace.entity_progress()


@router.post("/v1/entities/extraction", status_code=202, responses=problem_responses("conflict"))
async def extract_entities(workspace: TheWorkspace) -> EntityProgress:
    """Have all documents read for entities that were not."""
    return await workspace.extract_entities()


@router.post(
    "/v1/entities/decisions/{decision_id}/undo",
    responses=problem_responses("not-found", "conflict"),
)
async def undo_entity_decision(workspace: TheWorkspace, decision_id: UUID) -> EntityDecision:
    """Have things as they were before a decision."""
    return await workspace.undo_entity_decision(decision_id)


@router.get("/v1/entities/{entity_id}", responses=problem_responses("not-found"))
async def get_entity(workspace: TheWorkspace, entity_id: UUID) -> Entity:
    """Show an entity and the documents that name it."""
    return await workspace.entity(entity_id)


@router.patch("/v1/entities/{entity_id}", responses=problem_responses("not-found"))
async def rename_entity(workspace: TheWorkspace, entity_id: UUID, body: EntityRenaming) -> Entity:
    """Give an entity a name."""
    return await workspace.rename_entity(entity_id, body.name)


@router.get("/v1/entities/{entity_id}/mentions", responses=problem_responses("not-found"))
async def list_entity_mentions(
    workspace: TheWorkspace, entity_id: UUID, *, limit: Limit = 50, cursor: Cursor = None
) -> MentionPage:
    """List every place where documents name an entity."""
    return await workspace.entity_mentions(entity_id, limit=limit, cursor=cursor)


@router.get("/v1/entities/{entity_id}/decisions", responses=problem_responses("not-found"))
async def list_entity_decisions(workspace: TheWorkspace, entity_id: UUID) -> EntityDecisionList:
    """List what was decided of an entity, latest first."""
    return EntityDecisionList(decisions=await workspace.entity_decisions(entity_id))


@router.post("/v1/entities/{entity_id}/merge", responses=problem_responses("not-found"))
async def merge_entities(workspace: TheWorkspace, entity_id: UUID, body: EntityMerge) -> Entity:
    """Let an entity take in another."""
    return await workspace.merge_entities(entity_id, body.other_id)


@router.post("/v1/entities/{entity_id}/split", responses=problem_responses("not-found", "conflict"))
async def split_entity(workspace: TheWorkspace, entity_id: UUID, body: EntitySplit) -> Entity:
    """Make an entity of its own of some names, or of what some documents call so."""
    return await workspace.split_entity(
        entity_id, names=tuple(body.names), documents=tuple(body.document_ids)
    )
