"""Routes that show the lanes of a workspace and change their models."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path
from fastapi.openapi.models import Example
from pydantic import Field

from footnote.interfaces import schemas
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.requests import Flag, Request
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace

router = APIRouter(tags=["lanes"], route_class=ExactRoute)

LaneName = Annotated[
    str, Path(min_length=1, max_length=63, description="The lane's name.", examples=["document"])
]


class Reembed(Request):
    """Which model is to embed a lane anew."""

    model: str = Field(min_length=1, max_length=200, description="One of those the settings allow.")
    texts_per_second: float | None = Field(None, gt=0, description="Most texts a second.")


class Purge(Request):
    """Which lanes are to go."""

    at_once: Flag = Field(
        False, description="All but the current one, also those still kept for a rollback."
    )


_LANE: dict[str, object] = {
    "name": "document",
    "provider": "openai",
    "model": "text-embedding-3-small",
    "dimensions": 1536,
    "revision": "1",
    "languages": [],
    "fingerprint": "document/openai/text-embedding-3-small/1536/1",
}
_REEMBEDDING: dict[str, object] = {
    "lane": _LANE,
    "state": "running",
    "rollback": False,
    "progress": 0.5,
    "chunks_embedded": 106,
    "chunks": 212,
    "texts_embedded": 98,
    "texts_reused": 8,
    "tokens": 21400,
    "cost_usd": 0.000428,
    "texts_per_second": None,
    "failure": None,
    "started_at": "2025-05-02T09:30:00Z",
    "updated_at": "2025-05-02T09:30:40Z",
    "finished_at": None,
}
_STATUS: dict[str, object] = {
    "lane_id": 2,
    "lane": _LANE,
    "state": "pending",
    "chunks_embedded": 106,
    "chunks": 212,
    "retired_at": None,
    "purge_after": None,
    "reembedding": _REEMBEDDING,
}
_LANES: dict[str, object] = {"lanes": [_STATUS]}
_CHANGES: dict[str, Example] = {
    "model": {"summary": "Another model", "value": {"model": "openai:text-embedding-3-small"}},
    "paced": {
        "summary": "Not too fast",
        "value": {"model": "minilm", "texts_per_second": 20},
    },
}
_PURGES: dict[str, Example] = {
    "due": {"summary": "What is not kept any longer", "value": {}},
    "all": {"summary": "All but the current one", "value": {"at_once": True}},
}
_CHANGING = {**ALWAYS, **examples.problem_responses("lane-mismatch")}


@router.get(
    "/v1/lanes",
    summary="Which models is the workspace embedded with?",
    response_model=schemas.LaneList,
    responses={200: examples.json_example("The lanes", _LANES), **ALWAYS},
)
async def list_lanes(workspace: TheWorkspace) -> schemas.LaneList:
    """Every lane with its model, its chunks, and how far a change of it is."""
    return schemas.LaneList.from_domain(await workspace.lanes())


@router.post(
    "/v1/lanes/{lane}/reembed",
    status_code=202,
    summary="Embed a lane with another model",
    response_model=schemas.LaneStatus,
    responses={202: examples.json_example("Begun", _STATUS), **_CHANGING},
)
async def reembed(
    workspace: TheWorkspace,
    lane: LaneName,
    wanted: Annotated[Reembed, Body(openapi_examples=_CHANGES)],
) -> schemas.LaneStatus:
    """Begin it; a worker does it while searches go on, and switches when nothing is missing.

    409 when the model is the current one, or a change is under way already.
    """
    begun = await workspace.reembed(
        wanted.model, lane=lane, texts_per_second=wanted.texts_per_second
    )
    return schemas.LaneStatus.from_domain(begun)


@router.get(
    "/v1/lanes/{lane}/reembed",
    summary="How far is the change?",
    response_model=schemas.Reembedding,
    responses={200: examples.json_example("The latest change", _REEMBEDDING), **ALWAYS},
)
async def show_reembedding(workspace: TheWorkspace, lane: LaneName) -> schemas.Reembedding:
    """The latest change of the lane; 404 when it was never changed."""
    return schemas.Reembedding.from_domain(await workspace.reembedding(lane))


@router.delete(
    "/v1/lanes/{lane}/reembed",
    summary="Stop the change",
    response_model=schemas.LaneStatus,
    responses={200: examples.json_example("Stopped", _STATUS), **ALWAYS},
)
async def cancel_reembedding(workspace: TheWorkspace, lane: LaneName) -> schemas.LaneStatus:
    """What was embedded is kept, and the same change goes on from there; 404 when none is going."""
    return schemas.LaneStatus.from_domain(await workspace.cancel_reembedding(lane))


@router.post(
    "/v1/lanes/{lane}/rollback",
    status_code=202,
    summary="Go back to the model before",
    response_model=schemas.LaneStatus,
    responses={202: examples.json_example("Begun, or done", _STATUS), **_CHANGING},
)
async def rollback_lane(workspace: TheWorkspace, lane: LaneName) -> schemas.LaneStatus:
    """At once where no document came since; else a worker embeds those first.

    409 when there is no previous lane, or this server does not have its model.
    """
    return schemas.LaneStatus.from_domain(await workspace.rollback_lane(lane))


@router.post(
    "/v1/lanes/purge",
    summary="Remove lanes that are not needed",
    response_model=schemas.LaneList,
    responses={200: examples.json_example("The lanes that are left", _LANES), **ALWAYS},
)
async def purge_lanes(
    workspace: TheWorkspace, wanted: Annotated[Purge, Body(openapi_examples=_PURGES)]
) -> schemas.LaneList:
    """Vectors and indexes of lanes that are neither current nor being filled."""
    return schemas.LaneList.from_domain(await workspace.purge_lanes(at_once=wanted.at_once))
