"""The journey over HTTP: a real server, a real database, the real model."""

import socket
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

import httpx

import footnote
from footnote.domain import DocumentStatus
from footnote.settings import Settings
from tests.interfaces.serving import served
from tests.interfaces.test_refusals import assert_problem

POLICY = (
    b"# Marine policy POL-88213-X\n\n## Claims\n\n"
    b"A claim must be reported to the insurer within 14 days of the loss.\n\n"
    b"## Deductibles\n\nThe deductible for each moored buoy is 2,500 euros.\n"
)


async def upload(
    http: httpx.AsyncClient,
    content: bytes = POLICY,
    name: str = "policy.md",
    workspace: str | None = None,
    **fields: str,
) -> httpx.Response:
    headers = {"Footnote-Workspace": workspace} if workspace else {}
    return await http.post(
        "/v1/documents", files={"file": (name, content)}, data=fields, headers=headers
    )


async def index(settings: Settings, workspace: str | None, *responses: httpx.Response) -> None:
    """Index what was uploaded, as a worker beside the server would."""
    async with footnote.open(settings) as engine:
        ids = [footnote_id(response) for response in responses]
        rested = await footnote.work_until_resting(engine, await engine.workspace(workspace), ids)
        assert {one.status for one in rested.values()} == {DocumentStatus.INDEXED}


def footnote_id(response: httpx.Response) -> UUID:
    return UUID(response.json()["document_id"])


async def test_a_ready_server_is_healthy(http: httpx.AsyncClient) -> None:
    response = await http.get("/health")
    assert response.status_code == 200
    assert response.json()["ready"] is True
    assert all(check["ok"] for check in response.json()["checks"])


async def test_a_file_becomes_a_cited_answer(http: httpx.AsyncClient, settings: Settings) -> None:
    accepted = await upload(http, collection="insurance", metadata='{"year": 2025}')
    assert accepted.status_code == 202
    assert accepted.json()["status"] == "queued"
    await index(settings, None, accepted)

    document = (await http.get(accepted.headers["location"])).json()
    assert document["status"] == "indexed"
    assert (document["collection"], document["metadata"]) == ("insurance", {"year": 2025})
    assert document["attachments"] == []

    found = (await http.post("/v1/search", json={"query": "POL-88213-X"})).json()
    assert found["evidence"][0]["filename"] == "policy.md"
    assert found["evidence"][0]["explanation"]

    answer = (
        await http.post("/v1/answers", json={"question": "How soon must a claim be reported?"})
    ).json()
    assert answer["found"] is True
    assert "14 days" in answer["text"]
    assert "[1]" in answer["text"]
    assert answer["citations"][0]["quote"] in POLICY.decode()

    chunk_id = found["evidence"][0]["chunk_id"]
    context = (await http.post("/v1/context", json={"chunk_id": chunk_id, "window": 1})).json()
    assert context["chunk"]["chunk_id"] == chunk_id

    stats = (await http.get("/stats")).json()
    assert stats["documents_by_status"]["indexed"] == 1
    assert stats["lane"]["dimensions"] == 384


async def test_the_same_bytes_give_the_same_document(http: httpx.AsyncClient) -> None:
    first = await upload(http)
    second = await upload(http)
    assert (first.status_code, second.status_code) == (202, 200)
    assert second.json()["document_id"] == first.json()["document_id"]
    assert (first.json()["duplicate"], second.json()["duplicate"]) == (False, True)
    assert second.headers["location"] == first.headers["location"]


async def test_other_bytes_under_the_same_external_id_are_a_new_version(
    http: httpx.AsyncClient,
) -> None:
    first = await upload(http, external_id="policy")
    second = await upload(http, POLICY + b"\nMore.\n", external_id="policy")
    assert second.status_code == 202
    assert second.json()["new_version"] is True
    assert second.json()["document_id"] == first.json()["document_id"]


async def test_an_empty_file_ends_failed_with_advice(http: httpx.AsyncClient) -> None:
    response = await upload(http, b"", "empty.txt")
    assert response.status_code == 202
    assert response.json()["status"] == "failed"
    assert response.json()["failure"]["advice"]


async def test_documents_are_listed_in_pages(http: httpx.AsyncClient) -> None:
    for number in range(3):
        await upload(http, f"Note {number}".encode(), f"{number}.txt", collection="notes")
    await upload(http)
    query: dict[str, str | int] = {"limit": 2, "collection": "notes"}
    first = (await http.get("/v1/documents", params=query)).json()
    cursor = first["next_cursor"]
    second = (await http.get("/v1/documents", params={**query, "cursor": cursor})).json()
    names = [one["filename"] for one in first["documents"] + second["documents"]]
    assert names == ["2.txt", "1.txt", "0.txt"]
    assert second["next_cursor"] is None
    nothing = (await http.get("/v1/documents", params={"status": "indexed"})).json()
    assert nothing == {"documents": [], "next_cursor": None, "total": None, "facets": {}}


async def test_a_deleted_document_is_gone(http: httpx.AsyncClient) -> None:
    location = (await upload(http)).headers["location"]
    deleted = await http.delete(location)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert_problem(await http.get(location), 404, "not-found")
    assert_problem(await http.delete(location), 404, "not-found")


async def test_foreign_and_absent_give_the_same_bytes(
    http: httpx.AsyncClient, settings: Settings
) -> None:
    async with footnote.open(settings) as engine:
        await engine.create_workspace("acme")
        await engine.create_workspace("globex")
    theirs = await upload(http, workspace="acme")
    await index(settings, "acme", theirs)
    acme, globex = {"Footnote-Workspace": "acme"}, {"Footnote-Workspace": "globex"}
    evidence = (await http.post("/v1/search", json={"query": "claim"}, headers=acme)).json()
    chunk_id = evidence["evidence"][0]["chunk_id"]
    path = theirs.headers["location"]

    document_id, nobodys = path.rpartition("/")[2], str(uuid4())
    absent = path.replace(document_id, nobodys)
    no_chunk = chunk_id.replace(document_id, nobodys)
    answers = [
        await http.get(path, headers=globex),
        await http.get(absent, headers=globex),
        await http.delete(path, headers=globex),
        await http.post("/v1/context", json={"chunk_id": chunk_id}, headers=globex),
        await http.post("/v1/context", json={"chunk_id": no_chunk}, headers=globex),
    ]
    told = [(answer.status_code, answer.text.replace(document_id, nobodys)) for answer in answers]
    assert told[0] == told[1] == told[2]
    assert told[3] == told[4]
    assert {status for status, _ in told} == {404}
    for alike in (answers[:3], answers[3:]):
        assert len({tuple(sorted(_telling(answer))) for answer in alike}) == 1
    empty = (await http.post("/v1/search", json={"query": "claim"}, headers=globex)).json()
    assert empty["evidence"] == []
    assert (await http.get("/v1/documents", headers=globex)).json()["documents"] == []
    assert (await http.get(path, headers=acme)).status_code == 200


def _telling(response: httpx.Response) -> list[tuple[str, str]]:
    """The headers but for those of the moment: its time, and its trace where traces are taken."""
    moment = ("date", "traceresponse")
    return [(name, value) for name, value in response.headers.items() if name not in moment]


async def test_the_longest_external_id_can_be_stored(http: httpx.AsyncClient) -> None:
    wide = "".join(chr(0x1F300 + number) for number in range(600))
    assert (await upload(http, external_id=wide)).status_code == 202


async def test_an_upload_over_the_limit_is_refused(settings: Settings) -> None:
    small = settings.model_copy(update={"document_limits": '{"bytes": 1000}'})
    async with served(small) as http:
        assert_problem(await upload(http, b"x" * 1001), 413, "content-too-large")
        assert_problem(await upload(http, b"x" * 5_000_000), 413, "content-too-large")
        assert (await http.get("/v1/documents")).json()["documents"] == []
        assert (await upload(http, b"x" * 1000, "fits.txt")).status_code == 202


async def test_the_body_of_an_answer_does_not_wait_for_its_head_to_be_acknowledged(
    http: httpx.AsyncClient,
) -> None:
    response = await http.get("/health")
    address = response.extensions["network_stream"].get_extra_info("client_addr")
    assert without_nagle(address) == [True]


def without_nagle(peer: tuple[str, int]) -> list[bool]:
    """Of each socket of this process whose other end this is, whether it sends at once."""
    found = []
    for descriptor in [*Path("/dev/fd").iterdir()]:
        with suppress(OSError):
            each = socket.socket(fileno=int(descriptor.name))
            try:
                if each.getpeername() == peer:
                    found.append(bool(each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            finally:
                each.detach()
    return found
