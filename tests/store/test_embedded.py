"""The embedded server is shared by processes, closed to other users, and stops with its last."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from structlog.testing import capture_logs

from footnote.errors import StoreUnavailable
from footnote.jobs.process import NICENESS
from footnote.store import embedded
from footnote.store.embedded import APPLICATION_ROLE, SUPERUSER, start_embedded
from tests.folders import server_home

HOLD = """
import sys
from pathlib import Path
from footnote.store.embedded import start_embedded
server = start_embedded(Path(sys.argv[1]))
print("started", flush=True)
sys.stdin.read()
server.release()
"""


@pytest.fixture
def home() -> Iterator[Path]:
    with server_home() as folder:
        yield folder


def another_process(home: Path) -> subprocess.Popen[str]:
    """A process that uses the server until its standard input closes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_it_runs_as_long_as_somebody_uses_it(home: Path) -> None:
    server = start_embedded(home)
    url = server.url(APPLICATION_ROLE)
    with another_process(home) as other:
        server.release()
        assert answers(url)
        other.communicate("", timeout=600)
    assert not answers(url)


def test_a_killed_user_does_not_count(home: Path) -> None:
    with another_process(home) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
    server = start_embedded(home)
    url = server.url(APPLICATION_ROLE)
    assert answers(url)
    server.release()
    assert not answers(url)


def test_it_comes_back_with_its_data_after_a_power_cut(home: Path) -> None:
    server = start_embedded(home)
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        row = connection.execute("SELECT pg_postmaster_start_time()").fetchone()
    assert row is not None
    postmaster = int((server.cluster / "postmaster.pid").read_text().splitlines()[0])
    os.kill(postmaster, signal.SIGKILL)
    again = start_embedded(home)
    try:
        with psycopg.connect(again.url(SUPERUSER)) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (42,)
    finally:
        server.release()
        again.release()


def test_only_its_own_user_gets_through_to_the_socket(home: Path) -> None:
    server = start_embedded(home)
    try:
        folder = server.socket_folder.stat()
        socket = (server.socket_folder / ".s.PGSQL.5432").stat()
        assert stat.S_IMODE(folder.st_mode) == 0o700
        assert stat.S_IMODE(socket.st_mode) == 0o700
        assert stat.S_IMODE(server.cluster.stat().st_mode) == 0o700
        with psycopg.connect(server.url(SUPERUSER)) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    finally:
        server.release()


def test_a_long_path_still_finds_room_for_a_socket(home: Path) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    server = start_embedded(deep)
    try:
        assert len(str(server.socket_folder)) < 100
        assert answers(server.url(APPLICATION_ROLE))
    finally:
        server.release()


@pytest.mark.parametrize(
    "name",
    ['it\'s 100% "so" & b=c?d#e; $HOME `id` \\', "left, right"],
    ids=["for URLs and shells", "comma"],
)
def test_a_folder_may_have_any_name(home: Path, name: str) -> None:
    server = start_embedded(home / name)
    try:
        assert answers(server.url(APPLICATION_ROLE))
        assert server.log.exists()
    finally:
        server.release()
    assert not answers(server.url(APPLICATION_ROLE))


def test_the_log_is_named_where_there_is_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_REMAINS_TIMEOUT_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(embedded, "SUPERUSER", "pg_refused")
        with pytest.raises(StoreUnavailable, match="initdb failed") as caught:
            start_embedded(home)
    assert caught.value.hint is None
    server = start_embedded(home)
    server.release()
    with (server.cluster / "postgresql.conf").open("a") as configuration:
        configuration.write("no_such_setting = on\n")
    with pytest.raises(StoreUnavailable, match="pg_ctl failed") as caught:
        start_embedded(home)
    assert caught.value.hint == f"read {server.log}"


def test_nobody_else_may_hold_its_locks(home: Path) -> None:
    (home / "postgres.lock").touch(mode=0o644)
    server = start_embedded(home)
    server.release()
    for name in ("postgres.lock", "postgres.users"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600


def test_a_start_that_has_to_wait_says_for_what_and_gives_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_SILENT_SECONDS", 0.0)
    monkeypatch.setattr(embedded, "_LOCK_TIMEOUT_SECONDS", 0.5)
    with (home / "postgres.lock").open("wb") as held, capture_logs() as said:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StoreUnavailable, match=r"postgres\.lock") as caught:
            start_embedded(home)
    assert [entry["log_level"] for entry in said] == ["warning"]
    assert said[0]["lock"] == str(home / "postgres.lock")
    assert caught.value.hint is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account for Postgres")
def test_root_is_told_when_no_other_user_could_reach_the_folder(home: Path) -> None:
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(StoreUnavailable) as caught:
        start_embedded(closed / "home")
    assert caught.value.hint is not None
    assert "FOOTNOTE_HOME" in caught.value.hint


REVIVE = """
import asyncio, json, os, signal, sys
from pathlib import Path
import psycopg
from footnote.jobs.process import lower_priority, prefer_for_oom_kill
from footnote.store.embedded import APPLICATION_ROLE, start_embedded
from footnote.store.postgres_watch import watch_server

async def main(server):
    watched = watch_server(server)
    lower_priority()
    prefer_for_oom_kill()
    first = postmaster(server)
    os.kill(first, signal.SIGKILL)
    while not answers(server) or postmaster(server) == first:
        await asyncio.sleep(0.05)
    seen = [
        (os.getpriority(os.PRIO_PROCESS, each), Path(f"/proc/{each}/oom_score_adj").read_text())
        for each in (postmaster(server), os.getpid())
    ]
    Path(sys.argv[2]).write_text(json.dumps(seen))
    await watched.release()

def postmaster(server):
    return int((server.cluster / "postmaster.pid").read_text().partition("\\n")[0])

def answers(server):
    try:
        psycopg.connect(server.url(APPLICATION_ROLE)).close()
    except psycopg.OperationalError:
        return False
    return True

asyncio.run(main(start_embedded(Path(sys.argv[1]))))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no niceness of their own here")
def test_a_server_that_is_started_again_gives_way_to_nobody(home: Path, tmp_path: Path) -> None:
    before, score = os.getpriority(os.PRIO_PROCESS, 0), Path("/proc/self/oom_score_adj").read_text()
    priorities = tmp_path / "priorities.json"
    subprocess.run([sys.executable, "-c", REVIVE, str(home), str(priorities)], check=True)
    assert json.loads(priorities.read_text()) == [
        [before, score],
        [max(before, NICENESS), "1000\n"],
    ]
