"""The tools through every face: the same evidence, whichever library asks."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

import footnote
from footnote.interfaces.tools.binding import DocumentTools, bind
from footnote.tools import EvidenceLedger, Refusal
from tests.interfaces.conftest import Library, but_for_ids

QUESTION = "How soon must a claim be reported?"
ASKED = {"query": QUESTION, "top_k": 3}


@pytest.fixture(scope="module")
async def engine(library: Library) -> AsyncIterator[footnote.Engine]:
    async with footnote.open(library.settings) as opened:
        yield opened


@pytest.fixture
async def tools(engine: footnote.Engine) -> DocumentTools:
    return bind(await engine.workspace())


@pytest.fixture
async def expected(engine: footnote.Engine) -> list[str]:
    """The chunks that the engine itself finds."""
    workspace = await engine.workspace()
    found = await workspace.search(footnote.SearchRequest(query=QUESTION, top_k=3))
    return [each.passage.chunk_id for each in found.evidence]


def chunks(text: str) -> list[str]:
    return re.findall(r"^Chunk ID: (\S+)$", text, re.MULTILINE)


# --- schemas ----------------------------------------------------------------------------------


async def test_a_call_is_dispatched_as_json_text_or_as_an_object(
    tools: DocumentTools, expected: list[str]
) -> None:
    assert chunks(await tools.dispatch("search_documents", json.dumps(ASKED))) == expected
    assert chunks(await tools.dispatch("search_documents", ASKED)) == expected


async def test_the_schemas_of_all_apis_describe_the_same_tools(tools: DocumentTools) -> None:
    anthropic = {each["name"]: each["input_schema"] for each in tools.anthropic()}
    responses = {each["name"]: each["parameters"] for each in tools.openai_responses()}
    openai = {}
    for each in tools.openai():
        function = each["function"]
        assert isinstance(function, dict)
        openai[function["name"]] = function["parameters"]
    assert openai == anthropic == responses
    assert set(openai) == {each.name for each in tools.tools}
    json.dumps(tools.openai())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("drop_documents", "{}"),
        ("", "{}"),
        ("search_documents", "{"),
        ("search_documents", "[1]"),
        ("search_documents", "null"),
        ("search_documents", "[" * 100_000),
        ("search_documents", ""),
        ("search_documents", '{"query": "\\ud800"}'),
    ],
    ids=["unknown", "nameless", "cut", "list", "null", "deep", "empty", "surrogate"],
)
async def test_a_call_that_makes_no_sense_is_refused_in_words(
    tools: DocumentTools, name: str, arguments: str
) -> None:
    assert isinstance(await tools.dispatch(name, arguments), Refusal)


async def test_two_workspaces_never_meet(engine: footnote.Engine, library: Library) -> None:
    annex = bind(await engine.workspace("annex"))
    said = await annex.dispatch("search_documents", {"query": QUESTION})
    assert "consul" in said
    assert "policy.md" not in said
    for name in ("policy.md", "secret.md"):
        said = await annex.dispatch("get_document", {"document_id": library.ids[name]})
        assert said == "get_document failed: not found in this workspace"


async def test_what_is_hidden_from_a_principal_is_hidden_from_its_tools(
    engine: footnote.Engine, library: Library
) -> None:
    for name, sees in (("alice", True), ("bob", False)):
        tools = bind(await engine.workspace(principal=footnote.Principal(principal_id=name)))
        found = await tools.dispatch("search_documents", {"query": "merger with Quillfen"})
        listed = await tools.dispatch("list_documents", {})
        told = await tools.dispatch("get_document", {"document_id": library.ids["secret.md"]})
        assert ["secret.md" in each for each in (found, listed, told)] == [sees] * 3


async def test_a_ledger_numbers_evidence_over_all_calls(engine: footnote.Engine) -> None:
    ledger = EvidenceLedger()
    tools = bind(await engine.workspace(), ledger)
    first = await tools.dispatch("search_documents", {"query": QUESTION, "top_k": 1})
    second = await tools.dispatch("search_documents", {"query": "launch of the buoy", "top_k": 1})
    assert "\n[1] document: Marine policy" in first
    assert "\n[2] document: Minutes" in second
    assert [each.rank for each in ledger.evidence] == [1, 2]


# --- blocking ---------------------------------------------------------------------------------


async def test_a_blocking_call_in_the_loops_own_thread_is_refused_and_not_waited_for(
    tools: DocumentTools,
) -> None:
    with pytest.raises(footnote.InvalidRequest, match="would stop the event loop"):
        tools.dispatch_sync("search_documents", ASKED)


async def test_another_thread_may_block(tools: DocumentTools, expected: list[str]) -> None:
    said = await asyncio.to_thread(tools.dispatch_sync, "search_documents", ASKED)
    assert chunks(said) == expected


async def test_the_blocking_engine_serves_blocking_and_asynchronous_callers(
    library: Library, expected: list[str]
) -> None:
    def work() -> tuple[str, str]:
        with footnote.open_sync(library.settings) as engine:
            tools = bind(engine.workspace())
            blocking = tools.dispatch_sync("search_documents", ASKED)
            return blocking, asyncio.run(tools.dispatch("search_documents", ASKED))

    blocking, awaited = await asyncio.to_thread(work)
    assert chunks(blocking) == chunks(awaited) == expected


async def test_outside_the_loop_only_a_blocking_workspace_can_be_bound(
    engine: footnote.Engine,
) -> None:
    workspace = await engine.workspace()
    with pytest.raises(footnote.InvalidRequest, match="no event loop"):
        await asyncio.to_thread(bind, workspace)


# --- pydantic-ai ------------------------------------------------------------------------------


async def test_a_pydantic_ai_agent_finds_the_same(
    tools: DocumentTools, expected: list[str]
) -> None:
    offered: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered[:] = [each.name for each in info.function_tools]
        returned = [
            part.content
            for message in messages
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        ]
        if returned:
            return ModelResponse(parts=[TextPart(str(returned[0]))])
        return ModelResponse(parts=[ToolCallPart("search_documents", ASKED)])

    agent = Agent(FunctionModel(model), toolsets=[tools.pydantic_ai()])
    result = await agent.run("anything")
    assert chunks(result.output) == expected
    assert offered == [each.name for each in tools.tools]


# --- LangChain --------------------------------------------------------------------------------


async def test_langchain_finds_the_same(tools: DocumentTools, expected: list[str]) -> None:
    calling = pytest.importorskip(
        "langchain_core.utils.function_calling", reason="langchain-core is not installed"
    )
    made = {each.name: each for each in tools.langchain()}
    assert set(made) == {each.name for each in tools.tools}
    search = made["search_documents"]
    assert chunks(await search.ainvoke(ASKED)) == expected
    assert chunks(await asyncio.to_thread(search.invoke, ASKED)) == expected
    described = calling.convert_to_openai_tool(search)["function"]["parameters"]["properties"]
    own = next(each for each in tools.tools if each.name == "search_documents")
    assert described == own.parameters["properties"]
    refused = await search.ainvoke({"query": "x", "top_k": 1000})
    assert refused.startswith("search_documents failed: ")


async def test_a_langchain_retriever_finds_the_same(
    tools: DocumentTools, expected: list[str]
) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    retriever = tools.langchain_retriever(top_k=3)
    found = await retriever.ainvoke(QUESTION)
    assert [each.id for each in found] == expected
    assert found[0].metadata["chunk_id"] == expected[0]
    assert found[0].metadata["section"] == "Marine policy POL-88213-X > Claims"
    blocked = await asyncio.to_thread(retriever.invoke, QUESTION)
    assert blocked == found
    board = tools.langchain_retriever(filters=footnote.SearchFilters(collections=("board",)))
    assert {each.metadata["collection"] for each in await board.ainvoke(QUESTION)} == {"board"}


async def test_langchains_parallel_call_in_the_loops_own_thread_is_refused_and_not_waited_for(
    tools: DocumentTools, expected: list[str]
) -> None:
    runnables = pytest.importorskip(
        "langchain_core.runnables", reason="langchain-core is not installed"
    )
    search = next(each for each in tools.langchain() if each.name == "search_documents")
    parallel = runnables.RunnableParallel(found=tools.langchain_retriever(top_k=3), said=search)
    with pytest.raises(footnote.InvalidRequest, match="would stop the event loop"):
        parallel.invoke(QUESTION)
    both = runnables.RunnableParallel(found=tools.langchain_retriever(top_k=3))
    assert [each.id for each in (await both.ainvoke(QUESTION))["found"]] == expected
    blocked = await asyncio.to_thread(both.invoke, QUESTION)
    assert [each.id for each in blocked["found"]] == expected


# --- LlamaIndex -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_llama_index_finds_the_same(tools: DocumentTools, expected: list[str]) -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    made = {each.metadata.name: each for each in tools.llama_index()}
    assert set(made) == {each.name for each in tools.tools}
    search = made["search_documents"]
    assert chunks(str((await search.acall(**ASKED)).content)) == expected
    blocked = await asyncio.to_thread(search.call, **ASKED)
    assert chunks(str(blocked.content)) == expected
    described = search.metadata.to_openai_tool()["function"]
    assert set(described["parameters"]["properties"]) >= {"query", "top_k", "collections"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_llama_index_retriever_finds_the_same(
    tools: DocumentTools, expected: list[str]
) -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    retriever = tools.llama_index_retriever(top_k=3)
    found = await retriever.aretrieve(QUESTION)
    assert [each.node.node_id for each in found] == expected
    assert found[0].score is not None
    assert found[0].node.metadata["section"] == "Marine policy POL-88213-X > Claims"
    blocked = await asyncio.to_thread(retriever.retrieve, QUESTION)
    assert [each.node.node_id for each in blocked] == expected


# --- where it stands --------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_what_retrievers_find_names_its_source_and_a_link_to_it(
    library: Library, engine: footnote.Engine
) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    tools = bind(await engine.workspace("annex"), base_url=str(library.http.base_url))
    [found, *_] = await tools.langchain_retriever(top_k=1).ainvoke("consul")
    [node, *_] = await tools.llama_index_retriever(top_k=1).aretrieve("consul")
    assert found.metadata["source"] == node.node.metadata["source"] == "annex.md"
    assert found.metadata["link"] == node.node.metadata["link"]
    assert found.metadata["link"].startswith(str(library.http.base_url))
    file = await library.http.get(found.metadata["link"])
    assert file.status_code == 200
    assert b"consul" in file.content


async def test_without_an_address_links_go_where_the_server_would_be(
    tools: DocumentTools, engine: footnote.Engine
) -> None:
    found = await tools.search(QUESTION, 1)
    link = tools.link_to(found.evidence[0].passage)
    assert link.startswith(f"http://{engine.settings.address}/v1/documents/")
    assert "workspace=default" in link


# --- what is missing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("face", "library_name", "extra"),
    [
        ("pydantic_ai", "pydantic_ai.toolsets", "models"),
        ("langchain", "langchain_core.tools", "langchain"),
        ("llama_index", "llama_index.core.tools", "llama-index"),
    ],
)
async def test_a_library_that_is_missing_is_named_with_what_brings_it(
    tools: DocumentTools,
    monkeypatch: pytest.MonkeyPatch,
    face: str,
    library_name: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, library_name, None)
    monkeypatch.delitem(sys.modules, f"footnote.interfaces.tools.{face}", raising=False)
    with pytest.raises(footnote.InvalidRequest, match="is not installed") as error:
        getattr(tools, face)()
    assert error.value.hint == f"in a clone of Footnote: pip install '.[{extra}]'"


# --- the file ---------------------------------------------------------------------------------


async def test_a_file_comes_back_as_it_was_handed_in_and_is_never_shown(library: Library) -> None:
    answer = await library.http.get(f"/v1/documents/{library.ids['policy.md']}/content")
    assert answer.status_code == 200
    assert answer.text.startswith("# Marine policy POL-88213-X")
    assert answer.headers["content-disposition"].startswith('attachment; filename="policy.md"')
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


async def test_a_part_of_a_file_is_what_the_range_says(library: Library) -> None:
    path = f"/v1/documents/{library.ids['policy.md']}/content"
    whole = (await library.http.get(path)).content
    size = len(whole)
    parts = {
        "bytes=2-7": whole[2:8],
        "bytes=300-": whole[300:],
        f"bytes=10-{size * 2}": whole[10:],
        "bytes=-5": whole[-5:],
        f"bytes=-{size * 2}": whole,
    }
    for asked, expected in parts.items():
        answer = await library.http.get(path, headers={"Range": asked})
        assert (answer.status_code, answer.content) == (206, expected), asked
        start = size - len(expected) if asked != "bytes=2-7" else 2
        last = start + len(expected) - 1
        assert answer.headers["content-range"] == f"bytes {start}-{last}/{size}"
    for passed_over in ("bytes=5-2", "bytes=0-1,4-5", "pages=1-2", "bytes=-"):
        answer = await library.http.get(path, headers={"Range": passed_over})
        assert (answer.status_code, answer.content) == (200, whole), passed_over
    for nowhere in (f"bytes={size}-", "bytes=-0"):
        answer = await library.http.get(path, headers={"Range": nowhere})
        assert answer.status_code == 416, nowhere
        assert answer.headers["content-range"] == f"bytes */{size}"


async def test_a_foreign_and_an_absent_file_look_the_same(library: Library) -> None:
    absent = "00000000-0000-4000-8000-000000000000"
    answers = [
        await library.http.get(f"/v1/documents/{each}/content")
        for each in (library.ids["annex.md"], absent)
    ]
    assert {each.status_code for each in answers} == {404}
    assert len({but_for_ids(each) for each in answers}) == 1


async def test_a_link_names_its_workspace_and_cannot_name_two(library: Library) -> None:
    path = f"/v1/documents/{library.ids['annex.md']}/content"
    assert (await library.http.get(path, params={"workspace": "annex"})).status_code == 200
    header = {"Footnote-Workspace": "default"}
    answer = await library.http.get(path, params={"workspace": "annex"}, headers=header)
    assert answer.status_code == 422
