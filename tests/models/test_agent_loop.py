"""A model asks for tools until it has an answer, within bounds, and each step is told."""

from __future__ import annotations

from collections.abc import Mapping

import pydantic_ai
import pytest

from footnote.domain import ToolCalled, ToolReturned, Turn, Usage
from footnote.errors import ModelUnavailable
from footnote.models.agent_loop import RULE
from footnote.ports import AgentLimits, Refusal, Tool, WrittenText
from tests.wire import (
    Reply,
    WireServer,
    calls,
    calls_each,
    cut_off,
    endless,
    fails,
    falls_silent,
    says,
)

from .agents import ANTHROPIC, BOTH, BOUNDS, OPENAI, SEARCH, SERVED, failure, returned, run, steps
from .answering import BEDROCK, EXTRAS, models_at

# --- the loop ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [OPENAI, ANTHROPIC, *EXTRAS])
async def test_a_tool_is_called_its_result_read_and_the_answer_written(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(
        calls("search_documents", '{"query":"rent"}', text="Let me look."),
        says("The rent", " is 900 EUR [1]."),
    )
    events = await run(wire_server, name)
    assert events[:-1] == [
        WrittenText(text="Let me look."),
        ToolCalled(call_id="call_1", name="search_documents", arguments='{"query":"rent"}'),
        ToolReturned(
            call_id="call_1",
            name="search_documents",
            result="[1] lease.pdf, p. 2: the rent is 900 EUR. (searched: rent)",
        ),
        WrittenText(text="The rent"),
        WrittenText(text=" is 900 EUR [1]."),
    ]
    first, second = wire_server.asked
    assert first.streamed
    assert first.instructions == f"Answer from the documents.\n\n{RULE}"
    assert first.prompt == "What is the rent?"
    assert first.tools.keys() == {"search_documents", "list_documents"}
    assert first.tools["search_documents"]["required"] == ["query"]
    assert second.tool_results == ["[1] lease.pdf, p. 2: the rent is 900 EUR. (searched: rent)"]
    assert "lease.pdf" not in second.instructions


@BOTH
async def test_the_last_piece_has_the_usage_of_every_step(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), says("900 EUR."))
    last = (await run(wire_server, name))[-1]
    assert isinstance(last, WrittenText)
    assert last.model == name
    assert last.usage is not None
    assert (last.usage.requests, last.usage.input_tokens, last.usage.output_tokens) == (2, 200, 40)
    assert last.usage.cost_usd is not None
    assert last.usage.cost_usd > 0


async def test_a_cost_that_is_not_known_is_not_guessed(wire_server: WireServer) -> None:
    wire_server.script(says("900 EUR."))
    last = (await run(wire_server, SERVED))[-1]
    assert last == WrittenText(
        usage=Usage(requests=1, input_tokens=100, output_tokens=20), model=SERVED
    )


async def test_several_tools_are_called_at_once(wire_server: WireServer) -> None:
    wire_server.script(
        calls_each(
            calls("search_documents", '{"query": "a"}'), calls("search_documents", '{"query": "b"}')
        ),
        says("Done."),
    )
    events = await run(wire_server)
    assert {each.call_id for each in returned(events)} == {"call_1", "call_2"}
    assert len(wire_server.asked[1].tool_results) == 2


async def test_the_library_does_not_greet_our_users(wire_server: WireServer) -> None:
    wire_server.script(says("900 EUR."))
    await run(wire_server)
    assert not pydantic_ai.BANNER_ENABLED


async def test_the_conversation_so_far_is_told_to_the_model(wire_server: WireServer) -> None:
    wire_server.script(says("900 EUR."))
    turns = [Turn(role="user", text="Hello"), Turn(role="assistant", text="Hello to you")]
    await run(wire_server, conversation=turns)
    said = [(each["role"], each["content"]) for each in wire_server.asked[0].messages[1:]]
    assert said == [
        ("user", "Hello"),
        ("assistant", "Hello to you"),
        ("user", "What is the rent?"),
    ]


# --- tools that fail --------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (calls("list_documents"), "list_documents failed: there is no such folder (list the"),
        (calls("search_documents", "{}"), "search_documents was not called: it needs query."),
        (calls("search_documents", '{"query": 3}'), "query does not fit {'type': 'string'}"),
        (calls("search_documents", '{"query": "a", "k": 1}'), "it has no k, but query, limit"),
        (calls("delete_everything"), "delete_everything"),
    ],
    ids=["failed", "missing", "wrong type", "unknown argument", "unknown tool"],
)
async def test_what_goes_wrong_with_a_tool_is_text_for_the_model(
    wire_server: WireServer, name: str, call: Reply, said: str
) -> None:
    wire_server.script(call, says("I could not find out."))
    events = await run(wire_server, name)
    [result] = returned(events)
    assert result.failed
    assert said in result.result
    [told] = wire_server.asked[1].tool_results
    assert said in told.replace('\\"', '"')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"query": ', "search_documents was not called: the arguments are not JSON."),
        ("[]", "search_documents was not called: the arguments must be a JSON object."),
        ('"rent"', "search_documents was not called: the arguments must be a JSON object."),
        ("", "search_documents was not called: it needs query."),
    ],
)
async def test_arguments_that_are_no_object_are_told_to_the_model(
    wire_server: WireServer, arguments: str, said: str
) -> None:
    wire_server.script(calls("search_documents", arguments), says("I could not."))
    events = await run(wire_server)
    [result] = returned(events)
    assert (result.failed, result.result) == (True, said)
    [call] = [event for event in events if isinstance(event, ToolCalled)]
    assert call.arguments == (arguments or "{}")


async def test_what_a_tool_refuses_has_failed(wire_server: WireServer) -> None:
    async def refuses(arguments: Mapping[str, object]) -> str:
        return Refusal(f"get_document failed: not found ({len(arguments)})")

    tool = Tool(name="get_document", description="", parameters={"type": "object"}, call=refuses)
    wire_server.script(calls("get_document"), says("There is none."))
    async with models_at(wire_server, SERVED) as models:
        agent = models.agent()
        assert agent is not None
        events = [_ async for _ in agent("", (), "?", tools=[tool], servers=(), bounds=BOUNDS)]
    [result] = returned(events)
    assert (result.failed, result.result) == (True, "get_document failed: not found (0)")
    assert "get_document failed: not found" in wire_server.asked[1].tool_results[0]


async def test_an_error_of_the_engine_is_not_hidden_in_a_text(wire_server: WireServer) -> None:
    async def broken(arguments: Mapping[str, object]) -> str:
        raise RuntimeError("the engine is broken")

    tool = Tool(name="broken", description="", parameters={"type": "object"}, call=broken)
    wire_server.script(calls("broken"), says("?"))
    async with models_at(wire_server, SERVED) as models:
        agent = models.agent()
        assert agent is not None
        with pytest.raises(RuntimeError, match="the engine is broken"):
            [_ async for _ in agent("", (), "?", tools=[tool], servers=(), bounds=BOUNDS)]


# --- bounds -----------------------------------------------------------------------------------


@BOTH
async def test_the_steps_are_bounded(wire_server: WireServer, name: str) -> None:
    wire_server.script(*(calls("search_documents", '{"query": "rent"}') for _ in range(9)))
    told, hint = await failure(wire_server, name, bounds=AgentLimits(steps=3, seconds=20.0))
    assert told == f"the agent of {name} had no answer after 3 steps"
    assert "ask for less" in hint
    assert len(wire_server.asked) == 3


async def test_the_time_is_bounded(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), falls_silent("The rent is"))
    told, hint = await failure(wire_server, bounds=AgentLimits(steps=3, seconds=1.0))
    assert told == f"the agent of {SERVED} had no answer after 1 s"
    assert "set `answer` in FOOTNOTE_TIMEOUTS to more" in hint
    assert await wire_server.asked[1].was_left()


@pytest.mark.parametrize(
    "last",
    [
        fails(401),
        cut_off("The rent"),
        falls_silent("The rent"),
        calls("search_documents"),
        says(""),
    ],
    ids=["refused", "cut off", "silent", "too many steps", "nothing"],
)
async def test_a_failure_tells_what_was_used_until_then(
    wire_server: WireServer, last: Reply
) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), last)
    with pytest.raises(ModelUnavailable) as caught:
        await run(wire_server, OPENAI, bounds=AgentLimits(steps=2, seconds=2.0))
    used = caught.value.usage
    assert used is not None
    # A reply that arrived whole was paid for, whatever it was good for.
    whole = 2 if last.status == 200 and last.ending == "whole" else 1
    assert (used.requests, used.input_tokens, used.output_tokens) == (
        whole,
        whole * 100,
        whole * 20,
    )
    assert used.cost_usd


async def test_nothing_is_used_before_the_first_reply(wire_server: WireServer) -> None:
    wire_server.script(fails(401))
    with pytest.raises(ModelUnavailable) as caught:
        await run(wire_server, OPENAI)
    assert caught.value.usage is None


async def test_the_cost_is_bounded(wire_server: WireServer) -> None:
    search = Reply(
        calls=calls("search_documents", '{"query": "rent"}').calls,
        finish="calls",
        input_tokens=100_000,
    )
    wire_server.script(search, search, search)
    bounds = AgentLimits(steps=6, seconds=20.0, cost_usd=0.02)
    told, hint = await failure(wire_server, OPENAI, bounds=bounds)
    assert told == f"the agent of {OPENAI} spent 0.02 USD before it had an answer"
    assert "set `agent_cost_usd` in FOOTNOTE_ANSWER_LIMITS to more than" in hint
    assert len(wire_server.asked) == 2


async def test_a_cost_that_is_not_known_cannot_be_bounded(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), says("900 EUR."))
    bounds = AgentLimits(steps=6, seconds=20.0, cost_usd=0.02)
    told, _ = await failure(wire_server, SERVED, bounds=bounds)
    assert "has no known price" in told


# --- failures of the model --------------------------------------------------------------------


@BOTH
async def test_a_busy_server_is_asked_once_more_at_any_step(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(
        fails(429), calls("search_documents", '{"query": "rent"}'), fails(500), says("900 EUR.")
    )
    events = await run(wire_server, name)
    assert events[-2] == WrittenText(text="900 EUR.")


async def test_the_next_model_goes_on_where_one_failed(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), fails(401), says("900 EUR."))
    events = await run(wire_server, OPENAI, ANTHROPIC)
    assert [asked.wire for asked in wire_server.asked] == ["openai", "openai", "anthropic"]
    assert wire_server.asked[2].tool_results
    last = events[-1]
    assert isinstance(last, WrittenText)
    assert last.model == ANTHROPIC


async def test_the_next_model_is_asked_where_a_library_refuses_to_ask(
    wire_server: WireServer, monkeypatch: pytest.MonkeyPatch, no_variables: None
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    wire_server.script(says("900 EUR."))
    last = (await run(wire_server, BEDROCK, OPENAI))[-1]
    assert isinstance(last, WrittenText)
    assert last.model == OPENAI
    told, hint = await failure(wire_server, BEDROCK)
    assert "ends with InvalidEndpoint" in told
    assert "AWS_PROFILE" in hint


async def test_when_all_fail_each_is_told(wire_server: WireServer) -> None:
    wire_server.script(fails(401), fails(404))
    told, _ = await failure(wire_server, OPENAI, ANTHROPIC)
    assert told == (
        f"the answer model {OPENAI} refused the key (HTTP 401); "
        f"the answer model {ANTHROPIC} is not known at its URL (HTTP 404)"
    )


@BOTH
async def test_a_failure_amid_the_text_ends_it(wire_server: WireServer, name: str) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), cut_off("The rent"))
    events = steps(wire_server, name)
    assert [await anext(events) for _ in range(3)][-1] == WrittenText(text="The rent")
    with pytest.raises(ModelUnavailable, match="broke off amid its answer"):
        await anext(events)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (says("The rent", finish="length"), "was cut off at 64 tokens"),
        (says("", finish="filtered"), "declined to answer"),
        (fails(401), "refused the key (HTTP 401)"),
    ],
    ids=["cut off", "filtered", "refused"],
)
async def test_an_answer_that_is_none_is_told_as_such(
    wire_server: WireServer, reply: Reply, sentence: str
) -> None:
    wire_server.script(reply)
    told, _ = await failure(wire_server)
    assert told == f"the answer model {SERVED} {sentence}"


@BOTH
async def test_closing_the_generator_closes_the_connection(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), endless())
    async with models_at(wire_server, name) as models:
        agent = models.agent()
        assert agent is not None
        events = agent("", (), "?", tools=[SEARCH], servers=(), bounds=BOUNDS)
        async for event in events:
            if isinstance(event, WrittenText):
                break
        assert not wire_server.asked[1].left.is_set()
        await events.aclose()
        assert await wire_server.asked[1].was_left()
