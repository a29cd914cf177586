"""`footnote serve` as an operator sees it: a process that starts, works, and ends well."""

import asyncio
import json
import signal
import socket
from asyncio.subprocess import PIPE

import httpx
import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from footnote.interfaces.cli.server import FILE
from footnote.settings import Settings
from tests.interfaces.serving import (
    MAIN,
    environment,
    footnote,
    footnote_process,
    said_until,
    serving,
)
from tests.processes import Process, start_anew, start_python

pytestmark = pytest.mark.usefixtures("own_database")

RESTING = {"indexed", "failed"}


async def test_a_file_that_is_uploaded_is_indexed_by_the_worker_beside_the_server_or_the_next_one(
    settings: Settings,
) -> None:
    async with serving(environment(settings)) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=600) as http:
            assert (await http.get("/health")).status_code == 200
            for number, text in enumerate(
                (
                    b"A mooring is inspected in May.",
                    b"The deductible for each moored buoy is 2,500 euros.",
                )
            ):
                accepted = await http.post("/v1/documents", files={"file": ("note.txt", text)})
                document = await _rested(http, accepted.headers["location"])
                assert document["status"] == "indexed"
                if not number:
                    (worker,) = psutil.Process(process.pid).children()
                    worker.kill()
            found = await http.post("/v1/answers", json={"question": "What is the deductible?"})
            assert "2,500 euros" in found.json()["text"]
        assert (settings.home / FILE).exists()
        asked = await footnote(environment(settings), "ask", "What is the deductible?")
        assert "2,500 euros" in asked.out
        process.send_signal(signal.SIGTERM)
        _, err = await asyncio.wait_for(process.communicate(), 600)
        assert process.returncode == 0
        assert b"Traceback" not in err
    assert not (settings.home / FILE).exists()


async def _rested(http: httpx.AsyncClient, location: str) -> dict[str, object]:
    async with asyncio.timeout(600):
        while True:
            document: dict[str, object] = (await http.get(location)).json()
            if document["status"] in RESTING:
                return document
            await asyncio.sleep(0.1)  # between looks; nothing is assumed about how long it takes


async def assert_ended_by(
    number: signal.Signals, process: Process, http: httpx.AsyncClient, **headers: str
) -> None:
    """A signal ends the server quietly, though a window is open."""
    async with http.stream("GET", "/v1/events", headers=headers) as events:
        lines = events.aiter_lines()
        assert (await anext(lines)).startswith("retry:")
        process.send_signal(number)
        # The stream ends as one that is whole: a client that is cut off would be told so here.
        assert [line async for line in lines if not line.startswith(":")] in ([], [""])
        _, err = await asyncio.wait_for(process.communicate(), 600)
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert b"exceeded" not in err


async def test_it_says_where_it_listens_for_this_computer_only_and_ctrl_c_ends_it_quietly(
    settings: Settings,
) -> None:
    process = await start_anew(
        *(*MAIN, "serve", "--port", "0", "--no-worker"),
        env=environment(settings),
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stderr is not None
    try:
        said = await said_until(process.stderr, "Ready.")
        assert "Only this computer is served" in said
        address = said.split("listens on ")[1].split()[0]
        assert address.startswith("http://127.0.0.1:")
        async with httpx.AsyncClient(base_url=address, timeout=600) as http:
            await assert_ended_by(signal.SIGINT, process, http)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_other_computers_are_served_once_everybody_is_asked_who_they_are(
    settings: Settings,
) -> None:
    env = environment(settings, FOOTNOTE_IDENTITY="keys")
    made = await footnote(env, "keys", "create", "ci")
    assert made.code == 0, made.err
    async with serving(env, "--host", "0.0.0.0", "--no-worker") as (process, address):
        port = address.rpartition(":")[2]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=600) as http:
            assert (await http.get("/health")).status_code == 200
            assert (await http.get("/stats")).status_code == 401
            key = {"Authorization": f"Bearer {made.out.strip()}"}
            assert (await http.get("/stats", headers=key)).status_code == 200
            elsewhere = await http.get("/stats", headers={**key, "Host": "evil.example"})
            assert elsewhere.status_code == 421
            asked = await footnote(
                {**env, "FOOTNOTE_API_KEY": made.out.strip()}, "documents", "list"
            )
            assert asked.code == 0, asked.err
            await assert_ended_by(signal.SIGTERM, process, http, **key)


async def test_a_server_that_cannot_start_ends_with_the_reason(settings: Settings) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    env = {**environment(settings), "FOOTNOTE_DATABASE_URL": url}
    env["FOOTNOTE_OWNER_DATABASE_URL"] = url
    ended = await footnote_process(env, "serve", "--port", "0")
    assert ended.code == 4
    assert "Error: " in ended.err
    assert "Traceback" not in ended.err


async def test_while_the_database_keeps_it_waiting_it_answers_503(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/nothing"
        env = {**environment(settings), "FOOTNOTE_DATABASE_URL": url}
        env["FOOTNOTE_OWNER_DATABASE_URL"] = url
        process = await start_python(*MAIN, "serve", "--port", "0", env=env, stderr=PIPE)
        assert process.stderr is not None
        try:
            said = await said_until(process.stderr, "Only this computer")
            address = said.split("listens on ")[1].split()[0]
            async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                health = await http.get("/health")
                assert health.status_code == 503
                assert "starting" in json.dumps(health.json())
                assert (await http.get("/stats")).status_code == 503
        finally:
            process.kill()
            await process.communicate()


async def test_a_port_in_use_is_said_in_a_sentence(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = await footnote(environment(settings), "serve", "--port", str(port))
    assert ended.code == 2
    assert f"port {port}" in ended.err
    assert "--port" in ended.err


async def test_an_address_that_this_computer_lacks_is_named_as_the_remedy(
    settings: Settings,
) -> None:
    # Of the addresses for examples (RFC 5737), which no computer has.
    env = environment(settings, FOOTNOTE_IDENTITY="keys")
    ended = await footnote(env, "serve", "--host", "192.0.2.1", "--port", "0")
    assert ended.code == 2
    assert "cannot listen on 192.0.2.1 port 0" in ended.err
    assert "--host" in ended.err
    assert "--port" not in ended.err


@pytest.mark.parametrize("ways", ["tokens", "login", "gateway"])
async def test_ways_to_prove_who_one_is_that_lack_a_setting_are_refused_before_it_listens(
    settings: Settings, ways: str
) -> None:
    env = environment(settings, FOOTNOTE_IDENTITY=ways)
    ended = await footnote(env, "serve", "--port", "0")
    assert ended.code == 2
    assert "FOOTNOTE_" in ended.err
    assert "listens" not in ended.err


async def test_a_short_secret_of_identities_is_refused_before_it_listens(
    settings: Settings,
) -> None:
    secret = "x" * 31
    env = environment(settings, FOOTNOTE_IDENTITY="keys", FOOTNOTE_IDENTITY_SECRET=secret)
    ended = await footnote(env, "serve", "--port", "0")
    assert ended.code == 2
    assert "FOOTNOTE_IDENTITY_SECRET" in ended.err
    assert secret not in ended.out + ended.err
    assert "listens" not in ended.err


async def test_a_worker_ends_when_the_server_that_started_it_dies(settings: Settings) -> None:
    ended = await footnote_process(
        environment(settings), "worker", "--until-stdin-ends", start=start_anew
    )
    assert (ended.code, ended.err) == (0, "")
