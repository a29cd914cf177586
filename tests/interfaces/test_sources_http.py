"""Sources over HTTP, by the client and by commands."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest

import footnote
from footnote.domain.sources import NewSource, SourceState
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

pytestmark = pytest.mark.usefixtures("own_database")


async def test_a_source_is_checked_added_paused_run_and_removed(
    settings: Settings, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelves" / "default"
    shelf.mkdir(parents=True)
    (shelf / "ferry.md").write_text("The ferry sails every Tuesday.")
    boss = await workspace.create_key("boss", rights=["read", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    wanted = NewSource(place=f"folder:{shelf}", every_minutes=60)
    opened = {"identity": "keys", "source_places": f"folder:{shelf.parent}/{{workspace}}"}
    async with served(settings_from(settings, opened)) as http:
        async with footnote.AsyncClient(str(http.base_url), api_key=boss.secret) as client:
            assert await client.source_places() == (f"folder:{shelf}",)
            checked = await client.check_source(wanted)
            assert checked.found is not None
            assert checked.found.names == ("ferry.md",)
            assert await client.workspace_sources() == ()
            added = await client.add_source(wanted)
            assert (added.kind, added.state) == ("folder", SourceState.WAITING)
            with pytest.raises(Conflict):
                await client.add_source(wanted)
            assert await client.workspace_source(added.source_id) == added
            paused = await client.pause_source(added.source_id)
            assert (paused.state, paused.next_run_at) == (SourceState.PAUSED, None)
            assert (await client.follow_source_now(added.source_id)).next_run_at is not None
            for place in (f"folder:{shelf.parent}/other", "folder:/etc", "https://[::1]/"):
                with pytest.raises(InvalidRequest, match="not among those that are opened"):
                    await client.add_source(NewSource(place=place))
            with pytest.raises(InvalidRequest, match=f"folder:{shelf}/no: there is no such folder"):
                await client.add_source(NewSource(place=f"folder:{shelf}/no"))
            await client.remove_source(added.source_id)
            for source_id in (added.source_id, uuid4()):
                for absent in (
                    client.workspace_source(source_id),
                    client.pause_source(source_id),
                    client.follow_source_now(source_id),
                    client.remove_source(source_id),
                ):
                    with pytest.raises(NotFound):
                        await absent
        async with footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client:
            for refused in (
                client.workspace_sources(),
                client.check_source(wanted),
                client.add_source(wanted),
            ):
                with pytest.raises(Forbidden):
                    await refused


async def test_commands_may_name_any_folder_of_the_machine(
    settings: Settings, tmp_path: Path
) -> None:
    env = environment(settings)
    shelf = tmp_path / "anywhere"
    shelf.mkdir()
    (shelf / "ferry.md").write_text("The ferry sails every Tuesday.")
    assert "No sources" in (await command(env, "source", "list")).out
    checked = await command(env, "source", "check", f"folder:{shelf}")
    assert "1 things: ferry.md" in checked.out
    absent = await command(env, "source", "check", f"folder:{shelf}/no")
    assert absent.code == 1
    assert "there is no such folder" in " ".join(absent.out.split())
    refused = await command(env, "source", "add", f"folder:{shelf}/no")
    assert refused.code == 2
    assert f"folder:{shelf}/no: there is no such folder" in " ".join(refused.err.split())
    added = await command(env, "source", "add", f"folder:{shelf}", "--every", "60", "--json")
    assert added.code == 0, added.err
    source_id = json.loads(added.out)["source_id"]
    assert "paused" in (await command(env, "source", "pause", source_id)).out
    assert "waiting" in (await command(env, "source", "run", source_id)).out
    listed = json.loads((await command(env, "source", "list", "--json")).out)
    assert [each["source_id"] for each in listed["sources"]] == [source_id]
    removed = await command(env, "source", "remove", source_id)
    assert removed.out == f"Removed the source {source_id}; its documents stay.\n"
    assert "No sources" in (await command(env, "source", "list")).out
