"""`footnote ingest` beside another worker: one of them indexes, and it is said which."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import footnote as library
from footnote.settings import Settings
from footnote.store.job_recovery import worker_lives
from tests.interfaces.serving import MAIN, Ended, environment, footnote, serving
from tests.processes import start_python

pytestmark = pytest.mark.usefixtures("own_database")

SERVERS = {"FOOTNOTE_CHUNK_POLICY": "characters-900-120"}
OWN = {"FOOTNOTE_CHUNK_POLICY": "tokens-512-50"}
SAID = "it indexes these documents, with its own settings"
TEXT = "\n\n".join(
    f"Buoy {number} lies at berth {number % 97} and was painted in 19{number % 90 + 10}. "
    "It is inspected each spring before the regatta, by two people in a boat."
    for number in range(80)
)


def indexed(ended: Ended) -> tuple[str, int]:
    assert ended.code == 0, ended.err
    [file] = json.loads(ended.out)["files"]
    return file["document"]["status"], file["document"]["chunk_count"]


async def chunks_alone(settings: Settings, folder: Path, **more: str) -> int:
    """How many chunks the text has when nobody but the command indexes it."""
    path = folder / "alone.txt"
    path.write_text(TEXT + "\n\n" + json.dumps(more), encoding="utf-8")
    ended = await footnote(environment(settings, **more), "ingest", str(path), "--json")
    assert SAID not in ended.err
    return indexed(ended)[1]


async def test_beside_a_server_its_worker_indexes_with_its_settings_and_it_is_said(
    settings: Settings, tmp_path: Path
) -> None:
    own = await chunks_alone(settings, tmp_path, **OWN)
    servers = await chunks_alone(settings, tmp_path, **SERVERS)
    assert own < servers
    path = tmp_path / "note.txt"
    path.write_text(TEXT, encoding="utf-8")
    async with serving(environment(settings, **SERVERS)):
        await until_a_worker_lives(settings)
        ended = await footnote(environment(settings, **OWN), "ingest", str(path), "--json")
    status, count = indexed(ended)
    assert status == "indexed"
    assert abs(count - servers) <= 1
    assert SAID in ended.err


async def test_where_the_other_worker_died_the_command_indexes_itself(
    settings: Settings, tmp_path: Path
) -> None:
    env = environment(settings, FOOTNOTE_TIMEOUTS='{"worker": 3}', **OWN)
    worker = await start_python(*MAIN, "worker", env=env)
    try:
        await until_a_worker_lives(settings)
    finally:
        worker.kill()
        await worker.wait()
    path = tmp_path / "note.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert indexed(await footnote(env, "ingest", str(path), "--json"))[0] == "indexed"


async def until_a_worker_lives(settings: Settings) -> None:
    async with library.open(settings) as engine, asyncio.timeout(600):
        while True:
            if await worker_lives(engine.database, silence_seconds=10):
                return
            await asyncio.sleep(0.1)  # between looks; nothing is assumed about how long it takes
