"""What routes depend on: the engine, and the workspace that a request names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast
from urllib.parse import unquote

from fastapi import Depends, Header, Query, Request
from starlette.datastructures import Headers
from starlette.types import Scope

from footnote.domain import Principal
from footnote.domain.credentials import Caller
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.domain.sharing import SharedByLink
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import Forbidden, InvalidRequest, NotAuthenticated, NotFound
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.interfaces.http.problems import NoSuchWorkspace
from footnote.settings import Settings

WORKSPACE_HEADER = "Footnote-Workspace"
COLLECTIONS_HEADER = "Footnote-Collections"
"""Names joined by commas, percent-encoded where they have any."""
RATE_LIMIT = "footnote.rate_limit"
"""Where a request's scope says how its caller stands with the rate limit."""
CALLER = "footnote.caller"
"""Where a request's scope says who was proved to ask."""


def lifecycle(request: Request) -> Lifecycle:
    """The lifecycle of this app's engine."""
    return cast("Lifecycle", request.app.state.lifecycle)


TheLifecycle = Annotated[Lifecycle, Depends(lifecycle)]


def settings(life: TheLifecycle) -> Settings:
    """The settings of this app."""
    return life.settings


TheSettings = Annotated[Settings, Depends(settings)]


@dataclass(frozen=True, slots=True)
class Requester:
    """The one way from a request into a workspace: as whoever it was proved to come from."""

    engine: Engine
    caller: Caller | None
    """None where nobody is asked who they are, since this computer alone is served."""
    scope: Scope
    collections: tuple[str, ...] = ()
    """What the request says it is about, for a backend that decides who sees which collection."""

    async def enter(self, name: str | None, collection: str | None = None) -> WorkspaceEngine:
        """The engine inside a workspace; the caller's own if None. Raises NoSuchWorkspace.

        What the caller may not enter and what is absent look the same. `collection` is one that
        the request is about besides. Raises Forbidden for one that a backend denies.
        """
        about = self.collections if collection is None else (*self.collections, collection)
        try:
            if self.caller is None:
                return await self.engine.workspace(name)
            wanted = name or self.caller.own_workspace
            if wanted not in self.caller.workspaces:
                raise NoSuchWorkspace(wanted)
            identity = await self.engine.admitted(self.caller, about)
            inside = await self.engine.enter(wanted, identity)
        except NotFound as error:
            raise NoSuchWorkspace(name or DEFAULT_WORKSPACE) from error
        self.scope[RATE_LIMIT] = inside.rate_limit
        return inside

    async def shared(self) -> SharedByLink:
        """What the link shows that the request carries. Raises InvalidRequest without one."""
        return await self.engine.shared(self.caller)

    async def enter_for_chunk(
        self, name: str | None, user_id: str, chunk_id: str
    ) -> WorkspaceEngine:
        """The same for whoever may see a chunk, where a backend decides that by its collection.

        Raises NotFound for one that the backend denies, as for one that is absent.
        """
        if self.caller is None or not self.engine.credentials.delegation:
            return await self.enter_as(name, user_id)
        wanted = name or self.caller.own_workspace
        collection = None
        if wanted in self.caller.workspaces:
            collection = await self.engine.collection_of_chunk(wanted, chunk_id)
        self._require_self(user_id)
        if collection is None:
            raise NotFound(f"there is no chunk {chunk_id!r}")
        try:
            return await self.enter(name, collection)
        except Forbidden as error:
            raise NotFound(f"there is no chunk {chunk_id!r}") from error

    async def enter_as(
        self, name: str | None, user_id: str, collection: str | None = None
    ) -> WorkspaceEngine:
        """The same as a user that the body names, who must be the caller where that is known.

        Raises Forbidden and NoSuchWorkspace.
        """
        if self.caller is None:
            try:
                return await self.engine.workspace(name, Principal(principal_id=user_id))
            except NotFound as error:
                raise NoSuchWorkspace(name or DEFAULT_WORKSPACE) from error
        self._require_self(user_id)
        return await self.enter(name, collection)

    def _require_self(self, user_id: str) -> None:
        if self.caller and user_id != self.caller.identity.principal.principal_id:
            raise Forbidden(
                "user_id: it names somebody else than the credential",
                hint="Send the id of whoever the credential is of.",
            )


def requester_of(scope: Scope, life: Lifecycle) -> Requester:
    """Who sends a request. Raises NotReady, and NotAuthenticated where nobody was proved."""
    caller = scope.get(CALLER)
    if caller is None and life.settings.identity_ways:
        raise NotAuthenticated("The request does not say who asks.")
    assert caller is None or isinstance(caller, Caller), "what authentication found"
    named = Headers(scope=scope).getlist(COLLECTIONS_HEADER)
    about = [unquote(each.strip()) for header in named for each in header.split(",")]
    return Requester(life.engine, caller, scope, tuple(filter(None, about)))


def requester(request: Request, life: TheLifecycle) -> Requester:
    """Who sends this request. Raises NotReady and NotAuthenticated."""
    return requester_of(request.scope, life)


TheRequester = Annotated[Requester, Depends(requester)]


def workspace_name(
    request: Request,
    footnote_workspace: Annotated[
        str | None,
        Header(
            alias=WORKSPACE_HEADER,
            description="The workspace's name; without it the credential's, or the default one.",
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


async def workspace(requester: TheRequester, name: WorkspaceName) -> WorkspaceEngine:
    """The engine inside the named workspace. Raises NoSuchWorkspace."""
    return await requester.enter(name)


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
    return await requester.enter(one_name(header, workspace, "query.workspace"))


LinkedWorkspace = Annotated[WorkspaceEngine, Depends(linked_workspace)]
