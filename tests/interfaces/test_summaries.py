"""Summaries over HTTP, by the client, and by a command."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

import pytest

import footnote
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.tools import document_tools
from footnote.errors import InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting
from footnote.jobs.summaries import summarise_slice
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

TEXT = """# Harbour fees

The harbour raises the fees for all berths in March. Ferries pay half of the fee for a berth.
A ship that leaves its berth late pays the fee of another day.
"""


async def with_summaries(workspace: WorkspaceEngine) -> UUID:
    received = await workspace.receive(TEXT.encode(), "fees.md", collection="town")
    ids = [received.document.document_id]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("summaries", "rules")
    await summarise_slice(workspace.engine, workspace.workspace_id)
    return ids[0]


async def test_the_client_has_what_the_engine_has(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    document_id = await with_summaries(workspace)
    reader = await workspace.create_key("reader", rights=["read"])
    async with (
        served(settings_from(settings, {"identity": "keys"})) as http,
        footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client,
    ):
        summary = await client.summary(document_id=document_id, sentences=2)
        assert summary == await workspace.summary(document_id=document_id, sentences=2)
        assert len(summary.sentences) == 2
        assert await client.summary(collection="town") == await workspace.summary(collection="town")
        assert await client.summary_progress() == await workspace.summary_progress()
        with pytest.raises(NotFound):
            await client.summary(cluster_id=uuid4())
        with pytest.raises(InvalidRequest):
            await client.summary()


async def test_commands_summarise(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    env = environment(settings, COLUMNS="200")
    none = await command(env, "summaries", "show", "--collection", "town")
    assert none.code != 0
    assert "no document that you may see is in a collection 'town'" in none.err
    none = await command(env, "summaries", "progress")
    assert "footnote config set summaries rules" in none.out
    await with_summaries(workspace)
    shown = await command(env, "summaries", "show", "--document", "fees.md", "--sentences", "1")
    assert "– Harbour fees, " in shown.out
    said = await command(env, "summaries", "show", "--collection", "town", "--json")
    [first, *_] = json.loads(said.out)["sentences"]
    assert first["text"] in TEXT
    progress = await command(env, "summaries", "progress")
    assert "1 of 1 document summarised, 0 failed." in progress.out
    wrong = await command(env, "summaries", "show")
    assert wrong.code != 0
    assert "one of --document, --collection and --cluster" in wrong.err


async def test_a_model_reads_the_passages_of_a_summary(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await with_summaries(workspace)
    tools = {each.name: each for each in document_tools(workspace)}
    said = await tools["summarize_documents"].call({"collection": "town"})
    assert "[1]" in said
    assert "Ferries pay half of the fee for a berth." in said
    of_one = await tools["summarize_documents"].call({"document_id": str(document_id)})
    assert str(document_id) in of_one
    nothing = await tools["summarize_documents"].call({"collection": "nowhere"})
    assert "not found in this workspace" in nothing
    absent = await tools["summarize_documents"].call({"document_id": str(uuid4())})
    assert "not found in this workspace" in absent
    wrong = await tools["summarize_documents"].call({})
    assert "one of document_id, collection and cluster_id" in wrong
