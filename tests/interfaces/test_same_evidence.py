"""One question gives one evidence, whatever face it is put to."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

import anthropic
import openai
import pytest
from ag_ui.core import RunAgentInput, UserMessage

import footnote
from footnote.engine import WorkspaceEngine
from footnote.interfaces.tools.binding import bind
from tests.interfaces.conftest import Library
from tests.interfaces.serving import environment
from tests.interfaces.serving import footnote as command
from tests.interfaces.sse import streaming
from tests.wire import WireServer, calls

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

QUESTION = "How soon must a claim be reported?"
TOP_K = 4
SEARCH = "search_documents"
ARGUMENTS = json.dumps({"query": QUESTION, "top_k": TOP_K})


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a face finds its documents."""

    library: Library
    workspace: WorkspaceEngine

    @property
    def url(self) -> str:
        """Of the server, without a slash at its end."""
        return str(self.library.http.base_url).rstrip("/")


@pytest.fixture(scope="module")
async def asked(library: Library) -> AsyncIterator[Asked]:
    async with footnote.open(library.settings) as engine:
        yield Asked(library, await engine.workspace())


def chunk_ids(evidence: list[dict[str, Any]]) -> list[str]:
    return [str(each["chunk_id"]) for each in evidence]


def ids_of(evidence: tuple[footnote.Evidence, ...]) -> list[str]:
    return [each.passage.chunk_id for each in evidence]


async def by_search(asked: Asked) -> list[str]:
    found = await asked.workspace.search(footnote.SearchRequest(query=QUESTION, top_k=TOP_K))
    return ids_of(found.evidence)


async def by_command_line(asked: Asked) -> list[str]:
    ended = await command(
        environment(asked.library.settings), "ask", QUESTION, "--json", "--top-k", str(TOP_K)
    )
    assert ended.code == 0, ended.err
    return chunk_ids(json.loads(ended.out)["evidence"])


async def by_http(asked: Asked) -> list[str]:
    body = {"question": QUESTION, "top_k": TOP_K}
    response = await asked.library.http.post("/v1/answers", json=body)
    return chunk_ids(response.json()["evidence"])


async def by_events(asked: Asked) -> list[str]:
    body = {"question": QUESTION, "top_k": TOP_K, "stream": True}
    async with streaming(asked.library.http, "/v1/answers", body) as told:
        [sources, *_] = [each async for each in told]
    return chunk_ids(sources.data["evidence"])


async def by_client(asked: Asked) -> list[str]:
    async with footnote.AsyncClient(asked.url) as client:
        return ids_of((await client.ask(QUESTION, top_k=TOP_K)).evidence)


async def by_streaming_client(asked: Asked) -> list[str]:
    async with footnote.AsyncClient(asked.url) as client:
        events = [each async for each in client.ask_stream(QUESTION, top_k=TOP_K)]
    assert isinstance(events[0], footnote.SourcesFound)
    return ids_of(events[0].evidence)


async def by_chat(asked: Asked) -> list[str]:
    async with openai.AsyncOpenAI(base_url=f"{asked.url}/openai/v1", api_key="none") as client:
        completion = await client.chat.completions.create(
            model="footnote",
            messages=[{"role": "user", "content": QUESTION}],
            extra_body={"footnote": {"top_k": TOP_K}},
        )
    return chunk_ids((completion.model_extra or {})["footnote"]["evidence"])


async def by_agui(asked: Asked) -> list[str]:
    run = RunAgentInput(
        thread_id="t",
        run_id="r",
        messages=[UserMessage(id="m", content=QUESTION)],
        forwarded_props={"footnote": {"top_k": TOP_K}},
    )
    body = json.loads(run.model_dump_json(by_alias=True))
    async with streaming(asked.library.http, "/agui", body) as told:
        snapshots = [each.data async for each in told if each.data["type"] == "STATE_SNAPSHOT"]
    return chunk_ids(snapshots[-1]["snapshot"]["evidence"])


async def by_tool(asked: Asked) -> list[str]:
    arguments = {"query": QUESTION, "top_k": TOP_K}
    return named_in(await bind(asked.workspace).dispatch("search_documents", arguments))


async def by_blocking_client(asked: Asked) -> list[str]:
    def answered() -> footnote.Answer:
        with footnote.Client(asked.url) as client:
            return client.ask(QUESTION, top_k=TOP_K)

    return ids_of((await asyncio.to_thread(answered)).evidence)


async def by_openai_functions(asked: Asked) -> list[str]:
    bound = bind(asked.workspace)
    with WireServer(calls(SEARCH, ARGUMENTS)) as server:
        async with openai.AsyncOpenAI(base_url=server.openai_url, api_key="none") as client:
            said = await client.chat.completions.create(
                model="scripted",
                messages=[{"role": "user", "content": QUESTION}],
                tools=cast("Any", bound.openai()),
            )
    [call] = said.choices[0].message.tool_calls or []
    assert call.type == "function"
    return named_in(await bound.dispatch(call.function.name, call.function.arguments))


async def by_anthropic_functions(asked: Asked) -> list[str]:
    bound = bind(asked.workspace)
    with WireServer(calls(SEARCH, ARGUMENTS)) as server:
        url = server.anthropic_url
        async with anthropic.AsyncAnthropic(base_url=url, api_key="none") as client:
            said = await client.messages.create(
                model="scripted",
                max_tokens=64,
                messages=[{"role": "user", "content": QUESTION}],
                tools=cast("Any", bound.anthropic()),
            )
    [call] = [block for block in said.content if block.type == "tool_use"]
    return named_in(await bound.dispatch(call.name, call.input))


async def by_langchain_tool(asked: Asked) -> list[str]:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    [tool] = [each for each in bind(asked.workspace).langchain() if each.name == SEARCH]
    return named_in(await tool.ainvoke(json.loads(ARGUMENTS)))


async def by_llama_index_tool(asked: Asked) -> list[str]:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    tools = bind(asked.workspace).llama_index()
    [tool] = [each for each in tools if each.metadata.name == SEARCH]
    return named_in(str(await tool.acall(**json.loads(ARGUMENTS))))


async def by_langchain(asked: Asked) -> list[str]:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    retriever = bind(asked.workspace).langchain_retriever(top_k=TOP_K)
    return [str(each.metadata["chunk_id"]) for each in await retriever.ainvoke(QUESTION)]


async def by_llama_index(asked: Asked) -> list[str]:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    retriever = bind(asked.workspace).llama_index_retriever(top_k=TOP_K)
    return [str(each.node.metadata["chunk_id"]) for each in await retriever.aretrieve(QUESTION)]


async def by_mcp(asked: Asked) -> list[str]:
    pytest.importorskip("mcp", reason="mcp is not installed")
    from tests.interfaces.test_mcp import over_http, said  # noqa: PLC0415  # needs the package

    async with over_http(asked.library) as client:
        return named_in(await said(client, "search_documents", query=QUESTION, top_k=TOP_K))


def named_in(text: str) -> list[str]:
    """The chunks that a tool's words name."""
    return re.findall(r"^Chunk ID: (\S+)$", text, re.MULTILINE)


FACES: list[Callable[[Asked], Awaitable[list[str]]]] = [
    by_command_line,
    by_http,
    by_events,
    by_client,
    by_streaming_client,
    by_blocking_client,
    by_chat,
    by_agui,
    by_tool,
    by_openai_functions,
    by_anthropic_functions,
    by_langchain,
    by_langchain_tool,
    by_llama_index,
    by_llama_index_tool,
    by_mcp,
]


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__.removeprefix("by_"))
async def test_every_face_gives_the_same_evidence_in_the_same_order(
    asked: Asked, face: Callable[[Asked], Awaitable[list[str]]]
) -> None:
    expected = await by_search(asked)
    assert len(expected) > 1
    assert await face(asked) == expected
