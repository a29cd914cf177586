"""The journey on the command line: a real database, the real model."""

import asyncio
import json
import os
import sys
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from rich.progress import Progress, TaskID

from footnote import open as open_engine
from footnote.domain.sources import Labels
from footnote.interfaces.cli import present
from footnote.interfaces.cli.ingest import ingest_files
from footnote.settings import Settings
from tests.interfaces.serving import MAIN, Ended, environment, footnote, footnote_process
from tests.processes import start_anew, start_python

POLICY = (
    "# Marine policy POL-88213-X\n\n## Claims\n\n"
    "A claim must be reported to the insurer within 14 days of the loss.\n"
)
MINUTES = "# Minutes\n\nThe launch of the next buoy moves from June to September.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, one of them in a folder below, beside files that are hidden."""
    papers = tmp_path / "papers"
    (papers / "below").mkdir(parents=True)
    (papers / ".git").mkdir()
    (papers / "policy.md").write_text(POLICY)
    (papers / "below" / "minutes.md").write_text(MINUTES)
    (papers / ".hidden.md").write_text("hidden")
    (papers / ".git" / "config.md").write_text("hidden")
    return papers


@pytest.fixture
def env(settings: Settings) -> dict[str, str]:
    return environment(settings)


def parsed(ended: Ended) -> dict[str, object]:
    """The one object on standard output."""
    value = json.loads(ended.out)
    assert isinstance(value, dict)
    return value


async def test_a_folder_becomes_cited_answers(env: dict[str, str], folder: Path) -> None:
    ingested = await footnote_process(env, "ingest", str(folder), start=start_anew)
    assert ingested.code == 0, ingested.err
    assert "policy.md" in ingested.out
    assert "minutes.md" in ingested.out
    assert "hidden" not in ingested.out
    assert "2/2" in ingested.err

    found = await footnote(env, "search", "POL-88213-X", "--json", "-k", "2")
    evidence = json.loads(found.out)["evidence"]
    assert evidence[0]["filename"] == "policy.md"

    answer = await footnote(env, "ask", "How soon must a claim be reported to the insurer?")
    assert answer.code == 0
    assert "within 14 days of the loss. [1]" in answer.out
    assert "(policy.md)" in answer.out
    assert "¶" in answer.out
    assert "“" in answer.out

    honest = await footnote(env, "ask", "Who won the chess championship in 1972?", "--json")
    assert (honest.code, parsed(honest)["found"]) == (0, False)

    again = await footnote(env, "ingest", str(folder), "--json")
    assert again.code == 0
    assert [file["duplicate"] for file in json.loads(again.out)["files"]] == [True, True]


async def test_what_is_refused_outside_of_conversations_is_not_called_answered(
    env: dict[str, str], folder: Path
) -> None:
    assert (await footnote(env, "ingest", str(folder))).code == 0
    asked = await footnote(env, "ask", "Who won the chess championship in 1972?", "--json")
    assert parsed(asked)["found"] is False
    told = await footnote(env, "unanswered", "--until", "2026-01-02", "--since", "2026-01-01")
    assert told.out == (
        "No question of a conversation from 2026-01-01 to 2026-01-02 is left unanswered. Questions "
        "outside of conversations, as of `footnote ask`, are not kept.\n"
    )


async def test_an_error_steers_no_terminal_by_a_name_that_it_quotes(
    env: dict[str, str], tmp_path: Path
) -> None:
    places = [tmp_path / "plain", tmp_path / "\x1b[31mred\u202e"]
    for number, place in enumerate(places):
        place.mkdir()
        (place / "same.txt").write_text(f"Berth {number} is free.")
    assert (await footnote(env, "ingest", *map(str, places))).code == 0
    ended = await footnote(env, "documents", "show", "same.txt")
    assert ended.code == 2
    assert "several documents are called 'same.txt'" in ended.err
    assert not {"\x1b", "\u202e"} & set(ended.err)


async def test_a_group_without_a_command_of_it_shows_its_help(env: dict[str, str]) -> None:
    ended = await footnote(env, "models")
    assert (ended.code, ended.err.startswith("Usage: footnote models")) == (2, True)
    assert "Error" not in ended.err
    told = await footnote(env, "models", "--json")
    assert told.code == 2


async def test_a_broken_file_fails_alone_with_a_sentence(env: dict[str, str], folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (folder / "empty.txt").write_bytes(b"")
    ended = await footnote(env, "ingest", str(folder), "--json")
    assert ended.code == 1
    by_name = {Path(file["path"]).name: file for file in json.loads(ended.out)["files"]}
    assert {name: file["document"]["status"] for name, file in by_name.items()} == {
        "policy.md": "indexed",
        "minutes.md": "indexed",
        "broken.pdf": "failed",
        "empty.txt": "failed",
    }
    assert by_name["broken.pdf"]["document"]["failure"]["advice"]


@pytest.mark.parametrize("with_errors", [False, True])
async def test_a_refused_file_is_told_by_the_exit_code_though_nobody_reads(
    env: dict[str, str], folder: Path, with_errors: bool
) -> None:
    os.mkfifo(folder / "pipe")
    reading, writing = os.pipe()
    os.close(reading)
    errors = writing if with_errors else asyncio.subprocess.PIPE
    arguments = ("ingest", str(folder / "pipe"), "--no-wait")
    process = await start_python(*MAIN, *arguments, env=env, stdout=writing, stderr=errors)
    os.close(writing)
    await process.communicate()
    assert process.returncode == 1


async def test_names_that_are_no_text_and_what_is_no_file_disturb_nobody(
    env: dict[str, str], folder: Path
) -> None:
    odd = folder / os.fsdecode(b"caf\xe9.txt")
    odd.write_text("The harbour is dredged every second spring.")
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    ended = await footnote(env, "ingest", str(folder), "--no-wait", "--json")
    assert ended.code == 1
    by_name = {Path(file["path"]).name: file for file in json.loads(ended.out)["files"]}
    refused = {name: file["refusal"] for name, file in by_name.items() if file["refusal"]}
    assert set(by_name) == {"policy.md", "minutes.md", "caf%E9.txt", "circle", "pipe"}
    assert set(refused) == {"circle", "pipe"}
    assert "not a regular file" in refused["pipe"]
    document = by_name["caf%E9.txt"]["document"]
    assert document["filename"] == "caf%E9.txt"
    assert document["external_id"] == odd.as_uri()
    again = await footnote_process(env, "ingest", str(odd), "--no-wait", "--json")
    assert json.loads(again.out)["files"][0]["duplicate"] is True


async def test_a_link_that_leads_out_of_a_folder_is_named_and_not_taken_in(
    env: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere" / "secret.md"
    outside.parent.mkdir()
    outside.write_text("The key of the harbour office lies under the mat.")
    (folder / "link.md").symlink_to(outside)
    ended = await footnote(env, "ingest", str(folder), "--no-wait", "--json")
    assert ended.code == 1
    report = json.loads(ended.out)
    by_path = {file["path"]: file for file in report["files"]}
    names = ("link.md", "policy.md", "below/minutes.md")
    assert set(by_path) == {str(folder / name) for name in names}
    refused = by_path[str(folder / "link.md")]
    assert refused["document"] is None
    assert str(outside) in refused["refusal"]
    assert (report["counts"]["added"], report["counts"]["refused"]) == (2, 1)
    told = await footnote(env, "ingest", str(folder), "--no-wait")
    assert "link.md" in told.out
    assert "1 refused" in told.err
    named = await footnote(env, "ingest", str(folder / "link.md"), "--no-wait", "--json")
    assert named.code == 0
    assert json.loads(named.out)["files"][0]["document"]["filename"] == "link.md"


class InterruptedProgress(Progress):
    """Progress that sees somebody press Ctrl-C once the first file is in."""

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        super().advance(task_id, advance)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()


async def test_an_interruption_says_what_is_left_and_how_it_goes_on(
    settings: Settings, folder: Path
) -> None:
    said = StringIO()
    progress = InterruptedProgress(console=present.console_on(said), disable=True)
    files = [folder / "policy.md", folder / "below" / "minutes.md"]
    labels = Labels(collection=None, tags=())
    working = asyncio.create_task(ingest_files(settings, None, files, labels, progress, wait=True))
    with pytest.raises(asyncio.CancelledError):
        await working
    assert said.getvalue() == (
        "Interrupted. 1 document waits to be indexed; `footnote worker` or `footnote serve` goes "
        "on with that. 1 file was not taken in; the same command takes in what is missing.\n"
    )


async def test_documents_are_listed_shown_and_deleted(env: dict[str, str], folder: Path) -> None:
    accepted = await footnote(env, "ingest", "--no-wait", str(folder), "-c", "notes", "--json")
    assert accepted.code == 0
    listed = json.loads((await footnote(env, "documents", "list", "--json")).out)["documents"]
    assert {one["collection"] for one in listed} == {"notes"}
    assert {one["status"] for one in listed} == {"queued"}
    document_id = listed[0]["document_id"]
    assert document_id in (await footnote(env, "documents", "list")).out

    shown = await footnote(env, "documents", "show", document_id, "--json")
    assert parsed(shown)["document_id"] == document_id
    declined = await footnote(env, "documents", "delete", document_id, stdin=b"n\n")
    assert (declined.code, declined.err.splitlines()[-1]) == (130, "Nothing was deleted.")
    unasked = await footnote(env, "documents", "delete", document_id)
    assert unasked.code == 2
    assert f"{document_id}) and everything made from it?" in " ".join(unasked.err.split())
    assert "Nothing was deleted" in unasked.err
    assert "--yes" in unasked.err
    assert (await footnote(env, "documents", "delete", document_id, "--yes")).code == 0
    gone = await footnote(env, "documents", "show", document_id)
    assert gone.code == 3
    assert gone.err.startswith("Error: ")


async def test_where_standard_input_is_closed_nobody_can_be_asked(
    env: dict[str, str], folder: Path
) -> None:
    taken = await footnote(env, "ingest", "--no-wait", str(folder), "--json")
    assert taken.code == 0
    unasked = await _without_input(env, "documents", "delete", "policy.md")
    assert unasked.code == 2
    assert "Nothing was deleted" in unasked.err
    assert (await footnote(env, "documents", "show", "policy.md")).code == 0
    assert (await _without_input(env, "chat")).code == 0
    assert (await _without_input(env, "mcp")).code == 0
    checked = await _without_input(env, "grounding", "check", "--lines", "-")
    assert checked.code == 2
    assert "inside Footnote" not in checked.err


async def _without_input(env: dict[str, str], *arguments: str) -> Ended:
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", 'exec "$0" "$@" <&-', sys.executable, *MAIN, *arguments),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


@pytest.mark.parametrize(
    "arguments", [("trace",), ("search",), ("documents", "show")], ids=" ".join
)
async def test_an_argument_that_is_not_utf8_is_wrong_usage(
    env: dict[str, str], arguments: tuple[str, ...]
) -> None:
    ended = await footnote(env, *arguments, os.fsdecode(b"\xc3\xa4\xff"))
    assert ended.code == 2
    assert "inside Footnote" not in ended.err


async def test_the_byte_of_an_argument_that_is_no_text_is_told(env: dict[str, str]) -> None:
    ended = await footnote(env, "trace", os.fsdecode(b"\xc3\xa4\xff"), "--json")
    assert ended.code == 2
    assert "its byte 3 is 0xFF" in str(parsed(ended)["error"])


async def test_the_workspace_is_named_before_or_after_the_command_or_in_the_environment(
    env: dict[str, str], folder: Path
) -> None:
    assert (await footnote(env, "workspace", "create", "acme")).code == 0
    assert (await footnote(env, "workspace", "create", "acme")).code == 2
    assert (await footnote(env, "ingest", "--no-wait", str(folder), "-w", "acme")).code == 0
    ways = [
        await footnote(env, "-w", "acme", "documents", "list", "--json"),
        await footnote(env, "documents", "list", "-w", "acme", "--json"),
        await footnote({**env, "FOOTNOTE_WORKSPACE": "acme"}, "documents", "list", "--json"),
    ]
    assert [len(json.loads(way.out)["documents"]) for way in ways] == [2, 2, 2]
    elsewhere = await footnote(env, "documents", "list", "--json")
    assert json.loads(elsewhere.out)["documents"] == []
    names = json.loads((await footnote(env, "workspace", "list", "--json")).out)["workspaces"]
    assert {"acme"} <= {one["name"] for one in names}


async def test_foreign_and_absent_look_the_same(
    settings: Settings, env: dict[str, str], folder: Path
) -> None:
    async with open_engine(settings) as engine:
        await engine.create_workspace("acme")
        await engine.create_workspace("globex")
        received = await (await engine.workspace("acme")).receive_file(folder / "policy.md")
    theirs, nothing = str(received.document.document_id), str(uuid4())
    foreign = await footnote(env, "documents", "show", theirs, "-w", "globex", "--json")
    absent = await footnote(env, "documents", "show", nothing, "-w", "globex", "--json")
    assert foreign.code == absent.code == 3
    assert foreign.out.replace(theirs, "") == absent.out.replace(nothing, "")
    unknown = await footnote(env, "search", "claim", "-w", "no-such", "--json")
    assert unknown.code == 3


async def test_a_database_that_cannot_be_reached_is_exit_code_4(settings: Settings) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    env = {**environment(settings), "FOOTNOTE_DATABASE_URL": url}
    env["FOOTNOTE_OWNER_DATABASE_URL"] = url
    ended = await footnote(env, "search", "x", "--json")
    assert ended.code == 4
    assert json.loads(ended.out)["error"]["code"] == "store-unavailable"
    doctor = await footnote(env, "doctor", "--json")
    assert doctor.code == 4
    assert parsed(doctor)["ready"] is False


async def test_the_doctor_says_what_listens_to_recordings(env: dict[str, str]) -> None:
    async def told(**settings: str) -> dict[str, object]:
        checks = json.loads((await footnote(env | settings, "doctor", "--json")).out)["checks"]
        [check] = [each for each in checks if each["name"] == "recordings"]
        return dict(check)

    silent = await told(FOOTNOTE_SPEECH="off")
    assert (silent["ok"], silent["optional"]) == (False, True)
    assert "FOOTNOTE_SPEECH" in str(silent["hint"])
    wrong = await told(FOOTNOTE_SPEECH="/no/such/model")
    assert not wrong["ok"]
    assert "model.bin" in str(wrong["detail"])
    service = await told(FOOTNOTE_SPEECH="whisper-1@http://127.0.0.1:9/v1")
    assert service["ok"]


async def test_the_doctor_says_what_is_there(env: dict[str, str]) -> None:
    ended = await footnote(env, "doctor", "--json")
    checks = json.loads(ended.out)["checks"]
    assert {"name", "ok", "detail", "hint", "optional"} == set(checks[0])
    optional = {each["name"] for each in checks if each["optional"]}
    assert {"recordings", "text recognition", "office pages"} <= optional
    assert not {"python", "home", "database", "embedding model"} & optional
    shown = (await footnote(env | {"FOOTNOTE_SPEECH": "off"}, "doctor")).out
    assert "○ recordings (optional)" in shown
    assert "✗" not in shown
    assert "Ready." in shown


async def test_the_doctor_says_that_nothing_starts_without_the_key_of_a_model(
    env: dict[str, str],
) -> None:
    lacks_a_key = env | {"FOOTNOTE_ANSWER_MODELS": "openai:gpt-5"}
    started, doctor = (
        await footnote(lacks_a_key, "stats"),
        await footnote(lacks_a_key, "doctor"),
    )
    assert (started.code, doctor.code) == (2, 4)
    assert "answer models" in doctor.out
    assert "needs a key" in doctor.out


async def test_a_reader_that_leaves_is_not_an_error(env: dict[str, str], folder: Path) -> None:
    await footnote(env, "ingest", "--no-wait", str(folder))
    process = await asyncio.create_subprocess_shell(
        f"{sys.executable} -m footnote.interfaces.cli.main documents list --json | true; "
        'exit "${PIPESTATUS[0]}"',
        env=env,
        executable="/bin/bash",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
