"""Backups of an external server and into an object store, runs that die, and what is removed."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

import footnote
from footnote.doctor import examine
from footnote.domain.backups import BackupKind, BackupMethod
from footnote.engine.backup_places import backup_store_from
from footnote.engine.backup_run import BackupOptions
from footnote.engine.backups import create_backup, list_backups, prune_backups
from footnote.engine.restoring import RestoreOptions, restore_backup, verify_backups
from footnote.errors import (
    CiphertextDamaged,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    StoreUnavailable,
)
from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings, settings_from
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
    start_embedded,
)
from tests.engine.backup_homes import KEY, home_of, ingested, names_in
from tests.store.s3_server import s3_server


@pytest.fixture(scope="module")
def external(model_home: Path) -> Iterator[EmbeddedPostgres]:
    """A server that the settings reach by URLs, with rights of its own for each login."""
    with home_of(model_home) as home:
        server = start_embedded(home)
        with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            for setting in ("fsync", "full_page_writes"):
                name = sql.Identifier(setting)
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(name))
            connection.execute("ALTER SYSTEM SET summarize_wal = on")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute("CREATE ROLE copies LOGIN REPLICATION")
            connection.execute("CREATE ROLE dumps LOGIN BYPASSRLS IN ROLE pg_read_all_data")
            connection.execute("CREATE ROLE nobody LOGIN")
        yield server
        server.release()


@pytest.fixture(scope="module")
async def installed(
    external: EmbeddedPostgres,
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
) -> AsyncIterator[Settings]:
    """An installation over the server, with a document."""
    with home_of(model_home) as home:
        create_database(external, "engine")
        settings = Settings(
            home=home,
            database_url=external.url(APPLICATION_ROLE, "engine"),
            owner_database_url=external.url(OWNER_ROLE, "engine"),
            backup_key=KEY,
            backup_url=str(home / "unused"),
        )
        async with footnote.open(settings) as engine:
            await ingested(engine, "lease.md", "# Lease\n\nThe tenant of the berth pays 400 euros.")
        yield settings


@pytest.fixture
def kept(installed: Settings, external: EmbeddedPostgres, tmp_path: Path) -> Settings:
    """The same, with backups in a place of this test."""
    with psycopg.connect(external.url(SUPERUSER, "engine"), autocommit=True) as connection:
        connection.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
    return settings_from(installed, {"backup_url": str(tmp_path / "kept")})


def by(kept: Settings, external: EmbeddedPostgres, login: str) -> Settings:
    return settings_from(kept, {"backup_database_url": external.url(login, "engine")})


async def test_a_whole_server_is_kept_and_started_elsewhere(
    kept: Settings, external: EmbeddedPostgres, model_home: Path
) -> None:
    settings = by(kept, external, "copies")
    first = await create_backup(settings, BackupOptions())
    second = await create_backup(settings, BackupOptions())
    assert (first.kind, second.kind) == (BackupKind.FULL, BackupKind.INCREMENTAL)
    assert first.method is BackupMethod.PHYSICAL
    assert (await verify_backups(settings)).sound
    with pytest.raises(InvalidRequest, match="whole server"):
        await restore_backup(settings_from(settings, {"database_url": None}), RestoreOptions())
    with home_of(model_home) as home:
        there = settings_from(settings, {"home": home})
        done = await restore_backup(there, RestoreOptions(data_folder=home / "postgres"))
        assert (done.complete, done.files) == (True, 1)
        server = start_embedded(home)
        try:
            moved = {
                "database_url": server.url(APPLICATION_ROLE, "engine"),
                "owner_database_url": server.url(OWNER_ROLE, "engine"),
            }
            assert await names_in(settings_from(there, moved)) == ["lease.md"]
        finally:
            server.release()
        with pytest.raises(Conflict, match="not empty"):
            await restore_backup(there, RestoreOptions(data_folder=home / "postgres"))


async def test_a_dump_goes_into_an_empty_database_or_an_embedded_server(
    kept: Settings, external: EmbeddedPostgres, model_home: Path
) -> None:
    settings = by(kept, external, "dumps")
    made = await create_backup(settings, BackupOptions())
    assert (made.kind, made.method) == (BackupKind.FULL, BackupMethod.LOGICAL)
    with pytest.raises(Conflict, match="tables in the database already"):
        await restore_backup(settings, RestoreOptions())
    name = f"fresh_{uuid4().hex}"
    create_database(external, name)
    with home_of(model_home) as home:
        there = settings_from(
            settings,
            {
                "home": home,
                "database_url": external.url(APPLICATION_ROLE, name),
                "owner_database_url": external.url(OWNER_ROLE, name),
            },
        )
        assert (await restore_backup(there, RestoreOptions())).complete
        assert await names_in(there) == ["lease.md"]
    with home_of(model_home) as home:
        own = Settings(home=home, backup_key=KEY, backup_url=settings.backup_url)
        if (settings.home / "master.key").exists():
            shutil.copy(settings.home / "master.key", home)
        assert (await restore_backup(own, RestoreOptions())).complete
        assert await names_in(own) == ["lease.md"]
        with pytest.raises(Conflict, match="another database server"):
            await create_backup(own, BackupOptions())
        adopted = await create_backup(own, BackupOptions(adopt=True))
        assert adopted.kind is BackupKind.FULL


async def test_a_dump_that_cannot_be_used_leaves_the_database_empty(
    kept: Settings, external: EmbeddedPostgres, model_home: Path
) -> None:
    settings = by(kept, external, "dumps")
    with psycopg.connect(external.url(SUPERUSER, "engine"), autocommit=True) as connection:
        connection.execute("INSERT INTO footnote.migrations VALUES ('9999_later', '')")
        newer = await create_backup(settings, BackupOptions())
        connection.execute("DELETE FROM footnote.migrations WHERE name = '9999_later'")
    assert newer.schema == "9999_later"
    broken = await create_backup(settings, BackupOptions())
    store = backup_store_from(settings)
    dump = Path(store.place) / str(store.manifest(broken.backup_id).base_part)
    dump.write_bytes(dump.read_bytes()[:-9] + bytes(9))
    name = f"fresh_{uuid4().hex}"
    create_database(external, name)
    with home_of(model_home) as home:
        there = settings_from(
            settings,
            {
                "home": home,
                "database_url": external.url(APPLICATION_ROLE, name),
                "owner_database_url": external.url(OWNER_ROLE, name),
            },
        )
        with pytest.raises(StoreUnavailable, match="9999_later"):
            await restore_backup(there, RestoreOptions(backup_id=newer.backup_id))
        with pytest.raises((StoreUnavailable, CiphertextDamaged)):
            await restore_backup(there, RestoreOptions())
    with psycopg.connect(external.url(SUPERUSER, name)) as connection:
        assert connection.execute("SELECT to_regnamespace('footnote')").fetchone() == (None,)


async def test_a_login_without_rights_and_a_run_beside_another_are_refused(
    kept: Settings, external: EmbeddedPostgres
) -> None:
    with pytest.raises(Forbidden, match="neither make base backups nor read all rows"):
        await create_backup(by(kept, external, "nobody"), BackupOptions())
    with psycopg.connect(external.url(SUPERUSER, "engine")) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [0x666F6F75])
        with pytest.raises(Conflict, match="another backup"):
            await create_backup(by(kept, external, "copies"), BackupOptions())
    with pytest.raises(NotFound, match="no backup"):
        await restore_backup(by(kept, external, "copies"), RestoreOptions())


async def test_a_lost_slot_leaves_a_gap_and_what_comes_after_is_whole(
    kept: Settings, external: EmbeddedPostgres
) -> None:
    settings = by(kept, external, "copies")
    await create_backup(settings, BackupOptions())
    with psycopg.connect(external.url(SUPERUSER, "engine"), autocommit=True) as connection:
        connection.execute("SELECT pg_drop_replication_slot('footnote_backup')")
    told: list[str] = []
    made = await create_backup(settings, BackupOptions(log=True), tell=told.append)
    assert (made.kind, made.continues) == (BackupKind.INCREMENTAL, None)
    assert len((await list_backups(settings)).spans) == 2
    without = await create_backup(settings, BackupOptions(point_in_time=False))
    assert without.continues is None
    with psycopg.connect(external.url(SUPERUSER, "engine")) as connection:
        assert connection.execute("SELECT FROM pg_replication_slots").fetchall() == []
    assert (await verify_backups(settings)).sound


async def test_old_chains_are_removed_with_the_files_that_they_alone_had(
    kept: Settings, external: EmbeddedPostgres
) -> None:
    settings = by(kept, external, "copies")
    first = await create_backup(settings, BackupOptions())
    second = await create_backup(settings, BackupOptions(full=True))
    assert (await prune_backups(settings, 2)).backups == ()
    done = await prune_backups(settings, 1)
    assert done.backups == (first.backup_id,)
    found = await list_backups(settings)
    assert [each.backup_id for each in found.backups] == [second.backup_id]
    assert (await verify_backups(settings, parts_only=True)).sound


async def test_backups_go_to_an_object_store_and_come_back(
    kept: Settings, external: EmbeddedPostgres, model_home: Path
) -> None:
    with s3_server() as server:
        settings = settings_from(
            by(kept, external, "copies"),
            {
                "backup_url": server.make_bucket("backups") + "/daily",
                "backup_options": server.options,
            },
        )
        await create_backup(settings, BackupOptions())
        assert (await verify_backups(settings, parts_only=True)).sound
        with home_of(model_home) as home:
            there = settings_from(
                settings,
                {
                    "home": home,
                    "blob_url": server.make_bucket("files"),
                    "blob_options": server.options,
                },
            )
            done = await restore_backup(there, RestoreOptions(data_folder=home / "postgres"))
            assert (done.complete, done.files) == (True, 1)
            with pytest.raises(Conflict, match="stored files"):
                await restore_backup(there, RestoreOptions(data_folder=home / "other"))


async def test_the_doctor_says_when_the_last_backup_was_made(
    kept: Settings, external: EmbeddedPostgres
) -> None:
    settings = by(kept, external, "copies")

    async def said() -> tuple[bool, str]:
        [check] = [each for each in (await examine(settings)).checks if each.name == "backup"]
        return check.ok, check.detail

    assert (await said())[0] is False
    await create_backup(settings, BackupOptions())
    assert (await said())[0] is True
    assert "0.0 hours ago" in (await said())[1]
