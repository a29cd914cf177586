"""Routes of facts: listed, recalled, decided, and held against each other."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain.facts import (
    Fact,
    FactChanges,
    FactConflictPage,
    FactKind,
    FactPage,
    FactProgress,
    FactStatus,
)
from footnote.engine.facts import Decision
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import RecalledFactList
from footnote.validation.constrained_types import FactQuery

router = workspace_router("facts")

OfDocument = Annotated[UUID | None, Query(description="Only of this document.")]
Limit = Annotated[int, Query(ge=1, le=200, description="The most of them.")]
Cursor = Annotated[
    str | None, Query(max_length=1000, description="`next_cursor` of the page before.")
]


class FactRecall(Request):
    """What facts are recalled for."""

    query: FactQuery = Field(description="A question, or a topic.")
    document_id: UUID | None = Field(None, description="Only of this document.")
    limit: int = Field(10, ge=1, le=200, description="The most facts.")


class FactDecision(Request):
    """What somebody found of a fact."""

    status: Decision = Field(description="`confirmed`, `rejected`, or `proposed` again.")


@router.get("/v1/facts", responses=problem_responses("not-found"))
async def list_facts(
    workspace: TheWorkspace,
    *,
    document_id: OfDocument = None,
    entity_id: Annotated[
        UUID | None, Query(description="Only those whose subject or object is this entity.")
    ] = None,
    kind: Annotated[tuple[FactKind, ...], Query(description="Only of these kinds.")] = (),
    status: Annotated[
        tuple[FactStatus, ...],
        Query(description="Only with these; proposed and confirmed if left out."),
    ] = (FactStatus.PROPOSED, FactStatus.CONFIRMED),
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FactPage:
    """List facts in the order of their documents; those that say the same are one."""
    return await workspace.facts(
        document_id=document_id,
        entity_id=entity_id,
        kinds=kind,
        statuses=status,
        limit=limit,
        cursor=cursor,
    )


@router.post(
    "/v1/facts/recall", responses=problem_responses("budget-exceeded", "lane-mismatch", "not-found")
)
async def recall_facts(workspace: TheWorkspace, body: FactRecall) -> RecalledFactList:
    """Find the facts that say most about a query, by meaning and by words together."""
    return RecalledFactList(
        facts=await workspace.recall_facts(
            body.query, document_id=body.document_id, limit=body.limit
        )
    )


@router.get("/v1/facts/conflicts", responses=problem_responses("not-found"))
async def list_fact_conflicts(
    workspace: TheWorkspace,
    *,
    document_id: OfDocument = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FactConflictPage:
    """List what documents say in several ways of one subject and period."""
    return await workspace.fact_conflicts(document_id=document_id, limit=limit, cursor=cursor)


@router.get("/v1/facts/progress")
async def get_fact_progress(workspace: TheWorkspace) -> FactProgress:
    """Say how far the facts of the workspace are extracted."""
    return await workspace.fact_progress()


@router.post("/v1/facts/extraction", status_code=202, responses=problem_responses("conflict"))
async def extract_facts(workspace: TheWorkspace) -> FactProgress:
    """Have the facts of all documents extracted that lack them."""
    return await workspace.extract_facts()


@router.get("/v1/facts/{fact_id}", responses=problem_responses("not-found"))
async def get_fact(workspace: TheWorkspace, fact_id: UUID) -> Fact:
    """Show a fact with its sources."""
    return await workspace.fact(fact_id)


@router.patch("/v1/facts/{fact_id}", responses=problem_responses("not-found", "conflict"))
async def decide_fact(workspace: TheWorkspace, fact_id: UUID, body: FactDecision) -> Fact:
    """Confirm or reject a fact, wherever the same is said."""
    return await workspace.decide_fact(fact_id, body.status)


@router.get("/v1/documents/{document_id}/fact-changes", responses=problem_responses("not-found"))
async def get_fact_changes(workspace: TheWorkspace, document_id: UUID) -> FactChanges:
    """Say how the facts of a document differ from those of the version before."""
    return await workspace.fact_changes(document_id)
