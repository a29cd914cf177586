"""Behind PgBouncer in transaction mode all works, and nothing stays on shared connections."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import psycopg
import pytest
from psycopg import conninfo

from footnote.domain import DocumentStatus, SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import StoreUnavailable
from footnote.jobs.worker import run_worker
from footnote.settings import Settings, settings_from
from footnote.store.diagnostics import examine_database
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import TestDatabase
from tests.interfaces.serving import reserved_port

PGBOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed"),
]

_CONFIGURATION = """
[databases]
{database} = host={sockets} port=5432

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = 1
server_reset_query_always = 0
log_connections = 0
log_disconnections = 0
"""
"""One connection to the server, which all share: whoever held it and wanted another would wait for
ever, as would everyone where somebody keeps it who asks nothing."""


@dataclass(frozen=True, slots=True)
class Pooler:
    """A PgBouncer before the test's database."""

    url: str
    """Where the application connects through it."""


@pytest.fixture
def pooler(own_database: TestDatabase, postgres: EmbeddedPostgres) -> Iterator[Pooler]:
    said = conninfo.conninfo_to_dict(own_database.application_url)
    user, database = said["user"], said["dbname"]
    folder = postgres.socket_folder / f"pgbouncer-{database}"  # where the server's account gets
    postgres.account.own(folder)
    with reserved_port() as port:
        (folder / "users.txt").write_text(f'"{user}" ""\n')
        (folder / "pgbouncer.ini").write_text(
            _CONFIGURATION.format(
                database=database, sockets=postgres.socket_folder, port=port, folder=folder
            )
        )
        for file in folder.iterdir():
            file.chmod(0o644)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [cast("str", PGBOUNCER), str(folder / "pgbouncer.ini")],
                stdout=log,
                stderr=log,
                user=postgres.account.uid,
                group=postgres.account.gid,
                extra_groups=None if postgres.account.uid is None else [],
                cwd=folder,
            )
        url = f"postgresql://{user}@127.0.0.1:{port}/{database}"
        try:
            _wait_until_it_answers(url, process, folder / "log")
            yield Pooler(url)
        finally:
            process.terminate()
            process.wait(600)
            shutil.rmtree(folder)


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while True:
        assert process.poll() is None, log.read_text()
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        else:
            return


@pytest.fixture
def pooled(own_settings: Settings, pooler: Pooler) -> Settings:
    return settings_from(
        own_settings,
        {"database_url": pooler.url, "direct_database_url": own_settings.database_url},
    )


async def test_two_tenants_do_everything_over_one_connection_of_a_pooler(
    pooled: Settings, pooler: Pooler
) -> None:
    stop = asyncio.Event()
    async with await open_engine(pooled) as engine:
        assert engine.database.pooled
        worker = asyncio.create_task(run_worker(engine, stop=stop))
        try:
            await asyncio.gather(*(_lives(engine, name, berth) for name, berth in TENANTS.items()))
        finally:
            stop.set()
            await worker
    with psycopg.connect(pooler.url, autocommit=True) as anybody:
        left = anybody.execute(
            """
            SELECT current_setting('role'), current_setting('search_path'),
                current_setting('footnote.workspace_id', true),
                (SELECT count(*) FROM pg_prepared_statements),
                (
                    SELECT count(*) FROM pg_locks
                    WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                )
            """
        ).fetchone()
    assert left is not None
    assert left[:2] == ("none", '"$user", public')
    assert left[2] in (None, "")
    assert left[3:] == (0, 0)


TENANTS = {"amber": 17, "birch": 23}


async def _lives(engine: Engine, name: str, berth: int) -> None:
    """Hand documents in, have them indexed by the worker, ask and delete, many times at once."""
    await engine.create_workspace(name)
    workspace = await engine.workspace(name)
    for number in range(6):
        text = f"# Note {number}\n\nThe {name} buoy {number} was moored at berth {berth}.\n"
        await workspace.receive(text.encode(), f"{name}-{number}.md")
    await _until_indexed(workspace, 6)
    for _ in range(3):
        found = await asyncio.gather(
            *(workspace.search(SearchRequest(query=f"buoy {number} berth")) for number in range(8))
        )
        for response in found:
            assert response.evidence
            assert not response.degraded
            assert all(each.passage.filename.startswith(name) for each in response.evidence)
    answer = await workspace.ask(f"At which berth was the {name} buoy 3 moored?")
    assert answer.found
    assert str(berth) in answer.citations[0].quote
    conversation = await workspace.create_conversation()
    asking = Asking(question=f"At which berth was the {name} buoy 4 moored?")
    said = await workspace.ask_in_conversation(conversation.conversation_id, asking)
    assert str(berth) in said.reply.text
    held = (await workspace.documents()).documents
    assert len(held) == 6
    await asyncio.gather(*(workspace.delete_document(each.document_id) for each in held))
    assert not (await workspace.search(SearchRequest(query="buoy 1 berth"))).evidence


async def _until_indexed(workspace: WorkspaceEngine, count: int) -> None:
    async with asyncio.timeout(600):
        while True:
            by_status = (await workspace.stats()).documents_by_status
            if by_status.get(DocumentStatus.INDEXED, 0) == count:
                return
            await asyncio.sleep(0.05)


async def test_what_belongs_to_one_connection_must_have_a_way_past_the_pooler(
    pooled: Settings, pooler: Pooler
) -> None:
    without = settings_from(pooled, {"direct_database_url": None})
    with pytest.raises(StoreUnavailable, match="pooler stands before") as refused:
        await open_engine(without)
    assert "FOOTNOTE_DIRECT_DATABASE_URL" in (refused.value.hint or "")
    with pytest.raises(StoreUnavailable, match="migrations must go past it"):
        await open_engine(settings_from(without, {"owner_database_url": pooler.url}))


def test_the_doctor_tells_that_a_pooler_is_in_between(
    own_database: TestDatabase, pooler: Pooler
) -> None:
    direct, through = own_database.urls, replace(own_database.urls, application=pooler.url)
    for urls, ok, seen in (
        (direct, True, "none"),
        (through, True, "in"),
        (replace(through, direct=pooler.url), False, "in"),
    ):
        found = {each.name: each for each in examine_database(urls)}["connection pooler"]
        assert found.ok == ok
        assert found.detail.startswith(seen)
