"""What every route needs: the engine, and the workspace the request names."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Header, Request

from footnote.engine import Engine, WorkspaceEngine
from footnote.interfaces.http.examples import problem_responses
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.settings import Settings

WORKSPACE_HEADER = "Footnote-Workspace"


def lifecycle(request: Request) -> Lifecycle:
    """The life of this app's engine."""
    return cast("Lifecycle", request.app.state.lifecycle)


def settings(life: Annotated[Lifecycle, Depends(lifecycle)]) -> Settings:
    """The settings of this app."""
    return life.settings


def engine(life: Annotated[Lifecycle, Depends(lifecycle)]) -> Engine:
    """The open engine. Raises NotReady."""
    return life.engine


TheEngine = Annotated[Engine, Depends(engine)]
WorkspaceName = Annotated[
    str | None,
    Header(
        alias=WORKSPACE_HEADER,
        description="The workspace's name; the server's default without it.",
        examples=["acme"],
        min_length=1,
        max_length=200,
    ),
]


async def workspace(engine: TheEngine, footnote_workspace: WorkspaceName = None) -> WorkspaceEngine:
    """The engine inside the named workspace. Raises NotFound."""
    return await engine.workspace(footnote_workspace)


TheLifecycle = Annotated[Lifecycle, Depends(lifecycle)]
TheSettings = Annotated[Settings, Depends(settings)]
TheWorkspace = Annotated[WorkspaceEngine, Depends(workspace)]

ALWAYS = problem_responses("invalid-request", "not-found", "not-local", "unexpected", "not-ready")
"""The problems every route inside a workspace may answer with."""
