"""Facts over HTTP, by the client, by a command, and as a tool of models."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

import pytest
from ag_ui.core import RunAgentInput, UserMessage

import footnote
from footnote.domain.facts import FactKind, FactStatus
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.tools import document_tools
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.jobs.extracting import extract_fact_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

FIRST = "# Policy\n\nDeductible: 250 EUR\n\nAcme Insurance employs 450 people.\n"
SECOND = "# Report\n\nAcme Insurance employs 470 people.\n"


async def with_facts(engine: Engine, workspace: WorkspaceEngine) -> list[UUID]:
    ids = []
    for name, text in (("policy.md", FIRST), ("report.md", SECOND)):
        received = await workspace.receive(text.encode(), name)
        ids.append(received.document.document_id)
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    await workspace.change_setting("facts", "rules")
    await extract_fact_slice(workspace.engine, workspace.workspace_id)
    return ids


async def test_the_client_has_what_the_engine_has(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    policy, _ = await with_facts(engine, workspace)
    boss = await workspace.create_key("boss", rights=["read", "write", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        address = str(http.base_url)
        async with footnote.AsyncClient(address, api_key=boss.secret) as client:
            assert await client.facts() == await workspace.facts()
            narrowed = await client.facts(
                document_id=policy, kinds=[FactKind.PROPERTY], statuses=[FactStatus.PROPOSED]
            )
            [deductible] = narrowed.facts
            assert deductible.value == "250"
            assert await client.fact(deductible.fact_id) == deductible
            page = await client.facts(limit=1)
            rest = await client.facts(cursor=page.next_cursor)
            assert page.facts + rest.facts == (await workspace.facts()).facts
            found = await client.recall_facts("deductible", limit=1)
            assert [each.fact for each in found] == [deductible]
            assert await client.fact_conflicts() == await workspace.fact_conflicts()
            with pytest.raises(InvalidRequest):
                await client.fact_conflicts(cursor="elsewhere")
            assert await client.fact_changes(policy) == await workspace.fact_changes(policy)
            confirmed = await client.decide_fact(deductible.fact_id, "confirmed")
            assert confirmed.status is FactStatus.CONFIRMED
            with pytest.raises(NotFound):
                await client.facts(entity_id=uuid4())
            assert (await client.extract_facts()).enabled
            progress = await client.fact_progress()
            assert (progress.documents, progress.done, progress.facts) == (2, 2, 3)
            with pytest.raises(NotFound):
                await client.fact(uuid4())
            await workspace.change_setting("facts", "off")
            with pytest.raises(Conflict):
                await client.extract_facts()
        async with footnote.AsyncClient(address, api_key=reader.secret) as client:
            assert len((await client.facts()).facts) == 3
            with pytest.raises(Forbidden):
                await client.decide_fact(deductible.fact_id, "rejected")
            with pytest.raises(Forbidden):
                await client.extract_facts()


async def test_a_model_recalls_facts_and_hears_what_disagrees(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await with_facts(engine, workspace)
    tools = {each.name: each for each in document_tools(workspace)}
    said = await tools["recall_facts"].call({"query": "How many people does Acme employ?"})
    assert "Acme Insurance employs 450 people." in said
    assert "OTHERWISE: Acme Insurance employs 470 people." in said
    wrong = await tools["recall_facts"].call({"query": ""})
    assert "query" in wrong
    absent = await tools["recall_facts"].call({"query": "people", "document_id": str(uuid4())})
    assert "not found in this workspace" in absent


async def test_every_way_to_ask_says_what_documents_do_not_agree_about(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    await with_facts(engine, workspace)
    question = "How many people does Acme Insurance employ?"
    expected = (await workspace.ask(question)).conflicts
    [conflict] = expected
    asked = {"messages": [{"role": "user", "content": question}]}
    async with served(settings) as http:
        async with footnote.AsyncClient(str(http.base_url)) as client:
            assert (await client.ask(question)).conflicts == expected
            talk = await client.conversations.create()
            exchange = await client.conversations.ask(talk.conversation_id, question)
            assert exchange.reply.answer is not None
            assert exchange.reply.answer.conflicts == expected
            page = await client.conversations.messages(talk.conversation_id)
            assert page.messages[-1].answer == exchange.reply.answer
        completion = (await http.post("/v1/chat/completions", json=asked)).json()
        run = RunAgentInput(
            thread_id="t",
            run_id="r",
            state={},
            messages=[UserMessage(id="m", content=question)],
            tools=[],
            context=[],
            forwarded_props={},
        )
        told = (await http.post("/agui", content=run.model_dump_json(by_alias=True))).text
    assert completion["choices"][0]["message"]["content"].endswith(f"\n\n{conflict.prose}")
    events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: ")]
    text = "".join(each["delta"] for each in events if each["type"] == "TEXT_MESSAGE_CONTENT")
    assert text.endswith(f"\n\n{conflict.prose}")
    cited = [each["value"] for each in events if each.get("name") == "footnote:citation"]
    assert {each["marker"] for each in cited} == {
        each.citation.marker for each in conflict.statements
    }


async def test_commands_say_what_facts_there_are(
    engine: Engine, settings: Settings, workspace: WorkspaceEngine
) -> None:
    env = environment(settings, COLUMNS="200")
    none = await command(env, "facts", "list")
    assert "footnote config set facts rules" in none.out
    await with_facts(engine, workspace)
    listed = json.loads((await command(env, "facts", "list", "--json")).out)["facts"]
    assert [each["object"] for each in listed if each["kind"] == "property"] == ["250 EUR"]
    [deductible] = [each for each in listed if each["kind"] == "property"]
    shown = await command(env, "facts", "show", deductible["fact_id"])
    assert "Policy – Deductible: 250 EUR" in shown.out
    asked = await command(env, "ask", "How many people does Acme Insurance employ?")
    assert "The documents disagree about Acme Insurance – employs: “" in asked.out
    conflicts = await command(env, "facts", "conflicts")
    assert "450 people" in conflicts.out
    assert "470 people" in conflicts.out
    rejected = await command(env, "facts", "reject", deductible["fact_id"], "--json")
    assert json.loads(rejected.out)["status"] == "rejected"
    found = await command(env, "facts", "recall", "employees", "--json")
    assert "250 EUR" not in found.out
    changes = await command(env, "facts", "changes", "policy.md", "--json")
    assert json.loads(changes.out)["changed"] == []
    changes = await command(env, "facts", "changes", "policy.md")
    assert "No fact differs between version 1 and the version before, if any." in changes.out
    progress = await command(env, "facts", "progress")
    assert "2 of 2 documents read, 0 failed; 3 facts." in progress.out
    absent = await command(env, "facts", "show", str(uuid4()))
    assert absent.code != 0
    assert "there is no fact" in absent.err
