"""What is under legal hold is deleted by nothing, and whoever may not see it learns nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

import psycopg
import pytest

from footnote.domain import Principal, Role, SearchRequest, Visibility
from footnote.domain.audit import Act
from footnote.domain.retention import RetentionKind
from footnote.domain.sources import Labels, Offered
from footnote.engine import Engine, WorkspaceEngine, erasure, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound, UnderLegalHold
from footnote.interfaces.failures import failure_of
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from footnote.store.database import SYSTEM
from tests.engine.shelf import message
from tests.engine.test_retention import date_back, handed_in, names

DOCUMENTS, QUERIES = RetentionKind.DOCUMENTS, RetentionKind.QUERIES
FEE = b"# Fees\n\nThe harbour fee for a barge is 48 euros a day."


async def taken_in(
    workspace: WorkspaceEngine, content: bytes = FEE, name: str = "fees.md", **given: str
) -> UUID:
    received = await workspace.receive(content, name, **given)  # type: ignore[arg-type]
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


def hold_the_document(workspace: WorkspaceEngine, document_id: UUID) -> Awaitable[object]:
    return workspace.set_legal_hold("case 7", document_id=document_id)


def hold_its_collection(workspace: WorkspaceEngine, _: UUID) -> Awaitable[object]:
    return workspace.set_legal_hold("case 7", collection="default")


def hold_who_handed_it_in(workspace: WorkspaceEngine, _: UUID) -> Awaitable[object]:
    return workspace.set_legal_hold("case 7", principal_id="local")


@pytest.mark.parametrize("hold", [hold_the_document, hold_its_collection, hold_who_handed_it_in])
async def test_what_is_held_is_deleted_by_nothing(
    workspace: WorkspaceEngine, hold: Callable[[WorkspaceEngine, UUID], Awaitable[object]]
) -> None:
    document_id = await taken_in(workspace)
    await date_back(workspace, "documents", "created_at", 40, document_id)
    await date_back(workspace, "document_versions", "created_at", 40, document_id)
    await hold(workspace, document_id)
    for deleting in (workspace.delete_document, workspace.erase_document):
        with pytest.raises(UnderLegalHold, match=str(document_id)) as caught:
            await deleting(document_id)
        assert caught.value.hint is not None
        assert "footnote hold lift" in caught.value.hint
    await workspace.set_retention(DOCUMENTS, 30)
    preview = await workspace.retention_preview()
    assert (preview.documents, preview.held_count) == ((), 1)
    assert (await workspace.apply_retention()).documents == 0
    with pytest.raises(UnderLegalHold, match="legal holds are in force"):
        await workspace.engine.destroy_workspace(workspace.workspace.name)  # type: ignore[attr-defined]
    # All of it is still there.
    assert (await workspace.search(SearchRequest(query="harbour fee"))).evidence
    assert (await workspace.original(document_id)).content == FEE
    [found] = await workspace.legal_holds()
    await workspace.lift_legal_hold(found.hold_id, "settled")
    assert (await workspace.retention_preview()).held_count == 0
    await workspace.delete_document(document_id)
    assert await workspace.legal_holds() == ()


async def test_the_database_refuses_what_the_engine_would_not(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await taken_in(workspace)
    conversation = await workspace.create_conversation(title="Fees")
    await workspace.ask_in_conversation(
        conversation.conversation_id, Asking(question="What is the harbour fee?")
    )
    await workspace.set_legal_hold("case 7", principal_id="local")
    for statement in (
        "DELETE FROM documents",
        "DELETE FROM document_versions",
        "DELETE FROM conversations",
        "DELETE FROM messages",
        "UPDATE messages SET text = '' WHERE role = 'user'",
        "DELETE FROM audit_queries",
        "DELETE FROM legal_holds",
    ):
        with pytest.raises(UnderLegalHold):
            async with workspace.system_scope() as scope:
                await scope.connection.execute(statement)
    with psycopg.connect(workspace.engine.owner_url) as connection:
        connection.execute(
            "SELECT set_config('footnote.workspace_id', %s, true),"
            " set_config('footnote.access', '{*}', true)",
            [str(workspace.workspace_id)],
        )
        with pytest.raises(psycopg.IntegrityError, match="under legal hold"):
            connection.execute("DELETE FROM footnote.workspaces")
    assert (await workspace.document(document_id)).filename == "fees.md"


async def test_a_hold_cannot_be_changed_into_another(workspace: WorkspaceEngine) -> None:
    await workspace.set_legal_hold("case 7", collection="default")
    for change in ("collection = 'other'", "set_by = 'eve'", "hold_id = gen_random_uuid()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            async with workspace.system_scope() as scope:
                await scope.connection.execute(f"UPDATE legal_holds SET {change}")


async def test_attachments_and_what_they_are_attached_to_are_held_together(
    workspace: WorkspaceEngine,
) -> None:
    mail = await taken_in(workspace, message(), "delivery.eml")
    [note] = await workspace.children(mail)
    for held in (mail, note.document_id):
        hold = await workspace.set_legal_hold("case 7", document_id=held)
        for deleted in (mail, note.document_id):
            with pytest.raises(UnderLegalHold):
                await workspace.delete_document(deleted)
        await workspace.lift_legal_hold(hold.hold_id, "wrong mail")
    await workspace.delete_document(mail)


async def test_a_new_version_leaves_a_held_one_and_its_attachments(
    workspace: WorkspaceEngine,
) -> None:
    mail = await taken_in(workspace, message(), "delivery.eml", external_id="mail")
    [note] = await workspace.children(mail)
    await workspace.set_legal_hold("case 7", document_id=mail)
    await taken_in(
        workspace, b"From: a@example.com\n\nNo note.", "delivery.eml", external_id="mail"
    )
    assert [each.document_id for each in await workspace.children(mail)] == [note.document_id]
    async with workspace.scope() as scope:
        rows = await scope.all(
            "SELECT version FROM document_versions WHERE document_id = %(document_id)s"
            " AND canonical_text IS NOT NULL AND blob_key <> '' ORDER BY version",
            {"document_id": mail},
        )
    assert [row["version"] for row in rows] == [1, 2]


async def test_what_a_held_conversation_quotes_is_kept_with_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await taken_in(workspace)
    ann = await engine.workspace(None, Principal(principal_id="ann"))
    conversation = await ann.create_conversation()
    exchange = await ann.ask_in_conversation(
        conversation.conversation_id, Asking(question="What is the harbour fee for a barge?")
    )
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.citations
    hold = await workspace.set_legal_hold("case 7", principal_id="ann")
    with pytest.raises(UnderLegalHold, match="conversation") as caught:
        await ann.delete_conversation(conversation.conversation_id)
    assert str(conversation.conversation_id) in str(caught.value)
    with pytest.raises(UnderLegalHold) as caught:
        await workspace.delete_document(document_id)
    assert "ann" not in str(caught.value)
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await scope.connection.execute(
            "UPDATE conversations SET updated_at = updated_at - interval '40 days'"
        )
    await workspace.set_retention(RetentionKind.CONVERSATIONS, 30)
    assert (await workspace.apply_retention()).conversations == 0
    assert len(await ann.all_messages(conversation.conversation_id)) == 2
    await workspace.lift_legal_hold(hold.hold_id, "settled")
    await workspace.delete_document(document_id)
    assert (await workspace.apply_retention()).conversations == 1


async def test_what_a_held_principal_wrote_is_not_overwritten(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await taken_in(workspace)
    ann = await engine.workspace(None, Principal(principal_id="ann"))
    begun = (await ann.create_conversation(title="Fees of May")).conversation_id
    untitled = (await ann.create_conversation()).conversation_id
    first, second = [
        (await ann.ask_in_conversation(begun, Asking(question=question))).reply.message_id
        for question in ("What is the harbour fee for a barge?", "And for two days?")
    ]
    await ann.give_feedback(begun, first, "down", "It was 40 euros.")
    hold = await workspace.set_legal_hold("case 7", principal_id="ann")
    with pytest.raises(UnderLegalHold, match=str(first)):
        await ann.give_feedback(begun, first, "up")
    with pytest.raises(UnderLegalHold, match=str(begun)):
        await ann.change_conversation(begun, title="Nothing")
    # What replaces nothing is added, as always.
    await ann.give_feedback(begun, first, "down", "It was 40 euros.")
    await ann.give_feedback(begun, second, "up", "Right.")
    await ann.change_conversation(begun, title="Fees of May", document_mode="only")
    await ann.change_conversation(untitled, title="Named")
    kept = {each.message_id: each.feedback for each in await ann.all_messages(begun)}
    feedback = kept[first]
    assert feedback is not None
    assert (feedback.thumb, feedback.comment) == ("down", "It was 40 euros.")
    assert (await ann.conversation(begun)).title == "Fees of May"
    await workspace.lift_legal_hold(hold.hold_id, "settled")
    await ann.give_feedback(begun, first, "up")
    assert (await ann.change_conversation(begun, title="Nothing")).title == "Nothing"


async def test_an_erasure_empties_nothing_of_who_is_held_before_it_does(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await taken_in(workspace, b"# Quillwort\n\nThe quillwort grows.", "q.md")
    ann = await engine.workspace(None, Principal(principal_id="ann"))
    begun = (await ann.create_conversation(title="On the quillwort")).conversation_id

    async def held_meanwhile(*_: object) -> None:
        await workspace.set_legal_hold("case 7", principal_id="ann")

    monkeypatch.setattr(erasure, "note_erasure", held_meanwhile)
    with pytest.raises(UnderLegalHold):
        await workspace.erase_document(document_id)
    assert (await ann.conversation(begun)).title == "On the quillwort"
    assert (await workspace.document(document_id)).document_id == document_id


async def test_what_a_held_principal_asked_outlives_its_days(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ann = await engine.workspace(None, Principal(principal_id="ann"))
    for asking in (ann, workspace):
        await asking.search(SearchRequest(query=f"asked by {asking.principal.principal_id}"))
    with psycopg.connect(engine.owner_url, autocommit=True) as connection:
        connection.execute(
            "SELECT set_config('footnote.workspace_id', %s, false)", [str(workspace.workspace_id)]
        )
        connection.execute(
            "UPDATE footnote.audit_log SET recorded_at = recorded_at - interval '9 days'"
        )
    await workspace.set_legal_hold("case 7", principal_id="ann")
    await workspace.set_retention(QUERIES, 7)
    assert (await workspace.retention_preview()).query_count == 1
    assert (await workspace.apply_retention()).queries == 1
    page = await workspace.audit_entries(act=Act.SEARCHED)
    assert {each.query for each in page.entries} == {"asked by ann", None}


async def test_a_vanished_file_stays_as_long_as_it_is_held(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await handed_in(workspace, "gone.txt", 0, external_id="/papers/gone.txt")
    received = await workspace.receive(b"gone.txt", "gone.txt", external_id="/papers/gone.txt")
    labels = Labels(collection=None, tags=())
    offered = Offered(external_id="/papers/gone.txt", mark="1")
    await workspace.remember_source_entry(labels.collection, offered, received)
    [entry] = await workspace.source_entries(None, ["/papers"])
    hold = await workspace.set_legal_hold("case 7", document_id=document_id)
    with pytest.raises(UnderLegalHold):
        await workspace.remove_source_entry(None, entry)
    assert await workspace.source_entries(None, ["/papers"]) == (entry,), "it is looked at again"
    await workspace.lift_legal_hold(hold.hold_id, "settled")
    assert await workspace.remove_source_entry(None, entry)
    assert await names(workspace) == set()


async def test_holds_are_set_by_administrators_and_entered(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await handed_in(workspace, "fees.txt", 0)
    held = await workspace.set_legal_hold("case 7", document_id=document_id)
    assert (held.set_by, held.reason, held.lifted_by) == ("local", "case 7", None)
    lifted = await workspace.lift_legal_hold(held.hold_id, "settled")
    assert (lifted.lifted_by, lifted.lift_reason) == ("local", "settled")
    assert await workspace.legal_holds() == ()
    assert await workspace.legal_holds(lifted=True) == (lifted,)
    with pytest.raises(NotFound):
        await workspace.lift_legal_hold(held.hold_id, "again")
    for wrong in ({}, {"collection": "a", "principal_id": "b"}):
        with pytest.raises(InvalidRequest, match="one thing"):
            await workspace.set_legal_hold("case 7", **wrong)  # type: ignore[arg-type]
    writer = await engine.workspace(None, Principal(principal_id="wim", role=Role.WRITER))
    for refused in (
        writer.legal_holds(),
        writer.set_legal_hold("mine", collection="default"),
        writer.lift_legal_hold(held.hold_id, "mine"),
    ):
        with pytest.raises(Forbidden):
            await refused
    page = await workspace.audit_entries(document_id=document_id, act=Act.CHANGED)
    assert "set_legal_hold" in {each.verb for each in page.entries}
    ids = {each.subject.get("hold_id") for each in (await workspace.audit_entries()).entries}
    assert str(held.hold_id) in ids
    assert issubclass(UnderLegalHold, Conflict)
    assert failure_of(UnderLegalHold("x")).status == 409


async def test_who_may_not_see_a_document_learns_nothing_of_its_hold(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ann = await engine.workspace(None, Principal(principal_id="ann"))
    received = await ann.receive(FEE, "private.md", visibility=Visibility.PRIVATE)
    hidden = received.document.document_id
    hold = await ann.set_legal_hold("case 7", document_id=hidden)
    assert await workspace.legal_holds(lifted=True) == ()
    for tried in (
        workspace.delete_document(hidden),
        workspace.erase_document(hidden),
        workspace.set_legal_hold("mine", document_id=hidden),
        workspace.lift_legal_hold(hold.hold_id, "mine"),
    ):
        with pytest.raises(NotFound):
            await tried
    await workspace.set_retention(DOCUMENTS, 1)
    assert (await workspace.retention_preview(within_days=9)).held_count == 0


async def test_the_holds_of_a_workspace_keep_nothing_of_another(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await engine.create_workspace("other")
    other = await engine.workspace("other")
    theirs = await handed_in(other, "theirs.txt", 0)
    hold = await workspace.set_legal_hold("case 7", collection="default")
    with pytest.raises(NotFound):
        await other.lift_legal_hold(hold.hold_id, "mine")
    await other.delete_document(theirs)
    assert await other.legal_holds(lifted=True) == ()


@pytest.mark.usefixtures("own_database")
async def test_an_encrypted_workspace_with_a_hold_keeps_its_keys(settings: Settings) -> None:
    async with await open_engine(settings_from(settings, {"encryption": "on"})) as engine:
        await engine.create_workspace("vault")
        workspace = await engine.workspace("vault")
        document_id = await handed_in(workspace, "secret.txt", 0)
        await workspace.set_legal_hold("case 7", principal_id="local")
        with pytest.raises(UnderLegalHold):
            await engine.destroy_workspace("vault")
        with pytest.raises(UnderLegalHold):
            async with workspace.system_scope() as scope:
                await scope.connection.execute("DELETE FROM data_keys")
        [hold] = await workspace.legal_holds()
        assert hold.reason == "case 7"
        async with workspace.system_scope() as scope:
            [row] = await scope.all("SELECT reason FROM legal_holds")
        assert row["reason"] != "case 7"
        assert (await workspace.original(document_id)).content == b"secret.txt"
