"""An installation: its workspaces, and whether it can serve."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from footnote.domain import (
    LOCAL_PRINCIPAL,
    Check,
    Health,
    Identity,
    Principal,
    Workspace,
)
from footnote.domain.credentials import Caller, Presented
from footnote.domain.encryption import (
    Destruction,
    EncryptionStatus,
    KeyExport,
    KeyImport,
    MasterKeyRotation,
)
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.domain.sharing import SharedByLink
from footnote.domain.tracing import Trace, TraceSummary
from footnote.engine import encryption, key_backup
from footnote.engine.access import current_principal
from footnote.engine.diagnosis import replica_checks, room_in
from footnote.engine.services import Services
from footnote.engine.sharing import shared
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import Conflict, Forbidden, NoSuchWorkspace, NotFound, StoreUnavailable
from footnote.store.access import stored_access
from footnote.store.passages import no_such_chunk
from footnote.store.traces import latest_traces, load_trace
from footnote.store.workspaces import (
    create_workspace,
    find_workspace,
    list_workspaces,
)
from footnote.validation.arguments import checks_arguments
from footnote.validation.constrained_types import ActingPrincipal, WorkspaceName


@checks_arguments
@dataclass(slots=True, kw_only=True, repr=False)
class Engine(Services):
    """Footnote, started. Made by `open_engine`; `close` it, or use it as a context manager."""

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def create_workspace(self, name: str) -> Workspace:
        """Make a workspace. Raises Conflict, or InvalidRequest for an odd name."""
        self.require_open()
        return await create_workspace(self.database, name, encrypted=self.encrypts)

    async def encryption_status(self) -> EncryptionStatus:
        """Return the status of all keys: an operator's view. Raises KeyUnavailable."""
        self.require_open()
        return await encryption.encryption_status(self)

    async def rotate_master_key(
        self, *, new_version: bool = True, retire_old: bool = False
    ) -> MasterKeyRotation:
        """Rewrap every data key, by default under a new version of the master key.

        With `retire_old` backups made before can no longer be read with the keys in them. Raises
        KeyUnavailable and UnsupportedSettings.
        """
        self.require_open()
        return await encryption.rotate_master_key(
            self, new_version=new_version, retire_old=retire_old
        )

    async def rotate_data_key(self, name: str) -> None:
        """Have a workspace encrypted under a new data key, in the background.

        Raises NotFound, and Conflict while that is under way or where there is no data key.
        """
        self.require_open()
        await encryption.rotate_data_key(self, name)

    async def export_keys(self, path: Path) -> KeyExport:
        """Write the wrapped data keys of all workspaces to a file, useless without the master key.

        Raises Conflict for a file that is something else or newer, and InvalidRequest.
        """
        self.require_open()
        return await key_backup.export_keys(self, path)

    async def import_keys(self, path: Path) -> KeyImport:
        """Restore the keys of an export for existing workspaces, all of which are checked first.

        Raises InvalidRequest, Conflict and KeyUnavailable.
        """
        self.require_open()
        return await key_backup.import_keys(self, path)

    async def destroy_workspace(self, name: str, *, retire_master_key: bool = False) -> Destruction:
        """Destroy a workspace, its keys first, and prove it. Raises NotFound and UnderLegalHold.

        With `retire_master_key` the keys in backups cannot be used any more either; raises what
        `rotate_master_key` raises then.
        """
        self.require_open()
        return await encryption.destroy_workspace(self, name, retire_master_key=retire_master_key)

    async def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace by name: an operator's view, through the owner's login."""
        return await list_workspaces(self.owner_url)

    async def trace(self, sought: str) -> Trace:
        """A trace by its id, or the last one of a document: an operator's view. Raises NotFound."""
        self.require_open()
        return await load_trace(self.owner_url, sought)

    async def traces(self, most: int = 20) -> tuple[TraceSummary, ...]:
        """The newest traces that are kept: an operator's view, through the owner's login."""
        self.require_open()
        return await latest_traces(self.owner_url, most)

    async def workspace(
        self, name: WorkspaceName | None = None, principal: ActingPrincipal = LOCAL_PRINCIPAL
    ) -> WorkspaceEngine:
        """Open a workspace as a principal whose roles the caller vouches for.

        The default workspace is made when it is first used; others must exist (NotFound).
        """
        self.require_open()
        target_name = DEFAULT_WORKSPACE if name is None else name
        try:
            target_workspace = await find_workspace(self.database, target_name)
        except NotFound:
            if target_name != DEFAULT_WORKSPACE:
                raise
            try:
                target_workspace = await create_workspace(
                    self.database, target_name, encrypted=self.encrypts
                )
            except Conflict:  # another request has just made it
                target_workspace = await find_workspace(self.database, target_name)
        return WorkspaceEngine(engine=self, workspace=target_workspace, principal=principal)

    async def enter(self, name: str | None, identity: Identity) -> WorkspaceEngine:
        """Open a workspace as an authenticated identity.

        Its roles are those of the credential and those granted in the workspace. Raises NotFound
        for a workspace in which it has none, as for one that does not exist.
        """
        claimed = replace(identity.principal, role=identity.role, collections=identity.collections)
        opened = await self.workspace(name, claimed)
        async with opened.system_scope() as scope:
            principal = await current_principal(self, scope, claimed)
        if principal.role is None and not principal.collections:
            raise NoSuchWorkspace(opened.workspace.name)
        return replace(
            opened,
            principal=principal,
            rights=identity.rights,
            credential=identity.credential,
            claimed=claimed,
        )

    async def enter_as(
        self,
        caller: Caller | None,
        name: str | None = None,
        *,
        user_id: str | None = None,
        collections: Sequence[str] = (),
        chunk_id: str | None = None,
    ) -> WorkspaceEngine:
        """Open a workspace, the caller's own by default, as the authenticated caller.

        `caller` is None where there is no authentication: then `user_id` names the principal; else
        it must be the caller's. The collections, and that of the chunk's document, are what the
        request is about, for a backend that decides access. Raises NoSuchWorkspace for a workspace
        that the credential is not for, as for one that is absent; Forbidden for another user and
        for a collection that the backend denies; and NotFound for a chunk of such a collection, as
        for one that is absent.
        """
        if caller is None:
            acting = LOCAL_PRINCIPAL if user_id is None else Principal(principal_id=user_id)
            return await self.workspace(name, acting)
        self.require_open()
        target_name = caller.own_workspace if name is None else name
        if user_id not in (None, caller.identity.principal.principal_id):
            raise Forbidden(
                "user_id: it names somebody else than the credential",
                hint="send the id of whoever the credential is of",
            )
        if target_name not in caller.workspaces:
            raise NoSuchWorkspace(target_name)
        affected_collections = tuple(collections)
        checks_chunk = chunk_id is not None and self.credentials.delegation is not None
        if checks_chunk:
            affected_collections = (
                *affected_collections,
                await self._collection_of_chunk(target_name, chunk_id or ""),
            )
        try:
            identity = await self.credentials.admitted(caller, affected_collections)
        except Forbidden as error:
            if checks_chunk:
                raise no_such_chunk(chunk_id) from error
            raise
        return await self.enter(target_name, identity)

    async def _collection_of_chunk(self, name: str, chunk_id: str) -> str:
        """The collection of a chunk's document, whoever may see it. Raises NotFound."""
        opened = await self.workspace(name)
        try:
            document_id = UUID(chunk_id.partition(":")[0])
            async with opened.system_scope() as scope:
                return (await stored_access(scope, document_id)).collection
        except (NotFound, ValueError) as error:
            raise no_such_chunk(chunk_id) from error

    async def caller(self, presented: Presented) -> Caller:
        """Authenticate a request by the credential that it presents.

        Raises NotAuthenticated, RateLimited after too many failures of the address or the
        credential, and NotReady where an identity provider cannot be asked.
        """
        self.require_open()
        if presented.bearer is None and presented.session is None:
            return await self.credentials.caller(presented, self.database)  # nothing is looked up
        async with self.failed_credentials.watching(presented):
            return await self.credentials.caller(presented, self.database)

    async def shared(self, caller: Caller | None) -> SharedByLink:
        """What a link shows to the caller who has it. Raises InvalidRequest for any other."""
        self.require_open()
        return await shared(self, caller)

    async def health(self) -> Health:
        """Check what can fail while the server runs, within about two seconds."""
        try:
            await self.database.reach()
            database_check = Check(name="database", ok=True, detail="answers")
        except StoreUnavailable as error:
            database_check = Check(name="database", ok=False, detail=str(error), hint=error.hint)
        checks = (
            await asyncio.to_thread(room_in, self.settings.home),
            database_check,
            Check(name="migrations", ok=True, detail="applied at start"),
            Check(name="embedding model", ok=True, detail=self.lane.fingerprint),
        )
        replica_results = replica_checks(self.replicas.statuses())
        # Failed replicas do not make the server unready: the primary is read instead.
        return Health(ready=all(check.ok for check in checks), checks=(*checks, *replica_results))

    async def close(self) -> None:
        """Close all resources; the embedded Postgres stops when no other process uses it."""
        await self.answer_runs.close()
        await self.map_layouts.close()
        await self.pages.aclose()
        await self.embedders.close()
        await self.answer_models.close()
        await self.credentials.close()
        for model in (self.judge, self.reranker, self.model, self.reader):
            if model is not None:
                await model.close()
        await self.vector_cache.close()
        await self.listener.close()
        await self.audit.close()
        if self.telemetry is not None:
            await asyncio.to_thread(self.telemetry.detach)
        await self.replicas.close()
        await self.database.pool.close()
        if self.server is not None:
            await self.server.release()
