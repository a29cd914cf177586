"""Run a restored database closed to other users, and open an engine on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from footnote.domain.backups import BackupMethod, BackupPart, Manifest
from footnote.engine.backup_plans import Plan
from footnote.engine.backup_run import Tell, ThrottledProgress
from footnote.engine.encryption import MASTER_KEY_FILE
from footnote.engine.installation import Engine
from footnote.engine.opening import database_urls, open_engine
from footnote.errors import KeyUnavailable
from footnote.settings import Settings
from footnote.store.backup_store import BackupStore
from footnote.store.embedded import OWNER_ROLE, start_embedded
from footnote.store.home import private_folder
from footnote.store.owner_view import OwnerView
from footnote.store.recovery import Recovery, unpack
from footnote.store.server_backups import ServerTools
from footnote.store.system_user import packaged_binaries


@dataclass(frozen=True, slots=True)
class Restored:
    """Access to the restored database: through an engine, and as the owner of the tables."""

    engine: Engine
    owner: OwnerView


@contextmanager
def emptied(folder: Path) -> Iterator[Recovery]:
    """Create an empty private folder for a restoration, and remove it afterwards.

    Remains of a process that was killed are removed first.
    """
    recovery = Recovery(folder)
    recovery.discard()
    private_folder(folder)
    try:
        yield recovery
    finally:
        recovery.discard()


@asynccontextmanager
async def restored_in(
    recovery: Recovery, settings: Settings, store: BackupStore, plan: Plan, tell: Tell
) -> AsyncIterator[Restored]:
    """Restore a plan's database into a folder and run it.

    On exit the server is stopped, and its complete files stay in the folder.
    """
    folder, server = recovery.folder, plan.last.backup.server
    models = settings.home / "models"
    if models.exists():
        (folder / "models").symlink_to(models.absolute())
    overrides: dict[str, object] = {
        "home": folder,
        "blob_url": None,
        "direct_database_url": None,
        "replica_database_urls": "",
        "backup_url": None,  # The backups record what is replayed here.
    }
    made_key = settings.home / MASTER_KEY_FILE
    if settings.master_key is None and made_key.exists():
        overrides["master_key"] = str(made_key)
    if plan.last.backup.method is BackupMethod.LOGICAL:
        overrides |= {"database_url": None, "owner_database_url": None}
        started = await asyncio.to_thread(start_embedded, folder)
        try:
            owner = OwnerView(started.url(OWNER_ROLE))
            await asyncio.to_thread(_load, owner, store, plan, started.binaries, tell)
            with _master_key_required(settings):
                async with await open_engine(_settings_with(settings, overrides)) as engine:
                    yield Restored(engine, owner)
        finally:
            await asyncio.to_thread(started.release)
        return
    await asyncio.to_thread(_assemble, recovery, store, plan, tell)
    tell("replaying the log")
    recovery_run = replace(recovery, superuser=server.superuser).recovered(plan.until)
    running_server = await asyncio.to_thread(recovery_run.__enter__)
    try:
        owner = OwnerView(running_server.url(server.owner_login, server.database))
        overrides |= {
            "database_url": running_server.url(server.application_login, server.database),
            "owner_database_url": owner.url,
        }
        with _master_key_required(settings):
            async with await open_engine(_settings_with(settings, overrides)) as engine:
                yield Restored(engine, owner)
    finally:
        await asyncio.to_thread(recovery_run.__exit__, None, None, None)


@asynccontextmanager
async def restored_into_database(
    settings: Settings, store: BackupStore, plan: Plan, tell: Tell
) -> AsyncIterator[Restored]:
    """Restore a dump into the empty database of the settings.

    After any failure the schema is dropped, so the database is empty again.
    """
    owner = OwnerView(database_urls(settings, None).owner)
    try:
        await asyncio.to_thread(_load, owner, store, plan, packaged_binaries(), tell)
        with _master_key_required(settings):
            async with await open_engine(settings) as engine:
                yield Restored(engine, owner)
    except BaseException:
        await asyncio.to_thread(owner.drop)
        raise


@contextmanager
def _master_key_required(settings: Settings) -> Iterator[None]:
    """Make KeyUnavailable name the right place of a missing master key.

    The engine looks for the key in the temporary folder of the restoration.
    """
    key_path = settings.home / MASTER_KEY_FILE
    try:
        yield
    except KeyUnavailable as error:
        if settings.master_key is not None or key_path.exists():
            raise
        raise KeyUnavailable(
            f"there is no master key at {key_path}, and what is restored is under one",
            hint=f"copy {MASTER_KEY_FILE} of the installation that was backed up there, or name "
            "its place by FOOTNOTE_MASTER_KEY, and restore again; backups do not hold it",
        ) from error


def _settings_with(settings: Settings, overrides: dict[str, object]) -> Settings:
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    return Settings(**{**values, **overrides})


def _load(owner: OwnerView, store: BackupStore, plan: Plan, binaries: Path, tell: Tell) -> None:
    tell("loading the dump")
    owner.prepare()
    assert plan.last.base_part is not None, "a dump is the base of its run"
    tools = ServerTools(binaries=binaries, url=owner.url)
    tools.restore_dump(store.read(plan.last.base_part, part=_part(plan.last, plan.last.base_part)))


def _assemble(recovery: Recovery, store: BackupStore, plan: Plan, tell: Tell) -> None:
    """Combine the base backups into a data folder, and write the WAL segments beside it. Blocks."""
    bases = []
    for number, run in enumerate(plan.bases):
        tell(f"reading the database ({run.backup.kind} of {run.backup.backup_id})")
        assert run.base_part is not None, "bases have one"
        bases.append(recovery.folder / f"base-{number}")
        unpack(store.read(run.base_part, part=_part(run, run.base_part)), bases[-1])
    recovery.combine(bases)
    log = recovery.folder / "log"
    log.mkdir(mode=0o700)
    progress = ThrottledProgress(tell, "read {:,} segments of the log")
    for count, (segment, name) in enumerate(sorted(plan.log.items()), 1):
        with (log / segment).open("wb") as file:
            for piece in store.read(name):
                file.write(piece)
        progress(count)


def _part(run: Manifest, name: str) -> BackupPart:
    return next(part for part in run.backup.parts if part.name == name)
