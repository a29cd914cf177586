"""The command line follows folders and addresses, and says who is told."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from footnote.domain import Failure, Received, Stage
from footnote.interfaces.cli.watching import Teller
from footnote.jobs.sources.following import Step
from footnote.settings import Settings
from tests.interfaces.records import a_document
from tests.interfaces.serving import environment, footnote
from tests.jobs.web_server import Answer, Asked, web_server

PATIENCE_SECONDS = 120


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (1, 1))
    return path


async def test_a_second_run_counts_what_it_did_not_read(settings: Settings, tmp_path: Path) -> None:
    env = environment(settings)
    folder = tmp_path / "papers"
    write(folder / "a.txt", "The first text.")
    gone = write(folder / "b.txt", "The second text.")
    write(folder / "notes.log", "Not meant.")
    write(folder / ".footnoteignore", "*.log\n")
    arguments = ("ingest", str(folder), "--no-wait", "--json")
    first = json.loads((await footnote(env, *arguments)).out)
    assert first["counts"] == {**dict.fromkeys(first["counts"], 0), "added": 2}
    second = json.loads((await footnote(env, *arguments)).out)
    assert second["counts"]["unchanged"] == 2
    assert all(each["duplicate"] for each in second["files"])
    gone.rename(folder / "c.txt")
    write(folder / "a.txt", "The first text, changed.")
    third = json.loads((await footnote(env, *arguments)).out)
    assert (third["counts"]["renamed"], third["counts"]["changed"]) == (1, 1)
    (folder / "c.txt").unlink()
    fourth = await footnote(env, *arguments[:3], "--delete-missing", "--ignore", "x*")
    assert fourth.code == 0, fourth.err
    assert "1 removed" in fourth.err


async def test_an_address_is_taken_in_like_a_file(settings: Settings) -> None:
    async def page(_: Asked) -> Answer:
        return Answer(body=b"The harbour opens at six.", headers={"Content-Type": "text/plain"})

    async with web_server(page) as web:
        arguments = ("ingest", web.url("/hours.txt"), "--no-wait", "--json")
        refused = await footnote(environment(settings), *arguments)
        assert refused.code == 1
        assert "private network" in json.loads(refused.out)["files"][0]["refusal"]
        env = environment(settings, FOOTNOTE_ALLOW_PRIVATE_URLS="true")
        taken = await footnote(env, *arguments)
    assert json.loads(taken.out)["counts"]["added"] == 1


@pytest.mark.parametrize(
    "arguments", [("https://example.com/", "--watch"), (".", "--watch", "--json")]
)
async def test_what_cannot_be_watched_is_refused(
    settings: Settings, arguments: tuple[str, ...]
) -> None:
    assert (await footnote(environment(settings), "ingest", *arguments)).code == 2


async def test_a_watched_folder_is_followed_until_ctrl_c(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    write(folder / "first.txt", "Here before.")
    env = environment(settings, FOOTNOTE_WATCH_SETTLE_SECONDS="0.1", PYTHONUNBUFFERED="1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "footnote.interfaces.cli.main"),
        *("ingest", str(folder), "--watch"),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None

    async def line_with(name: str) -> str:
        assert process.stdout is not None
        while name not in (line := (await process.stdout.readline()).decode()):
            assert line, "it ended"
        return line.split()[0]

    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await line_with("first.txt") == "added"
            write(folder / "second.txt", "Come later.")
            assert await line_with("second.txt") == "added"
            (folder / "second.txt").unlink()
            assert await line_with("second.txt") == "removed"
            process.send_signal(signal.SIGINT)
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, said.decode()
    listed = await footnote(environment(settings), "documents", "list", "--json")
    [document] = json.loads(listed.out)["documents"]
    assert document["filename"] == "first.txt"


def test_what_is_said_of_a_watched_file_on_either_stream_names_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failure = Failure(stage=Stage.RECEIVE, cause="it is empty", advice="send it", retryable=False)
    received = Received(document=a_document(failure=failure), duplicate=False, new_version=False)
    teller = Teller()
    refused = Step(external_id="/in/pipe", verdict="refused", reason="it is no file")
    for step in (
        refused,
        refused,
        Step(external_id="/in/\x1b[31mempty.txt", verdict="added", received=received),
        Step(external_id="/in/same.txt", verdict="unchanged"),
    ):
        teller.tell(step)
    said = capsys.readouterr()
    assert [line.split() for line in said.out.splitlines()] == [
        ["refused", "/in/pipe"],
        ["added", "/in/[31mempty.txt"],
    ]
    assert said.err.splitlines() == [
        "/in/pipe: it is no file",
        "/in/[31mempty.txt: it is empty; send it",
    ]


async def test_a_list_of_nothing_is_a_sentence(settings: Settings) -> None:
    env = environment(settings)
    for command, said in (
        ("mcp-servers list", "No MCP servers."),
        ("webhooks list", "No webhooks."),
        ("documents retry --all-failed", "No failed documents."),
    ):
        ended = await footnote(env, *command.split())
        assert (ended.code, ended.out.strip()) == (0, said)


async def test_endpoints_are_added_tried_and_removed(settings: Settings) -> None:
    statuses = [500, 200]

    async def answering(_: Asked) -> Answer:
        return Answer(statuses.pop(0))

    env = environment(settings, FOOTNOTE_ALLOW_PRIVATE_URLS="true")
    async with web_server(answering) as web:
        added = json.loads((await footnote(env, "webhooks", "add", web.url(), "--json")).out)
        identity = added["webhook_id"]
        assert added["secret"]
        assert (await footnote(env, "webhooks", "test", identity)).code == 1
        listed = await footnote(env, "webhooks", "list", "--json")
        [webhook] = json.loads(listed.out)["webhooks"]
        assert webhook["last_error"] == "it answered 500"
        assert "secret" not in webhook
        assert (await footnote(env, "webhooks", "test", identity)).code == 0
    assert (await footnote(env, "webhooks", "remove", identity)).code == 0
    assert (await footnote(env, "webhooks", "remove", identity)).code == 3
    assert json.loads((await footnote(env, "webhooks", "list", "--json")).out) == {"webhooks": []}
