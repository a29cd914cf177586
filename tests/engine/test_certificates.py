"""Certificates of erasures: what they cover, who gets them, and what shows that one was changed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest

from footnote.domain import Principal, Role, SearchRequest, Visibility
from footnote.domain.audit import Act
from footnote.domain.erasure import ErasureTarget
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.erasure import CERTIFY
from footnote.engine.exchanges import Asking
from footnote.errors import Forbidden, InvalidRequest, NotFound, UnderLegalHold
from footnote.jobs.inline import work_until_resting
from footnote.security.audit import digest_of_certificate
from footnote.settings import Settings, settings_from

FEE = b"# Fees\n\nThe quillwort tariff for a barge is 48 euros a day."
LEASE = b"# Lease\n\nThe tenant of the berth pays 400 euros in rent each month."


async def taken_in(workspace: WorkspaceEngine, content: bytes, name: str, **given: object) -> UUID:
    received = await workspace.receive(content, name, **given)  # type: ignore[arg-type]
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


async def acting_as(engine: Engine, name: str, role: Role = Role.ADMIN) -> WorkspaceEngine:
    return await engine.workspace(None, Principal(principal_id=name, role=role))


async def queries(workspace: WorkspaceEngine) -> set[str | None]:
    page = await workspace.audit_entries(act=Act.SEARCHED, limit=500)
    return {each.query for each in page.entries}


async def test_a_certificate_is_in_the_log_and_holds_against_it(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await taken_in(workspace, FEE, "fees.md")
    erasure = await workspace.erase_document(document_id)
    assert (erasure.target, erasure.name) == (ErasureTarget.DOCUMENT, str(document_id))
    assert (erasure.document_ids, erasure.erased_by) == ((document_id,), "local")
    assert erasure.sha256 == digest_of_certificate(erasure)
    assert any("backups" in each for each in erasure.not_reached)
    verified = await workspace.verify_erasure(erasure)
    assert verified.valid, verified.faults
    page = await workspace.audit_entries(document_id=document_id)
    [entry] = [each for each in page.entries if each.verb == CERTIFY]
    assert entry.entry_no == verified.entry_no
    assert entry.subject["certificate_sha256"] == erasure.sha256
    assert (await workspace.verify_audit()).intact
    [listed] = await workspace.erasures()
    assert listed.certificate_id == erasure.certificate_id


async def test_what_was_changed_does_not_hold(engine: Engine, workspace: WorkspaceEngine) -> None:
    erasure = await workspace.erase_document(await taken_in(workspace, FEE, "fees.md"))
    changed = replace(erasure, erased_by="somebody else")
    assert any("was changed" in each for each in (await workspace.verify_erasure(changed)).faults)
    resealed = replace(changed, sha256=digest_of_certificate(changed))
    assert any("another hash" in each for each in (await workspace.verify_erasure(resealed)).faults)
    invented = replace(erasure, certificate_id=UUID(int=7))
    invented = replace(invented, sha256=digest_of_certificate(invented))
    told = await workspace.verify_erasure(invented)
    assert (told.entry_no, told.faults) == (None, ("the audit log does not have it",))
    await engine.create_workspace("other")
    other = await engine.workspace("other")
    assert "it is of another workspace" in (await other.verify_erasure(erasure)).faults
    with pytest.raises(InvalidRequest, match="another workspace"):
        await other.replay_erasures([erasure])
    with psycopg.connect(engine.owner_url, autocommit=True) as connection:
        connection.execute(
            "SELECT set_config('footnote.workspace_id', %s, false)", [str(workspace.workspace_id)]
        )
        connection.execute("UPDATE footnote.audit_log SET principal = 'eve' WHERE entry_no = 1")
    told = await workspace.verify_erasure(erasure)
    assert told.faults == ("entry 1 of the audit log: it was changed",)


async def test_only_what_quotes_it_goes(engine: Engine, workspace: WorkspaceEngine) -> None:
    lease = await taken_in(workspace, LEASE, "lease.md")
    fees = await taken_in(workspace, FEE, "fees.md")
    ann = await acting_as(engine, "ann", Role.READER)
    for asked in (
        "What is the quillwort tariff?",
        "What rent does the tenant pay in euros?",
        "Is there a form for a barge to fill in?",
        "is it true that the ... tariff for a barge is 48 euros?",
    ):
        await ann.search(SearchRequest(query=asked))
    conversation = await ann.create_conversation()
    for question in ("What rent does the tenant pay?", "And the quillwort tariff?"):
        await ann.ask_in_conversation(conversation.conversation_id, Asking(question=question))
    erasure = await workspace.erase_document(fees)
    assert erasure.complete, erasure.checks
    assert "What rent does the tenant pay in euros?" in await queries(workspace)
    asked_then = str(await queries(workspace))
    assert "tariff" not in asked_then
    assert "barge" not in asked_then
    said = await ann.all_messages(conversation.conversation_id)
    assert [each.text for each in said if each.role == "user"] == [
        "What rent does the tenant pay?",
        "",
    ]
    assert "400 euros" in said[1].text
    assert (await workspace.document(lease)).filename == "lease.md"


async def test_a_collection_is_erased_whoever_sees_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await taken_in(workspace, LEASE, "lease.md")
    seen = await taken_in(workspace, FEE, "fees.md", collection="fees")
    ann = await acting_as(engine, "ann")
    hidden = await taken_in(
        ann, b"A private note.", "note.md", collection="fees", visibility=Visibility.PRIVATE
    )
    erasure = await workspace.erase_collection("fees")
    assert set(erasure.document_ids) == {seen, hidden}
    assert erasure.complete, erasure.checks
    assert [each.filename for each in (await ann.documents()).documents] == ["lease.md"]
    with pytest.raises(NotFound):
        await workspace.erase_collection("nothing")


async def test_all_of_a_principal_is_erased(engine: Engine, workspace: WorkspaceEngine) -> None:
    kept = await taken_in(workspace, LEASE, "lease.md")
    ann, bob = await acting_as(engine, "ann"), await acting_as(engine, "bob")
    note = await taken_in(ann, FEE, "fees.md", visibility=Visibility.PRIVATE)
    await ann.push_content(b"Pushed by ann.", "pushed.txt")
    await ann.keep_view("rents")
    await bob.keep_view("rents")
    for asking in (ann, bob):
        begun = await asking.create_conversation()
        await asking.ask_in_conversation(
            begun.conversation_id, Asking(question="What rent does the tenant pay?")
        )
        await asking.search(SearchRequest(query=f"asked by {asking.principal.principal_id}"))
    erasure = await workspace.erase_principal("ann")
    assert note in erasure.document_ids
    assert len(erasure.document_ids) == 2
    assert erasure.complete, erasure.checks
    assert (await ann.conversations()).conversations == ()
    assert len((await bob.conversations()).conversations) == 1
    assert "asked by bob" in await queries(workspace)
    assert "asked by ann" not in await queries(workspace)
    assert (await bob.document(kept)).filename == "lease.md"
    held = {each.place: each.held for each in erasure.checks}
    assert held["conversations of the principal"] == 1
    assert held["pushes of the principal"] == 1
    assert held["views of the principal"] == 1
    assert (await ann.views(), len(await bob.views())) == ((), 1)
    assert (await workspace.verify_erasure(erasure)).valid
    nobody = await workspace.erase_principal("nobody")
    assert (nobody.document_ids, nobody.complete) == ((), True)


async def test_what_is_held_is_not_erased_and_nothing_is_half_done(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await taken_in(workspace, FEE, "fees.md")
    ann = await acting_as(engine, "ann")
    await ann.search(SearchRequest(query="the quillwort tariff"))
    await workspace.search(SearchRequest(query="a quillwort barge"))
    hold = await workspace.set_legal_hold("case 7", principal_id="ann")
    for erasing in (
        workspace.erase_document(document_id),
        workspace.erase_collection("default"),
        workspace.erase_principal("ann"),
    ):
        with pytest.raises(UnderLegalHold):
            await erasing
    assert {"the quillwort tariff", "a quillwort barge"} <= await queries(workspace)
    assert await workspace.erasures() == ()
    await workspace.lift_legal_hold(hold.hold_id, "settled")
    assert (await workspace.erase_document(document_id)).complete
    assert await queries(workspace) == {None}


async def test_an_erasure_that_a_hold_refuses_keeps_no_other_from_being_replayed(
    workspace: WorkspaceEngine,
) -> None:
    first = await workspace.erase_document(await taken_in(workspace, FEE, "fees.md"))
    second = await workspace.erase_document(await taken_in(workspace, LEASE, "lease.md"))
    held = await taken_in(workspace, b"Held.", "held.md")
    back = await taken_in(workspace, b"Back again.", "back.md")
    await workspace.set_legal_hold("case 7", document_id=held)
    # Entries of the ledger have no hash: what they name is erased again.
    entries = {each.certificate_id: each for each in await workspace.erasures()}
    refused, done = await workspace.replay_erasures(
        [
            replace(entries[first.certificate_id], document_ids=(held,)),
            replace(entries[second.certificate_id], document_ids=(back,)),
        ]
    )
    assert refused.refusal is not None
    assert "legal hold" in refused.refusal
    assert done.erasure is not None
    assert done.erasure.document_ids == (back,)
    assert (await workspace.document(held)).filename == "held.md"


async def test_only_administrators_erase(engine: Engine, workspace: WorkspaceEngine) -> None:
    document_id = await taken_in(workspace, FEE, "fees.md")
    writer = await acting_as(engine, "wim", Role.WRITER)
    erasure = await workspace.erase_document(await taken_in(workspace, LEASE, "lease.md"))
    for refused in (
        writer.erase_document(document_id),
        writer.erase_collection("default"),
        writer.erase_principal("local"),
        writer.erasures(),
        writer.verify_erasure(erasure),
        writer.replay_erasures([erasure]),
    ):
        with pytest.raises(Forbidden):
            await refused


@pytest.mark.usefixtures("own_database")
async def test_what_is_encrypted_is_erased_too(settings: Settings) -> None:
    async with await open_engine(settings_from(settings, {"encryption": "on"})) as engine:
        await engine.create_workspace("vault")
        workspace = await engine.workspace("vault")
        await taken_in(workspace, LEASE, "lease.md")
        document_id = await taken_in(workspace, FEE, "fees.md", metadata={"title": "Tariffs 9"})
        conversation = await workspace.create_conversation()
        for question in ("What is the quillwort tariff?", "What rent does the tenant pay?"):
            await workspace.ask_in_conversation(
                conversation.conversation_id, Asking(question=question)
            )
        erasure = await workspace.erase_document(document_id)
        assert erasure.complete, erasure.checks
        said = await workspace.all_messages(conversation.conversation_id)
        assert [each.text for each in said if each.role == "user"] == [
            "",
            "What rent does the tenant pay?",
        ]
        assert "tariff" not in str(await queries(workspace))
        assert any("encrypted" in each for each in erasure.not_reached)
        assert (await workspace.verify_erasure(erasure)).valid


async def test_erasing_goes_on_while_others_search(workspace: WorkspaceEngine) -> None:
    await taken_in(workspace, LEASE, "lease.md")
    document_id = await taken_in(workspace, FEE, "fees.md")
    searches = asyncio.gather(
        *(workspace.search(SearchRequest(query="rent of the tenant")) for _ in range(5))
    )
    assert (await workspace.erase_document(document_id)).complete
    assert all(each.evidence for each in await searches)
