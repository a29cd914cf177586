"""The Model Context Protocol as its own client sees it, over HTTP and over standard input."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote import open as open_footnote
from footnote import work_until_resting
from footnote.settings import Settings
from tests.interfaces.conftest import Library
from tests.interfaces.papers import CLAIM
from tests.interfaces.serving import environment, footnote_process

mcp = pytest.importorskip("mcp", reason="mcp is not installed")
httpx2 = pytest.importorskip("httpx2", reason="mcp brings its own HTTP client")

from mcp import Client, MCPError, StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.types import (  # noqa: E402
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from footnote.interfaces.mcp import stdio  # noqa: E402
from footnote.interfaces.mcp.messages import MAX_LINE_BYTES  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

TOOLS = {
    "search_documents",
    "get_document",
    "list_documents",
    "get_document_context",
    "analyze_document",
    "check_statements",
    "recall_facts",
    "find_related",
    "summarize_documents",
    "create_document",
}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
QUESTION = "How soon must a claim be reported?"
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_http(
    library: Library | httpx.AsyncClient, workspace: str = "", mode: str = "auto"
) -> AsyncIterator[Client]:
    there = library.http if isinstance(library, Library) else library
    headers = {"Footnote-Workspace": workspace} if workspace else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=600) as http,
        Client(
            streamable_http_client(str(there.base_url.join("/mcp")), http_client=http),
            mode=mode,
        ) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(library: Library) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "footnote.interfaces.cli.main", "mcp"],
        env=environment(library.settings),
    )
    async with Client(parameters) as client:
        yield client


async def said(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text


async def refused(call: Callable[[], Awaitable[object]]) -> str:
    with pytest.raises(MCPError) as error:
        await call()
    return str(error.value)


@pytest.mark.parametrize("connect", [over_http, over_stdio], ids=["http", "stdio"])
async def test_tools_resources_and_prompts_are_served_over_either_transport(
    connect: Connect, library: Library
) -> None:
    found = await library.http.post("/v1/search", json={"query": QUESTION})
    async with connect(library) as client:
        assert {each.name for each in (await client.list_tools()).tools} == TOOLS
        text = await said(client, "search_documents", query=QUESTION)
        shown = [line.split()[-1] for line in text.splitlines() if line.startswith("Chunk ID: ")]
        assert shown == [each["chunk_id"] for each in found.json()["evidence"]]
        resources = {each.name: each for each in (await client.list_resources()).resources}
        assert set(resources) == set(library.ids) - {"annex.md"}
        [content] = (await client.read_resource(resources["minutes.md"].uri)).contents
        assert isinstance(content, TextResourceContents)
        assert "moves from June to September" in content.text
        names = {each.name for each in (await client.list_prompts()).prompts}
        assert names == {"answer_with_footnotes", "summarise_document", "compare_documents"}
        prompt = await client.get_prompt("answer_with_footnotes", {"question": QUESTION})
        assert isinstance(prompt.messages[0].content, TextContent)
        assert QUESTION in prompt.messages[0].content.text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_clients_of_either_era_of_the_protocol_are_served(
    library: Library, mode: str
) -> None:
    async with over_http(library, mode=mode) as client:
        assert CLAIM in await said(client, "search_documents", query=QUESTION)


async def test_every_tool_says_the_same_as_data(library: Library) -> None:
    """The client itself holds what comes against the schema."""
    document_id = library.ids["policy.md"]
    async with over_http(library) as client:
        tools = (await client.list_tools()).tools
        assert all((each.output_schema or {})["type"] == "object" for each in tools)
        search = await client.call_tool("search_documents", {"query": QUESTION, "top_k": 2})
        passages = data_of(search)["passages"]
        context = {"chunk_id": passages[0]["chunk_id"], "window": 1}
        around = await client.call_tool("get_document_context", context)
        listed = await client.call_tool("list_documents", {"name_contains": "policy"})
        facts = await client.call_tool("get_document", {"document_id": document_id})
        analysis = await client.call_tool(
            "analyze_document", {"document_id": document_id, "question": QUESTION}
        )
        nothing = await client.call_tool(
            "search_documents", {"query": QUESTION, "collections": ["absent"]}
        )
    assert [each["number"] for each in passages] == [1, 2]
    assert all(f"> {each['text'].splitlines()[0]}" in text_of(search) for each in passages)
    assert all(f"[{each['number']}] " in text_of(search) for each in passages)
    assert data_of(around)["chunk_id"] == passages[0]["chunk_id"]
    assert {each["filename"] for each in data_of(listed)["documents"]} == {
        "policy.md",
        "policy-2024.md",
    }
    assert data_of(facts)["document_id"] == document_id
    assert data_of(facts)["download"] in text_of(facts)
    assert data_of(analysis)["found"]
    assert "14 days" in data_of(analysis)["findings"]
    assert data_of(analysis)["passages"]
    assert data_of(nothing)["passages"] == []


async def test_what_is_found_is_linked_as_a_resource(library: Library) -> None:
    async with over_http(library) as client:
        found = await client.call_tool("search_documents", {"query": QUESTION, "top_k": 4})
        links = [each for each in found.content if isinstance(each, ResourceLink)]
        assert {each.name for each in links} == {
            each["filename"] for each in data_of(found)["passages"]
        }
        [content] = (await client.read_resource(str(links[0].uri))).contents
    assert isinstance(content, TextResourceContents)
    assert CLAIM in content.text


async def test_a_document_that_failed_is_not_offered(
    settings: Settings, http: httpx.AsyncClient
) -> None:
    async with open_footnote(settings) as engine:
        workspace = await engine.workspace()
        await workspace.receive(b"", "empty.md")
        note = await workspace.receive(b"# Note\n\nThe kettle is blue.", "note.md")
        await work_until_resting(engine, workspace, [note.document.document_id])
    async with over_http(Library(settings=settings, http=http, ids={})) as client:
        assert [each.name for each in (await client.list_resources()).resources] == ["note.md"]
        listed = await client.call_tool("list_documents", {})
    status = {each["filename"]: each["status"] for each in data_of(listed)["documents"]}
    assert status == {"note.md": "indexed", "empty.md": "failed"}
    links = [each.name for each in listed.content if isinstance(each, ResourceLink)]
    assert links == ["note.md"]


TITLES = ["Plan *A* [draft] #2", "The captain's log", 'The "last" log', "Minutes: May / June"]
CONTENTS = [
    "# Another heading\n\nThe text.",
    "The text.",
    "---\ntitle: Hers\nauthor: Ann\n---\n\nThe text.",
]


async def test_a_title_that_is_given_is_kept_and_the_next_call_finds_what_was_saved(
    http: httpx.AsyncClient,
) -> None:
    async with over_http(http) as client:
        content = "The harbour mascot is a quokka named Zanzibar."
        await said(client, "create_document", title="Mascot", content=content)
        assert content in await said(client, "search_documents", query="quokka Zanzibar")
        for title, content in zip(TITLES, [*CONTENTS, CONTENTS[0]], strict=True):
            made = await client.call_tool("create_document", {"title": title, "content": content})
            assert data_of(made)["title"] == title
            facts = await client.call_tool(
                "get_document", {"document_id": data_of(made)["document_id"]}
            )
            assert data_of(facts)["title"] == title


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_two_workspaces_never_meet(library: Library) -> None:
    async with over_http(library, workspace="annex") as client:
        text = await said(client, "search_documents", query=QUESTION)
        assert "consul" in text
        assert "14 days" not in text
    async with over_http(library) as client:
        assert "annex.md" not in await said(client, "search_documents", query="consul abroad")
        foreign, absent = library.ids["annex.md"], "00000000-0000-4000-8000-000000000000"
        told = [
            (
                await refused(partial(client.read_resource, f"footnote://documents/{each}")),
                await refused(partial(client.get_prompt, "summarise_document", summarised(each))),
                await client.call_tool("get_document", {"document_id": each}),
            )
            for each in (foreign, absent)
        ]
        assert told[0][2] == told[1][2]
        assert [each.replace(foreign, absent) for each in told[0][:2]] == list(told[1][:2])


def summarised(document_id: str) -> dict[str, str]:
    return {"document_id": document_id}


async def test_wrong_arguments_come_back_as_an_error_that_says_what_is_wrong(
    library: Library,
) -> None:
    async with over_http(library) as client:
        result = await client.call_tool("search_documents", {"query": "x", "top_k": 1000})
        assert result.is_error
        assert "top_k" in text_of(result)
        result = await client.call_tool("search_documents", {"query": "x", "workspace": "annex"})
        assert result.is_error
        assert "workspace: there is no such argument" in text_of(result)
        assert "no such tool" in await refused(lambda: client.call_tool("drop_documents", {}))
        assert "question" in await refused(lambda: client.get_prompt("answer_with_footnotes", {}))
        assert "no such prompt" in await refused(lambda: client.get_prompt("sing", {}))
        result = await client.call_tool("list_documents", {"limit": 0})
        assert result.is_error
        assert "limit: it must be at least 1, not 0" in text_of(result)
        context = {"chunk_id": "0b9f5c1e-3a52-4d0e-9c3b-6f1d2a7e8b90:1:999", "window": 1}
        assert (await client.call_tool("get_document_context", context)).is_error


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "footnote://documents/nope", "{policy}"])
async def test_what_is_no_resource_of_ours_is_not_found(library: Library, uri: str) -> None:
    whole = uri.format(policy=library.ids["minutes.md"])
    async with over_http(library) as client:
        assert "there is no resource" in await refused(lambda: client.read_resource(whole))
        assert "cursor" in await refused(lambda: client.list_resources(cursor="zzz"))


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        (b"{", PARSE_ERROR, "not JSON"),
        (b"\xff", PARSE_ERROR, "not JSON"),
        (b"[" * 50_000, PARSE_ERROR, "nested too deeply"),
        (b"[]", INVALID_REQUEST, "no message of JSON-RPC"),
        (b'{"jsonrpc": "2.0"}', INVALID_REQUEST, "no message of JSON-RPC"),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST, "The `id`"),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', INVALID_REQUEST, "half a"),
    ],
)
async def test_a_body_that_is_no_message_is_told_so_in_our_words(
    library: Library, body: bytes, code: int, said: str
) -> None:
    answer = await library.http.post("/mcp", content=body, headers=JSON)
    assert answer.status_code == 400
    told = answer.json()
    assert (told["id"], told["error"]["code"]) == (None, code)
    assert said in told["error"]["message"]
    # Advice for standard input helps nobody here.
    assert "line." not in told["error"]["message"]
    assert "pydantic" not in answer.text


async def test_a_link_to_the_file_is_one_that_works(library: Library) -> None:
    async with over_http(library, workspace="annex") as client:
        text = await said(client, "get_document", document_id=library.ids["annex.md"])
    [link] = [line for line in text.splitlines() if line.startswith("Download: ")]
    file = await library.http.get(link.removeprefix("Download: "))
    assert file.status_code == 200
    assert b"consul" in file.content


async def test_an_unknown_workspace_is_refused(library: Library) -> None:
    async with over_http(library, workspace="nowhere", mode="legacy") as client:
        assert "no workspace 'nowhere'" in await refused(client.list_tools)
    ended = await footnote_process(environment(library.settings), "mcp", "--workspace", "nowhere")
    assert (ended.code, ended.out) == (3, "")
    assert "nowhere" in ended.err


async def test_lines_that_are_no_messages_are_answered_and_so_are_requests_once_the_input_ended(
    library: Library,
) -> None:
    asked = {"name": "search_documents", "arguments": {"query": "storm"}}
    version = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, object]] = [
        {"id": 10, "method": "initialize", "params": version},
        {"method": "notifications/initialized"},
        {"id": 11, "method": "tools/list"},
        {"id": 12, "method": "tools/call", "params": asked},
        {"method": "notifications/cancelled", "params": {"requestId": 13}},
    ]
    lines = [
        b"x" * (MAX_LINE_BYTES + 1),
        b"x" * (3 * MAX_LINE_BYTES),
        b"{",
        b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}',
        b"[" * 5000,
        b"",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}',
        b'{"jsonrpc": "2.0", "id": "eight", "method": "ping", "params": "x"}',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping", "params": 1}',
        b'{"jsonrpc": "2.0", "id": 9, "result": 1}',
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
        b'{"jsonrpc": "2.0", "method": "notifications/x", "params": {"id": null}}',
        *(json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages),
        b"",
    ]
    # As talkative as it can be, and yet nothing but messages comes out.
    env = environment(library.settings, FOOTNOTE_LOG="debug")
    ended = await footnote_process(env, "mcp", stdin=b"\n".join(lines))
    assert ended.code == 0, ended.err
    said = [json.loads(line) for line in ended.out.splitlines()]
    assert {each["jsonrpc"] for each in said} == {"2.0"}
    assert [(each["id"], each["error"]["code"]) for each in said if "error" in each] == [
        *((None, INVALID_REQUEST), (None, INVALID_REQUEST)),
        *((None, PARSE_ERROR), (None, PARSE_ERROR), (None, PARSE_ERROR)),
        *((None, INVALID_REQUEST), (7, INVALID_REQUEST), ("eight", INVALID_REQUEST)),
        *((None, INVALID_REQUEST), (None, INVALID_REQUEST)),
        *((None, INVALID_REQUEST), (None, INVALID_REQUEST), (None, INVALID_REQUEST)),
    ]
    assert all("16 MiB" in each["error"]["message"] for each in said[:2])
    answers = {each["id"]: each["result"] for each in said if "result" in each}
    assert answers.keys() == {10, 11, 12}
    assert "serverInfo" in answers[10]
    assert asked["name"] in {each["name"] for each in answers[11]["tools"]}
    assert answers[12]["content"]


async def test_standard_input_without_a_byte_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:  # noqa: ASYNC230  # nothing is to be waited for
        monkeypatch.setattr(sys, "stdin", nothing)
        async with asyncio.timeout(600):
            assert [line async for line in await stdio._lines()] == []


async def test_requests_from_elsewhere_are_refused(library: Library) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        answer = await library.http.post("/mcp", json={}, headers=headers)
        assert answer.status_code == 403


async def test_a_stream_of_the_servers_own_messages_is_refused(library: Library) -> None:
    answer = await library.http.get("/mcp", headers={"Accept": "text/event-stream"})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"[" * 5000],
    ids=range(6).__contains__,
)
async def test_what_is_no_message_is_a_client_error(library: Library, body: bytes) -> None:
    answer = await library.http.post("/mcp", content=body, headers=JSON)
    assert 400 <= answer.status_code < 500


async def test_a_message_that_is_too_large_is_refused(library: Library) -> None:
    answer = await library.http.post("/mcp", content=b" " * 2_000_000, headers=JSON)
    assert answer.status_code == 413


async def test_while_the_engine_starts_it_says_so(closed: httpx.AsyncClient) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = await closed.post("/mcp", json=message, headers=JSON)
    assert "starting" in answer.text
