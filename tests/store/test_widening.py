"""Passages are widened exactly as their documents stand, and only if they are visible."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import pairwise
from uuid import UUID

import numpy as np
import psycopg
import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, DocumentStatus, Passage, Principal
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.models.testing import HashEmbedder
from footnote.ports import ExpandedPassage
from footnote.settings import Settings
from footnote.store.database import Database, WorkspaceScope
from footnote.store.dense import load_vectors
from footnote.store.passages import ask_passages, load_widened, read_passages
from footnote.store.statements import load_statements
from tests.conftest import TestDatabase
from tests.store.plans import plan_of, whole_reads
from tests.store.shelves import Shelf, new_shelf

SENTENCES = [
    f"The {thing} is looked after by the {person}, who reports to the harbour master every week."
    for thing in ("anchor", "winch", "capstan", "hawser", "fender", "bollard", "gangway", "davit")
    for person in ("bosun", "purser", "stoker")
]
MANUAL = "\n\n".join(
    [
        "# Upkeep",
        " ".join(SENTENCES[:12]),
        " ".join(SENTENCES[12:]),
        "## Notes",
        "Paint is kept in the forepeak.",
        "## Notes",
        "Rope is kept in the lazarette.",
        "# Stores",
        "| part | shelf |\n| --- | --- |\n"
        + "\n".join(f"| shackle of size {number} | shelf {number % 7} |" for number in range(60)),
    ]
)


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """An engine that makes small chunks, so that a short document has many."""
    async with await open_engine(
        settings.model_copy(update={"chunk_policy": "balanced-64"})
    ) as opened:
        yield opened


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace()


async def ingest(engine: Engine, workspace: WorkspaceEngine, text: str, **options: object) -> UUID:
    received = await workspace.receive(text.encode(), "manual.md", **options)  # type: ignore[arg-type]  # passed on
    document_id = received.document.document_id
    documents = await work_until_resting(engine, workspace, [document_id], lambda _: None)
    assert documents[document_id].status is DocumentStatus.INDEXED
    return document_id


async def chunks_of(
    engine: Engine, workspace: WorkspaceEngine, document_id: UUID
) -> tuple[list[Passage], str]:
    """Every passage of a document in order, and its canonical text."""
    async with engine.database.snapshot(workspace.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        rows = await scope.connection.execute(
            "SELECT chunk_no FROM chunks WHERE document_id = %s", [document_id]
        )
        texts = await scope.connection.execute(
            "SELECT canonical_text FROM document_versions WHERE document_id = %s "
            "ORDER BY version DESC LIMIT 1",
            [document_id],
        )
        passages = await read_passages(
            scope, await ask_passages(scope, [row["chunk_no"] for row in await rows.fetchall()])
        )
        row = await texts.fetchone()
    assert row is not None
    return sorted(passages.values(), key=lambda each: each.ordinal), row["canonical_text"]


async def widen(
    engine: Engine,
    workspace: WorkspaceEngine,
    passages: Sequence[Passage],
    window: int,
    *,
    across_headings: bool = False,
    principal: Principal = LOCAL_PRINCIPAL,
) -> Mapping[int, ExpandedPassage]:
    async with engine.database.snapshot(workspace.workspace.workspace_id, principal) as scope:
        return await load_widened(scope, passages, window, across_headings)


def under(passages: Sequence[Passage], heading: str) -> list[Passage]:
    return [each for each in passages if each.heading_path[-1] == heading]


async def test_a_stretch_is_the_document_s_own_text(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    passages, canonical = await chunks_of(
        engine, workspace, await ingest(engine, workspace, MANUAL)
    )
    upkeep = under(passages, "Upkeep")
    assert len(upkeep) >= 6
    assert any(one.char_end > following.char_start for one, following in pairwise(upkeep)), (
        "no two chunks share a sentence"
    )
    for across_headings in (False, True):
        for window in (0, 1, 2, 50):
            found = await widen(
                engine, workspace, passages, window, across_headings=across_headings
            )
            assert found.keys() == {each.chunk_no for each in passages}
            for each in passages:
                widened = found[each.chunk_no]
                obeys_laws(each, widened, canonical)
                near = [other for other in passages if abs(other.ordinal - each.ordinal) <= window]
                if across_headings:
                    assert reach(widened) == (near[0].ordinal, near[-1].ordinal)
                    last = near[-1].ordinal + 1
                    following = passages[last].char_start if last < len(passages) else 0
                    assert widened.after == canonical[widened.passage.char_end : following]


def reach(widened: ExpandedPassage) -> tuple[int, int]:
    distances = [0, *widened.distances.values()]
    return widened.passage.ordinal + min(distances), widened.passage.ordinal + max(distances)


def obeys_laws(passage: Passage, widened: ExpandedPassage, canonical: str) -> None:
    stretch = widened.passage
    assert stretch.text[stretch.body_offset :] == canonical[stretch.char_start : stretch.char_end]
    assert (stretch.chunk_id, stretch.ordinal, stretch.kind, stretch.heading_path) == (
        passage.chunk_id,
        passage.ordinal,
        passage.kind,
        passage.heading_path,
    )
    assert stretch.char_start <= passage.char_start
    assert stretch.char_end >= passage.char_end
    assert stretch.spans[0].char_start == stretch.char_start
    assert stretch.spans[-1].char_end == stretch.char_end
    assert stretch.paragraph_start == stretch.spans[0].paragraph
    assert stretch.paragraph_end == stretch.spans[-1].paragraph
    for one, following in pairwise(stretch.spans):
        assert one.char_end <= following.char_start
        assert (one.paragraph, one.kind) != (following.paragraph, following.kind)
    first, last = reach(widened)
    assert {
        chunk_id: int(chunk_id.split(":")[-1]) - passage.ordinal for chunk_id in widened.distances
    } == dict(widened.distances)
    assert len(widened.distances) == last - first


async def test_without_a_window_a_passage_is_what_it_was(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    passages, _ = await chunks_of(engine, workspace, await ingest(engine, workspace, MANUAL))
    found = await widen(engine, workspace, passages, 0)
    for each in passages:
        assert found[each.chunk_no].passage == each
        assert found[each.chunk_no].distances == {}
    assert await widen(engine, workspace, [], 2) == {}


async def test_a_stretch_ends_at_a_heading_and_at_the_document_s_ends(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    passages, canonical = await chunks_of(
        engine, workspace, await ingest(engine, workspace, MANUAL)
    )
    upkeep, notes = under(passages, "Upkeep"), under(passages, "Notes")
    stores = under(passages, "Stores")
    found = await widen(engine, workspace, passages, 99)
    for section in (upkeep, stores):
        for each in section:
            assert reach(found[each.chunk_no]) == (section[0].ordinal, section[-1].ordinal)
            assert found[each.chunk_no].after == ""
    # Two sections of one name are two sections.
    assert [each.heading_path for each in notes] == [("Upkeep", "Notes")] * 2
    assert [found[each.chunk_no].passage.text for each in notes] == [
        "Paint is kept in the forepeak.",
        "Rope is kept in the lazarette.",
    ]
    whole = await widen(engine, workspace, [notes[0]], 99, across_headings=True)
    stretch = whole[notes[0].chunk_no].passage
    assert stretch.char_end == len(canonical)
    assert "## " not in stretch.text
    assert "Notes" in stretch.text


async def test_a_table_cut_in_two_keeps_its_header_once(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    passages, canonical = await chunks_of(
        engine, workspace, await ingest(engine, workspace, MANUAL)
    )
    stores = under(passages, "Stores")
    assert len(stores) >= 4
    assert stores[2].body_offset > 0
    found = await widen(engine, workspace, stores, 1)
    start, middle = found[stores[1].chunk_no].passage, found[stores[2].chunk_no].passage
    assert (start.body_offset, middle.body_offset) == (0, stores[1].body_offset)
    for each in (start, middle):
        assert each.text.count("| part | shelf |") == 1
        assert each.text.startswith("| part | shelf |")
    following = canonical[stores[2].char_end : stores[3].char_start]
    assert found[stores[1].chunk_no].after == following == "\n"


async def test_what_may_not_be_seen_is_not_widened(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await ingest(engine, workspace, MANUAL, shared_with=["local", "group:crew"])
    passages, _ = await chunks_of(engine, workspace, document_id)
    some = passages[:2]
    stranger, mate = Principal(principal_id="eve"), Principal(principal_id="x", groups=("crew",))
    assert await widen(engine, workspace, some, 1, principal=stranger) == {}
    assert len(await widen(engine, workspace, some, 1, principal=mate)) == 2
    elsewhere = await engine.create_workspace("elsewhere")
    assert await widen(engine, await engine.workspace(elsewhere.name), some, 1) == {}


async def test_what_was_replaced_or_deleted_is_left_out(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await ingest(engine, workspace, MANUAL, external_id="manual")
    other_id = await ingest(engine, workspace, "Diesel is kept ashore.")
    old, _ = await chunks_of(engine, workspace, document_id)
    other, _ = await chunks_of(engine, workspace, other_id)
    await ingest(engine, workspace, MANUAL + "\n\nA last line.", external_id="manual")
    assert (await widen(engine, workspace, [old[0], *other], 1)).keys() == {other[0].chunk_no}
    await workspace.delete_document(other_id)
    assert await widen(engine, workspace, [old[0], *other], 1) == {}


async def test_vectors_come_back_as_they_were_made(database: Database) -> None:
    shelf = await new_shelf(database)
    texts = ("anchor buoy chain", "dredger estuary")
    await shelf.put(*texts)
    await shelf.put("a secret winch", access=("group:crew",))
    made = await HashEmbedder().embed_documents(texts)
    stranger = Principal(principal_id="eve")
    async with database.snapshot(shelf.workspace.workspace_id, stranger) as scope:
        vectors = await load_vectors(scope, 1, [1, 0, 2, 77])
        assert await load_vectors(scope, 9, [0]) == {}
        assert await load_vectors(scope, 1, []) == {}
    assert vectors.keys() == {0, 1}
    for number, vector in vectors.items():
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
        assert vector == pytest.approx(made[number], abs=1e-3)


async def test_vectors_of_another_workspace_are_not_found(database: Database) -> None:
    shelf, other = await new_shelf(database, "one"), await new_shelf(database, "two")
    await shelf.put("anchor")
    async with database.snapshot(other.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        assert await load_vectors(scope, 1, [0]) == {}


@pytest.fixture
async def crowded(database: Database, own_database: TestDatabase) -> Shelf:
    """A workspace whose one document has very many chunks."""
    shelf = await new_shelf(database)
    await shelf.put("anchor buoy chain", "dredger estuary")
    parameters = {"workspace": shelf.workspace.workspace_id}
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO chunks SELECT %(workspace)s, 1000 + number, document_id, 1, 10 + number,
                'paragraph', 'x', 0, 0, 1, '[]', '{}', NULL, NULL, 1, 1, 1, NULL
            FROM documents, generate_series(1, 20000) AS number
            """,
            parameters,
        )
        connection.execute(
            """
            INSERT INTO embeddings SELECT %(workspace)s, 1, 1000 + number,
                decode(md5(number::text), 'hex'), (SELECT embedding FROM embeddings LIMIT 1)
            FROM generate_series(1, 20000) AS number
            """,
            parameters,
        )
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return shelf


@pytest.fixture
async def scope(crowded: Shelf) -> AsyncIterator[WorkspaceScope]:
    workspace_id = crowded.workspace.workspace_id
    async with crowded.database.workspace(workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


@pytest.mark.parametrize(
    ("module", "name", "indexes"),
    [
        ("passages", "neighbourhoods", ("chunks_in_version",)),
        ("dense", "vectors", ("embeddings_pkey", "chunks_pkey")),
    ],
)
async def test_only_what_is_asked_for_is_read(
    scope: WorkspaceScope, module: str, name: str, indexes: tuple[str, ...]
) -> None:
    parameters: dict[str, object] = {
        "workspace_id": scope.workspace_id,
        "lane_id": 1,
        "numbers": [1001, 1500],
        "document_ids": [UUID(int=0), UUID(int=1)],
        "versions": [1, 1],
        "ordinals": [11, 510],
        "window": 2,
    }
    plan = await plan_of(scope, sql.SQL(load_statements(module)[name]), parameters)
    for index in indexes:
        assert f'"{index}"' in plan
    assert whole_reads(plan) & {"chunks", "embeddings"} == set()
    if name == "neighbourhoods":
        assert "ordinal >=" in plan, "the neighbours are filtered, not looked up"
