"""What is kept no longer than the rules say, and what is due by them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from footnote.domain import Principal, Role, SearchRequest
from footnote.domain.audit import Act, Outcome
from footnote.domain.retention import DueDocument, RetentionKind, RetentionRun
from footnote.engine import Engine, WorkspaceEngine, retention
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.jobs.maintenance import retain
from footnote.store import retention as stored
from footnote.store.database import SYSTEM, WorkspaceScope

DOCUMENTS, CONVERSATIONS = RetentionKind.DOCUMENTS, RetentionKind.CONVERSATIONS
QUERIES, PUSHES = RetentionKind.QUERIES, RetentionKind.PUSHES


async def handed_in(
    workspace: WorkspaceEngine,
    name: str,
    days_ago: int,
    *,
    collection: str | None = None,
    external_id: str | None = None,
) -> UUID:
    """A document whose newest version came so many days ago."""
    received = await workspace.receive(
        name.encode(), name, collection=collection, external_id=external_id
    )
    document_id = received.document.document_id
    await date_back(workspace, "documents", "created_at", days_ago, document_id)
    await date_back(workspace, "document_versions", "created_at", days_ago, document_id)
    return document_id


async def date_back(
    workspace: WorkspaceEngine, table: str, column: str, days: int, document_id: UUID | None = None
) -> None:
    """Say that rows are so many days older."""
    async with workspace.engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await scope.connection.execute(
            f"UPDATE {table} SET {column} = {column} - make_interval(days => %s)"
            + ("" if document_id is None else " WHERE document_id = %s"),
            [days] if document_id is None else [days, document_id],
        )


async def names(workspace: WorkspaceEngine) -> set[str]:
    return {each.filename for each in (await workspace.documents()).documents}


async def test_a_rule_of_a_collection_comes_before_that_of_the_workspace(
    workspace: WorkspaceEngine,
) -> None:
    for name, days_ago, collection in (
        ("old.txt", 40, "default"),
        ("young.txt", 20, "default"),
        ("notes.txt", 10, "notes"),
        ("law.txt", 4000, "law"),
    ):
        await handed_in(workspace, name, days_ago, collection=collection)
    await workspace.set_retention(DOCUMENTS, 30)
    await workspace.set_retention(DOCUMENTS, 7, collection="notes")
    await workspace.set_retention(DOCUMENTS, None, collection="law")
    preview = await workspace.retention_preview()
    assert [each.filename for each in preview.documents] == ["old.txt", "notes.txt"]
    assert preview.document_count == 2
    assert preview.documents[0].due_at - preview.documents[0].handed_in_at == timedelta(days=30)
    soon = await workspace.retention_preview(within_days=11, limit=1)
    assert (len(soon.documents), soon.document_count) == (1, 3)
    run = await workspace.apply_retention()
    assert run == RetentionRun(documents=2, conversations=0, queries=0, pushes=0)
    assert await names(workspace) == {"young.txt", "law.txt"}


async def test_a_new_version_begins_its_days_anew(workspace: WorkspaceEngine) -> None:
    await handed_in(workspace, "renewed.txt", 40, external_id="renewed")
    await workspace.receive(b"Other words.", "renewed.txt", external_id="renewed")
    await workspace.set_retention(DOCUMENTS, 30)
    assert (await workspace.apply_retention()).documents == 0
    assert await names(workspace) == {"renewed.txt"}


async def renew(workspace: WorkspaceEngine) -> None:
    await workspace.receive(b"Other words.", "old.txt", external_id="old")


async def remove_the_rule(workspace: WorkspaceEngine) -> None:
    await workspace.remove_retention(DOCUMENTS)


@pytest.mark.parametrize("happens", [renew, remove_the_rule])
async def test_what_is_no_longer_due_when_its_turn_comes_is_kept(
    workspace: WorkspaceEngine,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[WorkspaceEngine], Awaitable[None]],
) -> None:
    document_id = await handed_in(workspace, "old.txt", 40, external_id="old")
    await workspace.set_retention(DOCUMENTS, 30)
    listed = stored.due_documents

    async def listed_before(
        scope: WorkspaceScope, until: datetime, limit: int
    ) -> tuple[DueDocument, ...]:
        due = await listed(scope, until, limit)
        if due:
            await happens(workspace)
        return due

    monkeypatch.setattr(stored, "due_documents", listed_before)
    assert (await workspace.apply_retention()).documents == 0
    assert (await workspace.document(document_id)).filename == "old.txt"


async def test_conversations_queries_and_pushes_have_rules_of_their_own(
    workspace: WorkspaceEngine,
) -> None:
    kept = await workspace.create_conversation(title="Kept")
    old = await workspace.create_conversation(title="Old")
    async with workspace.scope() as scope:
        await scope.connection.execute(
            "UPDATE conversations SET updated_at = updated_at - interval '9 days'"
            " WHERE conversation_id = %s",
            [old.conversation_id],
        )
    for query in ("the first question", "the second question"):
        await workspace.search(_request(query))
    await workspace.push_content(b"Pushed.", "pushed.txt")
    await date_back(workspace, "ingest_requests", "updated_at", 9)
    assert await workspace.apply_retention() == RetentionRun(
        documents=0, conversations=0, queries=0, pushes=0
    )
    for kind in (CONVERSATIONS, PUSHES):
        await workspace.set_retention(kind, 7)
    preview = await workspace.retention_preview()
    assert (preview.conversation_count, preview.query_count, preview.push_count) == (1, 0, 1)
    run = await workspace.apply_retention()
    assert (run.documents, run.conversations, run.pushes) == (0, 1, 1)
    left = (await workspace.conversations()).conversations
    assert [each.conversation_id for each in left] == [kept.conversation_id]


async def test_queries_go_and_the_log_stays_whole(workspace: WorkspaceEngine) -> None:
    for number in range(5):
        await workspace.search(_request(f"question number {number}"))
    await _date_log_back(workspace, 3)
    await workspace.search(_request("a young question"))
    await workspace.set_retention(QUERIES, 2)
    assert (await workspace.retention_preview()).query_count == 5
    assert (await workspace.apply_retention()).queries == 5
    page = await workspace.audit_entries(act=Act.SEARCHED)
    assert [each.query for each in page.entries] == ["a young question", *[None] * 5]
    assert all(each.query_digest for each in page.entries)


async def test_queries_go_also_when_those_before_them_are_held(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await engine.workspace(None, Principal(principal_id="ann", role=Role.READER))
    monkeypatch.setattr(retention, "_QUERY_BATCH_SIZE", 2)
    for number in range(4):
        await ann.search(_request(f"held question number {number}"))
    for number in range(3):
        await workspace.search(_request(f"question number {number}"))
    await _date_log_back(workspace, 3)
    await workspace.search(_request("a young question"))
    await workspace.set_legal_hold("case 7", principal_id="ann")
    await workspace.set_retention(QUERIES, 2)
    assert (await workspace.apply_retention()).queries == 3
    page = await workspace.audit_entries(act=Act.SEARCHED)
    held = [f"held question number {number}" for number in reversed(range(4))]
    assert [each.query for each in page.entries] == ["a young question", *[None] * 3, *held]


async def test_a_worker_deletes_what_is_due_and_comes_again_tomorrow(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await handed_in(workspace, "old.txt", 40)
    await retain(engine, workspace.workspace_id)
    assert await _waiting(workspace) == []
    await workspace.set_retention(DOCUMENTS, 30)
    [first] = await _waiting(workspace)
    assert first < datetime.now(UTC) + timedelta(hours=2)
    async with workspace.scope() as scope:
        await scope.connection.execute(
            "DELETE FROM procrastinate_jobs WHERE task_name = 'apply_retention'"
        )
    await retain(engine, workspace.workspace_id)
    with pytest.raises(NotFound):
        await workspace.document(document_id)
    [again] = await _waiting(workspace)
    assert again > datetime.now(UTC) + timedelta(hours=20)
    page = await workspace.audit_entries(document_id=document_id, act=Act.DELETED)
    assert {(each.principal, each.verb, each.outcome) for each in page.entries} == {
        ("*", "apply_retention", Outcome.BEGUN),
        ("*", "apply_retention", Outcome.DONE),
    }


async def test_rules_are_set_and_removed_by_administrators(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    [rule] = await workspace.set_retention(DOCUMENTS, 30, collection="notes")
    assert (rule.kind, rule.collection, rule.days, rule.set_by) == (
        DOCUMENTS,
        "notes",
        30,
        "local",
    )
    [rule] = await workspace.set_retention(DOCUMENTS, 60, collection="notes")
    assert (rule.days, await workspace.retention_rules()) == (60, (rule,))
    with pytest.raises(InvalidRequest, match="belong to no collection"):
        await workspace.set_retention(CONVERSATIONS, 30, collection="notes")
    with pytest.raises(InvalidRequest):
        await workspace.set_retention(DOCUMENTS, 0)
    with pytest.raises(NotFound, match="no rule for documents of the workspace"):
        await workspace.remove_retention(DOCUMENTS)
    writer = await engine.workspace(None, Principal(principal_id="wim", role=Role.WRITER))
    with pytest.raises(Forbidden):
        await writer.retention_rules()
    for refused in (
        writer.set_retention(DOCUMENTS, 1),
        writer.remove_retention(DOCUMENTS, collection="notes"),
        writer.retention_preview(),
        writer.apply_retention(),
    ):
        with pytest.raises(Forbidden):
            await refused
    await workspace.remove_retention(DOCUMENTS, collection="notes")
    assert await workspace.retention_rules() == ()


async def test_the_rules_of_a_workspace_delete_nothing_of_another(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await engine.create_workspace("other")
    other = await engine.workspace("other")
    await handed_in(other, "theirs.txt", 40)
    await handed_in(workspace, "ours.txt", 40)
    await workspace.set_retention(DOCUMENTS, 30)
    assert (await workspace.apply_retention()).documents == 1
    assert await names(other) == {"theirs.txt"}


def _request(query: str) -> SearchRequest:
    return SearchRequest(query=query)


async def _waiting(workspace: WorkspaceEngine) -> list[datetime]:
    async with workspace.scope() as scope:
        rows = await scope.all(
            "SELECT scheduled_at FROM procrastinate_jobs WHERE task_name = 'apply_retention'"
            " AND args ->> 'workspace_id' = %(workspace_id)s::text"
        )
    return [row["scheduled_at"] for row in rows]


async def _date_log_back(workspace: WorkspaceEngine, days: int) -> None:
    with psycopg.connect(workspace.engine.owner_url, autocommit=True) as connection:
        connection.execute(
            "SELECT set_config('footnote.workspace_id', %s, false)", [str(workspace.workspace_id)]
        )
        connection.execute(
            "UPDATE footnote.audit_log SET recorded_at = recorded_at - make_interval(days => %s)",
            [days],
        )
