"""Systems push documents, and learn what became of them and nothing else."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic import SecretStr

import footnote
from footnote.engine.receiving import clean_name
from footnote.errors import Conflict, InvalidRequest
from footnote.jobs.fetch import FetchJob, fetch_pushed
from footnote.jobs.inline import work_until_resting
from footnote.jobs.sources.addresses import reach_of
from footnote.jobs.sources.web import fetch_document
from footnote.jobs.webhooks import HEADER, is_genuine, signature
from footnote.jobs.worker import run_worker
from footnote.settings import Settings, settings_from
from tests.interfaces.conftest import but_for_ids
from tests.interfaces.serving import served
from tests.jobs.web_server import Answer, Asked, WebServer, web_server

SECRET = "a secret of the two of us"
PATIENCE_SECONDS = 600


@pytest.fixture
def told(settings: Settings) -> Settings:
    """Settings under which this computer may be fetched from, and a secret is shared."""
    return settings_from(
        settings, {"allow_private_urls": True, "webhook_secret": SecretStr(SECRET)}
    )


@pytest.fixture
async def client(told: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with served(told) as client:
        yield client


@pytest.fixture
async def working(told: Settings, client: httpx.AsyncClient) -> AsyncIterator[None]:
    """A worker beside the server."""
    stop = asyncio.Event()
    async with footnote.open(told) as engine:
        worker = asyncio.create_task(run_worker(engine, stop=stop))
        try:
            yield
        finally:
            stop.set()
            await worker


@pytest.fixture
async def web() -> AsyncIterator[WebServer]:
    async def answering(asked: Asked) -> Answer:
        if asked.path.startswith("/gone"):
            return Answer(404)
        if asked.path.startswith("/said"):
            said = f"Said at {asked.path}.".encode()
            return Answer(body=said, headers={"Content-Type": "text/plain"})
        return Answer(body=b"The tide is high at noon.", headers={"Content-Type": "text/plain"})

    async with web_server(answering) as server:
        yield server


async def rested(client: httpx.AsyncClient, location: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            status: dict[str, Any] = (await client.get(location)).json()
            if status["status"] in ("indexed", "failed"):
                return status
            await asyncio.sleep(0.05)  # between looks; nothing is assumed about how long it takes


def signed(
    body: dict[str, object], secret: str = SECRET, at: float | None = None
) -> dict[str, Any]:
    content = json.dumps(body).encode()
    moment = int(time.time() if at is None else at)
    headers = {HEADER: signature(secret, content, moment), "Content-Type": "application/json"}
    return {"content": content, "headers": headers}


async def test_an_address_is_fetched_and_indexed(
    client: httpx.AsyncClient, working: None, web: WebServer
) -> None:
    url = web.url("/tides.txt")
    answer = await client.post("/v1/ingest", json={"url": url, "tags": ["sea"]})
    assert answer.status_code == 202
    assert answer.json()["status"] == "queued"
    status = await rested(client, answer.headers["Location"])
    assert status["status"] == "indexed"
    document = status["document"]
    assert (document["external_id"], document["filename"]) == (url, "tides.txt")
    assert document["tags"] == ["sea"]


async def test_what_is_pushed_is_seen_by_whom_it_says(
    client: httpx.AsyncClient, working: None, web: WebServer
) -> None:
    who: dict[str, object] = {"visibility": "private", "shared_with": ["ann", "group:crew"]}
    pushed: list[dict[str, object]] = [
        {"url": web.url("/tides.txt")},
        {"text": "A log.", "filename": "log.txt"},
    ]
    for body in pushed:
        answer = await client.post("/v1/ingest", json={**body, **who})
        assert answer.status_code == 202, answer.text
        document = (await rested(client, answer.headers["Location"]))["document"]
        shown = (await client.get(f"/v1/documents/{document['document_id']}/access")).json()
        assert {name: shown[name] for name in who} == who
        wrong = {**body, "visibility": "workspace", "shared_with": ["ann"]}
        assert (await client.post("/v1/ingest", json=wrong)).status_code == 422
    announced = {"document_id": "7", "url": web.url("/tides.txt"), **who}
    taken = await client.post("/v1/webhooks/document-uploaded", **signed(announced))
    document = (await rested(client, taken.headers["Location"]))["document"]
    assert document["visibility"] == "private"


async def test_an_address_that_has_nothing_fails_with_its_reason(
    client: httpx.AsyncClient, working: None, web: WebServer
) -> None:
    answer = await client.post("/v1/ingest", json={"url": web.url("/gone")})
    status = await rested(client, answer.headers["Location"])
    assert status["status"] == "failed"
    assert "404" in status["failure"]
    assert status["document"] is None


PRIVATE = "127.0.0.1 [::1] 10.1.2.3 192.168.0.9 169.254.169.254 127.1 localhost".split()


async def test_an_address_that_is_told_to_be_private_is_refused_at_the_door(
    settings: Settings,
) -> None:
    async with served(settings) as client:
        for host in PRIVATE:
            url = f"http://{host}/a.txt"
            answer = await client.post("/v1/ingest", json={"url": url})
            assert answer.status_code == 422, host
            with pytest.raises(InvalidRequest) as later:
                await fetch_document(url, reach_of(settings), io.BytesIO())
            said = str(later.value).replace(": ::1 is", ": 127.0.0.1 is")
            assert answer.json()["detail"].lower().rstrip(".") in (str(later.value), said), host


async def test_text_and_small_files_are_taken_at_once(client: httpx.AsyncClient) -> None:
    text = await client.post("/v1/ingest", json={"text": "A log.", "filename": "log.txt"})
    content = base64.b64encode(b"Another log.").decode()
    file = await client.post(
        "/v1/ingest", json={"content": content, "filename": "b.txt", "external_id": "logs/b"}
    )
    assert [text.status_code, file.status_code] == [202, 202]
    assert text.json()["document"]["filename"] == "log.txt"
    assert file.json()["document"]["external_id"] == "logs/b"
    status = await client.get(file.headers["Location"])
    assert status.json()["status"] == "queued"


@pytest.mark.parametrize(
    "name", ["../../a.txt", "..", "dir\\b.txt", "x" * 1400 + ".txt", "invoice\u202efdp.exe"]
)
async def test_a_name_is_kept_alike_by_every_entrance(client: httpx.AsyncClient, name: str) -> None:
    file = {"file": (name, uuid4().bytes.hex().encode())}
    uploaded = await client.post("/v1/documents", files=file)
    body = {"text": uuid4().hex, "filename": name}
    pushed = await client.post("/v1/ingest", json=body)
    assert (uploaded.status_code, pushed.status_code) == (202, 202)
    assert uploaded.json()["filename"] == pushed.json()["document"]["filename"] == clean_name(name)


async def test_a_status_says_when_it_last_changed(
    client: httpx.AsyncClient, told: Settings
) -> None:
    answer = await client.post("/v1/ingest", json={"text": "Low tide.", "filename": "a.txt"})
    location = answer.headers["Location"]
    moments = [answer.json()["updated_at"]]

    async def now() -> dict[str, Any]:
        return dict((await client.get(location)).json())

    async with footnote.open(told) as engine:
        workspace = await engine.workspace()
        document_id = UUID(answer.json()["document"]["document_id"])
        assert (await now())["updated_at"] == moments[0]
        await work_until_resting(engine, workspace, [document_id], lambda _: None)
        indexed = await now()
        moments.append(indexed["updated_at"])
        await workspace.receive(b"Low tide.", "a.txt", tags=["sea"])
        tagged = await now()
        assert tagged["document"]["tags"] == ["sea"]
        assert tagged["document"]["updated_at"] > tagged["updated_at"] == moments[-1]
        await workspace.receive(b"Low tide.", "b.txt")
        again = await client.post("/v1/ingest", json={"text": "Low tide.", "filename": "a.txt"})
        assert again.json()["status"] == "indexed"
        assert again.json()["updated_at"] == again.json()["created_at"] > moments[-1]
        await workspace.delete_document(document_id)
    deleted = await now()
    assert (indexed["status"], deleted["status"]) == ("indexed", "deleted")
    moments.append(deleted["updated_at"])
    assert moments == sorted(set(moments))


async def test_a_foreign_push_looks_like_none(client: httpx.AsyncClient, told: Settings) -> None:
    async with footnote.open(told) as engine:
        await engine.create_workspace("acme")
    answer = await client.post("/v1/ingest", json={"text": "Mine.", "filename": "a.txt"})
    foreign = await client.get(answer.headers["Location"], headers={"Footnote-Workspace": "acme"})
    absent = await client.get(f"/v1/ingest/{uuid4()}/status")
    assert foreign.status_code == absent.status_code == 404
    assert but_for_ids(foreign) == but_for_ids(absent)


async def test_an_announced_document_is_fetched_under_its_own_id(
    client: httpx.AsyncClient, working: None, web: WebServer
) -> None:
    body: dict[str, object] = {
        "document_id": "doc-7",
        "url": web.url("/download?id=7"),
        "filename": "tides.txt",
        "project_id": "harbour",
        "file_size": 25,
        "content_type": "text/plain",
        "upload_date": "2025-05-02T09:30:00Z",
        "metadata": {"year": 2025},
    }
    answer = await client.post("/v1/webhooks/document-uploaded", **signed(body))
    assert answer.status_code == 202, answer.text
    status = await rested(client, answer.headers["Location"])
    document = status["document"]
    assert (document["external_id"], document["collection"]) == ("doc-7", "harbour")
    assert document["filename"] == "tides.txt"
    assert document["metadata"]["year"] == 2025
    again = await client.post("/v1/webhooks/document-uploaded", **signed(body))
    repeated = await rested(client, again.headers["Location"])
    assert repeated["document"]["document_id"] == document["document_id"]
    assert repeated["document"]["version"] == 1


async def test_an_announcement_that_is_sent_again_is_the_same_push(
    client: httpx.AsyncClient, web: WebServer
) -> None:
    announced = signed({"document_id": "doc-7", "url": web.url("/tides.txt")})
    twice = [
        await client.post("/v1/webhooks/document-uploaded", **announced),
        *await asyncio.gather(
            *(client.post("/v1/webhooks/document-uploaded", **announced) for _ in range(3))
        ),
    ]
    assert {each.status_code for each in twice} == {202}
    assert len({each.json()["ingest_id"] for each in twice}) == 1
    later = signed({"document_id": "doc-7", "url": web.url("/tides.txt")}, at=time.time() - 9)
    another = await client.post("/v1/webhooks/document-uploaded", **later)
    assert another.json()["ingest_id"] != twice[0].json()["ingest_id"]


async def test_what_is_pushed_again_with_its_key_is_the_same_push(
    client: httpx.AsyncClient, web: WebServer
) -> None:
    address: dict[str, object] = {"url": web.url("/tides.txt")}
    content: dict[str, object] = {"text": "A log.", "filename": "log.txt", "external_id": "log"}
    for number, body in enumerate((address, content)):
        headers = {"Idempotency-Key": f"key-{number}"}
        first = await client.post("/v1/ingest", json=body, headers=headers)
        again = await client.post("/v1/ingest", json=body, headers=headers)
        assert again.json() == first.json()
        other = {**body, "external_id": "other"}
        assert (await client.post("/v1/ingest", json=other, headers=headers)).status_code == 409
        private = {**body, "visibility": "private"}
        assert (await client.post("/v1/ingest", json=private, headers=headers)).status_code == 409
    document_id = first.json()["document"]["document_id"]
    assert (await client.delete(f"/v1/documents/{document_id}")).status_code == 204
    deleted = await client.post("/v1/ingest", json=content, headers={"Idempotency-Key": "key-1"})
    assert (deleted.status_code, deleted.json()["status"]) == (202, "deleted")
    assert (await client.get("/v1/documents")).json()["documents"] == []
    headers = {"Idempotency-Key": "key-0"}
    refused = await client.post("/v1/ingest", json=content, headers=headers)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:footnote:problem:conflict")


async def test_a_key_of_another_push_is_refused(told: Settings) -> None:
    async with footnote.open(told) as engine:
        workspace = await engine.workspace()
        address = "http://127.0.0.1:9/a.txt"
        first = await workspace.push_url(address, idempotency_key="one")
        again = await workspace.push_url(address, idempotency_key="one")
        assert again.ingest_id == first.ingest_id
        with pytest.raises(Conflict, match="idempotency key was used"):
            await workspace.push_url(f"{address}?b", idempotency_key="one")


async def test_an_older_announcement_does_not_replace_a_newer_one(
    told: Settings, web: WebServer
) -> None:
    async with footnote.open(told) as engine:
        workspace = await engine.workspace()

        async def announced(path: str) -> FetchJob:
            push = await workspace.push_url(web.url(path), external_id="doc-7")
            workspace_id = workspace.workspace.workspace_id
            return FetchJob(workspace_id=workspace_id, ingest_id=push.ingest_id, attempt=0)

        first, old, new, same = [
            await announced(path) for path in ("/said/1", "/said/2", "/said/3", "/said/3")
        ]
        for job in (first, new, old, same):
            await fetch_pushed(engine, job)
        states = [await workspace.push_status(job.ingest_id) for job in (first, old, new, same)]
        assert [each.status for each in states] == ["queued", "failed", "queued", "queued"]
        assert "newer announcement" in (states[1].failure or "")
        document = states[2].document
        assert document is not None
        assert document.version == 2
        content = (await workspace.original(document.document_id)).content
        assert content == b"Said at /said/3."


@pytest.mark.parametrize("case", ["unsigned", "another secret", "old", "of the future", "changed"])
async def test_a_bad_signature_is_refused_without_a_word(
    client: httpx.AsyncClient, case: str
) -> None:
    body: dict[str, object] = {"document_id": "doc-7", "url": "nonsense"}
    request = {
        "unsigned": {"content": b"{", "headers": {}},
        "another secret": signed(body, "guessed"),
        "old": signed(body, at=time.time() - 301),
        "of the future": signed(body, at=time.time() + 3600),
        "changed": {**signed(body), "content": b"{}"},
    }[case]
    answer = await client.post("/v1/webhooks/document-uploaded", **request)
    assert answer.status_code == 401
    assert answer.json() == {
        "type": "urn:footnote:problem:unauthorized",
        "title": "Unauthorized",
        "status": 401,
        "detail": "The request is not signed as it should be.",
        "hint": f"Sign its body with the secret that both systems know, in the header {HEADER}.",
    }


async def test_without_a_shared_secret_nothing_is_believed(settings: Settings) -> None:
    async with served(settings) as client:
        answer = await client.post("/v1/webhooks/document-uploaded", **signed({}, ""))
    assert answer.status_code == 401


async def test_a_signed_request_that_makes_no_sense_is_told_why(client: httpx.AsyncClient) -> None:
    answer = await client.post(
        "/v1/webhooks/document-uploaded", **signed({"document_id": "x", "colour": "blue"})
    )
    assert answer.status_code == 422
    assert {wrong["where"] for wrong in answer.json()["errors"]} == {"body.url", "body.colour"}


def test_a_signature_is_of_one_body_one_secret_and_one_time() -> None:
    header = signature("s", b"body", 1000)
    assert is_genuine("s", b"body", header, 1000.5)
    assert is_genuine("s", b"body", header, 1300)
    assert not is_genuine("s", b"body", header, 1301)
    assert not is_genuine("t", b"body", header, 1000)
    assert not is_genuine("s", b"bodz", header, 1000)
    assert not is_genuine("s", b"body", header.replace("t=1000", "t=1001"), 1000)
    assert not is_genuine("s", b"body", "", 1000)
