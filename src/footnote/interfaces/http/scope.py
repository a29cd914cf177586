"""What every route needs: the engine, and the workspace the request names."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Header, Request

from footnote.domain import LOCAL_PRINCIPAL, Principal
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.interfaces.http.examples import problem_responses
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.interfaces.http.problems import NoSuchWorkspace
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


def workspace_name(
    request: Request,
    footnote_workspace: Annotated[
        str | None,
        Header(
            alias=WORKSPACE_HEADER,
            description="The workspace's name; the server's default without it.",
            examples=["acme"],
            min_length=1,
            max_length=200,
        ),
    ] = None,
) -> str | None:
    """The workspace the request names. Raises InvalidRequest where it names more than one."""
    if len(request.headers.getlist(WORKSPACE_HEADER)) > 1:
        raise InvalidRequest(
            f"header.{WORKSPACE_HEADER}: it is there more than once",
            hint="A request is about one workspace; send the header once.",
        )
    return footnote_workspace


WorkspaceName = Annotated[str | None, Depends(workspace_name)]


async def workspace(engine: TheEngine, name: WorkspaceName) -> WorkspaceEngine:
    """The engine inside the named workspace. Raises NoSuchWorkspace."""
    return await inside(engine, name)


async def inside(
    engine: Engine, name: str | None, principal: Principal = LOCAL_PRINCIPAL
) -> WorkspaceEngine:
    """The engine inside a workspace, as one principal. Raises NoSuchWorkspace."""
    try:
        return await engine.workspace(name, principal)
    except NotFound as error:
        raise NoSuchWorkspace(name or DEFAULT_WORKSPACE) from error


TheLifecycle = Annotated[Lifecycle, Depends(lifecycle)]
TheSettings = Annotated[Settings, Depends(settings)]
TheWorkspace = Annotated[WorkspaceEngine, Depends(workspace)]

ALWAYS = problem_responses("invalid-request", "not-found", "not-local", "unexpected", "not-ready")
"""The problems every route inside a workspace may answer with."""
