"""Two workspaces with the same documents, through every verb of the engine."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.domain import Principal, SearchFilters, SearchRequest
from footnote.engine import Engine
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting

TEXT = b"# Policy POL-88213-X\n\nThe deductible for storm damage is EUR 12,500 for each event."


async def test_twins_never_meet(engine: Engine) -> None:
    await engine.create_workspace("acme")
    await engine.create_workspace("bolt")
    acme, bolt = await engine.workspace("acme"), await engine.workspace("bolt")
    documents = {}
    for workspace in (acme, bolt):
        received = await workspace.receive(TEXT, "policy.md")
        assert not received.duplicate
        documents[workspace.workspace.name] = received.document
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
    for mine, theirs in ((acme, documents["bolt"]), (bolt, documents["acme"])):
        response = await mine.search(SearchRequest(query="POL-88213-X"))
        own = documents[mine.workspace.name].document_id
        assert {each.passage.document_id for each in response.evidence} == {own}
        answer = await mine.ask("What is the deductible for storm damage?")
        assert answer.found
        assert {each.document_id for each in answer.citations} == {own}
        filtered = await mine.search(
            SearchRequest(
                query="deductible", filters=SearchFilters(document_ids=(theirs.document_id,))
            )
        )
        assert filtered.evidence == ()
        assert await mine.statuses([theirs.document_id]) == {}
        for attempt in (
            mine.document(theirs.document_id),
            mine.children(theirs.document_id),
            mine.delete_document(theirs.document_id),
            mine.context(f"{theirs.document_id}:1:0"),
        ):
            with pytest.raises(NotFound):
                await attempt
    await acme.delete_document(documents["acme"].document_id)
    assert (await bolt.search(SearchRequest(query="POL-88213-X"))).evidence


@pytest.mark.usefixtures("own_database")
async def test_the_default_workspace_makes_itself_and_others_do_not(engine: Engine) -> None:
    assert (await engine.workspace()).workspace.name == "default"
    with pytest.raises(NotFound):
        await engine.workspace("nobody")
    await engine.create_workspace("acme")
    with pytest.raises(Conflict):
        await engine.create_workspace("acme")
    with pytest.raises(InvalidRequest):
        await engine.create_workspace("Not A Name")
    assert [each.name for each in await engine.workspaces()] == ["acme", "default"]


@pytest.mark.parametrize("name", ["a\0b", "\0", "a\ud800"], ids=ascii)
async def test_a_name_that_cannot_be_stored_is_nobodys(engine: Engine, name: str) -> None:
    with pytest.raises(NotFound, match="there is no workspace"):
        await engine.workspace(name)
    with pytest.raises(InvalidRequest, match="cannot name a workspace"):
        await engine.create_workspace(name)


@pytest.mark.parametrize(
    "name", ["*", "group:board", "collection:hr", "workspace:members", "link:1", " "]
)
async def test_nobody_may_act_under_a_name_that_access_lists_use(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidRequest):
        await engine.workspace(principal=Principal(principal_id=name))


async def test_a_group_is_never_taken_for_a_person_or_the_system() -> None:
    names = Principal(principal_id="ann", groups=("*", "bob")).access_names
    assert not {"*", "bob"} & set(names)


@pytest.mark.parametrize(
    "query", ["", "   ", "\x00", "x" * 10_001], ids=["empty", "blank", "nul", "long"]
)
async def test_a_query_that_asks_nothing_is_refused(engine: Engine, query: str) -> None:
    workspace = await engine.workspace()
    with pytest.raises(InvalidRequest):
        await workspace.search(SearchRequest(query=query))
    with pytest.raises(InvalidRequest):
        await workspace.ask(query)


@pytest.mark.parametrize(
    "options",
    [
        {"collection": "a\x00b"},
        {"collection": "c" * 201},
        {"external_id": "\ud800"},
        {"external_id": ""},
        {"metadata": {"rate": float("nan")}},
        {"metadata": {"k\x00": 1}},
        {"metadata": {"note": "\udfff"}},
        {"tags": ["a", ""]},
        {"tags": ["t" * 101]},
        {"tags": ["a\x00"]},
        {"tags": [str(number) for number in range(51)]},
    ],
    ids=[
        "nul",
        "long",
        "surrogate",
        "empty",
        "nan",
        "key",
        "value",
        "no tag",
        "tag",
        "nul tag",
        "tags",
    ],
)
async def test_labels_that_cannot_be_stored_are_refused(
    engine: Engine, options: dict[str, Any]
) -> None:
    workspace = await engine.workspace()
    with pytest.raises(InvalidRequest):
        await workspace.receive(b"text", "a.txt", **options)
    assert (await workspace.stats()).documents == 0


async def test_a_hostile_name_is_made_harmless(engine: Engine) -> None:
    workspace = await engine.workspace()
    received = await workspace.receive(b"text", "../../etc/\x1b[31mpass\x00wd\ud800.txt")
    assert received.document.filename == "[31mpasswd.txt"


async def test_an_unknown_plan_is_refused(engine: Engine) -> None:
    workspace = await engine.workspace()
    with pytest.raises(InvalidRequest):
        await workspace.search(SearchRequest(query="x", plan="nonsense"))
    await workspace.search(SearchRequest(query="x", plan="balanced"))


async def test_an_engine_is_shown_without_what_it_holds(engine: Engine) -> None:
    """Its settings, its caches and each of their vectors would be a second's work."""
    assert len(repr(await engine.workspace())) < 1000
