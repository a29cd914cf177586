"""Whatever was granted, shared and hidden, everybody sees what a naive reading of the rules says.

The reading below knows nothing of access names, policies and caches: it walks over documents and
grants with the sentences of docs/access.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid4

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from footnote.domain import Principal, Role, SearchFilters, Visibility
from footnote.domain.access import access_names, with_grants
from footnote.domain.events import EventCursor
from footnote.ports import Routing
from footnote.store import access as stored
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.documents import names_of_collections
from footnote.store.events import events_after
from footnote.store.facets import load_facets
from footnote.store.listing import list_documents
from footnote.store.publishing import delete_document
from footnote.store.workspaces import create_workspace, workspace_stats
from tests.store.shelves import Shelf

PEOPLE = {"ann": ("crew",), "bob": ("crew", "board"), "eve": (), "crew": ()}
"""Each with the groups; one has the name of a group."""
SUBJECTS = (*PEOPLE, "group:crew", "group:board")
COLLECTIONS = ("hr", "legal")
WORKSPACES = 2
WORD = "lighthouse"


@dataclass(frozen=True, kw_only=True)
class Put:
    workspace: int
    owner: str
    collection: str
    visibility: Visibility
    shared_with: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GrantRole:
    workspace: int
    subject: str
    role: Role
    collection: str | None


@dataclass(frozen=True, kw_only=True)
class Revoke:
    workspace: int
    subject: str
    collection: str | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """Of the document that was put in that place."""

    place: int
    visibility: Visibility
    shared_with: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Remove:
    place: int


Step = Put | GrantRole | Revoke | Change | Remove

_WHERE = st.integers(0, WORKSPACES - 1)
_NAMES = st.lists(st.sampled_from(SUBJECTS), max_size=2).map(tuple)
_PLACE = st.one_of(st.none(), st.sampled_from(COLLECTIONS))
_SEEN = st.sampled_from(Visibility)
STEPS = st.lists(
    st.one_of(
        st.builds(
            Put,
            workspace=_WHERE,
            owner=st.sampled_from(sorted(PEOPLE)),
            collection=st.sampled_from(COLLECTIONS),
            visibility=_SEEN,
            shared_with=_NAMES,
        ),
        st.builds(
            GrantRole,
            workspace=_WHERE,
            subject=st.sampled_from(SUBJECTS),
            role=st.sampled_from(Role),
            collection=_PLACE,
        ),
        st.builds(Revoke, workspace=_WHERE, subject=st.sampled_from(SUBJECTS), collection=_PLACE),
        st.builds(Change, place=st.integers(0, 5), visibility=_SEEN, shared_with=_NAMES),
        st.builds(Remove, place=st.integers(0, 5)),
    ),
    min_size=6,
    max_size=16,
)


@dataclass
class Paper:
    """A document as the naive reading knows it."""

    document_id: UUID
    workspace: int
    owner: str
    collection: str
    visibility: Visibility
    shared_with: tuple[str, ...]


@dataclass
class Rules:
    """The naive reading."""

    papers: list[Paper] = field(default_factory=list)
    roles: dict[tuple[int, str, str | None], Role] = field(default_factory=dict)

    def role(self, person: str, workspace: int, collection: str | None) -> list[Role]:
        """What somebody was granted in a place, by name or by group."""
        subjects = [person, *(f"group:{each}" for each in PEOPLE[person])]
        found = (self.roles.get((workspace, each, collection)) for each in subjects)
        return [role for role in found if role is not None]

    def enters(self, person: str, workspace: int) -> bool:
        return any(self.role(person, workspace, each) for each in (None, *COLLECTIONS))

    def sees(self, person: str, paper: Paper) -> bool:
        here = self.role(person, paper.workspace, None)
        there = self.role(person, paper.workspace, paper.collection)
        if not self.enters(person, paper.workspace):
            return False
        if paper.visibility is Visibility.WORKSPACE:
            return bool(here or there)
        listed = {person, *(f"group:{each}" for each in PEOPLE[person])}
        if person == paper.owner or listed & set(paper.shared_with):
            return True
        of_place = bool(there) or Role.ADMIN in here
        return paper.visibility is Visibility.COLLECTION and of_place

    def visible(self, person: str, workspace: int) -> Iterator[Paper]:
        for paper in self.papers:
            if paper.workspace == workspace and self.sees(person, paper):
                yield paper


async def apply(step: Step, rules: Rules, shelves: Sequence[Shelf]) -> None:
    """Do it in the store and in the naive reading."""
    if isinstance(step, Put):
        document_id = await shelves[step.workspace].put(
            f"The {WORD} stands on rock {uuid4().hex}.",
            collection=step.collection,
            visibility=step.visibility,
            access=step.shared_with,
            owner=Principal(principal_id=step.owner),
            about=WORD,
        )
        shared = () if step.visibility is Visibility.WORKSPACE else step.shared_with
        rules.papers.append(
            Paper(
                document_id=document_id,
                workspace=step.workspace,
                owner=step.owner,
                collection=step.collection,
                visibility=step.visibility,
                shared_with=shared,
            )
        )
    elif isinstance(step, GrantRole):
        async with inside(shelves[step.workspace], SYSTEM) as scope:
            await stored.grant_role(scope, step.subject, step.role, step.collection)
        rules.roles[step.workspace, step.subject, step.collection] = step.role
    elif isinstance(step, Revoke):
        async with inside(shelves[step.workspace], SYSTEM) as scope:
            known = await stored.revoke_role(scope, step.subject, step.collection)
        gone = rules.roles.pop((step.workspace, step.subject, step.collection), None)
        assert known is (gone is not None)
    elif step.place < len(rules.papers):
        paper = rules.papers[step.place]
        shelf = shelves[paper.workspace]
        if isinstance(step, Remove):
            async with inside(shelf, SYSTEM) as scope:
                await delete_document(scope, paper.document_id, shelf.limits)
            rules.papers.remove(paper)
            return
        names = access_names(step.visibility, paper.collection, paper.owner, step.shared_with)
        async with inside(shelf, SYSTEM) as scope:
            await stored.change_access(scope, paper.document_id, step.visibility, names)
        paper.visibility = step.visibility
        paper.shared_with = () if names is None else step.shared_with


def inside(shelf: Shelf, principal: Principal) -> AbstractAsyncContextManager[WorkspaceScope]:
    return shelf.database.workspace(shelf.workspace.workspace_id, principal)


async def acting(shelf: Shelf, person: str) -> Principal | None:
    """The principal as it enters; None where it has no role at all."""
    named = Principal(principal_id=person, groups=PEOPLE[person], role=None)
    async with inside(shelf, SYSTEM) as scope:
        principal = with_grants(named, await stored.grants_of(scope, named))
    return principal if principal.role or principal.collections else None


async def everything_seen(shelf: Shelf, principal: Principal) -> dict[str, set[UUID]]:
    """The documents that each way of looking shows."""
    recalled = await shelf.recall(WORD, principal=principal)
    routed = await shelf.recall(
        WORD, principal=principal, route=Routing(documents=100, threshold=0)
    )
    # The texts are read as the system: what is tested is which chunks a recall names.
    numbers = {hit.chunk_no for each in (recalled, routed) for hit in (*each.dense, *each.lexical)}
    passages = await shelf.index(SYSTEM).passages(sorted(numbers))
    read = await shelf.index(principal).passages(sorted(numbers))
    assert read.keys() == passages.keys()
    found = {}
    for name, hits in (
        ("dense", recalled.dense),
        ("lexical", recalled.lexical),
        ("routed dense", routed.dense),
        ("routed lexical", routed.lexical),
    ):
        found[name] = {passages[hit.chunk_no].document_id for hit in hits}
    async with inside(shelf, principal) as scope:
        listed = await list_documents(scope, limit=200, cursor=None)
        found["listing"] = {each.document_id for each in listed.documents}
        found["events"] = await told_of(scope)
    return found


async def told_of(scope: WorkspaceScope) -> set[UUID]:
    """The documents of which events tell that are still there."""
    begin = EventCursor(transaction_id=0, event_no=0)
    events = await events_after(scope, begin, None, limit=10_000)
    gone = {each.document_id for each in events if each.kind == "document.deleted"}
    return {each.document_id for each in events} - gone


async def assert_seen(shelves: Sequence[Shelf], rules: Rules) -> None:
    """Each person sees in each workspace what the naive reading says, by every way of looking."""
    for workspace, shelf in enumerate(shelves):
        for person in PEOPLE:
            principal = await acting(shelf, person)
            assert (principal is not None) is rules.enters(person, workspace)
            if principal is None:
                continue
            papers = list(rules.visible(person, workspace))
            expected = {paper.document_id for paper in papers}
            for way, seen in (await everything_seen(shelf, principal)).items():
                assert seen == expected, (person, workspace, way)
            async with inside(shelf, principal) as scope:
                counted = await workspace_stats(scope, shelf.lane)
                assert (counted.documents, counted.chunks) == (len(papers), len(papers))
                names = {paper.collection for paper in papers}
                assert set(await names_of_collections(scope)) == names
                facets = await load_facets(scope, ["collection"], SearchFilters())
                assert {each.value: each.documents for each in facets["collection"]} == {
                    name: sum(paper.collection == name for paper in papers) for name in names
                }


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
@example(
    steps=[
        GrantRole(workspace=0, subject="ann", role=Role.ADMIN, collection=None),
        GrantRole(workspace=0, subject="group:crew", role=Role.READER, collection="hr"),
        *[
            Put(workspace=0, owner="eve", collection=name, visibility=each, shared_with=())
            for name in COLLECTIONS
            for each in Visibility
        ],
        GrantRole(workspace=0, subject="bob", role=Role.READER, collection=None),
        Revoke(workspace=0, subject="ann", collection=None),
        Change(place=2, visibility=Visibility.PRIVATE, shared_with=("group:board", "crew")),
    ]
)
async def test_everybody_sees_what_the_rules_say_and_nothing_else(
    database: Database, steps: list[Step]
) -> None:
    rules = Rules()
    first = await new_shelf_here(database)
    shelves = [first, *[await new_shelf_here(database) for _ in range(WORKSPACES - 1)]]
    for step in steps:
        await apply(step, rules, shelves)
        if isinstance(step, Change | Revoke | GrantRole):
            await assert_seen(shelves, rules)  # with what caches hold of before
    await assert_seen(shelves, rules)


async def new_shelf_here(database: Database) -> Shelf:
    """A workspace of its own for each example."""
    return Shelf(database=database, workspace=await create_workspace(database, f"w{uuid4().hex}"))


async def test_an_entry_for_a_person_does_not_admit_a_group_of_that_name(
    database: Database,
) -> None:
    shelf = await new_shelf_here(database)
    hidden = await shelf.put(f"A {WORD}.", access=("crew",))
    for principal, seen in (
        (Principal(principal_id="ann", groups=("crew",)), set()),
        (Principal(principal_id="crew"), {hidden}),
    ):
        for way, documents in (await everything_seen(shelf, principal)).items():
            assert documents == seen, way
    narrowed = replace(Principal(principal_id="crew"), role=None, collections=(("hr", Role.ADMIN),))
    assert (await everything_seen(shelf, narrowed))["listing"] == {hidden}
