"""Restore backups: into a staging folder first, then renamed into place as the last step.

Erasures and destructions since the backup are replayed before that step. An interrupted restoration
leaves nothing where a server would look for its data.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from obstore.store import ObjectStore

from footnote.domain.backups import BackupMethod, BackupPart, BackupVerification, Restoration
from footnote.domain.erasure import ErasureEntry
from footnote.engine.answer_models import plain
from footnote.engine.backup_notes import notes_in
from footnote.engine.backup_places import backup_store_from
from footnote.engine.backup_plans import Plan, plan_of
from footnote.engine.backup_run import Tell, ThrottledProgress, silent
from footnote.engine.opening import database_urls
from footnote.engine.recorded_answers import compared_answers
from footnote.engine.restore_replay import reapply
from footnote.engine.restored_engine import Restored, emptied, restored_in, restored_into_database
from footnote.errors import CiphertextDamaged, Conflict, FootnoteError, InvalidRequest
from footnote.settings import Settings
from footnote.store.backup_store import BackupStore
from footnote.store.file_backups import BackupFile, files_at, is_empty, read_index, restore_files
from footnote.store.home import open_home, private_folder, require_home, require_usable
from footnote.store.owner_view import OwnerView
from footnote.store.recovery import Recovery, exclusive, unused
from footnote.store.system_user import server_account

_STAGING = "restoring"
_TRIAL = "verifying"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """Options of a restoration: what to restore, and where to."""

    backup_id: str | None = None
    at: datetime | None = None
    data_folder: Path | None = None
    """Target data folder for an external server; None restores this installation."""
    replace: bool = False
    """Whether existing data in the target is moved aside."""
    ask: bool = False
    """Whether the recorded questions are asked before the restored data takes its place."""
    erasures: tuple[ErasureEntry, ...] = ()
    """Erasures to replay that no backup records."""


async def restore_backup(
    settings: Settings, options: RestoreOptions, tell: Tell = silent
) -> Restoration:
    """Restore a backup, a point in time, or the newest state; later erasures are replayed.

    Raises NotFound where no backup reaches that point, Conflict where the target is not empty or in
    use, CiphertextDamaged for altered data, KeyUnavailable for a wrong key, and StoreUnavailable.
    """
    store, plan = await asyncio.to_thread(_store_and_plan, settings, options.backup_id, options.at)
    restoring = _Restoring(settings=settings, options=options, store=store, plan=plan, tell=tell)
    return await restoring.restore()


async def verify_backups(
    settings: Settings,
    backup_id: str | None = None,
    *,
    parts_only: bool = False,
    tell: Tell = silent,
) -> BackupVerification:
    """Read every part of every backup, and restore one on trial: by default the newest.

    The trial runs in a separate folder, which is removed afterwards; it needs as much disk space as
    the database. Raises NotFound, KeyUnavailable and BlobsUnavailable; damage is reported in the
    result.
    """
    store = await asyncio.to_thread(backup_store_from, settings)
    read = await asyncio.to_thread(_read_all, store, tell)
    restoration, faults = None, list(read.faults)
    if not parts_only:
        try:
            options = RestoreOptions(backup_id=backup_id, ask=True)
            _, plan = await asyncio.to_thread(_store_and_plan, settings, backup_id, None)
            trial = _Restoring(
                settings=settings, options=options, store=store, plan=plan, tell=tell
            )
            restoration = await trial.try_out()
        except CiphertextDamaged as error:
            faults.append(str(error))
    return replace(read, faults=tuple(faults), restoration=restoration)


def _store_and_plan(
    settings: Settings, backup_id: str | None, at: datetime | None
) -> tuple[BackupStore, Plan]:
    store = backup_store_from(settings)
    store.require_key()
    return store, plan_of(store.manifests(), backup_id=backup_id, at=at)


def _read_all(store: BackupStore, tell: Tell) -> BackupVerification:
    """Read every part that a manifest lists, and collect the faults."""
    store.require_key()
    progress = ThrottledProgress(tell, "read {:,} parts")
    faults, runs = [], []
    for backup_id in store.ids():
        try:
            runs.append(store.manifest(backup_id))
        except FootnoteError as error:
            faults.append(f"{backup_id}: {error}")
    try:
        notes_in(store)
    except CiphertextDamaged as error:
        faults.append(str(error))
    parts: dict[str, tuple[BackupPart, bool]] = {}
    for run in runs:
        parts |= {part.name: (part, True) for part in run.backup.parts}
        try:
            index = read_index(store, run.file_index)
        except CiphertextDamaged:
            continue  # Reported below, as the index is itself a part.
        parts |= {file.part.name: (file.part, False) for file in index.values()}
    size = 0
    for count, (part, compressed) in enumerate(parts.values(), 1):
        try:
            for _ in store.read(part.name, compressed=compressed, part=part):
                continue
        except CiphertextDamaged as error:
            faults.append(str(error))
        size += part.bytes
        progress(count)
    return BackupVerification(
        backups=len(runs), parts=len(parts), bytes=size, faults=tuple(faults), restoration=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Restoring:
    """One restoration in progress."""

    settings: Settings
    options: RestoreOptions
    store: BackupStore
    plan: Plan
    tell: Tell

    async def restore(self) -> Restoration:
        """Restore into staging, then move the result to the target in the last step."""
        settings, folder = self.settings, self.options.data_folder
        self._require_suitable_target()
        require_home(settings.home)
        private_folder(settings.home)
        if settings.database_url is None or folder is not None:
            account = server_account()
            open_home(settings.home, account)
            if folder is not None:
                account.require_reachable(folder.absolute())
        with ExitStack() as locks:
            locks.enter_context(exclusive(settings.home / "restoring.lock", "restoring a backup"))
            if settings.database_url is None and folder is None:
                require_usable(settings.home)
                locks.enter_context(unused(settings.home))
                self._require_room(settings.home / "postgres")
            elif folder is not None:
                self._require_room(folder)
            elif not await asyncio.to_thread(
                OwnerView(database_urls(settings, None).owner).is_empty
            ):
                raise Conflict(
                    "Footnote has tables in the database already, and nothing is overwritten",
                    hint="create another database, and name it by FOOTNOTE_DATABASE_URL and "
                    "FOOTNOTE_OWNER_DATABASE_URL",
                )
            self._require_room_for_files()
            if settings.database_url is not None and folder is None:
                async with restored_into_database(
                    settings, self.store, self.plan, self.tell
                ) as restored:
                    return await self._finish(restored, self._target, "the database")
            staging = settings.home / _STAGING
            if folder is not None:
                staging = folder.absolute().with_name(f".{folder.name}.{_STAGING}")
            with emptied(staging) as recovery:
                location = folder or settings.home
                async with restored_in(
                    recovery, settings, self.store, self.plan, self.tell
                ) as restored:
                    staged = partial(files_at, staging / "blobs", None, None)
                    files = self._target if folder or settings.blob_url else staged
                    restoration = await self._finish(restored, files, str(location))
                os.sync()
                return replace(restoration, moved_aside=self._move_into_place(recovery))

    async def try_out(self) -> Restoration:
        """Restore the database in a temporary folder, without stored files, and remove it."""
        home = self.settings.home
        open_home(home, server_account())
        with (
            exclusive(home / "verifying.lock", "verifying backups"),
            emptied(home / _TRIAL) as recovery,
        ):
            async with restored_in(
                recovery, self.settings, self.store, self.plan, self.tell
            ) as restored:
                return await self._finish(restored, None, str(recovery.folder))

    async def _finish(
        self, restored: Restored, target: Callable[[], ObjectStore] | None, location: str
    ) -> Restoration:
        """Replay erasures and destructions, ask the recorded questions, and restore the files."""
        self.tell("destroying and erasing again what was destroyed and erased since")
        newest, last = self.plan.newest, self.plan.last
        recorded_erasures, destroyed = await asyncio.to_thread(notes_in, self.store)
        other_erasures = (*self.options.erasures, *recorded_erasures)
        reapplied = await reapply(restored.engine, newest, other_erasures, destroyed)
        comparison = None
        if self.options.ask and last.answers:
            self.tell(f"asking {len(last.answers):,} recorded questions")
            erasures = (*newest.erasures, *other_erasures)
            erased = {document for erasure in erasures for document in erasure.document_ids}
            comparison = await compared_answers(restored.engine, last.answers, erased)
        with restored.owner.snapshot() as contents:
            documents, named = contents.documents(), contents.files()
        files, missing = await asyncio.to_thread(self._files, named, target)
        return Restoration(
            backup_id=last.backup.backup_id,
            at=self.plan.at,
            place=location,
            workspaces=len(contents.workspaces),
            documents=documents,
            files=files,
            missing_files=missing,
            keys_restored=reapplied.keys_restored,
            destroyed=reapplied.destroyed,
            erasures=reapplied.erasures,
            refused=reapplied.refused,
            comparison=comparison,
            moved_aside=None,
        )

    def _files(
        self, named: Sequence[str], target: Callable[[], ObjectStore] | None
    ) -> tuple[int, tuple[str, ...]]:
        """Restore the files that documents name; return their number and the missing keys.

        The target is created first. Without a target, only look which files the backup lacks.
        """
        stored_files: dict[str, BackupFile] = {}
        for run in filter(None, (self.plan.before, self.plan.last)):
            stored_files |= read_index(self.store, run.file_index)
        if target is None:
            missing = tuple(key for key in named if key not in stored_files)
            return len(named) - len(missing), missing
        progress = ThrottledProgress(self.tell, "restored {:,} files")
        return restore_files(self.store, target(), stored_files, named, progress)

    # --- target -----------------------------------------------------------------------------

    def _require_suitable_target(self) -> None:
        backup, folder = self.plan.last.backup, self.options.data_folder
        if backup.method is BackupMethod.LOGICAL:
            if folder is not None:
                raise InvalidRequest(
                    "the backup is a dump, which has no files of a server",
                    hint="leave out --data-folder: it goes into the database of the settings",
                )
        elif folder is None and not (backup.server.embedded and self.settings.database_url is None):
            raise InvalidRequest(
                "the backup has the files of a whole server, which is not the one of the settings",
                hint="name a new data folder for that server: --data-folder",
            )

    def _require_room(self, folder: Path) -> None:
        if folder.exists() and any(folder.iterdir()) and not self.options.replace:
            raise Conflict(
                f"{folder} is not empty, and nothing is overwritten",
                hint="name another place, or have what is there moved aside: --replace",
            )

    def _require_room_for_files(self) -> None:
        folder = self.settings.home / "blobs" if self.settings.blob_url is None else None
        if folder is not None and not folder.exists():
            return  # It is created when there are files to write.
        target = self._target()  # Fail here on an unusable store, before the long restore.
        if not self.options.replace and not is_empty(target, folder):
            raise Conflict(
                f"there are stored files in {folder or self.settings.blob_url} already",
                hint="name another place for them, or give --replace",
            )

    def _target(self) -> ObjectStore:
        return files_at(
            self.settings.home / "blobs", self.settings.blob_url, plain(self.settings.blob_options)
        )

    def _move_into_place(self, recovery: Recovery) -> str | None:
        """Move the restored data into place, the database last; return where old data is."""
        home, folder = self.settings.home, self.options.data_folder
        moves = [(recovery.cluster, folder or home / "postgres")]
        if folder is None and self.settings.blob_url is None:
            (recovery.folder / "blobs").mkdir(mode=0o700, exist_ok=True)
            moves.insert(0, (recovery.folder / "blobs", home / "blobs"))
        aside = (folder.parent if folder else home) / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        for _, target in reversed(moves):
            if target.exists() and any(target.iterdir()):
                private_folder(aside)
                target.rename(aside / target.name)
        for source, target in moves:
            if target.exists():
                target.rmdir()
            source.rename(target)
        return str(aside) if aside.exists() else None
