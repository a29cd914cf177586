"""The command line follows folders and addresses, and says who is told."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from footnote.domain import DocumentStatus, Failure, Received, Stage
from footnote.interfaces.cli.watching import FileReporter
from footnote.jobs.sources.following import Step
from footnote.settings import Settings
from tests.interfaces.records import DOCUMENT_ID, a_document
from tests.interfaces.serving import MAIN, environment, footnote
from tests.jobs.web_server import Answer, Asked, web_server
from tests.processes import start_python

PATIENCE_SECONDS = 600


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
    env = environment(settings, PYTHONUNBUFFERED="1")
    process = await start_python(
        *(*MAIN, "ingest", str(folder), "--watch"), env=env, stdout=PIPE, stderr=PIPE
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
            write(tmp_path / "elsewhere.txt", "Not meant.")
            (folder / "outward.txt").symlink_to(tmp_path / "elsewhere.txt")
            assert await line_with("outward.txt") == "refused"
            write(folder / ".store" / "papers.pdf", "%PDF-1.7 nothing more")
            (folder / "linked.pdf").symlink_to(folder / ".store" / "papers.pdf")
            assert await line_with("linked.pdf") == "added"
            assert await line_with("linked.pdf") == "failed"
            process.send_signal(signal.SIGINT)
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, said.decode()
    *_, reason, closing = said.decode().splitlines()
    assert reason.startswith(f"{folder / 'linked.pdf'}: the PDF is damaged")
    assert closing == "Stopped: 3 added, 1 removed, 1 refused, 1 failed."
    listed = await footnote(environment(settings), "documents", "list", "--json")
    documents = json.loads(listed.out)["documents"]
    assert [each["filename"] for each in documents] == ["linked.pdf", "first.txt"]


def test_what_is_said_of_a_watched_file_on_either_stream_names_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failure = Failure(stage=Stage.RECEIVE, cause="it is empty", advice="send it", retryable=False)
    empty = a_document(failure=failure, status=DocumentStatus.FAILED)
    received = Received(document=empty, duplicate=False, new_version=False)
    teller = FileReporter()
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
        ["failed", "/in/[31mempty.txt"],
    ]
    assert said.err.splitlines() == [
        "/in/pipe: it is no file",
        "/in/[31mempty.txt: it is empty; send it",
    ]
    assert teller.closing() == "Stopped: 1 added, 1 refused, 1 failed."


def test_a_failure_is_told_once_with_the_attachment_it_is_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    queued = a_document(status=DocumentStatus.QUEUED)
    received = Received(document=queued, duplicate=False, new_version=False)
    teller = FileReporter({"/elsewhere/mail.eml": "/in/mail.eml"})
    teller.tell(Step(external_id="/elsewhere/mail.eml", verdict="added", received=received))
    failure = Failure(stage=Stage.PARSE, cause="it is cut off", advice="resend", retryable=False)
    inner = a_document(document_id=UUID(int=2), parent_id=DOCUMENT_ID, filename="a.pdf")
    failed = replace(inner, status=DocumentStatus.FAILED, failure=failure)
    for mail, attachment in (
        (queued, None),
        (a_document(), replace(inner, status=DocumentStatus.INGESTING)),
        (a_document(), failed),
        (a_document(), failed),
    ):
        family = [mail, *([attachment] if attachment else [])]
        assert "1 document waits" in teller.closing() or attachment is failed
        teller.look(teller.unrested, {each.document_id: each for each in family})
    said = capsys.readouterr()
    assert said.out.splitlines() == ["added    /in/mail.eml", "failed   /in/mail.eml › a.pdf"]
    assert said.err.splitlines() == ["/in/mail.eml › a.pdf: it is cut off; resend"]
    assert teller.closing() == "Stopped: 1 added, 1 failed."


async def test_a_full_queue_is_told_of_in_a_sentence_by_who_waits_for_it(
    settings: Settings, tmp_path: Path
) -> None:
    for number in range(3):
        write(tmp_path / "papers" / f"{number}.txt", f"The text {number}.")
    env = environment(settings, FOOTNOTE_DOCUMENT_LIMITS='{"queued": 2}', PYTHONUNBUFFERED="1")
    process = await start_python(
        *(*MAIN, "ingest", str(tmp_path / "papers"), "--no-wait"), env=env, stderr=PIPE
    )
    assert process.stderr is not None
    said = ""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while "takes in what is missing" not in said:
            line = (await process.stderr.readline()).decode()
            assert line, "it ended"
            said += line
        process.kill()
        await process.communicate()
    assert (
        "The queue is full: 2 documents of this workspace wait to be indexed; waiting for "
        "`footnote worker` or `footnote serve` to index some." in said
    )


async def test_a_link_is_called_by_its_own_name(settings: Settings, tmp_path: Path) -> None:
    target = write(tmp_path / "store" / "4711.txt", "The harbour opens at six.")
    (tmp_path / "hours.txt").symlink_to(target)
    env = environment(settings)
    told = await footnote(env, "ingest", str(tmp_path / "hours.txt"), "--no-wait")
    assert "hours.txt" in told.out
    assert "4711" not in told.out


@pytest.mark.parametrize(
    ("address", "options", "said"),
    [
        ("https://", "", "nothing comes after https://; name a host there"),
        ("s3://", "", "nothing comes after s3://; name a bucket or container there"),
        ("https://example.com:99999/", "", "https://example.com:99999/ cannot be read: its port"),
        ("s3:///papers", "", "the address s3:///papers names no bucket or container"),
        ("az://papers", "", "it lacks account_name"),
        ("s3://papers", "{", "FOOTNOTE_SOURCE_OPTIONS to a JSON object"),
    ],
)
async def test_an_address_that_cannot_be_one_is_refused_before_anything_is_opened(
    tmp_path: Path, address: str, options: str, said: str
) -> None:
    unreachable = {"FOOTNOTE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    env = environment(Settings(home=tmp_path), FOOTNOTE_SOURCE_OPTIONS=options, **unreachable)
    ended = await footnote(env, "ingest", address)
    assert ended.code == 2, ended.err
    assert said in ended.err
    assert ended.err.startswith("Error: ")


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
    removed = await footnote(env, "webhooks", "remove", identity)
    assert removed.out == f"Removed the webhook {identity}.\n"
    assert (await footnote(env, "webhooks", "remove", identity)).code == 3
    assert json.loads((await footnote(env, "webhooks", "list", "--json")).out) == {"webhooks": []}
