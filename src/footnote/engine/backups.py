"""Create, list and prune the backups of an installation, without a running engine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from footnote.domain.backups import Backup, BackupKind, BackupList, PrunedBackups, RecordedAnswer
from footnote.engine.backup_notes import forget_old_notes
from footnote.engine.backup_places import backup_store_from
from footnote.engine.backup_plans import spans_of
from footnote.engine.backup_run import BackupOptions, Tell, run_backup, silent
from footnote.engine.recorded_answers import Questions, recorded_answers
from footnote.errors import CiphertextDamaged, UnsupportedSettings
from footnote.settings import Settings
from footnote.store.file_backups import read_index

_LEFT_OVER = timedelta(days=1)
"""Least age at which an orphaned part is removed; a younger one may belong to a running backup."""


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
    """List all backups, including damaged ones, and the time spans that can be restored.

    Raises NotFound where there are none, KeyUnavailable and BlobsUnavailable.
    """

    def listed() -> BackupList:
        store = backup_store_from(settings)
        store.require_key()
        backups: list[Backup] = []
        damaged: list[str] = []
        for backup_id in store.ids():
            try:
                backups.append(store.manifest(backup_id).backup)
            except (CiphertextDamaged, UnsupportedSettings) as error:
                damaged.append(error.with_hint)
        return BackupList(
            place=store.place,
            backups=tuple(backups),
            spans=spans_of(backups),
            damaged=tuple(damaged),
        )

    return await asyncio.to_thread(listed)


async def prune_backups(settings: Settings, keep: int, tell: Tell = silent) -> PrunedBackups:
    """Delete all runs before the newest `keep` full backups.

    Orphaned parts of interrupted runs are deleted too, once they are a day old.
    """

    def pruned() -> PrunedBackups:
        store = backup_store_from(settings)
        store.require_key()
        runs = store.manifests()
        full = [
            number
            for number, manifest in enumerate(runs)
            if manifest.backup.kind is BackupKind.FULL
        ]
        first = full[-keep] if len(full) >= keep else 0
        removed_ids = [manifest.backup.backup_id for manifest in runs[:first]]
        for backup_id in removed_ids:
            store.forget(backup_id)
        retained_ids = {manifest.backup.backup_id for manifest in runs[first:]}
        used_names = {
            file.part.name
            for index in {run.file_index for run in runs[first:]}
            for file in read_index(store, index).values()
        }
        if first < len(runs):
            # What was erased before the oldest remaining run is in none of them.
            forget_old_notes(store, runs[first].backup.started_at - _LEFT_OVER)
        cutoff = datetime.now(UTC) - _LEFT_OVER
        files = size = 0
        for part in [*store.listed("runs/"), *store.listed("files/")]:
            run = part.name.split("/")[1]
            if part.name in used_names or run in retained_ids:
                continue
            if run not in removed_ids and part.modified > cutoff:
                continue
            store.delete(part.name)
            files += part.name.startswith("files/")
            size += part.bytes
            tell(f"removed {part.name}")
        return PrunedBackups(backups=tuple(removed_ids), files=files, bytes=size)

    return await asyncio.to_thread(pruned)
