"""Routes of the backfill: what documents of before lack, and having it made up for."""

from __future__ import annotations

from pydantic import Field

from footnote.domain.backfill import Backfill, BackgroundWork
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace

router = workspace_router("backfill")


class BackfillKinds(Request):
    """Which work in the background is meant."""

    kinds: list[BackgroundWork] = Field(
        default_factory=list,
        min_length=1,
        max_length=len(BackgroundWork),
        description="All kinds if left out.",
    )


@router.get("/v1/backfill")
async def get_backfill(workspace: TheWorkspace) -> Backfill:
    """Say what documents have and lack of what is derived from them, by kind."""
    return await workspace.backfill()


@router.post("/v1/backfill", status_code=202, responses=problem_responses("conflict"))
async def start_backfill(workspace: TheWorkspace, body: BackfillKinds) -> Backfill:
    """Have workers make up for what documents lack, of the newest documents first."""
    return await workspace.start_backfill(tuple(body.kinds))


@router.post("/v1/backfill/pause")
async def pause_backfill(workspace: TheWorkspace, body: BackfillKinds) -> Backfill:
    """Have workers leave kinds of work alone; what was made stays."""
    return await workspace.pause_backfill(tuple(body.kinds))


@router.post("/v1/backfill/resume")
async def resume_backfill(workspace: TheWorkspace, body: BackfillKinds) -> Backfill:
    """Have workers go on with what was paused."""
    return await workspace.resume_backfill(tuple(body.kinds))
