"""Facts follow their documents: extracted, recalled, decided, compared, and gone with them."""

from __future__ import annotations

import base64
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.facts import Fact, FactKind, FactStatus
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.facts import Decision
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.jobs.extracting import extract_fact_slice
from footnote.jobs.inline import work_until_resting

POLICY = """# Home policy

Deductible: 250 EUR

| Cover | Limit | Waiting time |
|---|---|---|
| Water damage | 5,000 EUR | 30 days |
| Theft | 2,000 EUR | none |

"Dwelling" means the building at the insured address.

Acme Insurance employs 450 people. The policy does not cover earthquakes.
"""


SETTINGS = {"facts": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("known")).name)


async def put(
    engine: Engine, workspace: WorkspaceEngine, text: str, name: str, **more: object
) -> UUID:
    """Ingest a text and have the facts of all that is there extracted."""
    received = await workspace.receive(text.encode(), name, **more)  # type: ignore[arg-type]
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await extracted(engine, workspace)
    return document_id


async def extracted(engine: Engine, workspace: WorkspaceEngine) -> None:
    await extract_fact_slice(workspace.engine, workspace.workspace_id)


def acting(workspace: WorkspaceEngine, name: str, role: Role | None) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=role))


async def test_a_document_yields_facts_of_each_kind_in_its_own_words(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(engine, workspace, POLICY, "policy.md")
    page = await workspace.facts(limit=200)
    said = {(each.subject, each.predicate): each for each in page.facts}
    assert {each.kind for each in page.facts} == set(FactKind)
    water = said["Water damage", "Limit"]
    assert (water.object, water.value, water.unit) == ("5,000 EUR", "5000", "EUR")
    assert said["Dwelling", "means"].object == "the building at the insured address"
    assert said["The policy", "does not cover"].negated
    text = await workspace.text(document_id, most_characters=100_000)
    assert text is not None
    for each in page.facts:
        [source] = each.sources
        assert text.text[source.char_start : source.char_end] == source.quote
        assert source.document_id == document_id
        assert each.status is FactStatus.PROPOSED


async def test_facts_are_recalled_by_words_and_by_meaning(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(engine, workspace, POLICY, "policy.md")
    found = await workspace.recall_facts("How much is paid for water damage?", limit=3)
    assert found[0].fact.subject == "Water damage"
    assert found[0].dense_rank is not None
    assert found[0].lexical_rank is not None
    within = await workspace.recall_facts("employees", document_id=document_id)
    assert "450 people" in [each.fact.object for each in within]
    assert await workspace.recall_facts("?") is not None
    with pytest.raises(NotFound):
        await workspace.recall_facts("water", document_id=uuid4())


async def test_the_same_fact_of_two_documents_is_one_with_both_sources(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    first = await put(engine, workspace, "Acme Insurance employs 450 people.", "one.md")
    other = await put(engine, workspace, "Acme Insurance employs 450 people.\n\nMore.", "two.md")
    page = await workspace.facts()
    assert [{each.document_id for each in fact.sources} for fact in page.facts] == [{first, other}]
    [recalled] = await workspace.recall_facts("employees of Acme Insurance")
    assert len(recalled.fact.sources) == 2


async def test_what_two_documents_say_differently_is_a_conflict(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    first = await put(engine, workspace, "Acme Insurance employs 450 people.", "one.md")
    await put(engine, workspace, "Acme Insurance employs 470 people.", "two.md")
    await put(engine, workspace, "Bolt Insurance employs 30 people.", "three.md")
    [conflict] = (await workspace.fact_conflicts()).conflicts
    assert (conflict.subject, conflict.predicate) == ("Acme Insurance", "employs")
    assert sorted(each.value or "" for each in conflict.facts) == ["450", "470"]
    assert (await workspace.fact_conflicts(document_id=first)).conflicts == (conflict,)
    await workspace.decide_fact(conflict.facts[0].fact_id, "rejected")
    assert (await workspace.fact_conflicts()).conflicts == ()


async def test_documents_of_one_contract_conflict_whatever_they_are_called(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    number = "Policy number: HH-2024-118\n\nIssued: 3 May 2024"
    own = await put(engine, workspace, f"# Home\n\n{number}\n\nDeductible: 250 EUR", "home.md")
    letter = f"# Renewal\n\n{number.replace('3 May', '9 June')}\n\nDeductible: 300 EUR"
    other = await put(engine, workspace, letter, "renewal.md")
    another = letter.replace("118", "119").replace("300", "900")
    await put(engine, workspace, another, "another.md")
    [conflict] = (await workspace.fact_conflicts()).conflicts
    assert (conflict.subject, conflict.predicate) == ("HH-2024-118", "Deductible")
    assert {each.document_id: each.sources[0].quote for each in conflict.facts} == {
        own: "Deductible: 250 EUR",
        other: "Deductible: 300 EUR",
    }
    assert {each.qualifiers["identifier"] for each in conflict.facts} == {"HH-2024-118"}
    # Whoever may not see one of them is told of no conflict.
    await workspace.set_document_access(other, Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob", Role.WRITER)
    assert (await bob.fact_conflicts()).conflicts == ()
    await workspace.delete_document(other)
    assert (await workspace.fact_conflicts()).conflicts == ()


async def test_conflicts_are_listed_page_by_page(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    companies = ("Acme Insurance", "Bolt Insurance", "Cedar Insurance")
    for number, name in (("450", "one.md"), ("470", "two.md")):
        text = "\n\n".join(f"{each} employs {number} people." for each in companies)
        await put(engine, workspace, text, name)
    everything = await workspace.fact_conflicts()
    assert {each.subject for each in everything.conflicts} == set(companies)
    assert everything.next_cursor is None
    first = await workspace.fact_conflicts(limit=2)
    rest = await workspace.fact_conflicts(limit=2, cursor=first.next_cursor)
    assert (len(first.conflicts), rest.next_cursor) == (2, None)
    assert first.conflicts + rest.conflicts == everything.conflicts
    with pytest.raises(InvalidRequest):
        await workspace.fact_conflicts(cursor="elsewhere")


async def test_a_rejected_fact_is_not_recalled_and_stays_rejected(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(engine, workspace, POLICY, "policy.md", external_id="policy")
    [first, *_] = await workspace.recall_facts("theft limit")
    rejected = await workspace.decide_fact(first.fact.fact_id, "rejected")
    assert rejected.status is FactStatus.REJECTED
    assert rejected.decided_by == workspace.principal.principal_id
    again = await workspace.recall_facts("theft limit", limit=50)
    assert first.fact.fact_id not in {each.fact.fact_id for each in again}
    await put(engine, workspace, POLICY + "\nOne line more.", "policy.md", external_id="policy")
    assert (await workspace.fact(first.fact.fact_id)).status is FactStatus.REJECTED
    listed = await workspace.facts(statuses=[FactStatus.REJECTED])
    assert [each.fact_id for each in listed.facts] == [first.fact.fact_id]


@pytest.mark.parametrize("decision", ["rejected", "confirmed"])
async def test_what_is_decided_holds_when_the_kind_of_a_fact_is_extracted_again(
    engine: Engine, workspace: WorkspaceEngine, decision: Decision
) -> None:
    await put(engine, workspace, POLICY, "policy.md")
    other = await put(engine, workspace, POLICY.replace("250 EUR", "300 EUR"), "renewal.md")
    [conflict] = (await workspace.fact_conflicts()).conflicts
    decided = await workspace.decide_fact(conflict.facts[0].fact_id, decision)
    shown = (await workspace.fact_conflicts()).conflicts
    assert bool(shown) is (decision == "confirmed")
    await workspace.change_setting("fact_kinds", "cell")
    await extracted(engine, workspace)
    # Whatever else is read in between.
    await workspace.change_setting("fact_kinds", "cell,statement")
    await extracted(engine, workspace)
    with pytest.raises(NotFound):
        await workspace.fact(decided.fact_id)
    await workspace.unset_setting("fact_kinds")
    await extracted(engine, workspace)
    again = await workspace.fact(decided.fact_id)
    assert (again.status, again.decided_by) == (decided.status, decided.decided_by)
    assert len((await workspace.fact_conflicts()).conflicts) == len(shown)
    # It can be taken back, and is forgotten with its document.
    await workspace.decide_fact(again.fact_id, "proposed")
    assert len((await workspace.fact_conflicts()).conflicts) == 1
    await workspace.delete_document(other)
    assert (await workspace.fact_conflicts()).conflicts == ()


async def test_what_is_decided_holds_when_a_later_version_says_it_again(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(engine, workspace, POLICY, "policy.md", external_id="policy")
    [first, *_] = await workspace.recall_facts("theft limit")
    await workspace.decide_fact(first.fact.fact_id, "rejected")
    without = POLICY.replace("| Theft | 2,000 EUR | none |\n", "")
    await put(engine, workspace, without, "policy.md", external_id="policy")
    assert (await workspace.fact(first.fact.fact_id)).status is FactStatus.SUPERSEDED
    await put(engine, workspace, POLICY, "policy.md", external_id="policy")
    assert (await workspace.fact(first.fact.fact_id)).status is FactStatus.REJECTED


async def test_a_new_version_says_what_changed(engine: Engine, workspace: WorkspaceEngine) -> None:
    document_id = await put(engine, workspace, POLICY, "policy.md", external_id="policy")
    assert (await workspace.fact_changes(document_id)).changed == ()
    changed = POLICY.replace("250 EUR", "400 EUR").replace("| Theft | 2,000 EUR | none |\n", "")
    changed += "\nAcme Insurance owns 12 offices.\n"
    assert await put(engine, workspace, changed, "policy.md", external_id="policy") == document_id
    changes = await workspace.fact_changes(document_id)
    assert changes.version == 2
    assert [(each.before.object, each.after.object) for each in changes.changed] == [
        ("250 EUR", "400 EUR")
    ]
    assert [each.object for each in changes.added] == ["12 offices"]
    assert {each.subject for each in changes.removed} == {"Theft"}
    assert {each.status for each in changes.removed} == {FactStatus.SUPERSEDED}
    with pytest.raises(Conflict):
        await workspace.decide_fact(changes.removed[0].fact_id, "confirmed")


async def test_facts_are_seen_by_whoever_sees_their_document(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(engine, workspace, "Acme Insurance employs 450 people.", "open.md")
    hidden = await put(engine, workspace, "Acme Insurance employs 450 people.\n\nX.", "hidden.md")
    secret = await put(engine, workspace, "Acme Insurance owns 7 boats.", "secret.md")
    [boats] = (await workspace.facts(document_id=secret)).facts
    for each in (hidden, secret):
        await workspace.set_document_access(each, Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob", Role.WRITER)
    page = await bob.facts()
    assert [each.object for each in page.facts] == ["450 people"]
    assert len(page.facts[0].sources) == 1
    assert "7 boats" not in {each.fact.object for each in await bob.recall_facts("boats")}
    for refused in (bob.fact(boats.fact_id), bob.facts(document_id=secret)):
        with pytest.raises(NotFound):
            await refused
    assert (await bob.fact_progress()).documents == 1
    with pytest.raises(Forbidden):
        await acting(workspace, "eve", Role.READER).decide_fact(page.facts[0].fact_id, "rejected")


async def test_facts_go_with_their_document(engine: Engine, workspace: WorkspaceEngine) -> None:
    kept = await put(engine, workspace, "Acme Insurance employs 450 people.", "one.md")
    gone = await put(engine, workspace, "Acme Insurance employs 450 people. X1 is red.", "two.md")
    [fact] = (await workspace.facts(document_id=kept)).facts
    await workspace.delete_document(gone)
    assert [each.document_id for each in (await workspace.fact(fact.fact_id)).sources] == [kept]
    with pytest.raises(NotFound):
        await workspace.facts(document_id=gone)
    assert (await workspace.fact_progress()).facts == 1
    assert {each.fact.document_id for each in await workspace.recall_facts("people")} == {kept}


async def test_nothing_is_extracted_where_it_is_switched_off_and_all_when_it_is_on(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.change_setting("facts", "off")
    await put(engine, workspace, POLICY, "policy.md")
    assert (await workspace.facts()).facts == ()
    progress = await workspace.fact_progress()
    assert (progress.enabled, progress.documents, progress.done) == (False, 1, 0)
    with pytest.raises(Conflict, match="extracts no facts"):
        await workspace.extract_facts()
    await workspace.change_setting("facts", "rules")
    assert (await workspace.fact_progress()).running
    await workspace.change_setting("fact_kinds", "property")
    await extracted(engine, workspace)
    assert {each.kind for each in (await workspace.facts()).facts} == {FactKind.PROPERTY}
    await workspace.change_setting("fact_classes", "email")
    assert (await workspace.fact_progress()).documents == 0


async def test_pages_of_facts_hold_each_once(engine: Engine, workspace: WorkspaceEngine) -> None:
    for number in range(3):
        text = f"{POLICY}\nItem X{number} costs {number} EUR."
        await put(engine, workspace, text, f"{number}.md")
    whole = await workspace.facts(limit=200)
    found: list[Fact] = []
    cursor = None
    while True:
        page = await workspace.facts(limit=4, cursor=cursor)
        found += page.facts
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [each.fact_id for each in found] == [each.fact_id for each in whole.facts]
    too_far = base64.urlsafe_b64encode(f"{uuid4()} {10**20}".encode()).decode()
    for cursor in ("nonsense", too_far):
        with pytest.raises(InvalidRequest):
            await workspace.facts(cursor=cursor)
    first = await workspace.facts(limit=1)
    assert first.next_cursor is not None
    with pytest.raises(InvalidRequest, match="cursor"):
        await workspace.facts(statuses=[FactStatus.CONFIRMED], cursor=first.next_cursor)
    with pytest.raises(InvalidRequest, match="cursor"):
        await workspace.fact_conflicts(cursor=first.next_cursor)


async def test_a_workspace_knows_nothing_of_the_facts_of_another(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(engine, workspace, POLICY, "policy.md")
    [fact, *_] = (await workspace.facts()).facts
    other = await engine.workspace((await engine.create_workspace("other")).name)
    await put(engine, other, "Acme Insurance employs 470 people.", "two.md")
    assert [each.object for each in (await other.facts()).facts] == ["470 people"]
    assert (await other.fact_conflicts()).conflicts == ()
    with pytest.raises(NotFound) as foreign:
        await other.fact(fact.fact_id)
    with pytest.raises(NotFound) as absent:
        await other.fact(absent_id := uuid4())
    assert str(foreign.value).replace(str(fact.fact_id), "") == str(absent.value).replace(
        str(absent_id), ""
    )


async def test_nobody_decides_for_a_collection_that_they_only_read(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await put(engine, workspace, "Acme Insurance employs 450 people.", "one.md", collection="own")
    [fact] = (await workspace.facts()).facts
    await workspace.decide_fact(fact.fact_id, "rejected")
    other = await put(
        engine, workspace, "Acme Insurance employs 450 people.\n\nX.", "two.md", collection="open"
    )
    [again] = (await workspace.facts(document_id=other)).facts
    writer = replace(
        workspace,
        principal=Principal(
            principal_id="will",
            role=None,
            collections=(("own", Role.READER), ("open", Role.WRITER)),
        ),
    )
    with pytest.raises(Forbidden):
        await writer.decide_fact(again.fact_id, "confirmed")
    assert (await workspace.fact(fact.fact_id)).status is FactStatus.REJECTED
