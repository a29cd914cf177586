"""Clients that know projects and users find what the same search of a collection finds."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from footnote.domain import SearchRequest
from footnote.engine import WorkspaceEngine
from footnote.interfaces.http.projects import ProjectSearch, filters_of
from footnote.jobs.inline import work_until_resting
from tests.ingestion.mailfiles import plain_message
from tests.interfaces.conftest import Library, but_for_ids
from tests.interfaces.test_refusals import assert_problem

CLAIM = "How soon must a claim be reported to the insurer?"
CHUNK = {
    "chunk_id",
    "document_id",
    "evidence_id",
    "title",
    "filename",
    "text",
    "page",
    "heading_path",
    "source_type",
}


async def asked(
    library: Library, workspace: str | None = None, /, **changes: object
) -> httpx.Response:
    body = {"query": CLAIM, "project_id": "insurance", "user_id": "bob", **changes}
    headers = {"Footnote-Workspace": workspace} if workspace else {}
    return await library.http.post("/search", json=body, headers=headers)


async def found(library: Library, **changes: object) -> dict[str, Any]:
    response = await asked(library, **changes)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def test_the_response_mirrors_the_request_around_its_results(library: Library) -> None:
    body = await found(library, limit=2, evidence_types=["upload"], min_similarity=0.1)
    results = body.pop("results")
    assert body == {
        "total_results": len(results),
        "query": CLAIM,
        "project_id": "insurance",
        "user_id": "bob",
        "limit": 2,
        "evidence_types": ["upload"],
        "min_similarity": 0.1,
    }
    assert 1 <= len(results) <= 2
    for rank, each in enumerate(results, start=1):
        assert set(each) == CHUNK | {"rank", "score", "similarity"}
        assert each["rank"] == rank
        assert each["evidence_id"] == each["document_id"] == library.ids[each["filename"]]
        assert each["similarity"] >= 0.1


async def test_what_is_optional_is_mirrored_too(library: Library) -> None:
    body = await found(library)
    assert (body["limit"], body["evidence_types"], body["min_similarity"]) == (8, None, None)


async def test_it_finds_what_a_search_of_the_collection_finds(library: Library) -> None:
    body = {"query": CLAIM, "filters": {"collections": ["insurance"]}}
    evidence = (await library.http.post("/v1/search", json=body)).json()["evidence"]
    results = (await found(library))["results"]
    assert [(each["chunk_id"], each["score"]) for each in results] == [
        (each["chunk_id"], each["score"]) for each in evidence
    ]


async def test_an_unknown_and_a_foreign_project_have_no_results(library: Library) -> None:
    unknown = await found(library, project_id="nowhere")
    foreign = await found(library, project_id="abroad")
    assert unknown["results"] == foreign["results"] == []
    assert {**unknown, "project_id": ""} == {**foreign, "project_id": ""}
    at_home = await asked(library, "annex", project_id="abroad")
    assert [each["filename"] for each in at_home.json()["results"]] == ["annex.md"]
    assert_problem(await asked(library, "no-such"), 404, "not-found")


async def test_a_user_sees_what_that_user_may_see(library: Library) -> None:
    question = "When is the merger announced?"
    for user, sees in (("alice", True), ("bob", False)):
        results = (await found(library, query=question, project_id="board", user_id=user))[
            "results"
        ]
        assert ("secret.md" in {each["filename"] for each in results}) is sees


@pytest.mark.parametrize(
    ("types", "files"),
    [
        (["upload"], ["minutes.md", "prices.md"]),
        (["voice_memo"], []),
        (["minutes"], ["minutes.md"]),
        (["minutes", "email"], ["minutes.md"]),
        (["list"], []),
        (["upload", "paragraph"], ["minutes.md"]),
        ([], ["minutes.md", "prices.md"]),
    ],
    ids=str,
)
async def test_types_are_those_of_documents_and_of_chunks(
    library: Library, types: list[str], files: list[str]
) -> None:
    body = await found(library, query="buoy", project_id="board", evidence_types=types)
    assert sorted({each["filename"] for each in body["results"]}) == files


async def test_email_means_messages_whichever_way_they_came(workspace: WorkspaceEngine) -> None:
    letter = plain_message(body="The buoy was lit.")
    letter.add_attachment(b"Lit at noon, the buoy.", "text", "plain", filename="log.txt")
    files = {
        "uploaded.eml": letter.as_bytes(),
        "box.mbox": b"From a Mon Mar  4 10:00:00 2024\n" + plain_message(body="A buoy?").as_bytes(),
        "note.txt": b"The buoy was painted.",
    }
    received = [
        await workspace.receive(content, name, collection="p") for name, content in files.items()
    ]
    ids = [each.document.document_id for each in received]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)

    async def of_type(name: str) -> list[tuple[str, str]]:
        asked = ProjectSearch(query="buoy", project_id="p", user_id="u", evidence_types=(name,))
        response = await workspace.search(SearchRequest(query="buoy", filters=filters_of(asked)))
        passages = [each.passage for each in response.evidence]
        return sorted({(each.filename.split(".")[-1], each.source_type) for each in passages})

    assert await of_type("email") == [("eml", "email"), ("eml", "upload"), ("mbox", "upload")]
    assert await of_type("email_attachment") == [("txt", "email_attachment")]


async def test_an_unknown_type_is_named_with_the_known_ones(library: Library) -> None:
    response = await asked(library, evidence_types=["upload", "fax"])
    assert_problem(response, 422, "invalid-request")
    assert "'fax'" in response.json()["detail"]
    assert "upload" not in response.json()["detail"]
    for known in ("upload", "policy", "paragraph"):
        assert known in response.json()["hint"]


async def test_a_chunk_stands_between_its_neighbours(library: Library) -> None:
    [chunk, *_] = (await found(library, query="deductible for storm damage"))["results"]
    assert chunk["filename"] == "policy.md"
    body = {"chunk_id": chunk["chunk_id"], "user_id": "bob", "context_window": 1}
    context = (await library.http.post("/context", json=body)).json()
    assert set(context) == {"chunk", "context_before", "context_after"}
    assert context["chunk"] == {name: chunk[name] for name in CHUNK}
    [before], [after] = context["context_before"], context["context_after"]
    assert "14 days" in before["text"]
    assert "premium" in after["text"]
    assert set(before) == CHUNK


async def test_a_chunk_one_may_not_see_and_one_that_is_not_there_look_the_same(
    library: Library,
) -> None:
    board = {"query": "merger", "project_id": "board", "user_id": "alice"}
    results = (await library.http.post("/search", json=board)).json()["results"]
    [secret] = [each for each in results if each["filename"] == "secret.md"]

    async def read(chunk_id: str, user: str, workspace: str = "default") -> httpx.Response:
        return await library.http.post(
            "/context",
            json={"chunk_id": chunk_id, "user_id": user},
            headers={"Footnote-Workspace": workspace},
        )

    assert (await read(secret["chunk_id"], "alice")).status_code == 200
    refusals = [
        await read(secret["chunk_id"], "bob"),
        await read(secret["chunk_id"], "alice", "annex"),
        await read(f"{uuid4()}:1:0", "bob"),
    ]
    told = {(each.status_code, but_for_ids(each)) for each in refusals}
    assert told == {(404, but_for_ids(refusals[0]))}
