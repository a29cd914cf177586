"""Commands that read say the same whether a running server answers or an engine of their own."""

import asyncio
import fcntl
import json
import math
import os
import re
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import platformdirs
import pytest

from footnote.interfaces.cli import command_runner
from footnote.interfaces.cli.server import FILE, announced
from footnote.settings import Settings
from tests.interfaces.conftest import Library
from tests.interfaces.serving import Ended, environment, footnote

CLAIM = "How soon must a claim be reported to the insurer?"
WHERE = '{"metadata.year": 2024}'


@contextmanager
def found_at(library: Library, port: int, **more: str) -> Iterator[dict[str, str]]:
    """The environment of commands, in which they find a server at this port."""
    env = environment(library.settings, **more)
    with mock.patch.dict(os.environ, env, clear=True):
        announcing = announced(library.settings.home, ("127.0.0.1", port), writes_answers=False)
        announcing.__enter__()
    try:
        yield env
    finally:
        announcing.__exit__(None, None, None)


@pytest.fixture
async def env(library: Library) -> AsyncIterator[dict[str, str]]:
    with found_at(library, library.http.base_url.port or 0) as found:
        yield found


@dataclass(slots=True)
class Opened:
    """Counts the commands that opened an engine."""

    times: int = 0


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    counted, in_workspace = Opened(), command_runner.in_workspace

    def count(*args: object, **kwargs: object) -> object:
        counted.times += 1
        return in_workspace(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(command_runner, "in_workspace", count)
    for module in ("documents", "document_lists", "document_map"):
        monkeypatch.setattr(f"footnote.interfaces.cli.{module}.in_workspace", count)
    return counted


class About(float):
    """A number that is equal to those beside it.

    A server that has searched before compares vectors in memory, where an engine that was just
    opened asks Postgres; their cosines agree to six digits.
    """

    __hash__ = None  # type: ignore[assignment]  # equal ones would have others

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and math.isclose(self, other, abs_tol=1e-4)


def told(ended: Ended) -> tuple[int, object, str]:
    """All of it but for how long it took, and whether a cache gave it."""
    out: object = ended.out
    if ended.out.startswith("{"):
        found = json.loads(ended.out, parse_float=About)
        for name in ("timings_ms", "cached"):
            found.pop(name, None)
        out = found
    return ended.code, out, re.sub(r"\d+ ms", "", ended.err)


@pytest.mark.parametrize(
    ("arguments", "engines"),
    [
        (("search", CLAIM), 0),
        (("search", CLAIM, "--json"), 0),
        (("search", CLAIM, "--explain", "--facet", "collection", "-k", "3"), 0),
        (("search", CLAIM, "--filter", WHERE, "--set", "fusion=rrf", "--plan", "fast"), 0),
        (("search", "deductibel for storm damage"), 0),
        (("search", CLAIM, "-c", "insurance", "--kind", "paragraph"), 0),
        (("search", CLAIM, "-c", "insurence"), 1),
        (("search", CLAIM, "--document", "policy.md"), 1),
        (("search", CLAIM, "--document", "POLICY"), 0),
        (("search", CLAIM, "--document", "no-such.md"), 1),
        (("search", CLAIM, "--document", "019ac000-0000-7000-8000-000000000000"), 1),
        (("ask", CLAIM, "--document", "019ac000-0000-7000-8000-000000000000"), 1),
        (("search", ""), 0),
        (("ask", " \u200b"), 0),
        (("search", CLAIM, "--filter", '{"langage": "de"}'), 0),
        (("search", CLAIM, "-w", "nowhere"), 1),
        (("search", CLAIM, "-w", "No Name"), 0),
        (("ask", CLAIM), 0),
        (("ask", CLAIM, "--json"), 0),
        (("ask", CLAIM, "--explain", "--filter", WHERE), 0),
        (("ask", "Who decides about the deductible for a moored buoy?"), 0),
        (("ask", 'How much is the deductible for "damage by storm"?'), 0),
        (("ask", CLAIM, "--set", "neighbours=99"), 1),
        (("documents", "list"), 0),
        (("documents", "list", "--json", "--limit", "2"), 0),
        (("documents", "list", "--limit", "2"), 0),
        (("documents", "list", "-c", "insurance", "--status", "indexed"), 0),
        (("documents", "list", "-c", "nothing"), 1),
        (("documents", "list", "--cursor", "rubbish"), 1),
        (("documents", "map"), 0),
        (("documents", "map", "--json", "-c", "insurance"), 0),
        (("documents", "map", "-c", "nothing"), 1),
        (("documents", "show", "POLICY"), 0),
        (("documents", "show", "POLICY", "--json"), 0),
        (("documents", "show", "policy.md"), 1),
        (("documents", "show", "00000000-0000-0000-0000-000000000000"), 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
async def test_a_command_says_the_same_with_a_server_and_without(
    library: Library,
    env: dict[str, str],
    opened: Opened,
    arguments: tuple[str, ...],
    engines: int,
) -> None:
    given = [library.ids["policy.md"] if each == "POLICY" else each for each in arguments]
    asked = await footnote(env, *given)
    assert opened.times == engines
    alone = await footnote(env, "--no-server", *given)
    assert told(asked) == told(alone)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"FOOTNOTE_TOP_K": "3"}, "a setting decides what is found"),
        ({"TOP_K_FINAL": "3"}, "under another name too"),
        ({"footnote_top_k": "3"}, "and spelt in another way"),
        ({"FOOTNOTE_TOPK": "3"}, "a variable that is no setting is told"),
        ({"PGOPTIONS": "-c statement_timeout=0"}, "libpq reads it"),
        ({"FOOTNOTE_NO_SERVER": "1"}, "it is not wanted"),
    ],
    ids=str,
)
async def test_a_server_with_other_settings_is_not_asked(
    env: dict[str, str], opened: Opened, more: dict[str, str], why: str
) -> None:
    ended = await footnote({**env, **more}, "search", CLAIM, "-k", "2")
    assert (ended.code, opened.times) == (0, 1), why


async def test_where_it_listens_and_what_is_empty_decides_nothing(
    env: dict[str, str], opened: Opened
) -> None:
    more = {"FOOTNOTE_ADDRESS": "9", "FOOTNOTE_TOP_K": "", "FOOTNOTE_WORKSPACE": "default"}
    assert (await footnote({**env, **more}, "search", CLAIM)).code == 0
    assert opened.times == 0


async def test_a_key_is_refused_where_nobody_is_asked_who_they_are_with_a_server_and_without(
    library: Library, env: dict[str, str]
) -> None:
    more = {**env, "FOOTNOTE_API_KEY": "fn_of_another_installation"}
    for command in (("documents", "list"), ("search", CLAIM), ("ask", CLAIM)):
        asked = await footnote(more, *command)
        assert (asked.code, asked.out) == (2, "")
        assert "nobody is asked who they are here" in asked.err
        assert told(asked) == told(await footnote(more, "--no-server", *command))


async def test_a_path_means_what_it_means_here(
    library: Library, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reader").mkdir()
    monkeypatch.chdir(tmp_path)
    port = library.http.base_url.port or 0
    with found_at(library, port, FOOTNOTE_READER="reader") as env:
        (tmp_path / "elsewhere" / "reader").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "elsewhere")
        await footnote(env, "search", CLAIM)
    assert opened.times == 1


@pytest.mark.parametrize("broken", ["left behind", "readable", "rubbish", "older", "elsewhere"])
async def test_a_file_that_cannot_be_trusted_is_passed_over(
    library: Library, env: dict[str, str], opened: Opened, broken: str
) -> None:
    path = library.settings.home / FILE
    content = path.read_text()
    match broken:
        case "left behind":  # nobody holds the lock of a copy
            path.unlink()
            path.write_text(content)
            path.chmod(0o600)
        case "readable":
            path.chmod(0o644)
        case "rubbish":
            path.write_text("[1")
        case "older":
            path.write_text(json.dumps({**json.loads(content), "version": "0.0.1"}))
        case "elsewhere":
            path.write_text(json.dumps({**json.loads(content), "machine": "another"}))
    assert (await footnote(env, "search", CLAIM)).code == 0
    assert opened.times == 1


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00\xff\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\n\r\nevent: done\ndata: {}\n\n",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["search", "ask"])
async def test_a_server_that_dies_or_talks_rubbish_is_done_without(
    library: Library, opened: Opened, command: str, said: bytes
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(said)

        threading.Thread(target=answer, daemon=True).start()
        with found_at(library, listening.getsockname()[1]) as env:
            asked = await footnote(env, command, CLAIM)
            assert opened.times == 1
            alone = await footnote(env, "--no-server", command, CLAIM)
    assert told(asked) == told(alone)


async def test_a_server_that_is_gone_is_done_without(library: Library, opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with found_at(library, port) as env:
        assert (await footnote(env, "search", CLAIM)).code == 0
    assert opened.times == 1


def test_a_server_says_where_it_is_to_its_user_alone_and_no_longer_than_it_runs(
    tmp_path: Path,
) -> None:
    path = tmp_path / FILE
    path.write_text("left behind by one that was killed")
    path.chmod(0o644)
    with announced(tmp_path, ("127.0.0.1", 8080), writes_answers=True):
        assert path.stat().st_mode & 0o777 == 0o600
        first = path.read_text()
        assert json.loads(first)["port"] == 8080
        with announced(tmp_path, ("127.0.0.1", 8081), writes_answers=True):
            assert path.read_text() == first
        assert path.read_text() == first
    assert not path.exists()


def test_no_secret_stands_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_MODEL_KEYS", '{"openai": "sk-very-secret"}')
    with announced(tmp_path, ("127.0.0.1", 8080), writes_answers=False):
        assert "very-secret" not in (tmp_path / FILE).read_text()


def test_the_home_is_the_same_for_the_server_and_for_who_looks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FOOTNOTE_HOME", raising=False)
    assert str(Settings().home) == platformdirs.user_data_dir("footnote")


async def test_many_may_look_while_a_server_begins(tmp_path: Path) -> None:
    """A command holds the lock for a moment; the server comes to have it all the same."""
    (tmp_path / FILE).touch(0o600)
    with (tmp_path / FILE).open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        asyncio.get_running_loop().call_later(0.05, looking.close)

        def announce() -> str:
            with announced(tmp_path, ("127.0.0.1", 8080), writes_answers=False):
                return (tmp_path / FILE).read_text()

        assert json.loads(await asyncio.to_thread(announce))["port"] == 8080
