"""Entities over HTTP, by the client and by commands."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

import footnote
from footnote.domain.entities import EntityKind
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import Conflict, Forbidden, NotFound
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

LETTER = "Write to anna@example.org or otto@example.org before 3 June 2024."
OTHER = "# Reply\n\nanna@example.org answered on 4 June 2024."


async def with_entities(workspace: WorkspaceEngine) -> None:
    ids = []
    for name, text in (("letter.md", LETTER), ("reply.md", OTHER)):
        received = await workspace.receive(text.encode(), name)
        ids.append(received.document.document_id)
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("entity_kinds", "email,date")
    await workspace.change_setting("entities", "rules")
    await extract_entity_slice(workspace.engine, workspace.workspace_id)


async def test_the_client_has_what_the_engine_has(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    await with_entities(workspace)
    boss = await workspace.create_key("boss", rights=["read", "write", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        address = str(http.base_url)
        async with footnote.AsyncClient(address, api_key=boss.secret) as client:
            assert await client.entities() == await workspace.entities()
            [anna, otto] = (await client.entities(kinds=[EntityKind.EMAIL])).entities
            assert (anna.name, anna.documents) == ("anna@example.org", 2)
            page = await client.entities(limit=1)
            rest = await client.entities(cursor=page.next_cursor)
            assert page.entities + rest.entities == (await workspace.entities()).entities
            assert await client.entity(anna.entity_id) == await workspace.entity(anna.entity_id)
            mentions = await client.entity_mentions(anna.entity_id, limit=1)
            assert mentions.mentions[0].quote == "anna@example.org"
            last = await client.entity_mentions(anna.entity_id, cursor=mentions.next_cursor)
            assert last.next_cursor is None
            assert (await client.rename_entity(anna.entity_id, "Anna")).given_name
            merged = await client.merge_entities(anna.entity_id, otto.entity_id)
            assert merged.mentions == 3
            apart = await client.split_entity(anna.entity_id, names=["otto@example.org"])
            assert apart.name == "otto@example.org"
            decisions = await client.entity_decisions(anna.entity_id)
            assert [each.act.value for each in decisions] == ["split", "merge", "rename"]
            assert (await client.undo_entity_decision(decisions[0].decision_id)).undone
            with pytest.raises(Conflict):
                await client.undo_entity_decision(decisions[0].decision_id)
            assert (await client.extract_entities()).enabled
            assert (await client.entity_progress()).done == 2
            with pytest.raises(NotFound):
                await client.entity(uuid4())
        async with footnote.AsyncClient(address, api_key=reader.secret) as client:
            assert (await client.entities(query="anna")).entities
            with pytest.raises(Forbidden):
                await client.rename_entity(anna.entity_id, "Eve")
            with pytest.raises(Forbidden):
                await client.entity_decisions(anna.entity_id)


async def test_the_commands_show_and_decide(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    env = environment(settings, COLUMNS="200")

    async def said(*arguments: str) -> str:
        called = await command(env, "entities", *arguments)
        assert called.code == 0, called.err
        return called.out

    assert "footnote config set entities rules" in await said("list")
    await with_entities(workspace)
    listed = json.loads(await said("list", "--kind", "email", "--json"))
    assert [each["name"] for each in listed["entities"]] == ["anna@example.org", "otto@example.org"]
    assert "2024-06-03" not in await said("list")
    assert "letter" in await said("show", "anna@example.org")
    assert "[anna@example.org]" in await said("mentions", "anna@example.org")
    assert "2 documents" in await said("merge", "anna@example.org", "otto@example.org")
    assert "Anna" in await said("rename", "anna@example.org", "Anna")
    [renamed, _] = json.loads(await said("decisions", "Anna", "--json"))["decisions"]
    assert "undone" in await said("undo", renamed["decision_id"])
    assert "otto" in await said("split", "anna@example.org", "--name", "otto@example.org")
    assert "2 of 2 documents read" in await said("progress")
    assert json.loads(await said("extract", "--json"))["enabled"]
