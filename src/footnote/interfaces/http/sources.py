"""Routes of the sources that a workspace follows by itself."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain.sources import NewSource, SourceCheck, WorkspaceSource
from footnote.engine.workspace_sources import (
    MAX_MINUTES,
    MAX_SECRET_CHARACTERS,
    MIN_MINUTES,
)
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import SourceList
from footnote.jobs.sources.source_setup import check_source, follow_source
from footnote.validation.constrained_types import Name, StorableText

router = workspace_router("sources")


class Source(requests.Request):
    """A place to take documents in from, and how."""

    place: Annotated[StorableText, Field(min_length=1, max_length=2000)] = Field(
        description="`folder:/…`, or an address that begins with https://, s3://, gs://, az:// or "
        "imaps://; below one of the `places` that are opened."
    )
    collection: Name = "default"
    every_minutes: Annotated[requests.Whole, Field(ge=MIN_MINUTES, le=MAX_MINUTES)] | None = Field(
        None,
        description="How long after a run the next begins; null runs it when it is told to.",
    )
    delete_missing: requests.Flag = Field(
        False, description="Whether documents are deleted whose things are gone from it."
    )
    secret: StorableText | None = Field(
        None,
        max_length=MAX_SECRET_CHARACTERS,
        description="The password of a mailbox; it is stored encrypted and given back by no route.",
    )

    def to_domain(self) -> NewSource:
        """The source as the engine receives it."""
        return NewSource(
            place=self.place,
            collection=self.collection,
            every_minutes=self.every_minutes,
            delete_missing=self.delete_missing,
            secret=self.secret,
        )


@router.get("/v1/sources")
async def list_sources(workspace: TheWorkspace) -> SourceList:
    """List the sources, with how their last runs went and which places are opened."""
    return SourceList(
        sources=await workspace.workspace_sources(), places=await workspace.source_places()
    )


@router.post("/v1/sources/check")
async def try_source(workspace: TheWorkspace, source: Source) -> SourceCheck:
    """Look into a place without keeping anything: what lies there, or why it cannot be reached."""
    return await check_source(workspace, source.to_domain())


@router.post("/v1/sources", status_code=201, responses=problem_responses("conflict"))
async def add_source(workspace: TheWorkspace, source: Source) -> WorkspaceSource:
    """Follow a source from now on; a worker reads it at once."""
    return await follow_source(workspace, source.to_domain())


@router.get("/v1/sources/{source_id}", responses=problem_responses("not-found"))
async def get_source(workspace: TheWorkspace, source_id: UUID) -> WorkspaceSource:
    """Show a source with how its last run went, or how far it is."""
    return await workspace.workspace_source(source_id)


@router.post(
    "/v1/sources/{source_id}/run", status_code=202, responses=problem_responses("not-found")
)
async def run_source(workspace: TheWorkspace, source_id: UUID) -> WorkspaceSource:
    """Have a source read at once, also one that is paused."""
    return await workspace.follow_source_now(source_id)


@router.post("/v1/sources/{source_id}/pause", responses=problem_responses("not-found"))
async def pause_source(workspace: TheWorkspace, source_id: UUID) -> WorkspaceSource:
    """Leave a source alone, also in the middle of a run."""
    return await workspace.pause_source(source_id)


@router.delete("/v1/sources/{source_id}", status_code=204, responses=problem_responses("not-found"))
async def delete_source(workspace: TheWorkspace, source_id: UUID) -> None:
    """Follow a source no more; its documents stay."""
    await workspace.remove_source(source_id)
