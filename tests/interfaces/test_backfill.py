"""The backfill over HTTP, by the client and by commands."""

from __future__ import annotations

import json

import pytest

import footnote
from footnote.domain.backfill import BackgroundWork
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, Forbidden
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

LETTER = "Write to anna@example.org or otto@example.org before 3 June 2024."


async def with_entities(workspace: WorkspaceEngine) -> None:
    received = await workspace.receive(LETTER.encode(), "letter.md")
    ids = [received.document.document_id]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("entities", "rules")


async def test_the_client_has_what_the_engine_has(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    await with_entities(workspace)
    boss = await workspace.create_key("boss", rights=["read", "write", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    entities = BackgroundWork.ENTITIES
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        address = str(http.base_url)
        async with footnote.AsyncClient(address, api_key=boss.secret) as client:
            assert await client.backfill() == await workspace.backfill()
            paused = await client.pause_backfill([entities])
            assert [each.kind for each in paused.kinds if each.paused] == [entities]
            with pytest.raises(Conflict, match="paused"):
                await client.start_backfill([entities])
            assert not any(each.paused for each in (await client.resume_backfill()).kinds)
            begun = await client.start_backfill()
            assert [each.kind for each in begun.kinds if each.running] == [entities]
        async with footnote.AsyncClient(address, api_key=reader.secret) as client:
            assert (await client.backfill()).kinds
            with pytest.raises(Forbidden):
                await client.pause_backfill()


async def test_the_commands_show_bars_and_pause(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    env = environment(settings, COLUMNS="200")

    async def said(*arguments: str) -> str:
        called = await command(env, "backfill", *arguments)
        assert called.code == 0, called.err
        return called.out

    await with_entities(workspace)
    shown = await said("show")
    assert "░ 0 of 1 document, 1 wait (under way), the oldest since " in shown
    assert "off: `footnote config set facts rules`" in shown
    assert "1 wait (paused)" in await said("pause", "--kind", "entities")
    refused = await command(env, "backfill", "start", "--kind", "entities")
    assert refused.code != 0
    assert "footnote backfill resume --kind entities" in refused.err
    assert "1 wait (under way)" in await said("resume")
    await extract_entity_slice(workspace.engine, workspace.workspace_id)
    assert "█ 1 of 1 document\n" in await said("show", "--watch")
    kinds = json.loads(await said("start", "--json"))["kinds"]
    assert [each["kind"] for each in kinds] == [each.value for each in BackgroundWork]
