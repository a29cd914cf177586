"""Uploads that are repeated, refused for the moment, tried again, and deleted with a proof."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

import footnote as package
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, footnote, served

FILE = {"file": ("a.txt", b"The deductible is 2,500 euros.")}
OTHER = {"file": ("b.txt", b"The notice period is three months.")}
BROKEN = {"file": ("broken.pdf", b"%PDF-1.7 broken")}


async def rest(settings: Settings, http: httpx.AsyncClient, location: str) -> dict[str, object]:
    """The document, once an engine beside the server has worked on it."""
    async with package.open(settings) as engine:
        workspace = await engine.workspace()
        page = await workspace.documents()
        ids = [each.document_id for each in page.documents]
        await package.work_until_resting(engine, workspace, ids)
    answer: dict[str, object] = (await http.get(location)).json()
    return answer


async def test_a_repeated_upload_is_answered_alike(http: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "7b1c"}
    first = await http.post("/v1/documents", files=FILE, headers=headers)
    again = await http.post("/v1/documents", files=FILE, headers=headers)
    assert first.status_code == again.status_code == 202
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    refused = await http.post("/v1/documents", files=OTHER, headers=headers)
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:footnote:problem:conflict"
    assert "new key" in refused.json()["hint"]


async def test_bytes_that_were_there_keep_the_first_name_and_the_answer_says_so(
    http: httpx.AsyncClient, settings: Settings, tmp_path: Path
) -> None:
    first = await http.post("/v1/documents", files=FILE)
    assert first.json()["received_as"] is None
    same = await http.post("/v1/documents", files=FILE)
    other = await http.post("/v1/documents", files={"file": ("copy.txt", FILE["file"][1])})
    assert (same.status_code, same.json()["received_as"]) == (200, None)
    assert (other.status_code, other.json()["received_as"]) == (200, "copy.txt")
    assert other.json()["filename"] == "a.txt"
    assert other.json()["document_id"] == first.json()["document_id"]

    async with package.AsyncClient(str(http.base_url)) as client:
        again = await client.receive(FILE["file"][1], "again.txt")
    assert (again.duplicate, again.received_as) == (True, "again.txt")

    path = tmp_path / "third.txt"
    path.write_bytes(FILE["file"][1])
    shown = await footnote(environment(settings), "ingest", "--no-wait", "--json", str(path))
    assert [each["duplicate"] for each in json.loads(shown.out)["files"]] == [False]


async def test_an_empty_file_is_told_of_by_its_own_name(http: httpx.AsyncClient) -> None:
    async def send(name: str) -> dict[str, object]:
        answered = await http.post("/v1/documents", files={"file": (name, b"")})
        assert answered.status_code in (200, 202), answered.text
        body: dict[str, object] = answered.json()
        return body

    first, other, again = await send("a.txt"), await send("e.txt"), await send("a.txt")
    assert [each["filename"] for each in (first, other, again)] == ["a.txt", "e.txt", "a.txt"]
    assert {each["status"] for each in (first, other, again)} == {"failed"}
    assert other["received_as"] is None
    # They have no content that could be the same, but a file that comes again does not pile up.
    assert other["document_id"] != first["document_id"] == again["document_id"]
    assert (other["duplicate"], again["duplicate"]) == (False, True)


async def test_a_full_queue_answers_429(settings: Settings) -> None:
    async with served(settings_from(settings, {"document_limits": {"queued": 1}})) as http:
        assert (await http.post("/v1/documents", files=FILE)).status_code == 202
        refused = await http.post("/v1/documents", files=OTHER)
        assert refused.status_code == 429
        assert refused.json()["type"] == "urn:footnote:problem:queue-full"
        assert 1 <= int(refused.headers["retry-after"]) <= 60


async def test_a_failed_document_is_tried_again(
    http: httpx.AsyncClient, settings: Settings
) -> None:
    location = (await http.post("/v1/documents", files=BROKEN)).headers["location"]
    assert (await rest(settings, http, location))["status"] == "failed"
    again = await http.post(f"{location}/retry")
    assert again.status_code == 202
    assert again.json()["status"] == "queued"
    good = (await http.post("/v1/documents", files=FILE)).headers["location"]
    assert (await rest(settings, http, good))["status"] == "indexed"
    assert (await http.post(f"{good}/retry")).status_code == 409
    assert (await http.post(f"/v1/documents/{uuid4()}/retry")).status_code == 404


async def test_a_deletion_is_proved(http: httpx.AsyncClient, settings: Settings) -> None:
    location = (await http.post("/v1/documents", files=FILE)).headers["location"]
    await rest(settings, http, location)
    gone = await http.delete(location, params={"verify": True})
    assert gone.status_code == 200
    assert gone.json()["complete"]
    held = {check["place"]: check["held"] for check in gone.json()["checks"]}
    assert held["documents"] == held["chunks"] == held["blobs"] == 1
    assert (await http.get(location)).status_code == 404
    assert (await http.delete(location, params={"verify": True})).status_code == 404


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nBuoy {number} is moored.")
    (folder / "broken.pdf").write_bytes(BROKEN["file"][1])
    return folder


async def test_the_command_line_waits_tries_again_and_proves(
    settings: Settings, folder: Path
) -> None:
    env = environment(settings, FOOTNOTE_DOCUMENT_LIMITS='{"queued": 2}')
    ingested = await footnote(env, "ingest", str(folder), "--json")
    assert ingested.code == 1, ingested.err
    files = json.loads(ingested.out)["files"]
    states = {Path(each["path"]).name: each["document"]["status"] for each in files}
    assert states == {f"{number}.md": "indexed" for number in range(4)} | {"broken.pdf": "failed"}

    retried = await footnote(env, "documents", "retry", "--all-failed", "--json")
    assert retried.code == 0, retried.err
    [each] = json.loads(retried.out)["documents"]
    assert each["document"]["status"] == "queued"
    document_id = next(each["document"]["document_id"] for each in files if "0.md" in each["path"])
    refused = await footnote(env, "documents", "retry", document_id)
    assert refused.code == 1
    assert "nothing to try again" in refused.out
    assert (await footnote(env, "documents", "retry")).code == 2

    gone = await footnote(env, "documents", "delete", document_id, "--yes", "--verify")
    assert gone.code == 0, gone.err
    [events] = [line for line in gone.out.splitlines() if line.strip().startswith("events ")]
    left = events.split()[2]
    assert f"; nothing of it is left but {left} events" in gone.out
    assert "posting lists" in gone.out


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("my %22best%22 plants.md", 'my "best" plants.md'),
        ("two%0D%0Alines.md", "twolines.md"),
        ("100%2C%25 off%41%0d.md", "100%2C%25 off%41%0d.md"),
    ],
    ids=["quotation-marks", "line-break", "nothing-else"],
)
async def test_a_name_is_kept_as_it_was_before_a_browser_wrote_it_into_a_form(
    http: httpx.AsyncClient, sent: str, kept: str
) -> None:
    form = (
        f'--xx\r\nContent-Disposition: form-data; name="file"; filename="{sent}"\r\n\r\n'
        f"Of {kept!a}.\r\n--xx--\r\n"
    )
    headers = {"Content-Type": "multipart/form-data; boundary=xx"}
    received = await http.post("/v1/documents", content=form.encode(), headers=headers)
    assert received.status_code == 202
    assert received.json()["filename"] == kept


async def test_the_client_keeps_quotation_marks_in_names(http: httpx.AsyncClient) -> None:
    async with package.AsyncClient(str(http.base_url)) as client:
        received = await client.receive(b"Plants need water.", 'my "best" plants.md')
        again = await client.receive(b"Plants need water.", 'my "best" plants.md')
    assert received.document.filename == 'my "best" plants.md'
    assert again.received_as is None
