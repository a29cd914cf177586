"""A follow-up question is understood by whatever way it comes in, without a language model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from ag_ui.core import AssistantMessage, RunAgentInput, UserMessage

import footnote
from footnote.settings import Settings
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces import serving
from tests.interfaces.sse import streaming

ASKED = "What is the deductible for storm damage?"
ANSWERED = "The deductible for storm damage is 2,500 euros. [1]"
QUESTION = "And for transit?"
ALONE = "What is the deductible for transit?"
SAID = [{"role": "user", "text": ASKED}, {"role": "assistant", "text": ANSWERED}]
MESSAGES: list[Any] = [
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": ANSWERED},
    {"role": "user", "content": QUESTION},
]
TURNS = tuple(footnote.Turn(role=each["role"], text=each["text"]) for each in SAID)  # type: ignore[arg-type]  # of two roles
PAPERS = {
    "storm.md": "# Storm\n\nThe deductible for storm damage is 2,500 euros for each event.\n",
    "transit.md": "# Transit\n\nThe deductible for transit is 750 euros for each consignment.\n",
}
FOREIGN = (
    "Qual è la franchigia per i danni da tempesta?",
    "E per il trasporto su strada?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insurance:
    """A server over two papers that only a follow-up tells apart."""

    settings: Settings
    http: httpx.AsyncClient

    @property
    def url(self) -> str:
        return str(self.http.base_url).rstrip("/")


@pytest.fixture(scope="module")
async def insurance(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Insurance]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("insurance"), model_home)
        async with footnote.open(settings) as engine:
            workspace = await engine.workspace()
            received = [
                await workspace.receive(text.encode(), name) for name, text in PAPERS.items()
            ]
            found = [each.document.document_id for each in received]
            await footnote.work_until_resting(engine, workspace, found)
        async with serving.served(settings) as client:
            yield Insurance(settings=settings, http=client)


async def posted(insurance: Insurance, path: str, body: object) -> Any:
    response = await insurance.http.post(path, json=body)
    assert response.status_code in (200, 201), response.text
    return response.json()


def assert_understood(answer: Any) -> None:
    assert answer["question"] == QUESTION
    assert answer["asked_as"] == ALONE
    assert "750 euros" in answer["text"]
    assert answer["degraded"] == []


# --- every way in -----------------------------------------------------------------------------


async def test_answers_mind_their_conversation(insurance: Insurance) -> None:
    for _ in ("made", "given again"):
        body = {"question": QUESTION, "conversation": SAID}
        assert_understood(await posted(insurance, "/v1/answers", body))


async def test_streamed_answers_mind_their_conversation(insurance: Insurance) -> None:
    body = {"question": QUESTION, "conversation": SAID}
    async with streaming(insurance.http, "/v1/answers", {**body, "stream": True}) as told:
        events = [each async for each in told]
    assert events[-1].event == "done"
    assert_understood(events[-1].data)


@pytest.mark.parametrize("plan", ["balanced", "fast", "thorough"])
async def test_searches_mind_their_conversation(insurance: Insurance, plan: str) -> None:
    body = {"query": QUESTION, "conversation": SAID, "plan": plan}
    found = await posted(insurance, "/v1/search", body)
    assert found["query"] == QUESTION
    assert found["standalone_question"] == ALONE
    assert found["searched"][0] == ALONE
    assert found["evidence"][0]["filename"] == "transit.md"
    assert found["degraded"] == []


async def test_conversations_mind_themselves(insurance: Insurance) -> None:
    talk = await posted(insurance, "/v1/conversations", {})
    path = f"/v1/conversations/{talk['conversation_id']}/messages"
    await posted(insurance, path, {"question": ASKED})
    exchange = await posted(insurance, path, {"question": QUESTION})
    assert exchange["reply"]["answer"]["asked_as"] == ALONE
    assert "750 euros" in exchange["reply"]["text"]


@pytest.mark.parametrize("base", ["/openai/v1", "/v1"])
async def test_openais_client_is_understood(insurance: Insurance, base: str) -> None:
    async with openai.AsyncOpenAI(base_url=insurance.url + base, api_key="none") as client:
        whole = await client.chat.completions.create(model="footnote", messages=MESSAGES)
        assert_understood((whole.model_extra or {})["footnote"])
        stream = await client.chat.completions.create(
            model="footnote", messages=MESSAGES, stream=True
        )
        chunks = [chunk async for chunk in stream]
    assert_understood((chunks[-1].model_extra or {})["footnote"])


async def test_a_run_of_ag_ui_is_understood(insurance: Insurance) -> None:
    run = RunAgentInput(
        thread_id="t1",
        run_id="r1",
        state={},
        messages=[
            UserMessage(id="m1", content=ASKED),
            AssistantMessage(id="m2", content=ANSWERED),
            UserMessage(id="m3", content=QUESTION),
        ],
        tools=[],
        context=[],
    )
    body = json.loads(run.model_dump_json(by_alias=True))
    async with streaming(insurance.http, "/agui", body) as told:
        events = [each.data async for each in told]
    [*_, last] = [each for each in events if each["type"] == "STATE_SNAPSHOT"]
    assert_understood(last["snapshot"]["answer"])


async def test_the_clients_of_python_are_understood(insurance: Insurance) -> None:
    async with footnote.AsyncClient(insurance.url) as client:
        answer = await client.ask(QUESTION, conversation=TURNS)
        found = await client.search(
            footnote.SearchRequest(query=QUESTION, top_k=2, conversation=TURNS)
        )
    assert (answer.asked_as, "750 euros" in answer.text) == (ALONE, True)
    assert found.standalone_question == ALONE

    def blocking() -> footnote.Answer:
        with footnote.Client(insurance.url) as client:
            return client.ask(QUESTION, conversation=TURNS)

    assert (await asyncio.to_thread(blocking)).asked_as == ALONE


async def test_the_command_is_understood(insurance: Insurance) -> None:
    ended = await serving.footnote(
        serving.environment(insurance.settings),
        *("chat", "--json"),
        stdin=f"{ASKED}\n{QUESTION}\n".encode(),
    )
    assert ended.code == 0, ended.err
    assert_understood(json.loads(ended.out.splitlines()[-1]))


# --- where it does not work -------------------------------------------------------------------


async def test_a_follow_up_in_another_language_is_understood(insurance: Insurance) -> None:
    asked, question = FOREIGN
    body = {"query": question, "conversation": [{"role": "user", "text": asked}]}
    found = await posted(insurance, "/v1/search", body)
    assert found["standalone_question"] == "Qual è la franchigia per il trasporto su strada?"


async def test_a_question_behind_a_greeting_stays_as_it_is(insurance: Insurance) -> None:
    greeted = [{"role": "assistant", "text": "How can I help?"}]
    found = await posted(insurance, "/v1/search", {"query": QUESTION, "conversation": greeted})
    assert (found["standalone_question"], found["degraded"]) == (None, [])


async def test_whoever_asks_for_a_model_hears_that_there_is_none(insurance: Insurance) -> None:
    body = {"query": QUESTION, "conversation": SAID, "stages": {"condense": True}}
    found = await posted(insurance, "/v1/search", body)
    assert found["standalone_question"] == ALONE
    [note] = found["degraded"]
    assert note.startswith("condense: no language model is configured")


async def test_a_question_that_stands_alone_stays_as_it_is(insurance: Insurance) -> None:
    body = {"question": ALONE, "conversation": SAID}
    answer = await posted(insurance, "/v1/answers", body)
    assert answer["asked_as"] is None
    assert answer["searched"] == []
    assert answer["question"] == ALONE
    assert "750 euros" in answer["text"]
