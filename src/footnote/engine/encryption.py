"""The encryption keys of an installation: configure, report, rotate and destroy them."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from footnote.domain.encryption import (
    DataKeyStatus,
    Destruction,
    EncryptionStatus,
    MasterKeyRotation,
    WorkspaceKeys,
)
from footnote.engine.answer_models import plain
from footnote.engine.backup_notes import note_destruction
from footnote.engine.services import Services
from footnote.errors import KeyUnavailable, ModelUnavailable
from footnote.models.google_token import ApplicationDefaultToken
from footnote.ports import MasterKey
from footnote.security.encryption.master_keys import KeyedCiphers, master_key_from
from footnote.settings import Settings, listed
from footnote.store.data_keys import KeyRing
from footnote.store.destruction import destroy, keys_of, rewrap_keys, usable_keys
from footnote.store.key_backup import stored_keys
from footnote.store.key_rotation import begin_rotation
from footnote.store.statements import record_of
from footnote.store.workspaces import find_workspace, list_workspaces

MASTER_KEY_FILE = "master.key"
"""The file in home that is the master key where the settings name none."""


def key_ring_from(settings: Settings) -> KeyRing:
    """Return the key ring of the settings; nothing is read or contacted yet.

    Raises UnsupportedSettings.
    """
    token = ApplicationDefaultToken()

    async def google_token() -> str:
        try:
            return await token()
        except ModelUnavailable as error:
            raise KeyUnavailable(
                f"Cloud KMS cannot be used: {error}",
                hint="install the extra vertex, and let this machine log in: gcloud auth "
                "application-default login",
            ) from error

    def master_key(text: str | None) -> MasterKey:
        return master_key_from(
            text,
            made_at=settings.home / MASTER_KEY_FILE,
            google_token=google_token,
        )

    configured = plain(settings.master_key)
    masters = [
        master_key(setting) for setting in ((None,) if configured is None else listed(configured))
    ]
    return KeyRing(KeyedCiphers(masters), required=settings.encryption == "on")


async def encryption_status(engine: Services) -> EncryptionStatus:
    """Return the status of all keys: an operator's view, through the owner's login."""
    workspaces = []
    for workspace in await list_workspaces(engine.owner_url):
        encrypted, rows, bare = await keys_of(engine.owner_url, workspace.workspace_id)
        workspace_keys = await stored_keys(engine.owner_url, workspace)
        refusal = await engine.database.keys.refusal(workspace_keys)
        workspaces.append(
            WorkspaceKeys(
                workspace=workspace.name,
                encrypted=encrypted,
                keys=tuple(record_of(DataKeyStatus, row) for row in rows),
                bare_credentials=bare,
                unavailable=None if refusal is None else refusal.with_hint,
            )
        )
    return EncryptionStatus(
        encryption=engine.settings.encryption,
        master_key=engine.database.keys.masters[0].name,
        workspaces=tuple(workspaces),
    )


async def rotate_master_key(
    engine: Services, *, new_version: bool = True, retire_old: bool = False
) -> MasterKeyRotation:
    """Rewrap every data key under the master key; no content is encrypted again.

    `new_version` rotates the master key first. `retire_old` makes keys that older versions wrapped
    unusable, those in backups above all. Raises KeyUnavailable, and UnsupportedSettings where the
    master key cannot be changed from here.
    """
    ring = engine.database.keys
    master = ring.masters[0]
    if new_version:
        async with engine.database.outside() as connection:
            await ring.ensure_master_key(connection)
        await master.rotate()
    rewrapped: set[UUID] = set()
    keys = 0
    # Twice, for workspaces created meanwhile by a process that still used the old key.
    for _ in range(2):
        for workspace in await list_workspaces(engine.owner_url):
            if workspace.workspace_id not in rewrapped:
                keys += await rewrap_keys(engine.owner_url, ring, workspace.workspace_id)
                rewrapped.add(workspace.workspace_id)
    if retire_old:
        await master.retire_old()
    return MasterKeyRotation(
        master_key=master.name, workspaces=len(rewrapped), keys=keys, old_retired=retire_old
    )


async def rotate_data_key(engine: Services, name: str) -> None:
    """Start re-encrypting a workspace under a new data key, in the background.

    Raises NotFound, and Conflict while that is under way or where there is no data key.
    """
    workspace = await find_workspace(engine.database, name)
    await begin_rotation(engine.database, workspace.workspace_id)


async def destroy_workspace(
    engine: Services, name: str, *, retire_master_key: bool = False
) -> Destruction:
    """Destroy a workspace with all its data, and verify that copies cannot be read.

    Wrapped data keys in backups stay usable until the master key version that wrapped them is
    retired: `retire_master_key` rotates it and retires the old ones. Raises NotFound,
    UnderLegalHold and what `rotate_master_key` raises.
    """
    workspace = await find_workspace(engine.database, name)
    destruction, copied = await destroy(engine.database, engine.owner_url, engine.blobs, workspace)
    await note_destruction(engine.settings, workspace)
    engine.forget_cached(workspace.workspace_id)
    if not retire_master_key:
        return destruction
    await rotate_master_key(engine, retire_old=True)
    usable = await usable_keys(engine.database.keys, workspace.workspace_id, copied)
    return replace(destruction, backup_keys_usable=usable)
