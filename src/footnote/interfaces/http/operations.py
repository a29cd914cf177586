"""Routes for operators: health, statistics, and the lanes that embed a workspace."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi import Request as HttpRequest
from pydantic import Field

from footnote.domain import Health, LaneStatus, Reembedding, Right, WorkspaceStats
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.errors import FootnoteError
from footnote.interfaces.http.problems import ALWAYS, problem_responses
from footnote.interfaces.http.requests import Flag, Request
from footnote.interfaces.http.routing import operation_id, workspace_router
from footnote.interfaces.http.scope import TheLifecycle, TheWorkspace, requester_of
from footnote.interfaces.schemas import LaneList

router = APIRouter(tags=["operations"], generate_unique_id_function=operation_id)
lanes_router = workspace_router("lanes")

LaneName = Annotated[
    str, Path(min_length=1, max_length=63, description="The lane's name.", examples=["document"])
]


@router.get(
    "/health",
    responses={
        **problem_responses("not-local", "unexpected"),
        503: {"model": Health, "description": "Not ready; each check that fails says why."},
    },
)
async def health(request: HttpRequest, lifecycle: TheLifecycle, response: Response) -> Health:
    """Check whether the server is ready.

    200 when database, migrations and models are ready, 503 with the reasons until then. Where
    callers prove who they are, everybody may ask this, and administrators of a whole workspace
    alone are told what was checked and why it failed.
    """
    report = await lifecycle.health()
    if lifecycle.settings.identity_ways and not await _is_administrator(request, lifecycle):
        report = replace(report, checks=())
    if not report.ready:
        response.status_code = 503
        response.headers["Retry-After"] = "5"
    return report


async def _is_administrator(request: HttpRequest, lifecycle: TheLifecycle) -> bool:
    """Whether a request was proved to come from an administrator of its credential's workspace.

    A server that cannot tell answers as it does to anybody: it must say that it is not ready.
    """
    try:
        workspace = await requester_of(request.scope, lifecycle).enter(None)
    except FootnoteError:
        return False
    return workspace.principal.may(Right.ADMINISTER, WHOLE_WORKSPACE)


@lanes_router.get("/v1/doctor", tags=["operations"])
async def examine_installation(workspace: TheWorkspace) -> Health:
    """Look at what the server stands on, as `footnote doctor` does, with what to do about it.

    For administrators of the whole workspace; `ready` is about what must be right.
    """
    return await workspace.examine_installation()


@router.get("/stats", responses=ALWAYS)
async def stats(workspace: TheWorkspace) -> WorkspaceStats:
    """Count the workspace's documents by status, its chunks and the use of its caches.

    The embedding model and its lane are named too.
    """
    return await workspace.stats()


class Reembed(Request):
    """The model that is to embed a lane anew."""

    model: str = Field(min_length=1, max_length=200, description="One of those the settings allow.")
    texts_per_second: float | None = Field(None, gt=0, description="The most texts a second.")


class Purge(Request):
    """Which lanes to remove."""

    at_once: Flag = Field(
        False, description="All but the current one, also those still kept for a rollback."
    )


@lanes_router.get("/v1/lanes")
async def list_lanes(workspace: TheWorkspace) -> LaneList:
    """List the lanes of the workspace: each model with its chunks and the progress of a change."""
    return LaneList(lanes=await workspace.lanes())


@lanes_router.post(
    "/v1/lanes/{lane}/reembed", status_code=202, responses=problem_responses("lane-mismatch")
)
async def reembed(workspace: TheWorkspace, lane: LaneName, body: Reembed) -> LaneStatus:
    """Embed a lane with another model.

    A worker does it while searches go on, and switches when nothing is missing. 409 when the model
    is the current one, or a change is under way already.
    """
    return await workspace.reembed(body.model, lane=lane, texts_per_second=body.texts_per_second)


@lanes_router.get("/v1/lanes/{lane}/reembed")
async def show_reembedding(workspace: TheWorkspace, lane: LaneName) -> Reembedding:
    """Show the latest change of a lane; 404 when it was never changed."""
    return await workspace.reembedding(lane)


@lanes_router.delete("/v1/lanes/{lane}/reembed")
async def cancel_reembedding(workspace: TheWorkspace, lane: LaneName) -> LaneStatus:
    """Stop the change of a lane.

    What was embedded is kept, and the same change continues from there; 404 when none is under
    way.
    """
    return await workspace.cancel_reembedding(lane)


@lanes_router.post(
    "/v1/lanes/{lane}/rollback", status_code=202, responses=problem_responses("lane-mismatch")
)
async def rollback_lane(workspace: TheWorkspace, lane: LaneName) -> LaneStatus:
    """Return a lane to its previous model.

    It happens at once where no document came since; otherwise a worker embeds those first. 409
    when there is no previous lane, or this server does not have its model.
    """
    return await workspace.rollback_lane(lane)


@lanes_router.post("/v1/lanes/purge")
async def purge_lanes(workspace: TheWorkspace, body: Purge) -> LaneList:
    """Remove the vectors and indexes of lanes that are neither current nor being filled."""
    return LaneList(lanes=await workspace.purge_lanes(at_once=body.at_once))
