"""Entities follow their documents: extracted, linked, merged, split, renamed, and gone."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from pydantic import TypeAdapter

from footnote.domain import Principal, Role, Visibility
from footnote.domain.entities import (
    Entity,
    EntityAct,
    EntityKind,
    EntityMention,
    EntitySummary,
    LinkReason,
)
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting
from footnote.validation.cursors import write_cursor

LEASE = """# Lease

This lease is made between Northwind Traders Ltd ("Landlord") and Maria Keller.

The Landlord lives on the rent. Mrs. Keller pays 1,500 EUR on 3 June 2024 to
DE89 3704 0044 0532 0130 00, and writes to rent@northwind.example.
"""
REPORT = """# Report

Northwind Traders opened a house in Hamburg. Maria Keller moved in. The file is GX-2041/7.
"""


SETTINGS = {"entities": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("named")).name)


async def put(workspace: WorkspaceEngine, text: str, name: str, **more: object) -> UUID:
    """Ingest a text and have all that is there read for entities."""
    received = await workspace.receive(text.encode(), name, **more)  # type: ignore[arg-type]
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await extract_entity_slice(workspace.engine, workspace.workspace_id)
    return document_id


async def called(workspace: WorkspaceEngine, name: str) -> Entity:
    return await workspace.entity(await workspace.entity_called(name))


def acting(workspace: WorkspaceEngine, name: str, role: Role | None) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=role))


async def test_a_document_names_entities_of_many_kinds_each_where_its_words_are(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await put(workspace, LEASE, "lease.md")
    page = await workspace.entities(limit=200)
    kinds = {each.name: each.kind for each in page.entities}
    assert kinds["rent@northwind.example"] is EntityKind.EMAIL
    assert kinds["DE89 3704 0044 0532 0130 00"] is EntityKind.IBAN
    assert kinds["3 June 2024"] is EntityKind.DATE
    assert kinds["1,500 EUR"] is EntityKind.AMOUNT
    assert kinds["Maria Keller"] is EntityKind.PERSON
    assert kinds["Northwind Traders Ltd"] is EntityKind.ORGANISATION
    text = await workspace.text(document_id, most_characters=100_000)
    assert text is not None
    for each in page.entities:
        mentions = (await workspace.entity_mentions(each.entity_id)).mentions
        assert len(mentions) == each.mentions > 0
        for one in mentions:
            assert text.text[one.char_start : one.char_end] == one.quote
            assert one.document_id == document_id
            assert one.chunk_id is not None
            chunk = (await workspace.context(one.chunk_id, 0)).chunk
            assert chunk.char_start <= one.char_start < chunk.char_end


async def test_names_of_one_document_are_one_entity_where_it_says_so(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, LEASE, "lease.md")
    landlord = await called(workspace, "Northwind Traders Ltd")
    [named] = landlord.named_in
    assert "Landlord" in named.forms
    assert LinkReason.DEFINED in named.reasons
    tenant = await called(workspace, "Maria Keller")
    assert LinkReason.SHORT_FORM in tenant.named_in[0].reasons
    assert "rent@northwind.example" in {each.name for each in tenant.identifiers}


async def test_what_two_documents_name_is_one_entity_with_the_reason(
    workspace: WorkspaceEngine,
) -> None:
    first = await put(workspace, LEASE, "lease.md")
    other = await put(workspace, REPORT, "report.md")
    tenant = await called(workspace, "Maria Keller")
    assert {each.document_id for each in tenant.named_in} == {first, other}
    reasons = {each.document_id: each.linked_by for each in tenant.named_in}
    assert reasons == {first: None, other: LinkReason.SAME_NAME}
    landlord = await called(workspace, "northwind traders")
    assert landlord.documents == 2
    of_report = await workspace.entities(document_id=other, limit=200)
    assert "Hamburg" in {each.name for each in of_report.entities}
    assert "DE89 3704 0044 0532 0130 00" not in {each.name for each in of_report.entities}
    identifiers = await workspace.entities(kinds=[EntityKind.IDENTIFIER])
    assert [each.name for each in identifiers.entities] == ["GX-2041/7"]


async def test_pages_of_entities_and_mentions_have_each_once(workspace: WorkspaceEngine) -> None:
    await put(workspace, LEASE, "lease.md")
    await put(workspace, REPORT, "report.md")
    whole = (await workspace.entities(limit=200)).entities
    found: list[EntitySummary] = []
    cursor = None
    while True:
        page = await workspace.entities(limit=2, cursor=cursor)
        found += page.entities
        if (cursor := page.next_cursor) is None:
            break
    assert tuple(found) == whole
    tenant = await called(workspace, "Maria Keller")
    mentions = (await workspace.entity_mentions(tenant.entity_id)).mentions
    assert len(mentions) == tenant.mentions
    read: list[EntityMention] = []
    cursor = None
    while True:
        some = await workspace.entity_mentions(tenant.entity_id, limit=1, cursor=cursor)
        read += some.mentions
        if (cursor := some.next_cursor) is None:
            break
    assert tuple(read) == mentions


async def test_a_merge_holds_for_later_documents_and_can_be_undone(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, "Anna Berg wrote to us.", "one.md")
    await put(workspace, "Annabelle Bergmann wrote to us.", "two.md")
    kept = await called(workspace, "Anna Berg")
    other = await called(workspace, "Annabelle Bergmann")
    assert kept.entity_id != other.entity_id
    merged = await workspace.merge_entities(kept.entity_id, other.entity_id)
    assert merged.documents == 2
    assert {each.linked_by for each in merged.named_in} >= {LinkReason.DECISION}
    later = await put(workspace, "Annabelle Bergmann wrote again.", "three.md")
    whole = await workspace.entity(kept.entity_id)
    assert later in {each.document_id for each in whole.named_in}
    with pytest.raises(NotFound):
        await workspace.entity(other.entity_id)
    [decision] = await workspace.entity_decisions(kept.entity_id)
    assert (decision.act, decision.undone) == (EntityAct.MERGE, False)
    undone = await workspace.undo_entity_decision(decision.decision_id)
    assert undone.undone
    assert (await workspace.entity(kept.entity_id)).documents < 3
    assert (await workspace.entity(other.entity_id)).documents >= 1
    with pytest.raises(Conflict):
        await workspace.undo_entity_decision(decision.decision_id)
    with pytest.raises(NotFound):
        await workspace.undo_entity_decision(uuid4())


async def test_what_came_after_a_merge_goes_where_it_had_gone_without(
    workspace: WorkspaceEngine,
) -> None:
    first = await put(workspace, "Henrik Solberg wrote to us.", "one.md")
    second = await put(workspace, "Astrid Nyqvist wrote to us.", "two.md")
    kept = await called(workspace, "Henrik Solberg")
    other = await called(workspace, "Astrid Nyqvist")
    await workspace.rename_entity(other.entity_id, "Auditor Nyqvist")
    await workspace.merge_entities(kept.entity_id, other.entity_id)
    third = await put(workspace, "Astrid Nyqvist wrote again.", "three.md")
    # In another spelling, and both in one document.
    fourth = await put(workspace, "Astrid Nyquist wrote once more.", "four.md")
    fifth = await put(workspace, "Henrik Solberg answered Astrid Nyqvist.", "five.md")
    whole = await workspace.entity(kept.entity_id)
    assert {each.document_id for each in whole.named_in} == {first, second, third, fourth, fifth}
    [decision] = await workspace.entity_decisions(kept.entity_id)
    await workspace.undo_entity_decision(decision.decision_id)
    again = await workspace.entity(kept.entity_id)
    assert (again.name, {each.document_id for each in again.named_in}) == (
        "Henrik Solberg",
        {first, fifth},
    )
    back = await workspace.entity(other.entity_id)
    assert (back.name, back.given_name) == ("Auditor Nyqvist", True)
    assert {each.document_id for each in back.named_in} == {second, third, fourth, fifth}
    later = await put(workspace, "Astrid Nyqvist wrote at last.", "six.md")
    back = await workspace.entity(other.entity_id)
    assert later in {each.document_id for each in back.named_in}


async def test_what_came_after_a_split_goes_back_too(workspace: WorkspaceEngine) -> None:
    await put(workspace, "Anna Berg wrote to us.", "one.md")
    await put(workspace, "Annabelle Bergmann wrote to us.", "two.md")
    kept = await called(workspace, "Anna Berg")
    other = await called(workspace, "Annabelle Bergmann")
    await workspace.merge_entities(kept.entity_id, other.entity_id)
    made = await workspace.split_entity(kept.entity_id, names=["Annabelle Bergmann"])
    later = await put(workspace, "Annabelle Bergmann wrote again.", "three.md")
    assert (await workspace.entity(made.entity_id)).documents == 2
    split, _ = await workspace.entity_decisions(kept.entity_id)
    await workspace.undo_entity_decision(split.decision_id)
    whole = await workspace.entity(kept.entity_id)
    assert (whole.documents, later in {each.document_id for each in whole.named_in}) == (3, True)
    with pytest.raises(NotFound):
        await workspace.entity(made.entity_id)


async def test_a_merge_undone_leaves_what_was_split_before_where_it_was(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, "Peter Marsh mends roofs.", "roofs.md")
    choir = await put(workspace, "Peter Marsh sings in the choir.", "choir.md", external_id="choir")
    whole = await called(workspace, "Peter Marsh")
    singer = await workspace.split_entity(whole.entity_id, documents=[choir])
    await put(workspace, "Annabelle Bergmann wrote to us.", "two.md")
    kept = await called(workspace, "Annabelle Bergmann")
    await workspace.merge_entities(kept.entity_id, singer.entity_id)
    [merge] = await workspace.entity_decisions(kept.entity_id)
    await workspace.undo_entity_decision(merge.decision_id)
    await put(workspace, "Peter Marsh sings no more.", "choir.md", external_id="choir")
    assert (await workspace.entity(singer.entity_id)).documents == 1
    assert (await workspace.entity(kept.entity_id)).documents == 1


async def test_a_split_makes_another_entity_of_some_documents(workspace: WorkspaceEngine) -> None:
    first = await put(workspace, "Peter Marsh mends roofs.", "roofs.md")
    other = await put(workspace, "Peter Marsh sings in the choir.", "choir.md")
    whole = await called(workspace, "Peter Marsh")
    assert whole.documents == 2
    singer = await workspace.split_entity(whole.entity_id, documents=[other])
    assert [each.document_id for each in singer.named_in] == [other]
    roofer = await workspace.entity(whole.entity_id)
    assert [each.document_id for each in roofer.named_in] == [first]
    with pytest.raises(Conflict, match="everything"):
        await workspace.split_entity(whole.entity_id, documents=[first])
    with pytest.raises(Conflict, match="nothing"):
        await workspace.split_entity(whole.entity_id, names=["Nobody"])
    with pytest.raises(InvalidRequest):
        await workspace.split_entity(whole.entity_id)
    with pytest.raises(InvalidRequest, match="several"):
        await workspace.entity_called("Peter Marsh")
    [decision] = await workspace.entity_decisions(whole.entity_id)
    await workspace.undo_entity_decision(decision.decision_id)
    assert (await workspace.entity(whole.entity_id)).documents == 2


async def test_a_decision_stays_with_its_document_from_version_to_version(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, "Peter Marsh mends roofs.", "roofs.md")
    other = await put(workspace, "Peter Marsh sings in the choir.", "choir.md", external_id="choir")
    whole = await called(workspace, "Peter Marsh")
    singer = await workspace.split_entity(whole.entity_id, documents=[other])
    await put(workspace, "Peter Marsh sings no more.", "choir.md", external_id="choir")
    kept = await workspace.entity(singer.entity_id)
    assert [each.document_id for each in kept.named_in] == [other]


async def test_a_given_name_is_shown_until_it_is_undone(workspace: WorkspaceEngine) -> None:
    await put(workspace, REPORT, "report.md")
    found = await called(workspace, "Hamburg")
    for unusable in (" ", "a\0b", "a\nb", "a\u202eb", "a\u200bb"):
        with pytest.raises(InvalidRequest, match="name: it"):
            await workspace.rename_entity(found.entity_id, unusable)
    renamed = await workspace.rename_entity(found.entity_id, " Free City  of Hamburg ")
    assert (renamed.name, renamed.given_name) == ("Free City of Hamburg", True)
    listed = await workspace.entities(kinds=[EntityKind.PLACE])
    assert "Free City of Hamburg" in {each.name for each in listed.entities}
    again = await workspace.rename_entity(found.entity_id, "Hansestadt")
    assert again.name == "Hansestadt"
    for words in ("Hansestadt", "Hamburg"):
        [one] = (await workspace.entities(query=words)).entities
        assert (one.entity_id, one.name) == (found.entity_id, "Hansestadt")
    assert (await workspace.entities(query="Hansestadt Bremen")).entities == ()
    latest, first = await workspace.entity_decisions(found.entity_id)
    with pytest.raises(Conflict, match="later"):
        await workspace.undo_entity_decision(first.decision_id)
    await workspace.undo_entity_decision(latest.decision_id)
    assert (await workspace.entity(found.entity_id)).name == "Free City of Hamburg"
    await workspace.undo_entity_decision(first.decision_id)
    assert (await workspace.entity(found.entity_id)).name == "Hamburg"


async def test_whoever_may_not_see_a_document_sees_nothing_of_what_it_names(
    workspace: WorkspaceEngine,
) -> None:
    open_to_all = await put(workspace, REPORT, "report.md")
    hidden = await put(workspace, LEASE, "lease.md")
    await workspace.set_document_access(hidden, Visibility.PRIVATE, shared_with=["ann"])
    reader = acting(workspace, "ben", Role.READER)
    names = {each.name for each in (await reader.entities(limit=200)).entities}
    assert "Hamburg" in names
    assert "DE89 3704 0044 0532 0130 00" not in names
    tenant = await called(reader, "Maria Keller")
    assert [each.document_id for each in tenant.named_in] == [open_to_all]
    assert (tenant.documents, tenant.identifiers) == (1, ())
    secret = await workspace.entities(kinds=[EntityKind.IBAN])
    for ask in (reader.entity, reader.entity_mentions):
        with pytest.raises(NotFound) as of_hidden:
            await ask(secret.entities[0].entity_id)
        with pytest.raises(NotFound) as of_none:
            await ask(absent := uuid4())
        assert str(of_hidden.value).replace(str(secret.entities[0].entity_id), str(absent)) == str(
            of_none.value
        )
    with pytest.raises(NotFound):
        await reader.entities(document_id=hidden)
    with pytest.raises(Forbidden):
        await reader.merge_entities(tenant.entity_id, secret.entities[0].entity_id)


async def test_two_workspaces_know_nothing_of_each_other(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(workspace, REPORT, "report.md")
    other = await engine.workspace((await engine.create_workspace("elsewhere")).name)
    assert (await other.entities()).entities == ()
    found = await called(workspace, "Maria Keller")
    with pytest.raises(NotFound):
        await other.entity(found.entity_id)
    await put(other, REPORT, "report.md")
    assert (await called(other, "Maria Keller")).entity_id != found.entity_id
    assert (await called(other, "Maria Keller")).documents == 1


async def test_entities_go_with_their_document_and_change_with_its_version(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await put(workspace, REPORT, "report.md", external_id="report")
    town = await called(workspace, "Hamburg")
    await workspace.rename_entity(town.entity_id, "The town")
    tenant = await called(workspace, "Maria Keller")
    await put(workspace, "Maria Keller moved to Bremen.", "report.md", external_id="report")
    assert (await called(workspace, "Maria Keller")).entity_id == tenant.entity_id
    with pytest.raises(NotFound):
        await called(workspace, "Hamburg")
    await workspace.delete_document(document_id)
    assert (await workspace.entities()).entities == ()


async def test_what_is_switched_off_is_not_read_and_what_is_on_says_how_far(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, REPORT, "report.md")
    progress = await workspace.entity_progress()
    assert (progress.enabled, progress.documents, progress.done) == (True, 1, 1)
    assert progress.mentions > 3
    await workspace.change_setting("entity_kinds", "person,place")
    assert (await workspace.entity_progress()).done == 0
    await extract_entity_slice(workspace.engine, workspace.workspace_id)
    found = (await workspace.entities()).entities
    assert {each.kind for each in found} == {EntityKind.PERSON, EntityKind.PLACE}
    await workspace.change_setting("entities", "off")
    with pytest.raises(Conflict):
        await workspace.extract_entities()
    await put(workspace, LEASE, "lease.md")
    assert (await workspace.entity_progress()).done == 1


async def test_a_foreign_cursor_is_refused(workspace: WorkspaceEngine) -> None:
    some = uuid4()
    anything = TypeAdapter(object)
    for place in ("", [some], [some, 1], [some, 1, 2**40], [1, 2**40, some], {"documents": -1}):
        cursor = write_cursor(anything, place, "entities", [], [], None)
        with pytest.raises(InvalidRequest, match="cursor"):
            await workspace.entities(cursor=cursor)
        cursor = write_cursor(anything, place, "mentions", some)
        with pytest.raises(InvalidRequest, match="cursor"):
            await workspace.entity_mentions(some, cursor=cursor)


async def test_a_cursor_of_entities_is_none_of_other_filters(workspace: WorkspaceEngine) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    page = await workspace.entities(limit=1)
    assert page.next_cursor is not None
    await workspace.entities(limit=2, cursor=page.next_cursor)
    for narrowed in (
        {"query": "Keller"},
        {"kinds": [EntityKind.PERSON]},
        {"document_id": lease},
    ):
        with pytest.raises(InvalidRequest, match="cursor"):
            await workspace.entities(cursor=page.next_cursor, **narrowed)


async def test_the_cursor_of_one_entity_is_none_of_another(workspace: WorkspaceEngine) -> None:
    await put(workspace, LEASE, "lease.md")
    tenant = await called(workspace, "Maria Keller")
    landlord = await called(workspace, "Northwind Traders Ltd")
    page = await workspace.entity_mentions(tenant.entity_id, limit=1)
    assert page.next_cursor is not None
    with pytest.raises(InvalidRequest, match="cursor"):
        await workspace.entity_mentions(landlord.entity_id, cursor=page.next_cursor)
