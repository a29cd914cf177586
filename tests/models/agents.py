"""Agents with two tools that ask a scripted server, for any test."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

import pytest

from footnote.domain import ToolReturned, Turn
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.models.agent_loop import AgentEvent
from footnote.ports import AgentLimits, AgentModel, McpServer, Tool
from tests.wire import WireServer

from .answering import models_at

OPENAI = "openai:gpt-4o-mini"
ANTHROPIC = "anthropic:claude-haiku-4-5"
SERVED = "compatible:qwen3"
BOTH = pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])

BOUNDS = AgentLimits(steps=6, seconds=20.0)
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
    bounds: AgentLimits = BOUNDS,
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
    bounds: AgentLimits = BOUNDS,
    servers: Sequence[McpServer] = (),
    conversation: Sequence[Turn] = (),
) -> list[AgentEvent]:
    events = steps(server, *names, bounds=bounds, servers=servers, conversation=conversation)
    return [event async for event in events]


async def failure(server: WireServer, *names: str, bounds: AgentLimits = BOUNDS) -> tuple[str, str]:
    with pytest.raises(ModelUnavailable) as caught:
        await run(server, *names, bounds=bounds)
    assert caught.value.hint
    return str(caught.value), caught.value.hint


def returned(events: Sequence[AgentEvent]) -> list[ToolReturned]:
    return [event for event in events if isinstance(event, ToolReturned)]
