"""What models and stores are used for is added up by who asked and what for, and can be limited."""

from __future__ import annotations

import asyncio
import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from footnote.domain import AnswerDone, Principal, Role, SearchRequest
from footnote.domain.usage import BudgetState, Measure, Period, UsageKind, UsageRow
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.engine.usage import usage_by_person_csv
from footnote.errors import BudgetExceeded, Forbidden, InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting
from tests.conftest import TestDatabase
from tests.wire import WireServer, says

pytestmark = pytest.mark.usefixtures("within_one_day")

TEXT = b"# Policy\n\nThe deductible for storm damage is EUR 12,500 for each event."


async def indexed(workspace: WorkspaceEngine, text: bytes = TEXT) -> UUID:
    received = await workspace.receive(text, "policy.md")
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


async def used(workspace: WorkspaceEngine, **wanted: object) -> dict[UsageKind, UsageRow]:
    rows = await workspace.usage(**wanted)  # type: ignore[arg-type]  # each test names its own
    return {each.kind: each for each in rows}


def acting(workspace: WorkspaceEngine, name: str, role: Role = Role.ADMIN) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=role))


async def test_a_document_is_metered_for_whoever_handed_it_in(workspace: WorkspaceEngine) -> None:
    document_id = await indexed(acting(workspace, "ann"))
    found = await used(workspace, document_id=document_id)
    assert set(found) == {UsageKind.EMBEDDING, UsageKind.INGESTION, UsageKind.STORAGE}
    assert found[UsageKind.STORAGE].units == len(TEXT)
    assert (found[UsageKind.INGESTION].requests, found[UsageKind.INGESTION].units) == (1, 1)
    embedding = found[UsageKind.EMBEDDING]
    assert embedding.model.startswith("packaged:")
    assert embedding.units == 2  # the chunk, and what the document is about
    assert embedding.input_tokens > 10
    assert (embedding.cost_usd, embedding.unpriced_requests) == (0.0, 0)
    assert await used(workspace, document_id=document_id, principal_id="ann") == found
    assert await used(workspace, principal_id="bob") == {}


async def test_documents_that_share_batches_are_metered_each_for_itself(
    workspace: WorkspaceEngine,
) -> None:
    texts = [f"# Paper {number}\n\n{'Pears. ' * 20 * number}".encode() for number in (1, 2, 3)]
    received = [await workspace.receive(text, f"{len(text)}.md") for text in texts]
    ids = [each.document.document_id for each in received]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    tokens = [
        (await used(workspace, document_id=each))[UsageKind.EMBEDDING].input_tokens for each in ids
    ]
    assert tokens[0] < tokens[1] < tokens[2]
    whole = (await used(workspace))[UsageKind.EMBEDDING].input_tokens
    assert whole == sum(tokens)


async def test_a_search_is_metered_for_whoever_asked(workspace: WorkspaceEngine) -> None:
    await indexed(workspace)
    reader = acting(workspace, "rita", Role.READER)
    for query in ("storm", "deductible"):
        await reader.search(SearchRequest(query=query))
    found = await used(workspace, principal_id="rita")
    assert set(found) == {UsageKind.EMBEDDING}
    assert found[UsageKind.EMBEDDING].requests >= 2
    with pytest.raises(Forbidden):
        await reader.usage()


async def test_a_price_of_the_operators_own_is_the_sum_of_its_parts(
    workspace: WorkspaceEngine,
) -> None:
    wanted = {"prices": '{"ingestion": {"per_request": 0.5, "per_unit": 0.25}}'}
    settings = workspace.engine.settings.model_copy(update=wanted)
    async with await open_engine(settings) as engine:
        inside = await engine.workspace()
        document_id = await indexed(inside)
        found = await used(inside, document_id=document_id)
    assert found[UsageKind.INGESTION].cost_usd == 0.75
    assert found[UsageKind.EMBEDDING].cost_usd == 0.0


async def test_a_question_in_a_conversation_is_metered_there(workspace: WorkspaceEngine) -> None:
    await indexed(workspace)
    conversation = (await workspace.create_conversation()).conversation_id
    await workspace.ask_in_conversation(conversation, Asking(question="What of storms?"))
    found = await used(workspace, conversation_id=conversation)
    assert UsageKind.EMBEDDING in found
    there = await workspace.usage(conversation_id=conversation)
    assert len(await workspace.usage()) > len(there)


async def test_a_stream_that_is_left_is_metered(workspace: WorkspaceEngine) -> None:
    await indexed(workspace)
    reader = acting(workspace, "rita")
    stream = reader.ask_stream("What of storms?")
    await anext(stream)
    await stream.aclose()
    await asyncio.gather(*workspace.engine.audit._writers.values())
    assert UsageKind.EMBEDDING in await used(workspace, principal_id="rita")


async def test_a_budget_warns_and_then_stops(workspace: WorkspaceEngine) -> None:
    [budget] = await workspace.set_budget(Measure.DOCUMENTS, Period.MONTH, 2, warn_share=0.5)
    assert (budget.used, budget.state) == (0, BudgetState.WITHIN)
    await indexed(workspace)
    [budget] = await workspace.budgets()
    assert (budget.used, budget.state) == (1, BudgetState.WARNED)
    await indexed(workspace, TEXT + b" And hail.")
    workspace.engine.metering.forget_budgets(workspace.workspace_id)
    with pytest.raises(BudgetExceeded, match="2 documents is used up this month") as refused:
        await workspace.receive(b"One more.", "more.md")
    assert 1 <= (refused.value.retry_after_seconds or 0) <= 31 * 86_400
    with pytest.raises(BudgetExceeded):
        await workspace.search(SearchRequest(query="storm"))
    with pytest.raises(BudgetExceeded):
        await anext(workspace.ask_stream("What of storms?"))
    # What costs nothing goes on, and raising it helps at once.
    assert (await workspace.documents()).documents
    await workspace.set_budget(Measure.DOCUMENTS, Period.MONTH, 3)
    assert (await workspace.search(SearchRequest(query="storm"))).evidence
    await workspace.remove_budget(Measure.DOCUMENTS, Period.MONTH)
    assert await workspace.budgets() == ()
    with pytest.raises(NotFound):
        await workspace.remove_budget(Measure.DOCUMENTS, Period.MONTH)


async def test_each_measure_counts_its_own_and_in_its_period(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    await indexed(workspace)
    for measure in Measure:
        for period in Period:
            await workspace.set_budget(measure, period, 1e9)
    found = {(each.measure, each.period): each.used for each in await workspace.budgets()}
    assert found[Measure.BYTES, Period.DAY] == len(TEXT)
    assert found[Measure.CHUNKS, Period.TOTAL] == 1
    assert found[Measure.TOKENS, Period.MONTH] > 10
    assert found[Measure.COST_USD, Period.DAY] == 0
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE footnote.usage SET day = day - 40 WHERE workspace_id = %s",
            [workspace.workspace_id],
        )
    later = {(each.measure, each.period): each.used for each in await workspace.budgets()}
    assert later[Measure.BYTES, Period.DAY] == later[Measure.BYTES, Period.MONTH] == 0
    assert later[Measure.BYTES, Period.TOTAL] == len(TEXT)
    assert await workspace.usage() == ()
    today = datetime.now(UTC).date()
    assert await workspace.usage(since=today - timedelta(days=50))
    with pytest.raises(InvalidRequest, match="after"):
        await workspace.usage(since=today, until=today - timedelta(days=1))


async def test_workspaces_do_not_share_a_budget(engine: Engine, workspace: WorkspaceEngine) -> None:
    await engine.create_workspace("calm")
    calm = await engine.workspace("calm")
    await workspace.set_budget(Measure.TOKENS, Period.DAY, 0)
    with pytest.raises(BudgetExceeded):
        await workspace.search(SearchRequest(query="storm"))
    assert (await calm.search(SearchRequest(query="storm"))).evidence == ()


async def test_a_model_that_writes_is_metered_with_its_tokens_and_price(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await indexed(workspace)
    wanted = {
        "answer_models": f"openai:gpt-4o-mini@{wire_server.openai_url}",
        "prices": '{"openai:gpt-4o-mini": {"per_request": 0.25, "input_per_million": 1000000}}',
    }
    settings = workspace.engine.settings.model_copy(update=wanted)
    async with await open_engine(settings) as engine:
        inside = acting(await engine.workspace(), "rita")
        wire_server.script(says("The deductible for storm damage is EUR 12,500 [1]."))
        answer = await inside.ask("What is the deductible for storm damage?")
        wire_server.script(says("The deductible is EUR 12,500 [1]."))
        told = [each async for each in inside.agent_stream("What of storms?")]
        found = await used(inside, principal_id="rita")
    written = found[UsageKind.GENERATION]
    agent = told[-1]
    assert isinstance(agent, AnswerDone)
    assert written.model == "openai:gpt-4o-mini"
    assert written.requests == 2
    tokens = answer.usage.input_tokens + agent.answer.usage.input_tokens
    assert written.input_tokens == tokens > 0
    assert written.cost_usd == pytest.approx(0.5 + tokens)


async def test_what_each_person_used_is_summed_up_by_day(workspace: WorkspaceEngine) -> None:
    await indexed(acting(workspace, "ann"))
    for name in ("rita", "=cmd()"):
        await acting(workspace, name, Role.READER).search(SearchRequest(query=f"storm {name}"))
    rows = await workspace.usage_by_person()
    today = datetime.now(UTC).date()
    assert {each.principal for each in rows} == {"ann", "rita", "=cmd()"}
    assert {each.day for each in rows} <= {today, today - timedelta(days=1)}
    whole = await workspace.usage()
    assert sum(each.requests for each in rows) == sum(each.requests for each in whole)
    assert sum(each.input_tokens for each in rows) == sum(each.input_tokens for each in whole)
    table = list(csv.reader(io.StringIO(usage_by_person_csv(rows))))
    assert table[0][:3] == ["day", "principal", "requests"]
    # What a spreadsheet would carry out is a text.
    assert {row[1] for row in table[1:]} == {"ann", "rita", "'=cmd()"}
    assert await workspace.usage_by_person(until=today - timedelta(days=2)) == ()
    with pytest.raises(InvalidRequest):
        await workspace.usage_by_person(since=today, until=today - timedelta(days=1))
    with pytest.raises(Forbidden):
        await acting(workspace, "rita", Role.READER).usage_by_person()
