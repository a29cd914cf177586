"""What routes depend on: the engine, and the workspace that a request names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast
from urllib.parse import unquote

from fastapi import Depends, Header, Query, Request
from starlette.datastructures import Headers
from starlette.types import Scope

from footnote.domain.credentials import Caller
from footnote.domain.sharing import SharedByLink
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotAuthenticated
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.settings import Settings

WORKSPACE_HEADER = "Footnote-Workspace"
COLLECTIONS_HEADER = "Footnote-Collections"
"""Names joined by commas, percent-encoded where they have any."""
POSITION_HEADER = "Footnote-Position"
"""The database position that an answer reflects; sent back, a replica must have reached it."""
QUESTION_HEADER, REPLY_HEADER = "Footnote-Question-Id", "Footnote-Reply-Id"
"""Which messages of a conversation a streamed answer makes."""
LATEST_POSITION = "footnote.seen"
"""The key of a request's scope for the database position that it has seen."""
RATE_LIMIT = "footnote.rate_limit"
"""The key of a request's scope for the state of its caller's rate limit."""
CALLER = "footnote.caller"
"""The key of a request's scope for its authenticated caller."""


def lifecycle_of(request: Request) -> Lifecycle:
    """The lifecycle of this app's engine."""
    return cast("Lifecycle", request.app.state.lifecycle)


# What depends on a request are coroutines: plain functions would each wait for a thread.


async def lifecycle(request: Request) -> Lifecycle:
    """The lifecycle of this app's engine."""
    return lifecycle_of(request)


TheLifecycle = Annotated[Lifecycle, Depends(lifecycle)]


async def settings(request: Request) -> Settings:
    """The settings of this app."""
    return lifecycle_of(request).settings


TheSettings = Annotated[Settings, Depends(settings)]


@dataclass(frozen=True, slots=True)
class Requester:
    """The one way from a request into a workspace: as its authenticated caller."""

    engine: Engine
    caller: Caller | None
    """None where identities are not asked for, since this computer alone is served."""
    scope: Scope
    collections: tuple[str, ...] = ()
    """The collections that the request names, for a backend that decides who sees which."""

    async def enter(
        self,
        name: str | None,
        collection: str | None = None,
        *,
        user_id: str | None = None,
        chunk_id: str | None = None,
    ) -> WorkspaceEngine:
        """The engine inside a workspace; the caller's own if None. Raises NoSuchWorkspace.

        `collection` and `chunk_id` are what the request is about, besides the collections of its
        header, and `user_id` is the user that its body names. See `Engine.enter_as`.
        """
        inside = await self.engine.enter_as(
            self.caller,
            name,
            user_id=user_id,
            collections=self.collections if collection is None else (*self.collections, collection),
            chunk_id=chunk_id,
        )
        if self.caller is not None:
            self.scope[RATE_LIMIT] = inside.rate_limit
        self.scope[LATEST_POSITION] = inside.last_seen
        after = Headers(scope=self.scope).get(POSITION_HEADER)
        return inside if after is None else await inside.after_position(after)

    async def shared(self) -> SharedByLink:
        """What the link shows that the request carries. Raises InvalidRequest without one."""
        return await self.engine.shared(self.caller)


def requester_of(scope: Scope, life: Lifecycle) -> Requester:
    """Who sends a request. Raises NotReady, and NotAuthenticated without a proved identity."""
    caller = scope.get(CALLER)
    if caller is None and life.settings.identity_ways:
        raise NotAuthenticated(
            "The request does not say who asks.",
            hint="Send a key or a token: Authorization: Bearer …",
        )
    assert caller is None or isinstance(caller, Caller), "what authentication found"
    headers = Headers(scope=scope).getlist(COLLECTIONS_HEADER)
    collections = [unquote(name.strip()) for header in headers for name in header.split(",")]
    return Requester(life.engine, caller, scope, tuple(filter(None, collections)))


async def requester(request: Request) -> Requester:
    """Who sends this request. Raises NotReady and NotAuthenticated."""
    return requester_of(request.scope, lifecycle_of(request))


TheRequester = Annotated[Requester, Depends(requester)]


def workspace_header(request: Request, header: str | None) -> str | None:
    """The workspace that the header names. Raises InvalidRequest where it is sent twice."""
    if len(request.headers.getlist(WORKSPACE_HEADER)) > 1:
        raise InvalidRequest(
            f"header.{WORKSPACE_HEADER}: it is there more than once",
            hint="A request is about one workspace; send the header once.",
        )
    return header


NamedInHeader = Annotated[
    str | None,
    Header(
        alias=WORKSPACE_HEADER,
        description="The workspace's name; without it the credential's, or the default one.",
        examples=["acme"],
        min_length=1,
        max_length=200,
    ),
]


async def workspace_name(request: Request, header: NamedInHeader = None) -> str | None:
    """The workspace the request names. Raises InvalidRequest where it names more than one."""
    return workspace_header(request, header)


WorkspaceName = Annotated[str | None, Depends(workspace_name)]


async def workspace(request: Request, header: NamedInHeader = None) -> WorkspaceEngine:
    """The engine inside the named workspace. Raises what `requester` does, and NoSuchWorkspace."""
    sender = requester_of(request.scope, lifecycle_of(request))
    return await sender.enter(workspace_header(request, header))


TheWorkspace = Annotated[WorkspaceEngine, Depends(workspace)]


def single_workspace_name(header: str | None, other: str | None, source: str) -> str | None:
    """The workspace that the header or another place names. Raises InvalidRequest for two."""
    if None not in (header, other) and header != other:
        raise InvalidRequest(
            f"{source}: it names the workspace {other!r} and the header {WORKSPACE_HEADER} names "
            f"{header!r}",
            hint="name the workspace once",
        )
    return header or other


async def linked_workspace(
    requester: TheRequester,
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
    return await requester.enter(single_workspace_name(header, workspace, "query.workspace"))


LinkedWorkspace = Annotated[WorkspaceEngine, Depends(linked_workspace)]
