"""Keys are wrapped anew without touching content, and destroyed with all that was under them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from footnote.domain import SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import Conflict, KeyUnavailable, NotFound
from footnote.jobs.inline import work_until_resting
from footnote.jobs.maintenance import rotate
from footnote.settings import Settings
from footnote.store.data_keys import CACHE_SECONDS
from footnote.store.key_rotation import PROMOTE, RESEAL
from footnote.store.resealing import records_of
from footnote.store.sealing import RESEALED
from tests.conftest import TestDatabase
from tests.security.encryption.transit_server import TransitServer, transit_server

PAPER = b"# Cider\n\nThe press of the cider mill weighs 900 kilograms."


@pytest.fixture
async def engine(own_database: TestDatabase, own_settings: Settings) -> AsyncIterator[Engine]:
    settings = own_settings.model_copy(update={"encryption": "on"})
    async with await open_engine(settings) as opened:
        yield opened


async def filled(engine: Engine, name: str) -> WorkspaceEngine:
    await engine.create_workspace(name)
    workspace = await engine.workspace(name)
    received = await workspace.receive(PAPER, "cider.md")
    whose = [received.document.document_id]
    await work_until_resting(engine, workspace, whose, lambda _: None)
    await workspace.add_webhook("https://93.184.215.14/told")
    talk = await workspace.create_conversation(title="Cider")
    await workspace.ask_in_conversation(talk.conversation_id, Asking(question="How heavy is it?"))
    return workspace


async def found_in(workspace: WorkspaceEngine) -> str:
    response = await workspace.search(SearchRequest(query="cider press"))
    return response.evidence[0].passage.text


def rows(database: TestDatabase, table: str, columns: str = "*") -> list[tuple[object, ...]]:
    with psycopg.connect(database.superuser_url) as connection:
        return connection.execute(
            psycopg.sql.SQL("SELECT {} FROM footnote.{} ORDER BY 1, 2").format(
                psycopg.sql.SQL(columns),
                psycopg.sql.Identifier(table),
            )
        ).fetchall()


async def test_rotating_the_master_key_wraps_keys_and_touches_no_content(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await filled(engine, "mill")
    content = rows(own_database, "chunks"), rows(own_database, "workspaces")
    wrapped = rows(own_database, "data_keys", "workspace_id, wrapped")
    done = await engine.rotate_master_key(retire_old=True)
    assert (done.workspaces, done.keys, done.old_retired) == (1, 1, True)
    assert rows(own_database, "data_keys", "workspace_id, wrapped") != wrapped
    assert (rows(own_database, "chunks"), rows(own_database, "workspaces")) == content
    async with await open_engine(engine.settings) as again:
        assert "900 kilograms" in await found_in(await again.workspace("mill"))
    assert "900 kilograms" in await found_in(workspace)


async def test_a_master_key_moves_from_a_file_to_a_transit_engine(engine: Engine) -> None:
    await filled(engine, "mill")
    with transit_server() as server:
        moved = moved_to(server, engine.settings)
        async with await open_engine(moved) as opened:
            done = await opened.rotate_master_key(new_version=False)
            assert done.master_key == "vault:transit/moved"
        (engine.settings.home / "master.key").unlink()
        alone = moved.model_copy(update={"master_key": SecretStr(server.key("moved"))})
        async with await open_engine(alone) as opened:
            assert "900 kilograms" in await found_in(await opened.workspace("mill"))
            await opened.rotate_master_key(retire_old=True)
    async with await open_engine(alone) as opened:
        with pytest.raises(KeyUnavailable, match="does not answer"):
            await (await opened.workspace("mill")).documents()


def moved_to(server: TransitServer, settings: Settings) -> Settings:
    return Settings(
        **settings.model_dump(exclude={"master_key"}),
        master_key=f"{server.key('moved')},{settings.home / 'master.key'}",
    )


@pytest.mark.parametrize("retire", [False, True])
async def test_a_destroyed_workspace_cannot_be_read(
    engine: Engine, own_database: TestDatabase, retire: bool
) -> None:
    destroyed, kept = await filled(engine, "mill"), await filled(engine, "kept")
    whose = destroyed.workspace_id
    proof = await engine.destroy_workspace("mill", retire_master_key=retire)
    assert proof.complete
    assert proof.encrypted
    assert proof.samples > 10
    assert proof.samples_readable == 0
    held = {check.place: check.held for check in proof.checks}
    assert held["chunks"] > 0
    assert (held["messages"], held["files"], held["data_keys"]) == (2, 1, 1)
    assert {check.left for check in proof.checks} == {0}
    assert proof.backup_keys == 1
    assert proof.backup_keys_usable == (0 if retire else 1)
    with pytest.raises(NotFound):
        await engine.workspace("mill")
    assert [key async for key in engine.blobs.list(f"{whose}/")] == []
    assert "900 kilograms" in await found_in(kept)
    status = await engine.encryption_status()
    assert [each.workspace for each in status.workspaces] == ["kept"]


async def test_a_backup_of_a_destroyed_workspace_is_unreadable_and_of_others_is_not(
    engine: Engine, own_database: TestDatabase
) -> None:
    await filled(engine, "mill")
    await filled(engine, "kept")
    with psycopg.connect(own_database.superuser_url) as connection:
        # What a backup holds: the directory, the workspaces and their keys.
        for table in ("workspace_directory", "workspaces", "data_keys"):
            connection.execute(f"CREATE TABLE public.copy_{table} AS TABLE footnote.{table}")
    await engine.destroy_workspace("mill", retire_master_key=True)
    with psycopg.connect(own_database.superuser_url) as connection:
        for table in ("workspace_directory", "workspaces", "data_keys"):
            connection.execute(
                f"INSERT INTO footnote.{table} SELECT * FROM public.copy_{table}"
                " ON CONFLICT DO NOTHING"
            )
        connection.execute(
            "INSERT INTO footnote.index_states (workspace_id)"
            " SELECT workspace_id FROM footnote.workspaces WHERE name = 'mill'"
        )
    async with await open_engine(engine.settings) as restored:
        with pytest.raises(KeyUnavailable, match="is under master key"):
            await (await restored.workspace("mill")).documents()
        # The keys of others are those of today: a restore leaves the table of keys as it is.
        assert "900 kilograms" in await found_in(await restored.workspace("kept"))


async def test_the_status_tells_modes_keys_and_bare_credentials(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await filled(engine, "mill")
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute("UPDATE footnote.webhook_endpoints SET secret = 'bare'")
    status = await engine.encryption_status()
    [mill] = status.workspaces
    assert (status.encryption, status.master_key) == ("on", "local")
    assert (mill.workspace, mill.encrypted, mill.bare_credentials) == ("mill", True, 1)
    assert [(key.version, key.state) for key in mill.keys] == [(1, "current")]
    assert workspace.workspace.name == "mill"


async def test_a_workspace_without_encryption_is_destroyed_as_well(
    own_engine: Engine, own_settings: Settings, tmp_path: Path
) -> None:
    await filled(own_engine, "open")
    demanding = own_settings.model_copy(update={"encryption": "on"})
    async with await open_engine(demanding) as opened:
        proof = await opened.destroy_workspace("open")
    assert proof.complete
    assert not proof.encrypted
    assert await own_engine.workspaces() == ()


# --- a new data key ------------------------------------------------------------------------------


async def rotated(engine: Engine, workspace: WorkspaceEngine) -> None:
    """The steps that a worker does one after the other, without the time between them."""
    await engine.rotate_data_key(workspace.workspace.name)
    for step in (PROMOTE, RESEAL):
        await rotate(engine, workspace.workspace_id, step)


async def states(engine: Engine) -> list[tuple[int, str]]:
    [workspace] = (await engine.encryption_status()).workspaces
    return [(key.version, key.state) for key in workspace.keys]


async def test_everything_is_under_the_new_data_key_and_the_old_one_is_gone(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await filled(engine, "mill")
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute(
            "UPDATE footnote.webhook_endpoints SET secret = 'of before' WHERE ctid = (SELECT"
            " min(ctid) FROM footnote.webhook_endpoints)"
        )
    said = (await workspace.conversations()).conversations[0]
    before = (await workspace.messages(said.conversation_id)).messages
    vectors = rows(own_database, "embeddings", "workspace_id, chunk_no, embedding::text")
    [document] = (await workspace.documents()).documents
    await rotated(engine, workspace)
    assert await states(engine) == [(2, "current")]
    async with workspace.system_scope() as scope:
        cipher = scope.sealing.cipher
        assert cipher is not None
        seen = set()
        for column in RESEALED:
            names = ", ".join((*column.key, column.column))
            for row in await scope.all(f"SELECT {names} FROM {column.table}"):
                place = column.of(*(row[name] for name in column.key))
                for _, record in records_of(column, place, row[column.column]):
                    assert cipher.version_of(record) == 2, column
                    seen.add((column.table, column.column))
    assert len(seen) > 12
    assert ("webhook_endpoints", "secret") in seen
    assert rows(own_database, "embeddings", "workspace_id, chunk_no, embedding::text") == vectors
    assert "900 kilograms" in await found_in(workspace)
    assert (await workspace.original(document.document_id)).content == PAPER
    assert (await workspace.messages(said.conversation_id)).messages == before
    [hook] = await workspace.webhooks()
    assert (await workspace.webhook_and_secret(hook.endpoint_id))[1] == "of before"
    assert (await engine.encryption_status()).workspaces[0].bare_credentials == 0


async def test_a_new_key_is_known_before_it_is_used_and_an_old_one_until_nothing_needs_it(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await filled(engine, "mill")
    async with await open_engine(engine.settings) as other:
        await engine.rotate_data_key("mill")
        assert await states(engine) == [(1, "current"), (2, "coming")]
        # Another process looks now, and goes by that for a while.
        theirs = await other.workspace("mill")
        await theirs.documents()
        await rotate(engine, workspace.workspace_id, PROMOTE)
        assert await states(engine) == [(1, "old"), (2, "current")]
        mine = await workspace.create_conversation(title="under the new key")
        late = await theirs.create_conversation(title="under the old key")
        assert (await theirs.conversation(mine.conversation_id)).title == "under the new key"
        await rotate(engine, workspace.workspace_id, RESEAL)
        assert (await workspace.conversation(late.conversation_id)).title == "under the old key"
    assert await states(engine) == [(2, "current")]


async def test_the_steps_wait_until_every_process_knows(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await filled(engine, "mill")
    await engine.rotate_data_key("mill")
    with pytest.raises(Conflict, match="under way"):
        await engine.rotate_data_key("mill")
    await rotate(engine, workspace.workspace_id, PROMOTE)
    await rotate(engine, workspace.workspace_id, PROMOTE)
    with psycopg.connect(own_database.superuser_url) as connection:
        jobs = connection.execute(
            "SELECT args ->> 'step', scheduled_at > now() + make_interval(secs => %s)"
            " FROM footnote.procrastinate_jobs WHERE task_name = 'rotate_data_key' ORDER BY id",
            [CACHE_SECONDS],
        ).fetchall()
    assert jobs == [("promote", True), ("reseal", True)]


async def test_credentials_of_a_workspace_without_encryption_get_a_new_key_too(
    own_engine: Engine, own_database: TestDatabase
) -> None:
    await own_engine.create_workspace("open")
    workspace = await own_engine.workspace("open")
    with pytest.raises(Conflict, match="no data key yet"):
        await own_engine.rotate_data_key("open")
    endpoint, secret = await workspace.add_webhook("https://93.184.215.14/told")
    await rotated(own_engine, workspace)
    assert (await workspace.webhook_and_secret(endpoint.endpoint_id))[1] == secret
    assert await states(own_engine) == [(2, "current")]
