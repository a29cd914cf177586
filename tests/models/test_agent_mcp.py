"""An agent uses the tools of MCP servers, and comes to no harm by them."""

from __future__ import annotations

from footnote.domain import ToolCalled
from footnote.ports import McpServer, WrittenText
from tests.wire import WireServer, calls, calls_each, says, unreachable_origin

from .agents import BOUNDS, SERVED, returned, run
from .answering import models_at
from .mcp_server import mcp_server


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
    assert events[-2] == WrittenText(text="900 EUR.")


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
