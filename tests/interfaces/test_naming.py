"""People name documents by what they see of them, and hear of names that there are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.settings import Settings
from tests.interfaces.serving import Ended, environment, footnote
from tests.jobs.imap_server import Mailbox, imap_server

POLICY = "# Marine policy\n\nA claim must be reported to the insurer within 14 days of the loss.\n"
MINUTES = "# Minutes\n\nThe launch of the next buoy moves from June to September.\n"


@pytest.fixture
def env(settings: Settings) -> dict[str, str]:
    return environment(settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A minutes.md, and two files that are both called policy.md."""
    (tmp_path / "below").mkdir()
    (tmp_path / "policy.md").write_text(POLICY)
    (tmp_path / "below" / "policy.md").write_text(POLICY.replace("14", "30"))
    (tmp_path / "minutes.md").write_text(MINUTES)
    return tmp_path


async def ids_of(env: dict[str, str]) -> dict[str, list[str]]:
    listed = json.loads((await footnote(env, "documents", "list", "--json")).out)["documents"]
    found: dict[str, list[str]] = {}
    for each in listed:
        found.setdefault(each["filename"], []).append(each["document_id"])
    return found


def error_of(ended: Ended) -> dict[str, str]:
    error: dict[str, str] = json.loads(ended.out)["error"]
    return error


async def test_a_document_is_named_by_its_file_or_the_beginning_of_its_id(
    env: dict[str, str], folder: Path
) -> None:
    assert (await footnote(env, "ingest", str(folder))).code == 0
    ids = await ids_of(env)
    [minutes] = ids["minutes.md"]
    others = [each for name, several in ids.items() for each in several if each != minutes]
    length = next(n for n in range(1, 37) if not any(o.startswith(minutes[:n]) for o in others))
    for called in ("minutes.md", minutes[: max(length, 2)], minutes[: length + 8].upper(), minutes):
        shown = await footnote(env, "documents", "show", called, "--json")
        assert json.loads(shown.out)["document_id"] == minutes, called
    found = await footnote(env, "search", "insurer buoy", "--document", "minutes.md", "--json")
    assert {each["filename"] for each in json.loads(found.out)["evidence"]} == {"minutes.md"}

    several = await footnote(env, "documents", "delete", "policy.md", "--yes")
    assert several.code == 2
    assert all(each in several.err for each in ids["policy.md"])
    for path in (folder / "policy.md", folder / "below" / "policy.md"):
        assert str(path) in several.err.replace("\n", "")
    unasked = await footnote(env, "documents", "delete", minutes, stdin=b"n\n")
    assert f"minutes.md, {minutes}" in unasked.err
    assert len((await ids_of(env))["policy.md"]) == 2

    assert (await footnote(env, "documents", "delete", "minutes.md", "--yes")).code == 0
    assert "minutes.md" not in await ids_of(env)


async def test_a_document_of_another_workspace_looks_like_one_that_is_not_there(
    env: dict[str, str], folder: Path
) -> None:
    assert (await footnote(env, "ingest", str(folder), "--no-wait")).code == 0
    [minutes] = (await ids_of(env))["minutes.md"]
    assert (await footnote(env, "workspace", "create", "annex")).code == 0
    for called in ("minutes.md", minutes[:13]):
        here = await footnote(env, "documents", "show", f"{called}x", "--json")
        there = await footnote(env, "-w", "annex", "documents", "show", called, "--json")
        assert here.code == there.code == 3
        assert error_of(here)["message"].replace(f"{called}x", called) == error_of(there)["message"]
        assert error_of(here)["hint"] == error_of(there)["hint"]


async def test_a_collection_and_a_variable_that_are_not_there_are_told_with_the_closest(
    env: dict[str, str], folder: Path
) -> None:
    ingested = await footnote(env, "ingest", str(folder), "-c", "insurance")
    assert "Note" not in ingested.err
    mistyped = {**env, "FOOTNOTE_TOPK": "3"}
    for arguments in (("search", "claim"), ("ask", "When must a claim be reported?")):
        told = await footnote(mistyped, *arguments, "--collection", "insurence")
        assert told.code == 0
        assert "no collection 'insurence'" in told.err
        assert "did you mean 'insurance'?" in told.err
        assert "no setting FOOTNOTE_TOPK; did you mean FOOTNOTE_TOP_K?" in told.err
    listed = await footnote(env, "documents", "list", "--collection", "nosuch")
    assert "no collection 'nosuch'" in listed.err
    known = await footnote(env, "documents", "list", "--collection", "insurance")
    assert "Note" not in known.err


async def test_mails_are_listed_by_their_subjects_and_counted_as_they_come(
    env: dict[str, str],
) -> None:
    messages = {
        uid: (
            f"From: Ada <ada@example.org>\r\nSubject: {subject}\r\n\r\nThe text of {subject}.\r\n"
        ).encode()
        for uid, subject in ((3, "Report on the winches"), (7, "Price of anchors"))
    }
    async with imap_server(Mailbox(messages=messages)) as mailbox:
        address = f"imap://ada@127.0.0.1:{mailbox.port}/INBOX"
        taken = await footnote({**env, "FOOTNOTE_IMAP_PASSWORD": "pass word"}, "ingest", address)
    assert taken.code == 0, taken.err
    assert "Report on the winches" in taken.out
    assert "Price of anchors" in taken.out
    assert "/0" not in taken.err
    assert "2/2" in taken.err


async def test_a_chat_from_a_pipe_shows_each_question_and_ends_when_told(
    env: dict[str, str], folder: Path
) -> None:
    assert (await footnote(env, "ingest", str(folder / "policy.md"))).code == 0
    said = b"/help\nWhen must a claim be reported?\n/nosuch\n\nexit\nWho is never asked?\n"
    ended = await footnote(env, "chat", stdin=said)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("> When must a claim be reported?\n")
    assert "within 14 days" in ended.out
    assert "exit or quit" in ended.err
    assert "There is no /nosuch" in ended.err
    assert "never asked" not in ended.out + ended.err
    assert "help" not in ended.out
    as_json = await footnote(env, "chat", "--json", stdin=b"When must a claim be reported?\nQUIT\n")
    [line] = as_json.out.splitlines()
    assert json.loads(line)["found"] is True
