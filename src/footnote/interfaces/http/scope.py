"""What routes depend on: the engine, and the workspace that a request names."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Header, Query, Request

from footnote.domain import LOCAL_PRINCIPAL, Principal
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.interfaces.http.problems import NoSuchWorkspace
from footnote.settings import Settings

WORKSPACE_HEADER = "Footnote-Workspace"


def lifecycle(request: Request) -> Lifecycle:
    """The lifecycle of this app's engine."""
    return cast("Lifecycle", request.app.state.lifecycle)


TheLifecycle = Annotated[Lifecycle, Depends(lifecycle)]


def settings(life: TheLifecycle) -> Settings:
    """The settings of this app."""
    return life.settings


def engine(life: TheLifecycle) -> Engine:
    """The open engine. Raises NotReady."""
    return life.engine


TheSettings = Annotated[Settings, Depends(settings)]
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


async def inside(
    engine: Engine, name: str | None, principal: Principal = LOCAL_PRINCIPAL
) -> WorkspaceEngine:
    """The engine inside a workspace, as one principal. Raises NoSuchWorkspace."""
    try:
        return await engine.workspace(name, principal)
    except NotFound as error:
        raise NoSuchWorkspace(name or DEFAULT_WORKSPACE) from error


async def workspace(engine: TheEngine, name: WorkspaceName) -> WorkspaceEngine:
    """The engine inside the named workspace. Raises NoSuchWorkspace."""
    return await inside(engine, name)


TheWorkspace = Annotated[WorkspaceEngine, Depends(workspace)]


def one_name(header: str | None, other: str | None, place: str) -> str | None:
    """The workspace that the header or another place names. Raises InvalidRequest for two."""
    if None not in (header, other) and header != other:
        raise InvalidRequest(
            f"{place}: it names the workspace {other!r} and the header {WORKSPACE_HEADER} names "
            f"{header!r}",
            hint="name the workspace once",
        )
    return header or other


async def linked_workspace(
    engine: TheEngine,
    header: WorkspaceName,
    workspace: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="The workspace's name, for links, which can send no header.",
        ),
    ] = None,
) -> WorkspaceEngine:
    """The workspace that a header or a link names. Raises NoSuchWorkspace and InvalidRequest."""
    return await inside(engine, one_name(header, workspace, "query.workspace"))


LinkedWorkspace = Annotated[WorkspaceEngine, Depends(linked_workspace)]
