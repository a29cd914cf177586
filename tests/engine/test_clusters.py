"""Clusters follow their documents: found, named, joined, seen by who sees these, and gone with
them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.clusters import Cluster, ClusterGranularity, ClusterOf, ClusterPage
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.clustering import FEW, cluster_further
from footnote.errors import InvalidRequest, NotFound
from footnote.jobs.clusters import cluster_slice
from footnote.jobs.inline import work_until_resting
from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings
from footnote.store.clusters import (
    ClusterName,
    drop_cluster_names,
    embedded_members,
    name_cluster,
)
from footnote.store.database import SYSTEM
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.lanes import current_lane
from tests.conftest import TestDatabase, fresh_database, settings_over
from tests.models.openai_server import Asked, OpenAiServer, Reply, fails, says
from tests.store.shelves import Shelf

HARBOUR = ("harbour fees", "harbour berths", "harbour ferries", "harbour pilots", "harbour tugs")
GAMES = ("chess openings", "chess endgames", "chess puzzles", "chess clocks", "chess clubs")
BREAD = ("rye bread", "sourdough bread", "bread ovens", "bread flour", "bread dough")
SUBJECTS = (*HARBOUR, *GAMES, *BREAD)
FINE = ClusterGranularity.FINE
SLICES = 5
"""As many as make all clusters on a machine with much else to do."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A database with documents about SUBJECTS in the workspace `shelf`, which tests copy."""

    settings: Settings
    database: TestDatabase
    ids: dict[str, UUID]


@pytest.fixture(scope="module")
async def filled(
    encryption: str,
    postgres: EmbeddedPostgres,
    tmp_path_factory: pytest.TempPathFactory,
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
) -> AsyncIterator[Filled]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("filled"), model_home)
        settings = settings.model_copy(update={"encryption": encryption, "clusters": "documents"})
        async with await open_engine(settings) as engine:
            inside = await engine.workspace((await engine.create_workspace("shelf")).name)
            ids = await put(inside, SUBJECTS)
        yield Filled(settings=settings, database=database, ids=ids)


@pytest.fixture
def copied(filled: Filled, postgres: EmbeddedPostgres, tmp_path: Path) -> Iterator[Settings]:
    """Settings over a copy of that database and of its files."""
    home = tmp_path / "copied"
    shutil.copytree(filled.settings.home, home, symlinks=True)
    with fresh_database(postgres, template=filled.database.name) as database:
        yield filled.settings.model_copy(
            update={
                "home": home,
                "database_url": database.application_url,
                "owner_database_url": database.owner_url,
            }
        )


@pytest.fixture
async def engine(copied: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(copied) as opened:
        yield opened


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    """The one with the documents."""
    return await engine.workspace("shelf")


@pytest.fixture
async def empty(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("empty")).name)


@pytest.fixture
def ids(filled: Filled) -> dict[str, UUID]:
    """The documents by title."""
    return filled.ids


async def put(workspace: WorkspaceEngine, titles: Sequence[str]) -> dict[str, UUID]:
    """Ingest a document about each of the titles."""
    ids = {}
    for title in titles:
        text = f"# {title}\n\nThis is about {title}, and nothing but {title}.\n"
        received = await workspace.receive(text.encode(), f"{title}.md", external_id=title)
        ids[title] = received.document.document_id
    await work_until_resting(workspace.engine, workspace, list(ids.values()), lambda _: None)
    return ids


async def clustered(workspace: WorkspaceEngine) -> ClusterPage:
    """The clusters once nothing waits: what is cut off is gone on with, as by a worker."""
    for _ in range(SLICES):
        await cluster_slice(workspace.engine, workspace.workspace_id)
        progress = await workspace.cluster_progress()
        if not progress.enabled or progress.done == progress.documents:
            break
    assert progress.failure is None
    return await workspace.clusters(granularity=FINE)


def acting(workspace: WorkspaceEngine, name: str, role: Role | None) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=role))


async def move_next_number(workspace: WorkspaceEngine, chunks: int) -> None:
    """Have the next chunk's number come as much later, as if others had taken those between."""
    async with workspace.engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await scope.execute(
            "UPDATE index_states SET next_chunk = next_chunk + %(chunks)s"
            " WHERE workspace_id = %(workspace_id)s",
            {"chunks": chunks},
        )


async def members_of(workspace: WorkspaceEngine, page: ClusterPage) -> dict[UUID, set[str]]:
    found = {}
    for each in page.clusters:
        detail = await workspace.cluster(each.cluster_id, limit=200)
        found[each.cluster_id] = {one.title for one in detail.members}
        assert each.documents == len(detail.members)
    return found


async def test_documents_that_are_alike_are_clustered_and_named(workspace: WorkspaceEngine) -> None:
    page = await clustered(workspace)
    found = await members_of(workspace, page)
    # No cluster mixes subjects, and most documents are in one.
    for titles in found.values():
        assert any(titles <= set(subject) for subject in (HARBOUR, GAMES, BREAD))
    assert len(page.clusters) == 3
    assert sum(map(len, found.values())) + page.outliers == len(SUBJECTS)
    assert page.outliers <= 4
    assert page.unplaced == 0
    bread = next(each for each in page.clusters if found[each.cluster_id] <= set(BREAD))
    assert any("bread" in term.lower() for term in bread.label)
    assert bread.labelled_by == "terms"
    detail = await workspace.cluster(bread.cluster_id)
    distances = [each.distance for each in detail.members]
    assert distances == sorted(distances)
    assert [each.title for each in detail.cluster.representatives] == [
        each.title for each in detail.members[:3]
    ]
    assert {each.cluster_id for each in detail.neighbours} == {
        each.cluster_id for each in page.clusters if each != bread
    }
    assert detail.terms[0].documents >= 2


async def test_ids_and_names_stay_when_a_document_comes(workspace: WorkspaceEngine) -> None:
    before = await clustered(workspace)
    was = await members_of(workspace, before)
    await put(workspace, ["white bread"])
    after = await clustered(workspace)
    assert after.unplaced == 0
    assert {each.cluster_id for each in after.clusters} == set(was)
    assert {each.cluster_id: each.label for each in after.clusters} == {
        each.cluster_id: each.label for each in before.clusters
    }
    now = await members_of(workspace, after)
    bread = next(each for each, titles in was.items() if titles <= set(BREAD))
    assert now[bread] == was[bread] | {"white bread"}


async def test_all_are_clustered_anew_once_many_came(workspace: WorkspaceEngine) -> None:
    was = await members_of(workspace, await clustered(workspace))
    first = (await workspace.cluster_progress()).clustered_at
    await put(workspace, [f"volcano number {number} erupts" for number in range(5)])
    now = await members_of(workspace, await clustered(workspace))
    later = (await workspace.cluster_progress()).clustered_at
    assert first is not None
    assert later is not None
    assert later > first
    # What is still together has its id still.
    for cluster, titles in was.items():
        same = [each for each, others in now.items() if titles <= others]
        assert same in ([], [cluster])
    # Which others are near enough to join them hangs on the order in which all of them came.
    assert any(
        sum("volcano" in title for title in titles) > len(titles) / 2 for titles in now.values()
    ), now


async def test_documents_published_after_later_ones_have_all_clustered_anew(
    workspace: WorkspaceEngine,
) -> None:
    await clustered(workspace)
    await move_next_number(workspace, 1_000)
    await put(workspace, ["volcano number 0 erupts"])
    await clustered(workspace)
    await move_next_number(workspace, -1_001)
    await put(workspace, [f"volcano number {number} erupts" for number in range(1, 5)])
    now = await members_of(workspace, await clustered(workspace))
    assert {f"volcano number {number} erupts" for number in range(5)} in now.values()


async def test_clusters_are_seen_as_far_as_their_documents_are(
    workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    page = await clustered(workspace)
    found = await members_of(workspace, page)
    bread = next(each for each, titles in found.items() if titles <= set(BREAD))
    games = next(each for each, titles in found.items() if titles <= set(GAMES))
    hidden = sorted(found[bread])[:-2] + sorted(found[games])[:1]
    for title in hidden:
        await workspace.set_document_access(ids[title], Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob", Role.WRITER)
    seen = await bob.clusters(granularity=FINE)
    # Two documents of it are too few to tell of it: they are outliers to him.
    assert bread not in {each.cluster_id for each in seen.clusters}
    assert seen.outliers == page.outliers + 2
    with pytest.raises(NotFound) as hidden_error:
        await bob.cluster(bread)
    with pytest.raises(NotFound) as absent:
        await bob.cluster(absent_id := uuid4())
    assert str(hidden_error.value).replace(str(bread), "") == str(absent.value).replace(
        str(absent_id), ""
    )
    detail = await bob.cluster(games)
    assert detail.cluster.documents == len(found[games]) - 1
    shown = f"{detail}{seen}"
    for title in hidden:
        assert title not in shown
        assert str(ids[title]) not in shown
    assert str(bread) not in shown
    assert (await bob.cluster_progress()).documents == len(SUBJECTS) - len(hidden)


async def test_a_name_is_only_told_to_who_sees_all_it_is_of(
    workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    found = await members_of(workspace, await clustered(workspace))
    games = next(each for each, titles in found.items() if titles <= set(GAMES))
    named = (await workspace.cluster(games)).cluster
    assert any("chess" in each.lower() for each in named.label)
    one = sorted(found[games])[0]
    await workspace.set_document_access(ids[one], Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob", Role.WRITER)
    seen = (await bob.cluster(games)).cluster
    told = " ".join(seen.label).lower()
    assert "chess" in told
    assert one.removeprefix("chess ") not in told


async def test_a_name_from_a_document_that_left_is_only_told_to_who_sees_that_one(
    workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    found = await members_of(workspace, await clustered(workspace))
    games = next(each for each, titles in found.items() if titles <= set(GAMES))
    left = ids[sorted(found[games])[0]]
    async with workspace.engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, workspace.engine.lane.name)
        assert lane is not None
        members = await embedded_members(scope, lane[0], ClusterOf.DOCUMENTS)
        number = int(members.numbers[members.owners.index(left)])
        await drop_cluster_names(scope, [games])
        name = ClusterName(label=("Falcon layoffs",), labelled_by="scripted")
        assert await name_cluster(scope, lane[0], games, name, [number])
        # As a later run leaves it, where more than half of the documents stay.
        await scope.execute(
            "UPDATE cluster_members SET cluster_id = NULL"
            " WHERE workspace_id = %(workspace_id)s AND document_id = %(left)s",
            {"left": left},
        )
    await workspace.set_document_access(left, Visibility.PRIVATE, shared_with=["ann"])
    labels = {}
    for who in ("ann", "bob"):
        seen = acting(workspace, who, Role.WRITER)
        page = await seen.clusters(granularity=FINE)
        drawn = await seen.document_map(clusters=FINE)
        labels[who] = [
            (await seen.cluster(games)).cluster.label,
            *(each.label for each in page.clusters if each.cluster_id == games),
            *(each.label for each in drawn.clusters if each.cluster_id == games),
        ]
    assert labels["ann"] == [("Falcon layoffs",)] * 3
    assert len(labels["bob"]) == 3
    assert ("Falcon layoffs",) not in labels["bob"]


async def test_clusters_go_with_their_documents_and_names_with_what_they_are_of(
    engine: Engine, workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    page = await clustered(workspace)
    found = await members_of(workspace, page)
    bread = next(each for each, titles in found.items() if titles <= set(BREAD))
    for title in found[bread]:
        await workspace.delete_document(ids[title])
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        rows = await scope.all(
            "SELECT cluster_id FROM cluster_names WHERE workspace_id = %(workspace_id)s"
        )
        assert bread not in {row["cluster_id"] for row in rows}
        left = await scope.all(
            "SELECT FROM cluster_members"
            " WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(ids)s)",
            {"ids": [ids[title] for title in found[bread]]},
        )
        assert left == []
    with pytest.raises(NotFound):
        await workspace.cluster(bread)
    after = await clustered(workspace)
    assert bread not in {each.cluster_id for each in after.clusters}


async def test_a_new_version_is_looked_at_again(
    workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    found = await members_of(workspace, await clustered(workspace))
    text = "# chess tournament\n\nThis is about a chess tournament, and nothing but chess.\n"
    await workspace.receive(text.encode(), "bread dough.md", external_id="bread dough")
    await work_until_resting(workspace.engine, workspace, [ids["bread dough"]], lambda _: None)
    now = await members_of(workspace, await clustered(workspace))
    games = next(each for each, titles in found.items() if titles <= set(GAMES))
    assert "chess tournament" in now[games]


async def test_nothing_is_clustered_where_it_is_switched_off_and_all_when_it_is_on(
    empty: WorkspaceEngine,
) -> None:
    await empty.change_setting("clusters", "off")
    await put(empty, SUBJECTS)
    page = await clustered(empty)
    assert (page.clusters, page.unplaced) == ((), len(SUBJECTS))
    progress = await empty.cluster_progress()
    assert (progress.enabled, progress.running, progress.done) == (False, False, 0)
    await empty.change_setting("clusters", "documents")
    assert (await empty.cluster_progress()).running
    assert (await clustered(empty)).clusters
    assert (await empty.cluster_progress()).done == len(SUBJECTS)


async def test_pages_of_clusters_hold_each_once(empty: WorkspaceEngine) -> None:
    assert (await clustered(empty)).clusters == ()
    await put(empty, SUBJECTS)
    whole = await clustered(empty)
    found: list[Cluster] = []
    cursor = None
    while True:
        page = await empty.clusters(granularity=FINE, limit=1, cursor=cursor)
        found += page.clusters
        cursor = page.next_cursor
        if cursor is None:
            break
    assert tuple(found) == whole.clusters
    with pytest.raises(InvalidRequest):
        await empty.clusters(cursor="nonsense")


async def test_a_workspace_knows_nothing_of_the_clusters_of_another(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    page = await clustered(workspace)
    other = await engine.workspace((await engine.create_workspace("other")).name)
    await put(other, BREAD)
    await clustered(other)
    assert not {each.cluster_id for each in page.clusters} & {
        each.cluster_id for each in (await other.clusters(granularity=FINE)).clusters
    }
    with pytest.raises(NotFound):
        await other.cluster(page.clusters[0].cluster_id)


async def test_clusters_of_clusters_are_their_parents(workspace: WorkspaceEngine) -> None:
    fine = await clustered(workspace)
    middle = await workspace.clusters()
    there = {each.cluster_id for each in middle.clusters}
    assert {each.parent_id for each in fine.clusters} <= there | {None}
    assert any(each.parent_id for each in fine.clusters)
    for each in (await workspace.clusters(granularity=ClusterGranularity.COARSE)).clusters:
        assert each.parent_id is None


async def test_a_map_says_to_which_cluster_each_document_belongs(
    workspace: WorkspaceEngine, ids: dict[str, UUID]
) -> None:
    page = await clustered(workspace)
    plain = await workspace.document_map()
    assert plain.clusters == ()
    assert {each.cluster_id for each in plain.points} == {None}
    found = await workspace.document_map(clusters=FINE)
    assert [(each.cluster_id, each.label, each.documents) for each in found.clusters] == [
        (each.cluster_id, each.label, each.documents) for each in page.clusters
    ]
    members = await members_of(workspace, page)
    for point in found.points:
        own = [cluster for cluster, titles in members.items() if point.title in titles]
        assert own == ([] if point.cluster_id is None else [point.cluster_id])
    one = page.clusters[0].cluster_id
    for title in sorted(members[one])[:-2]:
        await workspace.set_document_access(ids[title], Visibility.PRIVATE, shared_with=["ann"])
    seen = await acting(workspace, "bob", Role.WRITER).document_map(clusters=FINE)
    assert one not in {each.cluster_id for each in seen.points}
    assert one not in {each.cluster_id for each in seen.clusters}


async def test_of_many_documents_a_new_one_joins_what_is_there(own_settings: Settings) -> None:
    async with await open_engine(
        own_settings.model_copy(update={"clusters": "documents"})
    ) as engine:
        made = await engine.create_workspace("many")
        shelf = Shelf(database=engine.database, workspace=made)
        subjects = [f"{word} " * 6 for word in ("harbour", "chess", "bread", "volcano")]
        for number in range(FEW + 4):
            about = f"{subjects[number % 4]} part {number // 4}"
            await shelf.put(about, about=about)
        workspace = await engine.workspace(made.name)
        while await cluster_further(workspace.engine, workspace.workspace_id):
            pass
        before = await workspace.cluster_progress()
        was = {each.cluster_id: each for each in (await workspace.clusters()).clusters}
        assert len(was) >= 4
        one = f"{subjects[0]} part 99"
        joining = await shelf.put(one, about=one)
        strange = await shelf.put("xylophone", about="xylophone zither quartz")
        assert (await workspace.clusters()).unplaced == 2
        while await cluster_further(workspace.engine, workspace.workspace_id):
            pass
        # Nothing was made anew.
        assert (await workspace.cluster_progress()).clustered_at == before.clustered_at
        after = await workspace.clusters()
        assert after.unplaced == 0
        grown = [each for each in after.clusters if each.documents > was[each.cluster_id].documents]
        assert len(grown) == 1
        members = (await workspace.cluster(grown[0].cluster_id, limit=200)).members
        assert joining in {each.document_id for each in members}
        assert strange not in {each.document_id for each in members}


# --- with a language model ------------------------------------------------------------------------


def scripted(asked: Asked) -> Reply:
    """A title for bread, nonsense for games, and a reply that was cut off for the harbour."""
    if "bread" in asked.prompt:
        return says("Baking bread")
    if "chess" in asked.prompt:
        return says("Quarterly revenue of Norwegian banks")
    return says("Fees for", finish_reason="length")


async def test_a_model_names_what_it_can_and_terms_the_rest(own_settings: Settings) -> None:
    with OpenAiServer(respond=scripted) as server:
        configured = {
            "clusters": "documents",
            "language_model": f"scripted@{server.url}",
        }
        async with await open_engine(own_settings.model_copy(update=configured)) as engine:
            workspace = await engine.workspace((await engine.create_workspace("shelf")).name)
            await put(workspace, SUBJECTS)
            page = await clustered(workspace)
            found = await members_of(workspace, page)
            assert len(server.asked) >= len(page.clusters)
    named = {
        next(iter(titles)): (each.label, each.labelled_by)
        for each in page.clusters
        for titles in [found[each.cluster_id]]
    }
    for title, (label, by) in named.items():
        if title in BREAD:
            assert (label, by) == (("Baking bread",), "scripted")
        else:
            assert by == "terms"
            assert label


async def test_clusters_are_named_without_a_model_that_is_away(own_settings: Settings) -> None:
    with OpenAiServer(respond=lambda _: fails(400)) as server:
        configured = {
            "clusters": "documents",
            "language_model": f"scripted@{server.url}",
        }
        async with await open_engine(own_settings.model_copy(update=configured)) as engine:
            workspace = await engine.workspace((await engine.create_workspace("shelf")).name)
            await put(workspace, SUBJECTS)
            page = await clustered(workspace)
    assert page.clusters
    assert {each.labelled_by for each in page.clusters} == {"terms"}
