"""Whoever searched, read, changed or deleted something is in the log, with what was shown."""

from __future__ import annotations

import asyncio
import inspect
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import fields, replace
from typing import get_args, get_type_hints
from uuid import UUID, uuid4

import psycopg
import pytest

from footnote.domain import (
    AnswerDone,
    Principal,
    Role,
    SearchRequest,
    SourcesFound,
    Visibility,
)
from footnote.domain.audit import CHANGING, Act, AuditDraft, AuditEntry, AuditHead, Outcome
from footnote.domain.people import WantedGroup, WantedUser
from footnote.domain.usage import Measure, Period
from footnote.engine import Engine, WorkspaceEngine, WorkspaceVerbs, open_engine
from footnote.engine.act_subjects import SUBJECTS, subjects_of
from footnote.engine.audit_log import AuditLog
from footnote.engine.exchanges import Asking
from footnote.engine.shown_documents import shown_in
from footnote.engine.tools import document_tools
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, environment_of, settings_from
from tests.conftest import TestDatabase
from tests.processes import start_python

TEXT = b"# Policy\n\nThe deductible for storm damage is EUR 12,500 for each event."
QUESTION = "What is the deductible for storm damage?"


@pytest.fixture
async def indexed(workspace: WorkspaceEngine) -> UUID:
    received = await workspace.receive(TEXT, "policy.md")
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


async def entries_of(workspace: WorkspaceEngine) -> list[AuditEntry]:
    """All of them, oldest first."""
    await asyncio.gather(*workspace.engine.audit._writers.values())
    async with aclosing(workspace.export_audit()) as entries:
        return [each async for each in entries if each.verb != "export_audit"]


def as_reader(workspace: WorkspaceEngine, name: str = "rita") -> WorkspaceEngine:
    principal = Principal(principal_id=name, role=Role.READER)
    return replace(workspace, principal=principal, credential=f"key:{name}")


def test_every_verb_says_what_kind_of_act_it_is() -> None:
    verbs = {name: verb for name, verb in vars(WorkspaceVerbs).items() if hasattr(verb, "act")}
    assert set(verbs) == {name for name in vars(WorkspaceVerbs) if not name.startswith("_")}
    assert {verb.act for verb in verbs.values()} == set(Act)
    for name, verb in verbs.items():
        # What only observes needs nothing but the right to read; how far work is that others
        # may not know of needs more.
        more = name in {"source_entries", "source_places"} or name.startswith("started_evaluation")
        assert verb.act is not Act.OBSERVED or verb.right == "read" or more


def test_every_tool_says_what_kind_of_act_it_is(workspace: WorkspaceEngine) -> None:
    for tool in document_tools(workspace):
        definition = tool.call.definition  # type: ignore[attr-defined]  # a BoundTool
        assert definition.act is not Act.OBSERVED


async def test_a_search_is_entered_with_what_was_asked_and_shown(
    workspace: WorkspaceEngine, indexed: UUID
) -> None:
    reader = as_reader(workspace)
    response = await reader.search(SearchRequest(query="storm deductible"))
    entry = (await entries_of(workspace))[-1]
    assert (entry.act, entry.verb, entry.outcome) == (Act.SEARCHED, "search", Outcome.DONE)
    assert (entry.principal, entry.credential) == ("rita", "key:rita")
    assert entry.query == "storm deductible"
    assert entry.documents == (indexed,)
    assert set(entry.passages) >= {each.passage.chunk_id for each in response.evidence}


async def test_each_kind_of_act_is_entered(workspace: WorkspaceEngine, indexed: UUID) -> None:
    conversation = await workspace.create_conversation()
    exchange = await workspace.ask_in_conversation(
        conversation.conversation_id, Asking(question=QUESTION)
    )
    await workspace.document(indexed)
    await workspace.text(indexed, most_characters=100)
    await workspace.export_conversation(conversation.conversation_id)
    await workspace.stats()
    with pytest.raises(NotFound):
        await workspace.document(uuid4())
    await workspace.delete_document(indexed)
    found = [(each.act, each.verb, each.outcome) for each in await entries_of(workspace)]
    assert found == [
        (Act.CHANGED, "receive", Outcome.BEGUN),
        (Act.CHANGED, "receive", Outcome.DONE),
        (Act.CHANGED, "create_conversation", Outcome.BEGUN),
        (Act.CHANGED, "create_conversation", Outcome.DONE),
        (Act.SEARCHED, "ask_in_conversation", Outcome.DONE),
        (Act.READ, "document", Outcome.DONE),
        (Act.READ, "text", Outcome.DONE),
        (Act.EXPORTED, "export_conversation", Outcome.BEGUN),
        (Act.EXPORTED, "export_conversation", Outcome.DONE),
        (Act.READ, "document", Outcome.FAILED),
        (Act.DELETED, "delete_document", Outcome.BEGUN),
        (Act.DELETED, "delete_document", Outcome.DONE),
    ]
    entries = await entries_of(workspace)
    assert exchange.evidence
    assert entries[4].documents == (indexed,)
    assert entries[4].subject == {"conversation_id": str(conversation.conversation_id)}
    assert entries[4].query == QUESTION
    assert entries[6].documents == (indexed,)
    assert entries[9].error == "NotFound"
    assert entries[10].act_id == entries[11].act_id != entries[9].act_id


async def test_an_entry_names_all_whom_a_document_is_shared_with(
    workspace: WorkspaceEngine,
) -> None:
    received = await workspace.receive(
        b"A note.", "note.txt", visibility=Visibility.PRIVATE, shared_with=["ann", "group:crew"]
    )
    entry = (await entries_of(workspace))[-1]
    assert entry.subject["visibility"] == "private"
    assert entry.subject["shared_with"] == "ann, group:crew"
    assert entry.documents == (received.document.document_id,)


async def test_an_entry_names_what_was_made_or_changed(
    workspace: WorkspaceEngine, indexed: UUID
) -> None:
    with_links = settings_from(workspace.engine.settings, {"identity": "keys"})
    workspace = replace(workspace, engine=replace(workspace.engine, settings=with_links))
    made = await workspace.create_key("ingest", groups=["crew"], expires_in_days=3)
    again = await workspace.rotate_key(made.key.key_id)
    link = await workspace.share_collection("default", expires_in_hours=2)
    conversation = await workspace.create_conversation(document_ids=[indexed])
    shown = await workspace.share_conversation(conversation.conversation_id)
    await workspace.set_budget(Measure.COST_USD, Period.DAY, 20.5)
    person = await workspace.add_user(WantedUser(user_name="ann"))
    crew = await workspace.add_user_group(WantedGroup(display_name="crew"))
    await workspace.use_models(["extractive"])
    pushed = await workspace.push_content(b"A note.", "note.txt")
    endpoint, _ = await workspace.add_webhook("https://93.184.215.14/told")
    done = {each.verb: each for each in await entries_of(workspace) if each.outcome is Outcome.DONE}
    subjects = {verb: entry.subject for verb, entry in done.items()}
    assert subjects["create_key"] == {
        "name": "ingest",
        "rights": "read",
        "groups": "crew",
        "expires_in_days": "3",
        "key_id": made.key.key_id,
        "principal": "service:ingest",
    }
    assert subjects["rotate_key"]["principal"] == "service:ingest"
    assert subjects["rotate_key"]["key_id"] == made.key.key_id
    assert subjects["rotate_key"]["new_key_id"] == again.key.key_id
    assert subjects["share_collection"]["link_id"] == link.link.link_id
    assert subjects["share_collection"]["expires_in_hours"] == "2"
    assert subjects["create_conversation"]["conversation_id"] == str(conversation.conversation_id)
    assert done["create_conversation"].documents == (indexed,)
    assert subjects["share_conversation"] == {
        "conversation_id": str(conversation.conversation_id),
        "link_id": shown.link.link_id,
    }
    assert subjects["set_budget"] == {"measure": "cost_usd", "period": "day", "most": "20.5"}
    assert subjects["add_user"] == {"user_id": str(person.user_id), "principal": "ann"}
    assert subjects["add_user_group"] == {"group_id": str(crew.group_id), "name": "crew"}
    assert subjects["use_models"] == {"names": "extractive"}
    assert subjects["push_content"]["ingest_id"] == str(pushed.ingest_id)
    assert done["push_content"].documents == (pushed.document_id,)
    assert subjects["add_webhook"]["endpoint_id"] == str(endpoint.endpoint_id)
    secrets = {made.secret.rpartition("_")[2], link.token.rpartition("_")[2]}
    assert not any(secret in str(done) for secret in secrets)


def test_every_verb_that_changes_something_says_what_it_was() -> None:
    plain = {
        "golden_candidates",
        "export_audit",
        "extract_facts",
        "extract_entities",
        *("start_backfill", "pause_backfill", "resume_backfill"),
    }  # of all there is
    told = {*subjects_of.registry, *shown_in.registry} - {object, tuple, list, Mapping}
    for name, verb in vars(WorkspaceVerbs).items():
        if getattr(verb, "act", None) not in CHANGING or name in plain:
            continue
        declared = inspect.unwrap(verb._verb)
        kinds = get_type_hints(declared)
        result = kinds.pop("return")
        needed = {
            each.name
            for each in inspect.signature(declared).parameters.values()
            if each.default is each.empty
        }
        by_argument = needed & SUBJECTS or told & set(kinds.values())
        assert by_argument or told & {result, *get_args(result)}, name


async def test_what_is_refused_is_entered(workspace: WorkspaceEngine, indexed: UUID) -> None:
    reader = as_reader(workspace)
    with pytest.raises(Forbidden):
        await reader.delete_document(indexed)
    with pytest.raises(Forbidden):
        await reader.audit_entries()
    with pytest.raises(Forbidden):
        reader.export_audit()
    found = await entries_of(workspace)
    refused = {(each.verb, each.act) for each in found if each.outcome is Outcome.REFUSED}
    assert refused == {("delete_document", Act.DELETED), ("audit_entries", Act.READ)}
    exported = (await workspace.audit_entries(act=Act.EXPORTED)).entries
    assert Outcome.REFUSED in {each.outcome for each in exported}


async def test_an_administrator_of_one_collection_may_not_read_the_log(
    workspace: WorkspaceEngine,
) -> None:
    principal = Principal(principal_id="carl", role=None, collections=(("hr", Role.ADMIN),))
    one = replace(workspace, principal=principal)
    for attempt in (one.audit_entries(), one.verify_audit()):
        with pytest.raises(Forbidden):
            await attempt
    with pytest.raises(Forbidden):
        await anext(one.export_audit())


async def test_a_stream_is_entered_before_it_shows_and_when_it_ends(
    workspace: WorkspaceEngine, indexed: UUID
) -> None:
    async with aclosing(workspace.ask_stream(QUESTION)) as events:
        async for event in events:
            if isinstance(event, SourcesFound):
                [showing] = (await workspace.audit_entries(act=Act.SEARCHED)).entries
                assert showing.outcome is Outcome.SHOWING
                assert showing.documents == (indexed,)
            done = event
    assert isinstance(done, AnswerDone)
    last = (await entries_of(workspace))[-1]
    assert (last.outcome, last.documents) == (Outcome.DONE, (indexed,))
    assert last.act_id == showing.act_id


async def test_a_stream_that_is_left_is_entered_as_stopped(
    workspace: WorkspaceEngine, indexed: UUID
) -> None:
    stream = workspace.ask_stream(QUESTION)
    assert isinstance(await anext(stream), SourcesFound)
    await stream.aclose()
    last = (await entries_of(workspace))[-1]
    assert (last.verb, last.outcome, last.documents) == ("ask_stream", Outcome.STOPPED, (indexed,))


async def test_a_tool_is_entered_by_its_name(workspace: WorkspaceEngine, indexed: UUID) -> None:
    reader = as_reader(workspace)
    tools = {each.name: each for each in document_tools(reader)}
    await tools["search_documents"].call({"query": "storm"})
    said = await tools["create_document"].call({"title": "Note", "content": "Pears."})
    assert "may not write" in said
    found = [(each.verb, each.outcome, each.documents) for each in await entries_of(workspace)]
    assert ("search_documents", Outcome.DONE, (indexed,)) in found
    assert ("create_document", Outcome.REFUSED, ()) in found


async def test_what_is_asked_for_is_found_page_by_page(
    workspace: WorkspaceEngine, indexed: UUID
) -> None:
    reader = as_reader(workspace, "sam")
    for _ in range(3):
        await reader.document(indexed)
    page = await workspace.audit_entries(principal_id="sam", limit=2)
    assert [each.verb for each in page.entries] == ["document", "document"]
    assert page.next_cursor is not None
    rest = await workspace.audit_entries(principal_id="sam", limit=2, cursor=page.next_cursor)
    assert [each.verb for each in rest.entries] == ["document"]
    assert rest.next_cursor is None
    with pytest.raises(InvalidRequest, match="cursor"):
        await workspace.audit_entries(limit=2, cursor=page.next_cursor)
    times = [each.recorded_at for each in (*page.entries, *rest.entries)]
    since = await workspace.audit_entries(principal_id="sam", since=times[1], until=times[0])
    assert [each.recorded_at for each in since.entries] == [times[1]]
    shown = await workspace.audit_entries(document_id=indexed, act=Act.READ)
    assert {each.principal for each in shown.entries} == {"sam"}


async def test_text_that_cannot_be_stored_is_entered_as_far_as_it_can(
    workspace: WorkspaceEngine,
) -> None:
    odd = replace(workspace, credential="key:\0")
    with pytest.raises(InvalidRequest):
        await odd.search(SearchRequest(query="what\0 about \ud800"))
    entry = (await entries_of(workspace))[-1]
    assert entry.query == "what\ufffd about ?"
    assert (await workspace.verify_audit()).intact


async def test_many_at_once_make_one_chain(workspace: WorkspaceEngine, indexed: UUID) -> None:
    await asyncio.gather(*(workspace.document(indexed) for _ in range(40)))
    found = await workspace.verify_audit()
    assert (found.intact, found.entries) == (True, 42)
    assert (await workspace.verify_audit([found.head])).intact


@pytest.mark.usefixtures("own_database")
async def test_tampering_by_whoever_owns_the_tables_is_found(
    workspace: WorkspaceEngine, indexed: UUID, test_database: TestDatabase
) -> None:
    await workspace.search(SearchRequest(query="storm"))
    kept = (await workspace.verify_audit()).head
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("UPDATE footnote.audit_log SET documents = '{}' WHERE entry_no = 3")
        found = await workspace.verify_audit()
        assert not found.intact
        assert [(each.entry_no, each.what) for each in found.faults] == [(3, "it was changed")]
        connection.execute("DELETE FROM footnote.audit_log WHERE entry_no >= 3")
    assert (await workspace.verify_audit()).intact
    found = await workspace.verify_audit([kept])
    assert not found.intact


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE footnote.audit_log SET principal = 'x'",
        "DELETE FROM footnote.audit_log",
        "TRUNCATE footnote.audit_log",
        "ALTER TABLE footnote.audit_log DISABLE ROW LEVEL SECURITY",
    ],
)
async def test_the_application_can_only_add_to_the_log(
    workspace: WorkspaceEngine, indexed: UUID, statement: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with workspace.scope() as scope:
            await scope.connection.execute(statement)
    assert (await workspace.verify_audit()).entries >= 2


@pytest.fixture
async def forgetful(own_settings: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(own_settings.model_copy(update={"audit_queries": False})) as one:
        yield one


async def test_who_takes_another_entry_for_the_last_writes_behind_the_one_that_is(
    workspace: WorkspaceEngine,
) -> None:
    """As several processes do that write to one log, each remembering what it wrote."""
    await workspace.search(SearchRequest(query="storm"))
    found = (await entries_of(workspace))[-1]
    given = {each.name: getattr(found, each.name) for each in fields(AuditDraft)}
    others = [AuditLog(database=workspace.engine.database) for _ in range(2)]
    others[1]._heads[workspace.workspace_id] = AuditHead(entry_no=900, entry_hash="0" * 64)
    written = []
    for log in (*others, workspace.engine.audit, *others, others[0], workspace.engine.audit):
        draft = AuditDraft(**{**given, "act_id": uuid4()})
        await log.append(workspace.workspace_id, draft, "storm")
        written.append(draft.act_id)
    entries = await entries_of(workspace)
    assert [each.act_id for each in entries if each.act_id in written] == written
    checked = await workspace.verify_audit()
    assert checked.intact, checked.faults


async def test_what_was_asked_can_be_left_out(forgetful: Engine) -> None:
    workspace = await forgetful.workspace()
    await workspace.search(SearchRequest(query="storm"))
    entry = (await entries_of(workspace))[-1]
    assert (entry.verb, entry.query, entry.query_digest) == ("search", None, None)


SHOWS = """
import asyncio, os, sys
from uuid import UUID
import footnote

async def main() -> None:
    async with footnote.open() as engine:
        workspace = await engine.workspace()
        print("ready", flush=True)
        sys.stdin.readline()
        while True:
            found = await workspace.document(UUID(sys.argv[1]))
            print(found.document_id, flush=True)

asyncio.run(main())
"""


@pytest.mark.usefixtures("own_database")
async def test_processes_share_a_chain_and_one_that_is_killed_loses_nothing_it_showed(
    workspace: WorkspaceEngine, indexed: UUID, settings: Settings
) -> None:
    environment = {**environment_of(settings), "PYTHONPATH": ":".join(sys.path)}
    children = [
        await start_python("-c", SHOWS, str(indexed), env=environment, stdin=PIPE, stdout=PIPE)
        for _ in range(2)
    ]
    shown = 0
    try:
        for child in children:
            assert child.stdout is not None
            assert await child.stdout.readline() == b"ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write(b"go\n")
        for child in children:
            assert child.stdout is not None
            for _ in range(20):
                assert await child.stdout.readline() == f"{indexed}\n".encode()
    finally:
        for child in children:
            child.kill()
    for child in children:
        rest, _ = await child.communicate()
        shown += 20 + rest.count(str(indexed).encode())
    entered = [each for each in await entries_of(workspace) if each.verb == "document"]
    # Each may have been killed between the entry and its line.
    assert shown <= len(entered) <= shown + 2
    assert (await workspace.verify_audit()).intact
