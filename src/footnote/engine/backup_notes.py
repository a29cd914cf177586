"""Record erasures and destroyed workspaces in notes and manifests, for a restore to repeat them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import structlog
from pydantic import TypeAdapter, ValidationError

from footnote.domain import Workspace
from footnote.domain.backups import DestroyedWorkspace, Manifest
from footnote.domain.encryption import BackedUpKeys
from footnote.domain.erasure import ErasureEntry
from footnote.engine.backup_places import backup_store_from
from footnote.errors import CiphertextDamaged, FootnoteError, NotFound
from footnote.settings import Settings
from footnote.store.backup_store import NOTES, BackupStore
from footnote.store.owner_view import OwnerView

_log = structlog.get_logger(__name__)

_NOTE = TypeAdapter(ErasureEntry | DestroyedWorkspace)
_NOTED = "the backups that the settings name have been told: a restoration carries it out again"
_NOT_NOTED = "the backups that the settings name could not be told: {}"


async def note_erasure(settings: Settings, entry: ErasureEntry) -> str | None:
    """Record an erasure in the backup store; return what its certificate says of backups.

    None where no backups are configured or exist.
    """
    return await _write_note(settings, f"erased-{entry.certificate_id}", entry)


async def note_destruction(settings: Settings, workspace: Workspace) -> None:
    """Record in the backup store, if there is one, that a workspace was destroyed."""
    destroyed = DestroyedWorkspace(
        workspace_id=workspace.workspace_id, workspace=workspace.name, noticed_at=datetime.now(UTC)
    )
    await _write_note(settings, f"destroyed-{workspace.workspace_id}", destroyed)


async def _write_note(
    settings: Settings, name: str, note: ErasureEntry | DestroyedWorkspace
) -> str | None:
    if settings.backup_url is None:
        return None
    try:
        await asyncio.to_thread(_write, settings, NOTES + name, _NOTE.dump_json(note))
    except NotFound:
        return None
    except FootnoteError as error:
        # A failure here does not stop an erasure; the next run reads it from the ledger.
        _log.warning("backups_not_told", reason=str(error), hint="run footnote backup create --log")
        return _NOT_NOTED.format(f"{error}; make another (footnote backup create --log)")
    return _NOTED


def _write(settings: Settings, name: str, content: bytes) -> None:
    store = backup_store_from(settings)
    store.require_key()
    store.write(name, [content])


def notes_in(
    store: BackupStore,
) -> tuple[tuple[ErasureEntry, ...], tuple[DestroyedWorkspace, ...]]:
    """Return the recorded erasures and destroyed workspaces. Blocks; raises CiphertextDamaged."""
    erased, destroyed = [], []
    for part in store.listed(NOTES):
        content = b"".join(store.read(part.name))
        try:
            note = _NOTE.validate_json(content)
        except ValidationError as error:
            raise CiphertextDamaged(f"the part {part.name} of the backups is damaged") from error
        if isinstance(note, ErasureEntry):
            erased.append(note)
        else:
            destroyed.append(note)
    return tuple(erased), tuple(destroyed)


def forget_old_notes(store: BackupStore, before: datetime) -> None:
    """Delete notes last modified before this time. Blocks."""
    names = [part.name for part in store.listed(NOTES) if part.modified < before]
    for name in names:
        store.delete(name)


def erasures_for(
    previous: Manifest | None, keys: tuple[BackedUpKeys, ...], owner: OwnerView
) -> tuple[ErasureEntry, ...]:
    """Return all known erasures of existing workspaces, from ledgers and the last manifest."""
    erasures = {entry.certificate_id: entry for entry in (previous.erasures if previous else ())}
    for workspace in keys:
        for entry in owner.erasures(workspace.workspace_id):
            erasures[entry.certificate_id] = entry
    existing_ids = {workspace_keys.workspace_id for workspace_keys in keys}
    return tuple(entry for entry in erasures.values() if entry.workspace_id in existing_ids)


def destroyed_since(
    previous: Manifest | None, keys: tuple[BackedUpKeys, ...], noticed_at: datetime
) -> tuple[DestroyedWorkspace, ...]:
    """Return the workspaces of earlier runs that no longer exist."""
    if previous is None:
        return ()
    existing_ids = {workspace_keys.workspace_id for workspace_keys in keys}
    newly_destroyed = tuple(
        DestroyedWorkspace(
            workspace_id=workspace_keys.workspace_id,
            workspace=workspace_keys.workspace,
            noticed_at=noticed_at,
        )
        for workspace_keys in previous.keys
        if workspace_keys.workspace_id not in existing_ids
    )
    return (*previous.destroyed, *newly_destroyed)
