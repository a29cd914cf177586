"""The facts of a workspace on a remote server."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

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
from footnote.interfaces.sdk.verbs import Remote, verb


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
