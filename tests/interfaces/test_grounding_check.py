"""Statements are checked against sources by HTTP, command line, client and tools alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

import footnote
from footnote.engine import WorkspaceEngine
from footnote.engine.tools import Refusal, document_tools
from footnote.ports import ToolText
from footnote.settings import Settings
from tests.docs.pages import page
from tests.interfaces.conftest import Library
from tests.interfaces.papers import CLAIM
from tests.interfaces.serving import Ended, environment, served
from tests.interfaces.serving import footnote as command
from tests.interfaces.test_refusals import assert_problem

TRUE = CLAIM
FALSE = TRUE.replace("14", "30")
TEXT = {"id": "note", "title": "Note", "text": TRUE}


async def posted(http: httpx.AsyncClient, **body: object) -> dict[str, Any]:
    response = await http.post("/v1/grounding/check", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_a_document_and_a_text_are_held_against_by_http(library: Library) -> None:
    document_id = library.ids["policy.md"]
    found = await posted(
        library.http, statements=[TRUE, FALSE], sources=[{"document_id": document_id}, TEXT]
    )
    right, wrong = found["claims"]
    assert (right["verdict"], right["decided_by"]) == ("supported", "verbatim")
    assert (wrong["verdict"], wrong["decided_by"]) == ("contradicted", "guards")
    assert wrong["guards"] == [{"kind": "number", "text": "30"}]
    by_source = {each["source_id"]: each for each in right["quotes"]}
    assert by_source["note"]["document_id"] is None
    assert by_source["note"]["quote"] == TRUE
    assert by_source["1"]["document_id"] == document_id
    assert by_source["1"]["filename"] == "policy.md"
    assert found["judge"]


async def test_the_example_of_the_docs_gives_what_the_docs_say(settings: Settings) -> None:
    section = page("docs/grounding.md").section("Check statements")
    asked, told = (json.loads(block.split("```")[0]) for block in section.split("```json\n")[1:3])
    async with served(settings) as http:
        found = await posted(http, **asked)
    told |= {"timings_ms": found["timings_ms"]}
    assert_alike(found, told)


def assert_alike(found: Any, told: Any) -> None:  # JSON
    """Equal but for the last digits of numbers, in which processors differ."""
    if isinstance(told, dict):
        assert found.keys() == told.keys()
        for name, each in told.items():
            assert_alike(found[name], each)
    elif isinstance(told, list):
        assert len(found) == len(told)
        for one, other in zip(found, told, strict=True):
            assert_alike(one, other)
    elif isinstance(told, float):
        assert found == pytest.approx(told, abs=0.02)
    else:
        assert found == told


async def test_too_much_is_refused_before_it_is_read(library: Library) -> None:
    sources = [{"text": "x" * 2_000_000}]
    response = await library.http.post(
        "/v1/grounding/check", json={"statements": [TRUE], "sources": sources}
    )
    assert_problem(response, 413, "content-too-large")


async def test_a_document_of_another_workspace_looks_like_an_absent_one(library: Library) -> None:
    said = set()
    for each in (str(uuid4()), library.ids["annex.md"]):
        body = {"statements": [TRUE], "sources": [{"document_id": each}]}
        response = await library.http.post("/v1/grounding/check", json=body)
        assert_problem(response, 422, "invalid-request")
        said.add(response.text.replace(each, "ID"))
    assert len(said) == 1


async def test_the_client_gets_what_the_engine_gives(library: Library) -> None:
    sources = [
        footnote.GroundingSource(document_id=UUID(library.ids["policy.md"]), id="policy"),
        footnote.GroundingSource(text=TRUE, title="Note"),
    ]
    async with footnote.open(library.settings) as engine:
        here = await (await engine.workspace()).check_grounding(sources, answer=f"{TRUE} {FALSE}")
    async with footnote.AsyncClient(str(library.http.base_url)) as client:
        there = await client.check_grounding(sources, answer=f"{TRUE} {FALSE}")
    assert there.claims == here.claims
    assert (there.judge, there.degraded) == (here.judge, here.degraded)
    assert [each.verdict.value for each in here.claims] == ["supported", "contradicted"]


# --- the command line -------------------------------------------------------------------------


async def run(library: Library, *arguments: str) -> Ended:
    return await command(environment(library.settings), "grounding", "check", *arguments)


async def test_statements_are_checked_against_files_and_documents(
    library: Library, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text(TRUE, encoding="utf-8")
    ended = await run(
        library, TRUE, FALSE, "--source", str(note), "--document", "policy.md", "--json"
    )
    assert ended.code == 0, ended.err
    right, wrong = json.loads(ended.out)["claims"]
    assert (right["verdict"], wrong["verdict"]) == ("supported", "contradicted")
    assert {each["source_id"] for each in right["quotes"]} == {str(note), "policy.md"}


async def test_people_read_a_line_for_each_statement_and_quote(
    library: Library, tmp_path: Path
) -> None:
    answer, lines = tmp_path / "answer.md", tmp_path / "lines.txt"
    answer.write_text(f"# Claims\n\n- {TRUE} [1]\n- {FALSE}\n", encoding="utf-8")
    lines.write_text(f"{TRUE}\n\n{FALSE}\n", encoding="utf-8")
    for given in (("--answer", str(answer)), ("--lines", str(lines))):
        ended = await run(library, *given, "--document", "policy.md")
        assert ended.code == 0, ended.err
        assert f"1. supported 1.00: {TRUE}" in ended.out
        assert "2. contradicted" in ended.out
        assert "(number 30): " in ended.out
        assert f"supports: “{TRUE}”" in ended.out
        assert "judged by " in ended.out


async def test_what_cannot_be_checked_is_said_in_a_sentence(
    library: Library, tmp_path: Path
) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\xff")
    for given, said in (
        ((TRUE,), "there are no sources"),
        ((TRUE, "--source", str(tmp_path / "absent.txt")), "cannot be read"),
        ((TRUE, "--source", str(picture)), "is no text in UTF-8"),
        ((TRUE, "--source", "/dev/zero"), "longer than the 300,000 characters"),
        (("--answer", "-", "--source", "-"), "stdin can be read once"),
        (("--source", str(picture), "--chunk", "x"), "is no text in UTF-8"),
    ):
        ended = await run(library, *given)
        assert ended.code == 2
        assert said in ended.err


# --- tools ------------------------------------------------------------------------------------


async def test_a_model_can_check_statements_before_it_says_them(library: Library) -> None:
    document_id = library.ids["policy.md"]
    async with footnote.open(library.settings) as engine:
        workspace = await engine.workspace()
        said = await check(workspace, statements=[TRUE, FALSE], document_ids=[document_id])
        foreign = await check(workspace, statements=[TRUE], document_ids=[library.ids["annex.md"]])
        nowhere = await check(workspace, statements=[TRUE])
    assert isinstance(said, ToolText)
    assert said.startswith(f"1. SUPPORTED, 1.00: {TRUE}")
    assert "2. CONTRADICTED" in said
    assert "(not in the quotes: number 30)" in said
    data: dict[str, Any] = dict(said.data)
    right, wrong = data["statements"]
    assert right["quotes"][0]["quote"] == TRUE
    assert wrong["missing"] == ["30"]
    assert [str(each.document_id) for each in said.documents] == [document_id]
    assert isinstance(foreign, Refusal)
    assert "there is no document" in foreign
    assert isinstance(nowhere, Refusal)


async def check(workspace: WorkspaceEngine, **arguments: object) -> str:
    tools = {each.name: each for each in document_tools(workspace)}
    return await tools["check_statements"].call(arguments)
