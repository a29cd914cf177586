"""Routes that show the lanes of a workspace and change their models."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from footnote.domain import LaneStatus, Reembedding
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.requests import Flag, Request
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace
from footnote.interfaces.schemas import LaneList

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


_CHANGING = {**ALWAYS, **examples.problem_responses("lane-mismatch")}


@router.get(
    "/v1/lanes",
    summary="Which models is the workspace embedded with?",
    response_model=LaneList,
    responses={200: {"description": "The lanes"}, **ALWAYS},
)
async def list_lanes(workspace: TheWorkspace) -> LaneList:
    """Every lane with its model, its chunks, and how far a change of it is."""
    return LaneList(lanes=await workspace.lanes())


@router.post(
    "/v1/lanes/{lane}/reembed",
    status_code=202,
    summary="Embed a lane with another model",
    response_model=LaneStatus,
    responses={202: {"description": "Begun"}, **_CHANGING},
)
async def reembed(
    workspace: TheWorkspace,
    lane: LaneName,
    wanted: Reembed,
) -> LaneStatus:
    """Begin it; a worker does it while searches go on, and switches when nothing is missing.

    409 when the model is the current one, or a change is under way already.
    """
    return await workspace.reembed(
        wanted.model, lane=lane, texts_per_second=wanted.texts_per_second
    )


@router.get(
    "/v1/lanes/{lane}/reembed",
    summary="How far is the change?",
    response_model=Reembedding,
    responses={200: {"description": "The latest change"}, **ALWAYS},
)
async def show_reembedding(workspace: TheWorkspace, lane: LaneName) -> Reembedding:
    """The latest change of the lane; 404 when it was never changed."""
    return await workspace.reembedding(lane)


@router.delete(
    "/v1/lanes/{lane}/reembed",
    summary="Stop the change",
    response_model=LaneStatus,
    responses={200: {"description": "Stopped"}, **ALWAYS},
)
async def cancel_reembedding(workspace: TheWorkspace, lane: LaneName) -> LaneStatus:
    """What was embedded is kept, and the same change goes on from there; 404 when none is going."""
    return await workspace.cancel_reembedding(lane)


@router.post(
    "/v1/lanes/{lane}/rollback",
    status_code=202,
    summary="Go back to the model before",
    response_model=LaneStatus,
    responses={202: {"description": "Begun, or done"}, **_CHANGING},
)
async def rollback_lane(workspace: TheWorkspace, lane: LaneName) -> LaneStatus:
    """At once where no document came since; else a worker embeds those first.

    409 when there is no previous lane, or this server does not have its model.
    """
    return await workspace.rollback_lane(lane)


@router.post(
    "/v1/lanes/purge",
    summary="Remove lanes that are not needed",
    response_model=LaneList,
    responses={200: {"description": "The lanes that are left"}, **ALWAYS},
)
async def purge_lanes(workspace: TheWorkspace, wanted: Purge) -> LaneList:
    """Vectors and indexes of lanes that are neither current nor being filled."""
    return LaneList(lanes=await workspace.purge_lanes(at_once=wanted.at_once))
