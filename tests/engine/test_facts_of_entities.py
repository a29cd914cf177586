"""Facts are of the entities that their documents call so, whatever becomes of these."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.facts import Fact
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import NotFound
from footnote.jobs.extracting import extract_entity_slice, extract_fact_slice
from footnote.jobs.inline import work_until_resting

LEASE = """# Lease

This lease is made between Northwind Traders Ltd ("Landlord") and Maria Keller.

The Landlord owns 12 houses. Mrs. Keller owns 3 boats. Maria Keller works for Northwind Traders.
"""
REPORT = """# Report

Northwind Traders employs 40 people. Maria Keller moved in.

Deductible: 250 EUR
"""


SETTINGS = {"entities": "rules", "facts": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("told")).name)


async def put(workspace: WorkspaceEngine, text: str, name: str) -> UUID:
    """Ingest a text and have all that is there read for facts, and then for entities."""
    received = await workspace.receive(text.encode(), name)
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await extract_fact_slice(workspace.engine, workspace.workspace_id)
    await extract_entity_slice(workspace.engine, workspace.workspace_id)
    return document_id


async def with_object(workspace: WorkspaceEngine, said: str) -> Fact:
    [found] = [each for each in (await workspace.facts(limit=200)).facts if each.object == said]
    return found


async def test_facts_of_a_document_are_about_the_number_that_it_states(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, f"{REPORT}\nContract number: HH-2024-118\n", "contract.md")
    contract = await workspace.entity_called("HH-2024-118")
    about = await workspace.facts(entity_id=contract)
    assert {each.object for each in about.facts} == {"250 EUR", "HH-2024-118"}


async def test_a_fact_is_of_the_entity_that_its_document_calls_so(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, LEASE, "lease.md")
    await put(workspace, REPORT, "report.md")
    landlord = await workspace.entity_called("Northwind Traders")
    tenant = await workspace.entity_called("Maria Keller")
    for said, whose in (("12 houses", landlord), ("40 people", landlord), ("3 boats", tenant)):
        found = await with_object(workspace, said)
        assert (found.subject_entity_id, found.object_entity_id) == (whose, None), said
    works = await with_object(workspace, "Northwind Traders")
    assert (works.subject_entity_id, works.object_entity_id) == (tenant, landlord)
    deductible = await with_object(workspace, "250 EUR")
    assert (deductible.subject_entity_id, deductible.object_entity_id) == (None, None)
    assert await workspace.fact(works.fact_id) == works
    about = await workspace.facts(entity_id=tenant)
    assert {each.object for each in about.facts} == {"3 boats", "Northwind Traders"}
    whole = await workspace.facts(entity_id=landlord)
    assert {each.object for each in whole.facts} == {"12 houses", "40 people", "Northwind Traders"}
    first = await workspace.facts(entity_id=landlord, limit=1)
    rest = await workspace.facts(entity_id=landlord, cursor=first.next_cursor)
    assert first.facts + rest.facts == whole.facts
    for each in about.facts:
        assert tenant in (each.subject_entity_id, each.object_entity_id)


async def test_facts_follow_what_is_merged_split_and_undone(workspace: WorkspaceEngine) -> None:
    await put(workspace, LEASE, "lease.md")
    report = await put(workspace, REPORT, "report.md")
    landlord = await workspace.entity_called("Northwind Traders")
    tenant = await workspace.entity_called("Maria Keller")
    split = await workspace.split_entity(landlord, documents=[report])
    assert (await with_object(workspace, "40 people")).subject_entity_id == split.entity_id
    [alone] = (await workspace.facts(entity_id=split.entity_id)).facts
    assert alone.object == "40 people"
    await workspace.rename_entity(split.entity_id, "Northwind Hamburg")
    assert (await with_object(workspace, "40 people")).subject_entity_id == split.entity_id
    await workspace.merge_entities(tenant, landlord)
    assert (await with_object(workspace, "12 houses")).subject_entity_id == tenant
    assert {each.object for each in (await workspace.facts(entity_id=tenant)).facts} == {
        *("12 houses", "3 boats", "Northwind Traders"),
    }
    with pytest.raises(NotFound):
        await workspace.facts(entity_id=landlord)


async def test_facts_of_an_entity_are_seen_by_whoever_sees_their_document(
    workspace: WorkspaceEngine,
) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    await put(workspace, REPORT, "report.md")
    landlord = await workspace.entity_called("Northwind Traders")
    await workspace.set_document_access(lease, Visibility.PRIVATE, shared_with=["ann"])
    bob = replace(workspace, principal=Principal(principal_id="bob", role=Role.READER))
    seen = await bob.facts(entity_id=landlord)
    assert {each.object for each in seen.facts} == {"40 people"}
    await workspace.delete_document(lease)
    assert {each.object for each in (await workspace.facts(entity_id=landlord)).facts} == {
        "40 people"
    }
    secret = await put(workspace, "Jonas Quist owns 7 ships.", "secret.md")
    hidden = await workspace.entity_called("Jonas Quist")
    assert {each.object for each in (await workspace.facts(entity_id=hidden)).facts} == {"7 ships"}
    await workspace.set_document_access(secret, Visibility.PRIVATE, shared_with=["ann"])
    told = []
    for entity_id in (hidden, uuid4()):
        with pytest.raises(NotFound) as refused:
            await bob.facts(entity_id=entity_id)
        told.append(str(refused.value).replace(str(entity_id), ""))
    assert told[0] == told[1]
