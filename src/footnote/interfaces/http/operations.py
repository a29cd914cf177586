"""Routes for those who run Footnote: is it ready, what does it hold."""

from __future__ import annotations

from fastapi import APIRouter, Response

from footnote.interfaces import schemas
from footnote.interfaces.http import examples
from footnote.interfaces.http.scope import ALWAYS, TheLifecycle, TheWorkspace

router = APIRouter(tags=["operations"])


@router.head("/health", include_in_schema=False)
@router.get(
    "/health",
    summary="Is it ready?",
    response_model=schemas.Health,
    responses={
        200: examples.json_example("Ready", examples.READY),
        503: {
            **examples.json_example("Not ready", examples.STARTING),
            "model": schemas.Health,
            "description": "Not ready; each check that fails says why.",
        },
        **examples.problem_responses("not-local", "unexpected"),
    },
)
async def health(life: TheLifecycle, response: Response) -> schemas.Health:
    """200 when database, migrations and models are ready, 503 with the reasons until then."""
    found = await life.health()
    if not found.ready:
        response.status_code = 503
        response.headers["Retry-After"] = "5"
    return schemas.Health.from_domain(found)


@router.get(
    "/stats",
    summary="What does the workspace hold?",
    response_model=schemas.Stats,
    responses={200: examples.json_example("Statistics", examples.STATS), **ALWAYS},
)
async def stats(workspace: TheWorkspace) -> schemas.Stats:
    """Documents by status, chunks, the embedding model with its lane, and how the cache fares."""
    return schemas.Stats.from_domain(await workspace.stats())
