"""What follows from a workspace's documents, on a remote server: entities, facts, clusters and
summaries."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain.clusters import (
    ClusterDetail,
    ClusterGranularity,
    ClusterOf,
    ClusterPage,
    ClusterProgress,
)
from footnote.domain.entities import (
    Entity,
    EntityDecision,
    EntityKind,
    EntityPage,
    EntityProgress,
    MentionPage,
)
from footnote.domain.facts import (
    Fact,
    FactChanges,
    FactConflictPage,
    FactKind,
    FactPage,
    FactProgress,
    FactStatus,
    RecalledFact,
)
from footnote.domain.relationships import Graph
from footnote.domain.summaries import Summary, SummaryProgress
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import Name


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


@verb("GET", "/v1/facts", names={"kinds": "kind", "statuses": "status"})
async def facts(
    client: Remote,
    *,
    document_id: UUID | None = None,
    entity_id: UUID | None = None,
    kinds: Sequence[FactKind] = (),
    statuses: Sequence[FactStatus] = (FactStatus.PROPOSED, FactStatus.CONFIRMED),
    limit: int = 50,
    cursor: str | None = None,
) -> FactPage:
    """A page of facts, in the order of their documents. Raises NotFound."""


@verb("GET", "/v1/facts/{fact_id}")
async def fact(client: Remote, fact_id: UUID) -> Fact:
    """One fact, with its sources. Raises NotFound."""


@verb("POST", "/v1/facts/recall", "facts")
async def recall_facts(
    client: Remote, query: str, *, document_id: UUID | None = None, limit: int = 10
) -> tuple[RecalledFact, ...]:
    """The facts that say most about a query. Raises NotFound."""


@verb("PATCH", "/v1/facts/{fact_id}")
async def decide_fact(client: Remote, fact_id: UUID, status: str) -> Fact:
    """Confirm or reject a fact, wherever the same is said. Raises NotFound and Conflict."""


@verb("GET", "/v1/facts/conflicts")
async def fact_conflicts(
    client: Remote,
    *,
    document_id: UUID | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> FactConflictPage:
    """What documents say in several ways of one subject and period. Raises NotFound."""


@verb("GET", "/v1/documents/{document_id}/fact-changes")
async def fact_changes(client: Remote, document_id: UUID) -> FactChanges:
    """How the facts of a document differ from those of the version before. Raises NotFound."""


@verb("GET", "/v1/facts/progress")
async def fact_progress(client: Remote) -> FactProgress:
    """How far the facts of the workspace are extracted."""


@verb("POST", "/v1/facts/extraction")
async def extract_facts(client: Remote) -> FactProgress:
    """Have the facts of all documents extracted that lack them. Raises Conflict."""


@verb("GET", "/v1/clusters")
async def clusters(
    client: Remote,
    *,
    of: ClusterOf = ClusterOf.DOCUMENTS,
    granularity: ClusterGranularity = ClusterGranularity.MIDDLE,
    limit: int = 50,
    cursor: str | None = None,
) -> ClusterPage:
    """A page of clusters of documents or chunks, the largest first."""


@verb("GET", "/v1/clusters/{cluster_id}")
async def cluster(client: Remote, cluster_id: UUID, *, limit: int = 50) -> ClusterDetail:
    """A cluster with its most typical documents or chunks. Raises NotFound."""


@verb("GET", "/v1/clusters/progress")
async def cluster_progress(
    client: Remote, *, of: ClusterOf = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """How far the documents, or chunks, of the workspace are told apart."""


@verb("GET", "/v1/summaries")
async def summary(
    client: Remote,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    cluster_id: UUID | None = None,
    sentences: int = 5,
    write: bool = False,
) -> Summary:
    """The sentences that say most of one document, collection or cluster.

    With `write` the language model writes of a collection or a cluster, too. Raises NotFound, and
    ModelUnavailable.
    """


@verb("GET", "/v1/summaries/progress")
async def summary_progress(client: Remote) -> SummaryProgress:
    """How far the documents of the workspace are summarised."""
