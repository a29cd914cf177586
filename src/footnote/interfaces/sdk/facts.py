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
from footnote.interfaces.schemas import RecalledFactList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_FACTS = "/v1/facts"


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
    params: dict[str, str | int | Sequence[str | int]] = {
        **_of(document_id),
        **({} if entity_id is None else {"entity_id": str(entity_id)}),
        "kind": [FactKind(each).value for each in kinds],
        "status": [FactStatus(each).value for each in statuses],
        "limit": limit,
    }
    if cursor is not None:
        params["cursor"] = cursor
    return decoded(FactPage, await client.transport.json("GET", _FACTS, Content(params=params)))


async def fact(client: Remote, fact_id: UUID) -> Fact:
    """One fact, with its sources. Raises NotFound."""
    return decoded(Fact, await client.transport.json("GET", f"{_FACTS}/{fact_id}"))


async def recall_facts(
    client: Remote, query: str, *, document_id: UUID | None = None, limit: int = 10
) -> tuple[RecalledFact, ...]:
    """The facts that say most about a query. Raises NotFound."""
    body = {"query": query, "limit": limit, **_of(document_id)}
    found = await client.transport.json(
        "POST", f"{_FACTS}/recall", Content(json=body), repeat=Repeat.LOST
    )
    return decoded(RecalledFactList, found).facts


async def decide_fact(client: Remote, fact_id: UUID, status: str) -> Fact:
    """Confirm or reject a fact, wherever the same is said. Raises NotFound and Conflict."""
    found = await client.transport.json(
        "PATCH", f"{_FACTS}/{fact_id}", Content(json={"status": status}), repeat=Repeat.LOST
    )
    return decoded(Fact, found)


async def fact_conflicts(
    client: Remote,
    *,
    document_id: UUID | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> FactConflictPage:
    """What documents say in several ways of one subject and period. Raises NotFound."""
    params: dict[str, str | int] = {**_of(document_id), "limit": limit}
    if cursor is not None:
        params["cursor"] = cursor
    found = await client.transport.json("GET", f"{_FACTS}/conflicts", Content(params=params))
    return decoded(FactConflictPage, found)


async def fact_changes(client: Remote, document_id: UUID) -> FactChanges:
    """How the facts of a document differ from those of the version before. Raises NotFound."""
    found = await client.transport.json("GET", f"/v1/documents/{document_id}/fact-changes")
    return decoded(FactChanges, found)


async def fact_progress(client: Remote) -> FactProgress:
    """How far the facts of the workspace are extracted."""
    return decoded(FactProgress, await client.transport.json("GET", f"{_FACTS}/progress"))


async def extract_facts(client: Remote) -> FactProgress:
    """Have the facts of all documents extracted that lack them. Raises Conflict."""
    found = await client.transport.json("POST", f"{_FACTS}/extraction", repeat=Repeat.LOST)
    return decoded(FactProgress, found)


def _of(document_id: UUID | None) -> dict[str, str]:
    return {} if document_id is None else {"document_id": str(document_id)}
