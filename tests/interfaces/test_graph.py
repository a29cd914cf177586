"""The graph over HTTP, by the client, and by a command, and as other programs read it."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID, uuid4
from xml.etree import ElementTree as ET

import pytest

import footnote
from footnote.domain.entities import EntityKind
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

LEASE = """# Lease of the Harbour Warehouse

Northwind Traders Ltd lets the warehouse in Hamburg to Maria Keller.
"""
REPORT = """# Report

The Lease of the Harbour Warehouse was read by Maria Keller.
"""


async def with_documents(workspace: WorkspaceEngine) -> UUID:
    """Two documents that are read for entities; the id of the lease."""
    received = [
        await workspace.receive(text.encode(), name)
        for name, text in (("lease.md", LEASE), ("report.md", REPORT))
    ]
    ids = [each.document.document_id for each in received]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("entities", "rules")
    await extract_entity_slice(workspace.engine, workspace.workspace_id)
    return ids[0]


async def test_the_client_has_what_the_engine_has(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    lease = await with_documents(workspace)
    reader = await workspace.create_key("reader", rights=["read"])
    maria = await workspace.entity_called("Maria Keller")
    async with (
        served(settings_from(settings, {"identity": "keys"})) as http,
        footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client,
    ):
        assert await client.graph() == await workspace.graph()
        assert await client.graph(entity_id=maria) == await workspace.graph(entity_id=maria)
        around = await client.graph(document_id=lease, kinds=[EntityKind.PERSON], limit=5)
        assert around == await workspace.graph(
            document_id=lease, kinds=[EntityKind.PERSON], limit=5
        )
        assert {each.kind.value for each in around.edges} >= {"names", "cites"}
        with pytest.raises(NotFound):
            await client.graph(entity_id=uuid4())
        with pytest.raises(InvalidRequest, match="one middle"):
            await client.graph(entity_id=maria, document_id=lease)
        headers = {"Authorization": f"Bearer {reader.secret}"}
        asked = {"document_id": str(lease), "format": "graphml"}
        drawn = await http.get("/v1/graph", params=asked, headers=headers)
        assert drawn.headers["content-type"].startswith("application/graphml+xml")
        nodes = ET.fromstring(drawn.text).iter("{http://graphml.graphdrawing.org/xmlns}node")
        whole = await workspace.graph(document_id=lease)
        assert [each.get("id") for each in nodes] == [str(each.node_id) for each in whole.nodes]
        asked["format"] = "json-ld"
        linked = await http.get("/v1/graph", params=asked, headers=headers)
        assert linked.headers["content-type"].startswith("application/ld+json")
        assert len(linked.json()["@graph"]) == len(whole.nodes) + len(whole.edges)


async def test_the_command_shows_and_writes_the_graph(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    env = environment(settings, COLUMNS="240")
    none = await command(env, "graph")
    assert "footnote config set entities rules" in none.out
    await with_documents(workspace)
    shown = await command(env, "graph", "--document", "lease.md")
    assert "cites" in shown.out
    assert "Maria Keller" in shown.out
    said = await command(env, "graph", "--entity", "Maria Keller", "--json")
    assert {each["kind"] for each in json.loads(said.out)["edges"]} == {"named together"}
    file = tmp_path / "graph.json"
    kept = await command(env, "graph", "--format", "json-ld", "--output", str(file))
    assert "nodes" in kept.out
    assert json.loads(file.read_text())["@graph"]
    told = await command(env, "graph", "--format", "graphml")
    assert ET.fromstring(told.out).tag.endswith("graphml")
    nowhere = await command(env, "graph", "--format", "graphml", "--output", str(file / "below"))
    assert (nowhere.code, "cannot be written" in nowhere.err) == (2, True), nowhere.err
    wrong = await command(env, "graph", "--output", str(file))
    assert wrong.code == 2
    assert "needs --format" in wrong.err
