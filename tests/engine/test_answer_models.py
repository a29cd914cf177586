"""A workspace chooses among the configured models, and has MCP servers of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import psycopg
import pytest
from pydantic import SecretStr

from footnote.domain import ToolReturned
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.answer_models import (
    MAX_MCP_SERVERS,
    agent_bounds,
    agent_model_for,
    answer_models_from,
    answer_writer_for,
)
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.ports import AgentLimits
from footnote.settings import Settings, settings_from
from tests.conftest import TestDatabase
from tests.models.mcp_server import mcp_server
from tests.wire import WireServer, calls, says

LOCAL, CLOUD = "qwen3", "openai:gpt-4o-mini"
PUBLIC_URL = "http://93.184.215.14/mcp"


@pytest.fixture
async def answering(settings: Settings, wire_server: WireServer) -> AsyncIterator[Engine]:
    """An engine with two answer models, both asked at the scripted server."""
    configured = {
        "answer_models": f"{LOCAL}@{wire_server.openai_url}, {CLOUD}@{wire_server.openai_url}",
    }
    async with await open_engine(settings_from(settings, configured)) as engine:
        yield engine


@pytest.fixture
async def mine(answering: Engine) -> WorkspaceEngine:
    return await answering.workspace()


@pytest.fixture
async def theirs(answering: Engine) -> WorkspaceEngine:
    await answering.create_workspace("theirs")
    return await answering.workspace("theirs")


# --- models -----------------------------------------------------------------------------------


async def test_without_a_choice_the_configured_chain_answers(
    mine: WorkspaceEngine, wire_server: WireServer
) -> None:
    in_use = await mine.models_in_use()
    assert (in_use.configured, in_use.chosen, in_use.used) == ((LOCAL, CLOUD), None, (LOCAL, CLOUD))
    writer = await answer_writer_for(mine)
    assert writer is not None
    wire_server.script(says("Hello."))
    assert "".join([piece.text async for piece in writer("", "Hi")]) == "Hello."
    assert wire_server.asked[0].model == LOCAL


async def test_a_choice_is_of_its_workspace_alone(
    mine: WorkspaceEngine, theirs: WorkspaceEngine
) -> None:
    await mine.use_models([CLOUD])
    writer, agent, other = (
        await answer_writer_for(mine),
        await agent_model_for(mine),
        await answer_writer_for(theirs),
    )
    assert writer is not None
    assert agent is not None
    assert other is not None
    assert (writer.name, agent.name, other.name) == (CLOUD, CLOUD, f"{LOCAL}, {CLOUD}")


async def test_quotes_alone_can_be_chosen_and_the_choice_forgotten(mine: WorkspaceEngine) -> None:
    assert (await mine.use_models(["extractive"])).used == ()
    assert (await mine.models_in_use()).chosen == ()
    assert await answer_writer_for(mine) is None
    assert await agent_model_for(mine) is None
    assert (await mine.reset_models()).chosen is None
    assert (await mine.models_in_use()).used == (LOCAL, CLOUD)


UNCHOOSABLE: list[tuple[list[str], str]] = [
    (["openai:gpt-9"], "no answer model is called 'openai:gpt-9'"),
    ([], "no answer model is named"),
    ([LOCAL, "extractive"], "extractive answers need no model"),
]


async def test_what_is_not_configured_cannot_be_chosen(mine: WorkspaceEngine) -> None:
    for names, sentence in UNCHOOSABLE:
        with pytest.raises(InvalidRequest, match=sentence) as caught:
            await mine.use_models(names)
        assert caught.value.hint
    assert (await mine.models_in_use()).chosen is None


async def test_a_chosen_model_that_is_gone_is_replaced_by_no_other(
    mine: WorkspaceEngine, settings: Settings
) -> None:
    await mine.use_models([LOCAL])
    later = {"answer_models": CLOUD, "model_keys": SecretStr('{"openai": "sk-1"}')}
    async with await open_engine(settings_from(settings, later)) as engine:
        workspace = await engine.workspace()
        in_use = await workspace.models_in_use()
        assert (in_use.chosen, in_use.used) == ((LOCAL,), ())
        assert await answer_writer_for(workspace) is None


def test_the_language_model_answers_where_no_answer_model_is_set(wire_server: WireServer) -> None:
    settings = Settings(language_model=f"qwen3@{wire_server.openai_url}")
    models = answer_models_from(settings)
    assert models.names == ("qwen3",)
    assert models.choices.role.model == "FOOTNOTE_LANGUAGE_MODEL"
    quiet = settings_from(settings, {"answer_models": ""})
    assert answer_models_from(quiet).names == ()


def test_the_bounds_of_an_agent_are_settings() -> None:
    settings = Settings(timeouts='{"answer": 6}', answer_limits='{"agent_cost_usd": 0.5}')
    assert agent_bounds(settings) == AgentLimits(steps=12, seconds=9.0, cost_usd=0.5)


# --- MCP servers ------------------------------------------------------------------------------


async def test_servers_are_added_listed_and_removed(mine: WorkspaceEngine) -> None:
    await mine.add_mcp_server("tickets", PUBLIC_URL, {"Authorization": "Bearer secret"})
    await mine.add_mcp_server("atlas", PUBLIC_URL)
    atlas, tickets = await mine.mcp_servers()
    assert (atlas.name, tickets.name) == ("atlas", "tickets")
    assert tickets.headers == {"Authorization": "Bearer secret"}
    assert "secret" not in repr(tickets)
    with pytest.raises(Conflict, match="there is an MCP server 'atlas' already"):
        await mine.add_mcp_server("atlas", PUBLIC_URL)
    await mine.remove_mcp_server("atlas")
    assert [each.name for each in await mine.mcp_servers()] == ["tickets"]
    for number in range(MAX_MCP_SERVERS - 1):
        await mine.add_mcp_server(f"server-{number}", PUBLIC_URL)
    with pytest.raises(InvalidRequest, match="at most 16 MCP servers"):
        await mine.add_mcp_server("one-more", PUBLIC_URL)


async def test_an_agent_calls_the_tools_of_its_workspaces_servers(
    settings: Settings, wire_server: WireServer
) -> None:
    allowing = {
        "allow_private_urls": True,
        "answer_models": f"{LOCAL}@{wire_server.openai_url}",
    }
    wire_server.script(calls("sky_forecast", '{"town": "Kiel"}'), says("It rains."))
    async with (
        mcp_server() as served,
        await open_engine(settings_from(settings, allowing)) as engine,
    ):
        workspace = await engine.workspace()
        await workspace.add_mcp_server("sky", served.url, {"Authorization": "Bearer secret"})
        agent = await agent_model_for(workspace)
        assert agent is not None
        steps = agent(
            "Answer.",
            (),
            "Does it rain?",
            tools=(),
            servers=await workspace.mcp_servers(),
            bounds=agent_bounds(engine.settings),
        )
        events = [event async for event in steps]
    [returned] = [event for event in events if isinstance(event, ToolReturned)]
    assert returned.result.startswith("It rains in Kiel.")
    assert {each["authorization"] for each in served.headers} == {"Bearer secret"}


async def test_foreign_and_absent_servers_look_the_same(
    mine: WorkspaceEngine, theirs: WorkspaceEngine, test_database: TestDatabase
) -> None:
    await theirs.add_mcp_server("tickets", PUBLIC_URL, {"Authorization": "Bearer secret"})
    assert await mine.mcp_servers() == ()
    with pytest.raises(NotFound, match="there is no MCP server 'tickets'"):
        await mine.remove_mcp_server("tickets")
    with pytest.raises(NotFound, match="there is no MCP server 'absent'"):
        await mine.remove_mcp_server("absent")
    assert len(await theirs.mcp_servers()) == 1
    await theirs.use_models([CLOUD])
    with psycopg.connect(test_database.application_url) as connection:
        for table in ("workspace_settings", "mcp_servers"):
            found = connection.execute(f"SELECT count(*) FROM footnote.{table}").fetchone()
            assert found == (0,), "the database itself shows nobody's to nobody"


@pytest.mark.parametrize("name", ["\0", "a\ud800", "NO SUCH"], ids=ascii)
async def test_a_server_that_nobody_can_have_is_absent(mine: WorkspaceEngine, name: str) -> None:
    with pytest.raises(NotFound, match="there is no MCP server"):
        await mine.remove_mcp_server(name)


IMPOSSIBLE: list[tuple[str, str, Mapping[str, str], str]] = [
    ("", PUBLIC_URL, {}, "no MCP server can be called ''"),
    ("a_b", PUBLIC_URL, {}, "no MCP server can be called 'a_b'"),
    ("a", "ftp://example.com", {}, "begins with ftp:"),
    ("a", "http://me:secret@93.184.215.14/", {}, "holds a name or a password"),
    ("a", "http://127.0.0.1:8000/mcp", {}, "127.0.0.1 may not be reached"),
    ("a", "http://localhost/mcp", {}, "localhost may not be reached"),
    ("a", "http://169.254.169.254/mcp", {}, "never fetched from"),
    ("a", PUBLIC_URL, {"Host": "x"}, "a header cannot be called 'Host'"),
    ("a", PUBLIC_URL, {"A b": "x"}, "a header cannot be called 'A b'"),
    ("a", PUBLIC_URL, {"Key": "very-secret\r\nX: y"}, "the value of the header Key cannot"),
]


async def test_what_cannot_be_a_server_is_refused(mine: WorkspaceEngine) -> None:
    for name, url, headers, sentence in IMPOSSIBLE:
        with pytest.raises(InvalidRequest, match=sentence) as caught:
            await mine.add_mcp_server(name, url, headers)
        assert caught.value.hint
        assert "secret" not in str(caught.value)
        assert "report.pdf" not in caught.value.hint
    assert await mine.mcp_servers() == ()


@pytest.mark.parametrize(
    ("host", "may_be_allowed"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("[fe80::1]", False),
    ],
)
async def test_a_setting_is_named_only_where_it_would_help(
    mine: WorkspaceEngine, host: str, may_be_allowed: bool
) -> None:
    with pytest.raises(InvalidRequest, match="may not be reached") as caught:
        await mine.add_mcp_server("a", f"http://{host}/mcp")
    assert ("FOOTNOTE_ALLOW_PRIVATE_URLS" in (caught.value.hint or "")) is may_be_allowed
