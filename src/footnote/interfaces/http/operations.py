"""Routes for those who run Footnote: is it ready, what does it hold."""

from __future__ import annotations

from fastapi import APIRouter, Response

from footnote.domain import Health, WorkspaceStats
from footnote.interfaces.http import examples
from footnote.interfaces.http.scope import ALWAYS, TheLifecycle, TheWorkspace

router = APIRouter(tags=["operations"])


@router.head("/health", include_in_schema=False)
@router.get(
    "/health",
    summary="Is it ready?",
    response_model=Health,
    responses={
        200: {"description": "Ready"},
        503: {
            "model": Health,
            "description": "Not ready; each check that fails says why.",
        },
        **examples.problem_responses("not-local", "unexpected"),
    },
)
async def health(life: TheLifecycle, response: Response) -> Health:
    """200 when database, migrations and models are ready, 503 with the reasons until then."""
    found = await life.health()
    if not found.ready:
        response.status_code = 503
        response.headers["Retry-After"] = "5"
    return found


@router.get(
    "/stats",
    summary="What does the workspace hold?",
    response_model=WorkspaceStats,
    responses={200: {"description": "Statistics"}, **ALWAYS},
)
async def stats(workspace: TheWorkspace) -> WorkspaceStats:
    """Documents by status, chunks, the embedding model with its lane, and how the cache fares."""
    return await workspace.stats()
