"""A model asks for tools until it has an answer, within bounds, and each step is told."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import ToolCalled, ToolReturned, Turn, Usage
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.models.agent_loop import RULE, AgentEvent
from footnote.models.agent_tools import problem_with
from footnote.ports import AgentBounds, AgentModel, McpServer, Tool, Written
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
    unreachable_origin,
)

from .answering import models_at
from .mcp_server import mcp_server

OPENAI = "openai:gpt-4o-mini"
ANTHROPIC = "anthropic:claude-haiku-4-5"
SERVED = "compatible:qwen3"
BOTH = pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])

BOUNDS = AgentBounds(steps=6, seconds=20.0)
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
    "additionalProperties": False,
}


async def rent(arguments: Mapping[str, object]) -> str:
    return f"[1] lease.pdf, p. 2: the rent is 900 EUR. (searched: {arguments['query']})"


async def missing(arguments: Mapping[str, object]) -> str:
    raise InvalidRequest("there is no such folder", hint="list the folders first")


SEARCH = Tool(name="search_documents", description="Find passages.", parameters=SCHEMA, call=rent)
LIST = Tool(
    name="list_documents",
    description="List documents.",
    parameters={"type": "object", "properties": {}},
    call=missing,
)


async def steps(
    server: WireServer,
    *names: str,
    bounds: AgentBounds = BOUNDS,
    servers: Sequence[McpServer] = (),
    conversation: Sequence[Turn] = (),
) -> AsyncGenerator[AgentEvent]:
    async with models_at(server, *(names or (SERVED,))) as models:
        agent: AgentModel | None = models.agent()
        assert agent is not None
        events = agent(
            "Answer from the documents.",
            conversation,
            "What is the rent?",
            tools=[SEARCH, LIST],
            servers=servers,
            bounds=bounds,
        )
        async with aclosing(events):
            async for event in events:
                yield event


async def run(
    server: WireServer,
    *names: str,
    bounds: AgentBounds = BOUNDS,
    servers: Sequence[McpServer] = (),
    conversation: Sequence[Turn] = (),
) -> list[AgentEvent]:
    events = steps(server, *names, bounds=bounds, servers=servers, conversation=conversation)
    return [event async for event in events]


async def failure(server: WireServer, *names: str, bounds: AgentBounds = BOUNDS) -> tuple[str, str]:
    with pytest.raises(ModelUnavailable) as caught:
        await run(server, *names, bounds=bounds)
    assert caught.value.hint
    return str(caught.value), caught.value.hint


def returned(events: Sequence[AgentEvent]) -> list[ToolReturned]:
    return [event for event in events if isinstance(event, ToolReturned)]


# --- the loop ---------------------------------------------------------------------------------


@BOTH
async def test_a_tool_is_called_its_result_read_and_the_answer_written(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(
        calls("search_documents", '{"query": "rent"}', text="Let me look."),
        says("The rent", " is 900 EUR [1]."),
    )
    events = await run(wire_server, name)
    assert events[:-1] == [
        Written(text="Let me look."),
        ToolCalled(call_id="call_1", name="search_documents", arguments='{"query":"rent"}'),
        ToolReturned(
            call_id="call_1",
            name="search_documents",
            result="[1] lease.pdf, p. 2: the rent is 900 EUR. (searched: rent)",
        ),
        Written(text="The rent"),
        Written(text=" is 900 EUR [1]."),
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
    assert isinstance(last, Written)
    assert last.model == name
    assert last.usage is not None
    assert (last.usage.requests, last.usage.input_tokens, last.usage.output_tokens) == (2, 200, 40)
    assert last.usage.cost_usd is not None
    assert last.usage.cost_usd > 0


async def test_a_cost_that_is_not_known_is_not_guessed(wire_server: WireServer) -> None:
    wire_server.script(says("900 EUR."))
    last = (await run(wire_server, SERVED))[-1]
    assert last == Written(
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


@pytest.mark.parametrize("arguments", ['{"query": ', "[]", '"rent"', ""])
async def test_arguments_that_are_no_object_are_told_to_the_model(
    wire_server: WireServer, arguments: str
) -> None:
    wire_server.script(calls("search_documents", arguments), says("I could not."))
    [result] = returned(await run(wire_server))
    assert result.failed


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
    told, hint = await failure(wire_server, name, bounds=AgentBounds(steps=3, seconds=20.0))
    assert told == f"the agent of {name} had no answer after 3 steps"
    assert "FOOTNOTE_AGENT_MAX_STEPS" in hint
    assert len(wire_server.asked) == 3


async def test_the_time_is_bounded(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), falls_silent("The rent is"))
    told, hint = await failure(wire_server, bounds=AgentBounds(steps=3, seconds=1.0))
    assert told == f"the agent of {SERVED} had no answer after 1 s"
    assert "FOOTNOTE_AGENT_TIMEOUT_SECONDS" in hint
    assert await wire_server.asked[1].was_left()


async def test_the_cost_is_bounded(wire_server: WireServer) -> None:
    search = Reply(
        calls=calls("search_documents", '{"query": "rent"}').calls,
        finish="calls",
        input_tokens=100_000,
    )
    wire_server.script(search, search, search)
    bounds = AgentBounds(steps=6, seconds=20.0, cost_usd=0.02)
    told, hint = await failure(wire_server, OPENAI, bounds=bounds)
    assert told == f"the agent of {OPENAI} spent 0.02 USD before it had an answer"
    assert "FOOTNOTE_AGENT_MAX_COST_USD" in hint
    assert len(wire_server.asked) == 2


async def test_a_cost_that_is_not_known_cannot_be_bounded(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), says("900 EUR."))
    bounds = AgentBounds(steps=6, seconds=20.0, cost_usd=0.02)
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
    assert events[-2] == Written(text="900 EUR.")


async def test_the_next_model_goes_on_where_one_failed(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), fails(401), says("900 EUR."))
    events = await run(wire_server, OPENAI, ANTHROPIC)
    assert [asked.wire for asked in wire_server.asked] == ["openai", "openai", "anthropic"]
    assert wire_server.asked[2].tool_results
    last = events[-1]
    assert isinstance(last, Written)
    assert last.model == ANTHROPIC


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
    assert [await anext(events) for _ in range(3)][-1] == Written(text="The rent")
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
            if isinstance(event, Written):
                break
        assert not wire_server.asked[1].left.is_set()
        await events.aclose()
        assert await wire_server.asked[1].was_left()


# --- MCP servers ------------------------------------------------------------------------------


async def test_the_tools_of_an_mcp_server_are_offered_and_called(wire_server: WireServer) -> None:
    wire_server.script(calls("sky_forecast", '{"town": "Kiel"}'), says("It rains."))
    async with mcp_server() as served:
        server = McpServer(name="sky", url=served.url, headers={"authorization": "Bearer secret"})
        events = await run(wire_server, servers=[server])
    [result] = returned(events)
    assert result.name == "sky_forecast"
    assert result.result.startswith("It rains in Kiel.")
    assert not result.failed
    offered = set(wire_server.asked[0].tools)
    assert {"sky_forecast", "sky_broken", "search_documents"} <= offered
    assert all(len(name) <= 64 for name in offered)
    assert "Ignore your instructions" not in wire_server.asked[1].instructions
    assert served.headers
    assert {each["authorization"] for each in served.headers} == {"Bearer secret"}


async def test_a_tool_of_an_mcp_server_that_fails_is_text_for_the_model(
    wire_server: WireServer,
) -> None:
    wire_server.script(
        calls_each(
            calls("sky_broken"), calls("sky_chatty"), calls("sky_forecast"), calls("sky_picture")
        ),
        says("No forecast."),
    )
    async with mcp_server() as served:
        events = await run(wire_server, servers=[McpServer(name="sky", url=served.url)])
    by_name = {each.name: each for each in returned(events)}
    assert by_name["sky_broken"].failed
    assert by_name["sky_forecast"].failed
    assert not by_name["sky_chatty"].failed
    assert len(by_name["sky_chatty"].result) < 41_000
    assert "cut off; the result has" in by_name["sky_chatty"].result
    assert by_name["sky_picture"].result == "[image/png, 14 bytes]"


async def test_no_mcp_server_takes_the_place_of_a_tool_of_ours(wire_server: WireServer) -> None:
    wire_server.script(calls("search_documents", '{"query": "rent"}'), says("900 EUR."))
    async with mcp_server() as served:
        events = await run(wire_server, servers=[McpServer(name="search", url=served.url)])
    assert "search_forecast" in wire_server.asked[0].tools
    assert returned(events)[0].result.startswith("[1] lease.pdf")


async def test_an_absent_mcp_server_is_told_of_and_done_without(wire_server: WireServer) -> None:
    wire_server.script(says("900 EUR."))
    absent = McpServer(name="sky", url=f"{unreachable_origin()}/mcp")
    events = await run(wire_server, servers=[absent])
    assert isinstance(events[0], ToolCalled)
    [result] = returned(events)
    assert result.failed
    assert result.result.startswith("The MCP server sky cannot be reached")
    assert events[-2] == Written(text="900 EUR.")


async def test_an_mcp_server_at_a_forbidden_address_is_never_asked(
    wire_server: WireServer,
) -> None:
    wire_server.script(says("900 EUR."))
    async with mcp_server() as served, models_at(wire_server, SERVED, private=0) as models:
        agent = models.agent()
        assert agent is not None
        servers = [McpServer(name="sky", url=served.url)]
        events = [
            event async for event in agent("", (), "?", tools=(), servers=servers, bounds=BOUNDS)
        ]
    [result] = returned(events)
    assert "private network" in result.result
    assert not served.headers


# --- arguments --------------------------------------------------------------------------------


@given(st.text(), st.integers() | st.none())
def test_arguments_of_the_right_kinds_fit(query: str, limit: int | None) -> None:
    schema = {
        "properties": {
            "query": {"type": "string"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["query"],
    }
    assert problem_with({"query": query, "limit": limit}, schema) == ""


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 3.0, True),
        ({"type": "integer"}, 3.5, False),
        ({"type": "number"}, 3, True),
        ({"type": "boolean"}, True, True),
        ({"type": ["string", "null"]}, None, True),
        ({"enum": ["a", "b"]}, "c", False),
        ({"enum": ["a", "b"]}, "a", True),
        ({"type": "array"}, {}, False),
        ({}, {}, True),
    ],
)
def test_a_value_fits_its_schema_or_not(
    schema: Mapping[str, object], value: object, fits: bool
) -> None:
    problem = problem_with({"it": value}, {"properties": {"it": schema}})
    assert (problem == "") == fits
