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
from footnote.interfaces.sdk.verbs import Remote, verb


@verb("GET", "/v1/entities", names={"kinds": "kind"})
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


@verb("GET", "/v1/entities/{entity_id}")
async def entity(client: Remote, entity_id: UUID) -> Entity:
    """One entity, and the documents that name it. Raises NotFound."""


@verb("GET", "/v1/entities/{entity_id}/mentions")
async def entity_mentions(
    client: Remote, entity_id: UUID, *, limit: int = 50, cursor: str | None = None
) -> MentionPage:
    """Every place where documents name an entity, in their order. Raises NotFound."""


@verb("POST", "/v1/entities/{entity_id}/merge")
async def merge_entities(client: Remote, entity_id: UUID, other_id: UUID) -> Entity:
    """Let an entity take in another. Raises NotFound."""


@verb("POST", "/v1/entities/{entity_id}/split", names={"documents": "document_ids"})
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


@verb("PATCH", "/v1/entities/{entity_id}")
async def rename_entity(client: Remote, entity_id: UUID, name: str) -> Entity:
    """Give an entity a name. Raises NotFound."""


@verb("GET", "/v1/entities/{entity_id}/decisions", "decisions")
async def entity_decisions(client: Remote, entity_id: UUID) -> tuple[EntityDecision, ...]:
    """What was decided of an entity, latest first. Raises NotFound."""


@verb("POST", "/v1/entities/decisions/{decision_id}/undo")
async def undo_entity_decision(client: Remote, decision_id: UUID) -> EntityDecision:
    """Have things as they were before a decision. Raises NotFound and Conflict."""


@verb("GET", "/v1/entities/progress")
async def entity_progress(client: Remote) -> EntityProgress:
    """How far the documents of the workspace are read for entities."""


@verb("POST", "/v1/entities/extraction")
async def extract_entities(client: Remote) -> EntityProgress:
    """Have all documents read for entities that were not. Raises Conflict."""


@verb("GET", "/v1/graph", names={"kinds": "kind"})
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
