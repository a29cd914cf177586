"""`footnote serve --processes`: several processes that are one server to whoever asks it."""

import asyncio
import signal
import sys
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from footnote.interfaces.cli.server import FILE
from footnote.settings import Settings
from tests.interfaces.serving import environment, footnote_process, serving

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone"),
]

NOTE = b"The deductible for each moored buoy is 2,500 euros."
QUESTION = {"question": "What is the deductible?", "stream": True}
SERVER, WORKER = "footnote-server", "footnote-worker"


def called(process_id: int, name: str) -> list[psutil.Process]:
    """What a process started, and what that did, by the name that `ps` shows."""
    return [
        each for each in psutil.Process(process_id).children(recursive=True) if each.name() == name
    ]


async def until_called(process_id: int, name: str, count: int) -> list[psutil.Process]:
    async with asyncio.timeout(600):
        while True:
            found = called(process_id, name)
            if len(found) == count:
                return found
            await asyncio.sleep(0.05)  # between looks; nothing is assumed about how long it takes


async def indexed(http: httpx.AsyncClient) -> None:
    """Have the note indexed."""
    accepted = await http.post("/v1/documents", files={"file": ("note.txt", NOTE)})
    async with asyncio.timeout(600):
        while True:
            if (await http.get(accepted.headers["location"])).json()["status"] == "indexed":
                return
            await asyncio.sleep(0.1)  # as above


def left_in(home: Path) -> list[Path]:
    """What a server should have removed."""
    return [*home.glob("footnote-*"), *home.glob(FILE)]


async def test_processes_are_one_server_and_one_that_dies_is_started_again(
    settings: Settings,
) -> None:
    async with serving(environment(settings), "--processes", "2") as (process, address):
        # First the worker: what is forked from a server has that one's name until it takes its own.
        (worker,) = await until_called(process.pid, WORKER, 1)
        servers = await until_called(process.pid, SERVER, 2)
        async with httpx.AsyncClient(base_url=address, timeout=600) as http:
            await indexed(http)
            whole = (await http.post("/v1/answers", json=QUESTION)).text
        assert "event: done" in whole
        run_id = whole.split("id: ")[1].split(":")[0]
        for position in (0, 1, 2) * 4:
            # A connection each: which process takes it is not ours to say.
            async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                place = {"Last-Event-ID": f"{run_id}:{position}"}
                again = await http.get(f"/v1/answers/{run_id}/events", headers=place)
                assert again.status_code == 200
                assert again.text.endswith(whole.split(f"id: {run_id}:{position + 1}\n", 1)[1])
        for victim in servers:
            victim.kill()
            # Whoever asks meanwhile is answered by the other one, or waits for it.
            others = [each for each in servers if each != victim]
            async with asyncio.timeout(600):
                while victim in called(process.pid, SERVER) or len(called(process.pid, SERVER)) < 2:
                    await _answered(address)
                    await asyncio.sleep(0.05)  # as above
            # As at first: a worker that was just forked must not count as one of them.
            await until_called(process.pid, WORKER, 1)
            servers = await until_called(process.pid, SERVER, 2)
            assert set(others) <= set(servers)
        # The worker went with the first of them, and another one came with its successor.
        (successor,) = await until_called(process.pid, WORKER, 1)
        assert successor != worker
        await _answered(address)
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), 600)
        assert process.returncode == 0
        assert b"Traceback" not in err
        assert b"Ready." not in err, "it was ready all the time"
        assert err.count(b"a server process died and is started again") == 2
        _, alive = psutil.wait_procs(started, timeout=0)
        assert not alive
    assert not left_in(settings.home)


async def _answered(address: str) -> None:
    """A connection of its own is answered, unless it was one of the process that was killed."""
    async with httpx.AsyncClient(base_url=address, timeout=600) as http:
        try:
            assert (await http.get("/health")).status_code == 200
        except httpx.TransportError:
            assert (await http.get("/health")).status_code == 200


async def test_processes_end_with_the_one_that_started_them_and_begin_in_a_home_that_is_not_there(
    settings: Settings,
) -> None:
    env = environment(settings, FOOTNOTE_HOME=str(settings.home / "new" / "home"))
    async with serving(env, "--processes", "2") as (process, _):
        await until_called(process.pid, SERVER, 2)
        started = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        await process.wait()
        _, alive = await asyncio.to_thread(psutil.wait_procs, started, timeout=600)
        assert not alive


async def test_what_keeps_the_first_from_starting_is_said_once(settings: Settings) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    env = {**environment(settings), "FOOTNOTE_DATABASE_URL": url, "FOOTNOTE_PROCESSES": "3"}
    env["FOOTNOTE_OWNER_DATABASE_URL"] = url
    ended = await footnote_process(env, "serve", "--port", "0")
    assert ended.code == 4
    assert ended.err.count("Error: ") == 1
    assert "Traceback" not in ended.err
    assert not left_in(settings.home)
