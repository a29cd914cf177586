"""A model that looks things up by itself, over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

import footnote
from tests.interfaces.conftest import Library
from tests.interfaces.serving import scripted, served
from tests.wire import Asked, Reply, WireServer, calls, fails, says

QUESTION = "How soon must a claim be reported?"
SEARCH = json.dumps({"query": "claim reported within days of the loss"})


def looks_up_then_answers(asked: Asked) -> Reply:
    """Search first; answer with the sentence of the first source once there is one."""
    if not asked.tool_results:
        return calls("search_documents", SEARCH)
    return says("A claim must be reported in writing ", "within 14 days of the loss. [1]")


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer(respond=looks_up_then_answers) as server:
        yield server


@pytest.fixture
async def client(library: Library, model: WireServer) -> AsyncIterator[httpx.AsyncClient]:
    settings = scripted(library.settings, model)
    async with served(settings) as serving:
        yield serving


async def test_an_agents_answer_is_cited_like_any_other(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/agent", json={"question": QUESTION})
    answer = response.raise_for_status().json()
    assert answer["found"]
    (citation,) = answer["citations"]
    assert "within 14 days" in citation["quote"]
    assert answer["usage"]["requests"] == 2


async def test_every_call_of_a_tool_is_told(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/agent", json={"question": QUESTION, "stream": True})
    names = [
        line.removeprefix("event: ")
        for line in response.raise_for_status().text.splitlines()
        if line.startswith("event: ")
    ]
    assert names[:3] == ["tool", "tool", "sources"]
    assert names[-1] == "done"


async def test_a_chat_front_end_may_want_an_agent(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/v1/chat/completions",
        json={
            "model": "footnote",
            "messages": [{"role": "user", "content": QUESTION}],
            "footnote": {"agent": True},
        },
    )
    (choice,) = response.raise_for_status().json()["choices"]
    assert choice["message"]["annotations"]


async def test_an_agui_front_end_sees_the_tools(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/agui",
        json={
            "threadId": "t",
            "runId": "r",
            "messages": [{"id": "m", "role": "user", "content": QUESTION}],
            "forwardedProps": {"footnote": {"agent": True}},
        },
    )
    kinds = [
        json.loads(line.removeprefix("data: "))["type"]
        for line in response.raise_for_status().text.splitlines()
        if line.startswith("data: ")
    ]
    assert kinds[0] == "RUN_STARTED"
    assert "TOOL_CALL_RESULT" in kinds
    assert kinds[-1] == "RUN_FINISHED"


async def test_what_a_failed_agent_has_used_is_told(library: Library) -> None:
    used = {"requests": 1, "input_tokens": 100, "output_tokens": 20, "cost_usd": None}
    run = {
        "threadId": "t",
        "runId": "r",
        "messages": [{"id": "m", "role": "user", "content": QUESTION}],
        "forwardedProps": {"footnote": {"agent": True}},
    }
    chat = {"messages": run["messages"], "footnote": {"agent": True}}

    def fails_after_a_search(asked: Asked) -> Reply:
        return fails(401) if asked.tool_results else calls("search_documents", SEARCH)

    with WireServer(respond=fails_after_a_search) as model:
        settings = scripted(library.settings, model)
        async with served(settings) as client:
            problem = await client.post("/v1/agent", json={"question": QUESTION})
            streamed = await client.post("/v1/agent", json={"question": QUESTION, "stream": True})
            ran = await client.post("/agui", json=run)
            refused = await client.post("/v1/chat/completions", json=chat)
            async with footnote.AsyncClient(str(client.base_url), retries=0) as sdk:
                *_, failed = [event async for event in sdk.agent_stream(QUESTION)]
    assert problem.status_code == 503
    assert problem.json()["usage"] | {"cost_usd": None} == used
    *_, counted, error = (
        json.loads(line.removeprefix("data: "))
        for line in streamed.text.splitlines()
        if line.startswith("data: ")
    )
    assert (counted, error["usage"]) == (used, used)
    last = json.loads(ran.text.split("data: ")[-1])
    assert last["type"] == "RUN_ERROR"
    assert last["usage"][0]["inputTokens"] == 100
    assert refused.json()["usage"]["total_tokens"] == 120
    assert isinstance(failed, footnote.AnswerFailed)
    assert failed.usage == footnote.Usage(requests=1, input_tokens=100, output_tokens=20)


async def test_without_a_model_an_agent_is_refused(library: Library) -> None:
    async with served(library.settings) as client:
        response = await client.post("/v1/agent", json={"question": QUESTION})
    assert response.status_code == 422
    assert "FOOTNOTE_ANSWER_MODELS" in response.json()["hint"]
