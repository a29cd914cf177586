"""Clusters over HTTP, by the client, and by a command."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

import footnote
from footnote.domain.clusters import ClusterGranularity
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import NotFound
from footnote.jobs.clusters import cluster_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

TITLES = (
    *("chess openings", "chess endgames", "chess puzzles", "chess clocks"),
    *("rye bread", "sourdough bread", "bread ovens", "bread flour"),
)


async def with_clusters(workspace: WorkspaceEngine) -> None:
    ids = []
    for title in TITLES:
        text = f"# {title}\n\nThis is about {title}, and nothing but {title}.\n"
        received = await workspace.receive(text.encode(), f"{title}.md")
        ids.append(received.document.document_id)
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("clusters", "documents")
    await cluster_slice(workspace.engine, workspace.workspace_id)


async def test_the_client_has_what_the_engine_has(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    await with_clusters(workspace)
    reader = await workspace.create_key("reader", rights=["read"])
    fine = ClusterGranularity.FINE
    async with (
        served(settings_from(settings, {"identity": "keys"})) as http,
        footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client,
    ):
        whole = await client.clusters(granularity=fine)
        assert whole == await workspace.clusters(granularity=fine)
        assert len(whole.clusters) == 2
        page = await client.clusters(granularity=fine, limit=1)
        rest = await client.clusters(granularity=fine, cursor=page.next_cursor)
        assert page.clusters + rest.clusters == whole.clusters
        one = whole.clusters[0].cluster_id
        assert await client.cluster(one, limit=2) == await workspace.cluster(one, limit=2)
        assert await client.cluster_progress() == await workspace.cluster_progress()
        with pytest.raises(NotFound):
            await client.cluster(uuid4())


async def test_commands_say_what_clusters_there_are(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    env = environment(settings, COLUMNS="200")
    none = await command(env, "clusters", "list")
    assert "footnote config set clusters documents" in none.out
    await with_clusters(workspace)
    said = await command(env, "clusters", "list", "--granularity", "fine", "--json")
    [first, _] = json.loads(said.out)["clusters"]
    listed = await command(env, "clusters", "list", "--granularity", "fine")
    assert first["cluster_id"] in listed.out
    assert "documents are in none of them." in listed.out
    shown = await command(env, "clusters", "show", first["cluster_id"])
    assert " · ".join(first["label"]) in shown.out
    assert first["representatives"][0]["title"] in shown.out
    assert "near it" in shown.out
    progress = await command(env, "clusters", "progress")
    assert "8 of 8 documents looked at." in progress.out
    absent = await command(env, "clusters", "show", str(uuid4()))
    assert absent.code != 0
    assert "there is no cluster" in absent.err
