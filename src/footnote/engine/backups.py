"""Backups of an installation: made, listed and removed, apart from any engine that runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from footnote.domain import Check
from footnote.domain.backups import Backup, BackupKind, BackupList, PrunedBackups, RecordedAnswer
from footnote.engine.answer_models import plain
from footnote.engine.backup_plans import spans_of
from footnote.engine.backup_run import BackupOptions, Tell, run_backup, silent
from footnote.engine.recorded_answers import Questions, recorded_answers
from footnote.errors import CiphertextDamaged, FootnoteError, UnsupportedSettings
from footnote.security.encryption.backup_parts import backup_cipher_from
from footnote.settings import Settings
from footnote.store.backup_store import BackupStore, backup_store_at
from footnote.store.file_backups import read_index

_OLD = timedelta(days=2)
"""A backup that is older is told of."""
_LEFT_OVER = timedelta(days=1)
"""How old what belongs to no run must be to be removed: younger, a run may be writing it."""
_NO_KEY = "head -c 32 /dev/urandom | base64 > backup.key, then FOOTNOTE_BACKUP_KEY=backup.key"


def backup_store_from(settings: Settings) -> BackupStore:
    """Where the settings have backups kept. Raises UnsupportedSettings and BlobsUnavailable."""
    if settings.backup_url is None:
        raise UnsupportedSettings(
            "The setting backup_url says nowhere to keep backups.",
            hint="set FOOTNOTE_BACKUP_URL to a folder or an object store",
        )
    key = plain(settings.backup_key)
    if key is None:
        raise UnsupportedSettings(
            "The setting backup_key names no key, and backups are always encrypted.", hint=_NO_KEY
        )
    cipher = backup_cipher_from(key)
    return backup_store_at(settings.backup_url, plain(settings.backup_options), cipher)


async def create_backup(
    settings: Settings,
    options: BackupOptions,
    questions: Questions | None = None,
    tell: Tell = silent,
) -> Backup:
    """Back up the database, the stored files and the wrapped keys; all of it, or nothing.

    Raises Conflict where another run is under way or the place is another's, Forbidden where the
    login lacks rights, and StoreUnavailable, BlobsUnavailable, KeyUnavailable.
    """
    store = await asyncio.to_thread(backup_store_from, settings)
    await asyncio.to_thread(store.prepare)
    answers: tuple[RecordedAnswer, ...] = ()
    if questions is not None:
        tell("asking the questions whose answers are recorded")
        answers = await recorded_answers(settings, questions)
    return await asyncio.to_thread(run_backup, settings, store, options, answers, tell)


async def list_backups(settings: Settings) -> BackupList:
    """All backups, those that are damaged among them, and the moments that can be restored.

    Raises NotFound where there are none, KeyUnavailable and BlobsUnavailable.
    """

    def listed() -> BackupList:
        store = backup_store_from(settings)
        store.require_key()
        found: list[Backup] = []
        damaged: list[str] = []
        for backup_id in store.ids():
            try:
                found.append(store.manifest(backup_id).backup)
            except (CiphertextDamaged, UnsupportedSettings) as error:
                damaged.append(error.with_hint)
        return BackupList(
            place=store.place,
            backups=tuple(found),
            spans=spans_of(found),
            damaged=tuple(damaged),
        )

    return await asyncio.to_thread(listed)


async def prune_backups(settings: Settings, keep: int, tell: Tell = silent) -> PrunedBackups:
    """Remove all before the newest full backups, of which so many stay.

    What is left of runs that were cut off goes, too, once it is a day old.
    """

    def pruned() -> PrunedBackups:
        store = backup_store_from(settings)
        store.require_key()
        runs = store.manifests()
        full = [n for n, each in enumerate(runs) if each.backup.kind is BackupKind.FULL]
        first = full[-keep] if len(full) >= keep else 0
        gone = [each.backup.backup_id for each in runs[:first]]
        for backup_id in gone:
            store.forget(backup_id)
        kept = {each.backup.backup_id for each in runs[first:]}
        used = {
            each.part.name
            for index in {run.file_index for run in runs[first:]}
            for each in read_index(store, index).values()
        }
        return _remove_unused(store, gone, kept, used, tell)

    return await asyncio.to_thread(pruned)


def _remove_unused(
    store: BackupStore, gone: Sequence[str], kept: set[str], used: set[str], tell: Tell
) -> PrunedBackups:
    young = datetime.now(UTC) - _LEFT_OVER
    files = size = 0
    for each in [*store.listed("runs/"), *store.listed("files/")]:
        run = each.name.split("/")[1]
        if each.name in used or run in kept:
            continue
        if run not in gone and each.modified > young:
            continue
        store.delete(each.name)
        files += each.name.startswith("files/")
        size += each.bytes
        tell(f"removed {each.name}")
    return PrunedBackups(backups=tuple(gone), files=files, bytes=size)


def backup_check(settings: Settings) -> Check:
    """When the last backup was made. Blocks."""
    name = "backup"
    if settings.backup_url is None:
        return Check(name=name, ok=True, detail="FOOTNOTE_BACKUP_URL is not set")
    try:
        store = backup_store_from(settings)
        store.require_key()
        ids = store.ids()
        last = store.manifest(ids[-1]).backup if ids else None
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
    if last is None:
        return Check(
            name=name, ok=False, detail="none was made yet", hint="run footnote backup create"
        )
    age = datetime.now(UTC) - last.covered_until
    return Check(
        name=name,
        ok=age < _OLD,
        detail=f"the last one covers {last.covered_until:%Y-%m-%d %H:%M} UTC, "
        f"{age.total_seconds() / 3600:,.1f} hours ago",
        hint="run footnote backup create, and have it run each day",
    )
