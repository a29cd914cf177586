"""The entities of a workspace on a remote server."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain.entities import (
    Entity,
    EntityDecision,
    EntityKind,
    EntityPage,
    EntityProgress,
    MentionPage,
)
from footnote.domain.relationships import Graph
from footnote.interfaces.schemas import EntityDecisionList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_ENTITIES = "/v1/entities"


async def entities(
    client: Remote,
    *,
    query: str = "",
    kinds: Sequence[EntityKind] = (),
    document_id: UUID | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> EntityPage:
    """A page of entities, those that most documents name first. Raises NotFound."""
    params: dict[str, str | int | Sequence[str | int]] = {
        "query": query,
        "kind": [EntityKind(each).value for each in kinds],
        "limit": limit,
    }
    if document_id is not None:
        params["document_id"] = str(document_id)
    if cursor is not None:
        params["cursor"] = cursor
    found = await client.transport.json("GET", _ENTITIES, Content(params=params))
    return decoded(EntityPage, found)


async def entity(client: Remote, entity_id: UUID) -> Entity:
    """One entity, and the documents that name it. Raises NotFound."""
    return decoded(Entity, await client.transport.json("GET", f"{_ENTITIES}/{entity_id}"))


async def entity_mentions(
    client: Remote, entity_id: UUID, *, limit: int = 50, cursor: str | None = None
) -> MentionPage:
    """Every place where documents name an entity, in their order. Raises NotFound."""
    params: dict[str, str | int | Sequence[str | int]] = {"limit": limit}
    if cursor is not None:
        params["cursor"] = cursor
    path = f"{_ENTITIES}/{entity_id}/mentions"
    return decoded(MentionPage, await client.transport.json("GET", path, Content(params=params)))


async def merge_entities(client: Remote, entity_id: UUID, other_id: UUID) -> Entity:
    """Let an entity take in another. Raises NotFound."""
    found = await client.transport.json(
        "POST", f"{_ENTITIES}/{entity_id}/merge", Content(json={"other_id": str(other_id)})
    )
    return decoded(Entity, found)


async def split_entity(
    client: Remote,
    entity_id: UUID,
    *,
    names: Sequence[str] = (),
    documents: Sequence[UUID] = (),
) -> Entity:
    """Make an entity of its own of some names, or of what some documents call so.

    Raises NotFound and Conflict.
    """
    body = {"names": list(names), "document_ids": [str(each) for each in documents]}
    found = await client.transport.json(
        "POST", f"{_ENTITIES}/{entity_id}/split", Content(json=body)
    )
    return decoded(Entity, found)


async def rename_entity(client: Remote, entity_id: UUID, name: str) -> Entity:
    """Give an entity a name. Raises NotFound."""
    found = await client.transport.json(
        "PATCH", f"{_ENTITIES}/{entity_id}", Content(json={"name": name}), repeat=Repeat.LOST
    )
    return decoded(Entity, found)


async def entity_decisions(client: Remote, entity_id: UUID) -> tuple[EntityDecision, ...]:
    """What was decided of an entity, latest first. Raises NotFound."""
    found = await client.transport.json("GET", f"{_ENTITIES}/{entity_id}/decisions")
    return decoded(EntityDecisionList, found).decisions


async def undo_entity_decision(client: Remote, decision_id: UUID) -> EntityDecision:
    """Have things as they were before a decision. Raises NotFound and Conflict."""
    found = await client.transport.json("POST", f"{_ENTITIES}/decisions/{decision_id}/undo")
    return decoded(EntityDecision, found)


async def entity_progress(client: Remote) -> EntityProgress:
    """How far the documents of the workspace are read for entities."""
    return decoded(EntityProgress, await client.transport.json("GET", f"{_ENTITIES}/progress"))


async def extract_entities(client: Remote) -> EntityProgress:
    """Have all documents read for entities that were not. Raises Conflict."""
    found = await client.transport.json("POST", f"{_ENTITIES}/extraction", repeat=Repeat.LOST)
    return decoded(EntityProgress, found)


async def graph(
    client: Remote,
    *,
    entity_id: UUID | None = None,
    document_id: UUID | None = None,
    kinds: Sequence[EntityKind] = (),
    limit: int = 50,
) -> Graph:
    """What is related: around an entity, around a document, or the whole of the workspace.

    Raises NotFound, and InvalidRequest for an entity and a document at once.
    """
    params: dict[str, str | int | Sequence[str | int]] = {
        "kind": [EntityKind(each).value for each in kinds],
        "limit": limit,
    }
    if entity_id is not None:
        params["entity_id"] = str(entity_id)
    if document_id is not None:
        params["document_id"] = str(document_id)
    return decoded(Graph, await client.transport.json("GET", "/v1/graph", Content(params=params)))
