"""What may be asked next, over HTTP, by the clients, in AG-UI and on the command line."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import footnote as package
from footnote.domain import AnswerDone, SuggestionsMade
from tests.interfaces.conftest import Library
from tests.interfaces.serving import environment, footnote
from tests.interfaces.sse import streaming
from tests.interfaces.test_agui import events_of, run_of

PRICE = "What is the price of a buoy?"
"""Of a table that has the price of another part, too."""


def chunks_of(answer: dict[str, Any]) -> list[str]:
    return [each["chunk_id"] for each in (*answer["citations"], *answer["evidence"])]


async def test_suggestions_are_asked_for_after_an_answer(library: Library) -> None:
    answer = (await library.http.post("/v1/answers", json={"question": PRICE})).json()
    body = {"question": PRICE, "answer": answer["text"], "chunk_ids": chunks_of(answer)}
    made = await library.http.post("/v1/suggestions", json=body)
    assert made.status_code == 200, made.text
    assert made.json()["questions"]
    for each in made.json()["questions"]:
        again = await library.http.post("/v1/answers", json={"question": each["question"]})
        assert again.json()["found"]
        assert again.json()["citations"][0]["chunk_id"] == each["chunk_id"]


async def test_a_stream_ends_with_suggestions_where_they_are_wanted(library: Library) -> None:
    body = {"question": PRICE, "stream": True, "suggest": True}
    async with streaming(library.http, "/v1/answers", body) as told:
        names = [each.event async for each in told]
    assert names[-2:] == ["done", "suggestions"]
    run_id = (await library.http.post("/v1/answers", json={**body, "suggest": False})).text
    assert "event: suggestions" not in run_id


async def test_the_clients_give_suggestions(library: Library) -> None:
    async with package.AsyncClient(str(library.http.base_url)) as client:
        async with aclosing(client.ask_stream(PRICE, suggest=True)) as stream:
            events = [each async for each in stream]
        assert isinstance(events[-2], AnswerDone)
        assert isinstance(events[-1], SuggestionsMade)
        talk = await client.conversations.create()
        exchange = await client.conversations.ask(talk.conversation_id, PRICE)
        reply = exchange.reply.message_id
        made = await client.conversations.suggest(talk.conversation_id, reply)
        assert [each.question for each in made.questions] == [
            each.question for each in events[-1].suggestions.questions
        ]
        page = await client.conversations.messages(talk.conversation_id)
        assert page.messages[1].answer is not None
        assert page.messages[1].answer.suggestions == made.questions


async def test_a_run_of_agui_tells_suggestions_before_it_ends(library: Library) -> None:
    events = await events_of(
        library, run_of(PRICE, forwarded_props={"footnote": {"suggest": True}})
    )
    kinds = [each.type.value for each in events]
    assert kinds[-4:] == ["STATE_SNAPSHOT", "CUSTOM", "STATE_DELTA", "RUN_FINISHED"]
    assert kinds.count("RUN_FINISHED") == 1
    assert events[-3].name == "footnote:suggestions"
    assert events[-2].delta[0].value == events[-3].value["questions"]


async def test_commands_say_what_may_be_asked_next(library: Library) -> None:
    env = environment(library.settings)
    asked = await footnote(env, "ask", PRICE, "--suggest", "--json")
    assert asked.code == 0, asked.err
    questions = [each["question"] for each in json.loads(asked.out)["suggestions"]["questions"]]
    assert questions
    plain = await footnote(env, "ask", PRICE, "--json")
    assert "suggestions" not in json.loads(plain.out)
    shown = await footnote(env, "ask", PRICE, "--suggest")
    assert f"1  {questions[0]}" in shown.out
    talk = await footnote(env, "chat", "--suggest", "--json", stdin=f"{PRICE}\n".encode())
    assert talk.code == 0, talk.err
    told = json.loads(talk.out)["suggestions"]["questions"]
    assert [each["question"] for each in told] == questions
