"""Wrapped keys are written to a file and put back after a restore, and nothing older wins."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from footnote.engine import Engine, open_engine
from footnote.errors import Conflict, InvalidRequest, KeyUnavailable
from footnote.jobs.maintenance import rotate
from footnote.settings import Settings
from footnote.store.key_rotation import RESEAL
from tests.conftest import TestDatabase
from tests.engine.test_keys_at_rest import filled, found_in, rotated, states


@pytest.fixture
async def engine(own_database: TestDatabase, own_settings: Settings) -> AsyncIterator[Engine]:
    settings = own_settings.model_copy(update={"encryption": "on"})
    async with await open_engine(settings) as opened:
        yield opened


def backed_up(database: TestDatabase) -> None:
    with psycopg.connect(database.superuser_url) as connection:
        connection.execute("CREATE TABLE public.backup AS TABLE footnote.data_keys")


def restored(database: TestDatabase) -> None:
    with psycopg.connect(database.superuser_url) as connection:
        connection.execute("DELETE FROM footnote.data_keys")
        connection.execute("INSERT INTO footnote.data_keys SELECT * FROM public.backup")


async def test_after_a_restore_the_newest_export_opens_what_a_retired_key_wrapped(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    backed_up(own_database)
    await engine.rotate_master_key(retire_old=True)
    kept = tmp_path / "keys.json"
    done = await engine.export_keys(kept)
    assert (done.workspaces, done.keys) == (1, 1)
    assert kept.stat().st_mode & 0o777 == 0o600
    restored(own_database)
    async with await open_engine(engine.settings) as again:
        with pytest.raises(KeyUnavailable):
            await (await again.workspace("mill")).documents()
        found = await again.import_keys(kept)
        assert (found.restored, found.unchanged) == (1, 0)
        assert (found.absent, found.unlisted) == ((), ())
        assert "900 kilograms" in await found_in(await again.workspace("mill"))
        assert (await again.import_keys(kept)).restored == 0


async def test_keys_that_were_lost_come_back_as_they_were(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    await engine.export_keys(tmp_path / "keys.json")
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute("DELETE FROM footnote.data_keys")
    async with await open_engine(engine.settings) as again:
        await again.import_keys(tmp_path / "keys.json")
        assert await states(again) == [(1, "current")]
        assert "900 kilograms" in await found_in(await again.workspace("mill"))


async def test_a_key_that_came_after_the_backup_only_decrypts_and_goes_again(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    workspace = await filled(engine, "mill")
    backed_up(own_database)
    await rotated(engine, workspace)
    assert await states(engine) == [(2, "current")]
    await engine.export_keys(tmp_path / "keys.json")
    restored(own_database)
    async with await open_engine(engine.settings) as again:
        await again.import_keys(tmp_path / "keys.json")
        assert await states(again) == [(1, "current"), (2, "old")]
        await rotate(again, workspace.workspace_id, RESEAL)
        assert await states(again) == [(1, "current")]
        assert "900 kilograms" in await found_in(await again.workspace("mill"))


async def test_nothing_newer_is_overwritten(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    await engine.export_keys(old)
    backed_up(own_database)
    await engine.rotate_master_key()
    await engine.export_keys(new)
    with pytest.raises(Conflict, match="newer keys of mill"):
        await engine.import_keys(old)
    await engine.export_keys(old)  # an older export gives way
    restored(own_database)
    before = new.read_bytes()
    with pytest.raises(Conflict, match="newer keys of mill"):
        await engine.export_keys(new)
    assert new.read_bytes() == before


@pytest.mark.parametrize("content", ["", "[]", "{}", "a letter", '{"format": "footnote-keys"}'])
async def test_what_is_no_export_is_neither_read_nor_overwritten(
    engine: Engine, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "letter"
    path.write_text(content)
    with pytest.raises(InvalidRequest, match="no export"):
        await engine.import_keys(path)
    with pytest.raises(Conflict, match="no export"):
        await engine.export_keys(path)
    assert path.read_text() == content


async def test_a_changed_export_is_refused_and_changes_nothing(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    path = tmp_path / "keys.json"
    await engine.export_keys(path)
    found = json.loads(path.read_text())
    found["workspaces"][0]["keys"][0]["version"] = 7
    path.write_text(json.dumps(found))
    with pytest.raises(InvalidRequest, match="checksum"):
        await engine.import_keys(path)
    assert await states(engine) == [(1, "current")]


async def test_the_file_is_of_no_use_without_the_master_key(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    path = tmp_path / "keys.json"
    await engine.export_keys(path)
    (engine.settings.home / "master.key").unlink()
    async with await open_engine(engine.settings) as other:
        with pytest.raises(KeyUnavailable):
            await other.import_keys(path)


async def test_what_is_here_and_not_in_the_file_is_named(
    engine: Engine, own_database: TestDatabase, tmp_path: Path
) -> None:
    await filled(engine, "mill")
    await engine.create_workspace("gone")
    await engine.export_keys(tmp_path / "keys.json")
    await engine.destroy_workspace("gone")
    await engine.create_workspace("fresh")
    found = await engine.import_keys(tmp_path / "keys.json")
    assert (found.absent, found.unlisted) == (("gone",), ("fresh",))
