"""Publications, deletions, merges and searches of one workspace at once, and nobody sees a half."""

from __future__ import annotations

import asyncio
import math
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg
import pytest

from footnote.errors import NotFound, StoreUnavailable
from footnote.index.bm25 import K1, B
from footnote.ports import Routing
from footnote.store.database import SYSTEM, Database
from footnote.store.merging import merge_once
from tests.conftest import TestDatabase
from tests.statements import recorded_statements
from tests.store.shelves import Shelf, new_shelf

pytestmark = pytest.mark.usefixtures("own_database")

LONG = [f"harbour ledger page{number} whale" for number in range(1200)]
"""Chunks of a document that is written in several statements."""


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


@asynccontextmanager
async def long_publication_half_way(
    shelf: Shelf, test_database: TestDatabase, texts: Sequence[str] = LONG, **how: str
) -> AsyncIterator[tuple[psycopg.AsyncConnection[tuple[int]], asyncio.Task[UUID]]]:
    """A publication that has written all but its last chunk, whose number somebody else is using.

    It goes on once the connection rolls back.
    """
    connection = await psycopg.AsyncConnection[tuple[int]].connect(test_database.superuser_url)
    async with connection:
        await connection.execute("SET search_path = footnote, public")
        await connection.execute("SET session_replication_role = replica")  # without its document
        taken = await connection.execute(
            """
            INSERT INTO chunks (
                workspace_id, chunk_no, document_id, version, ordinal, kind, text, body_offset,
                char_start, char_end, spans, heading_path, paragraph_start, paragraph_end,
                token_count
            )
            SELECT workspace_id, next_chunk + %s - 1, gen_random_uuid(), 1, 0, 'paragraph', '', 0,
                0, 0, '[]', '{}', 1, 1, 0
            FROM index_states WHERE workspace_id = %s
            """,
            [len(texts), shelf.workspace.workspace_id],
        )
        assert taken.rowcount == 1
        publication = asyncio.create_task(shelf.put(*texts, **how))  # type: ignore[arg-type]  # passed on
        try:
            await waiting(test_database, "INSERT INTO chunks", publication)
            yield connection, publication
        finally:
            await connection.rollback()
            await asyncio.gather(publication, return_exceptions=True)


async def waiting(
    test_database: TestDatabase, statement: str, task: asyncio.Task[UUID] | asyncio.Task[None]
) -> int:
    """The process of the session that waits for a lock with such a statement."""
    async with await psycopg.AsyncConnection.connect(
        test_database.superuser_url, autocommit=True
    ) as looking:
        while not task.done():
            found = await looking.execute(
                "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ %s",
                [re.escape(statement)],
            )
            if row := await found.fetchone():
                return int(row[0])
            await asyncio.sleep(0.01)
    raise AssertionError(f"it did not wait: {task}")


async def left_over(shelf: Shelf) -> dict[str, int]:
    """Rows of the index, by table."""
    async with shelf.database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
        return dict(
            await scope.single(
                """
                SELECT (SELECT count(*) FROM chunks) AS chunks,
                    (SELECT count(*) FROM embeddings) AS embeddings,
                    (SELECT count(*) FROM segments) AS segments,
                    (SELECT count(*) FROM posting_blocks) AS blocks
                """
            )
        )


@pytest.mark.parametrize(
    "before",
    [[], [f"harbour log page{number} seal" for number in range(600)]],
    ids=["new", "again"],
)
async def test_short_documents_do_not_wait_for_a_long_one_nor_do_deletions_and_merges(
    shelf: Shelf, test_database: TestDatabase, before: list[str]
) -> None:
    doomed = await shelf.put("a doomed anchor")
    if before:
        await shelf.put(*before, external_id="ledger")
    async with (
        asyncio.timeout(600),
        long_publication_half_way(shelf, test_database, external_id="ledger") as (
            other,
            publication,
        ),
    ):
        for number in range(5):
            await shelf.put(f"buoy number{number} at the harbour")
        await shelf.remove(doomed)
        assert await merge_once(shelf.database, shelf.workspace.workspace_id, 4)
        assert len(await shelf.texts("buoy")) == 5
        assert await shelf.texts("whale") == []
        assert await shelf.texts("anchor") == []
        assert len(await shelf.texts("seal", limit=2000)) == len(before)
        await other.rollback()
        await publication
    assert len(await shelf.texts("whale", limit=2000)) == len(LONG)
    assert await shelf.texts("seal") == []
    rows = await left_over(shelf)
    assert (rows["chunks"], rows["embeddings"]) == (len(LONG) + 5, len(LONG) + 5)
    await agrees_with_reference(shelf, "harbour", limit=2000)


async def test_a_deletion_waits_for_the_publication_of_its_own_document_alone(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    async with long_publication_half_way(shelf, test_database) as (other, publication):
        async with shelf.database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
            document = (await scope.single("SELECT document_id FROM documents"))["document_id"]
        deletion = asyncio.create_task(shelf.remove(document))
        await waiting(test_database, "pg_advisory_xact_lock", deletion)
        await shelf.put("a buoy")
        assert await shelf.texts("buoy") == ["a buoy"]
        await other.rollback()
        assert await publication == document
        await deletion
    assert await shelf.texts("whale") == []
    assert await left_over(shelf) == {"chunks": 1, "embeddings": 1, "segments": 1, "blocks": 1}


async def test_a_version_has_each_ordinal_once(shelf: Shelf, test_database: TestDatabase) -> None:
    await shelf.put("a buoy", "an anchor")
    async with await psycopg.AsyncConnection.connect(test_database.superuser_url) as connection:
        with pytest.raises(psycopg.errors.UniqueViolation, match="chunks_in_version"):
            await connection.execute("UPDATE footnote.chunks SET ordinal = 0")


async def test_a_version_that_is_overtaken_leaves_nothing(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    async with long_publication_half_way(shelf, test_database, external_id="ledger") as (
        other,
        publication,
    ):
        async with shelf.database.workspace(shelf.workspace.workspace_id, SYSTEM) as scope:
            await scope.execute("UPDATE documents SET version = version + 1")
        await other.rollback()
        with pytest.raises(AssertionError):  # of the shelf: it was not published
            await publication
    assert set((await left_over(shelf)).values()) == {0}


async def test_a_publication_that_dies_half_way_leaves_nothing_but_unused_numbers(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    async with long_publication_half_way(shelf, test_database, external_id="ledger") as (
        _,
        publication,
    ):
        process = await waiting(test_database, "INSERT INTO chunks", publication)
        async with await psycopg.AsyncConnection.connect(
            test_database.superuser_url, autocommit=True
        ) as operator:
            await operator.execute("SELECT pg_terminate_backend(%s, 10000)", [process])
        with pytest.raises(StoreUnavailable):
            await publication
    assert set((await left_over(shelf)).values()) == {0}
    await shelf.put("a buoy")
    await shelf.put(*LONG, external_id="ledger")
    found = await shelf.recall("harbour", limit=2000)
    numbers = {hit.chunk_no for hit in found.lexical}
    assert len(numbers) == len(LONG)
    assert min(numbers) > len(LONG)


async def test_a_routed_search_knows_documents_that_come_after_ones_of_higher_numbers(
    shelf: Shelf, test_database: TestDatabase
) -> None:
    async with long_publication_half_way(
        shelf, test_database, ["a ledger", "of whales"], about="whale ledger"
    ) as (other, publication):
        for about in ("storm damage", "buoy colours"):
            await shelf.put("general terms", f"{about} clause", about=about)
        before = await shelf.recall("whale ledger", route=Routing(threshold=1))
        await other.rollback()
        await publication
    after = await shelf.recall("whale ledger", route=Routing(threshold=1))
    assert before.routes is not None
    assert after.routes is not None
    assert (before.routes.in_scope, after.routes.in_scope) == (2, 3)
    assert after.routes.documents[0].rank == 1
    fresh = await new_shelf(shelf.database, "fresh")
    for texts, about in (
        (["a ledger", "of whales"], "whale ledger"),
        *((["general terms", f"{each} clause"], each) for each in ("storm damage", "buoy colours")),
    ):
        await fresh.put(*texts, about=about)
    again = await fresh.recall("whale ledger", route=Routing(threshold=1))
    assert again.routes is not None
    assert after.routes.documents == again.routes.documents


async def agrees_with_reference(shelf: Shelf, word: str, *, limit: int = 1000) -> int:
    """Hold the scores of a word that every chunk has against BM25 over just what was found.

    Returns how many chunks that were.
    """
    found = (await shelf.recall(word, limit=limit)).lexical
    passages = await shelf.index().passages([hit.chunk_no for hit in found])
    [term] = shelf.analyzer.terms(word, "en")
    texts = {
        number: shelf.analyzer.terms(passage.text, "en") for number, passage in passages.items()
    }
    if len(texts) < len(found):  # something was deleted between both
        return 0
    average = sum(map(len, texts.values())) / max(len(texts), 1)
    idf = math.log(1 + 0.5 / (len(texts) + 0.5))
    for hit in found:
        frequency, length = texts[hit.chunk_no].count(term), len(texts[hit.chunk_no])
        norm = K1 * (1 - B + B * length / average)
        assert hit.score == pytest.approx(idf * frequency / (frequency + norm))
    return len(found)


@pytest.mark.parametrize("seed", range(2))
async def test_whatever_happens_at_once_each_search_sees_whole_documents_with_exact_scores(
    shelf: Shelf, seed: int
) -> None:
    drawn = random.Random(seed)
    alive: dict[UUID, int] = {}
    sizes: dict[str, int] = {}
    done = asyncio.Event()

    async def publish(name: str) -> None:
        chunks = drawn.choice([1, 1, 2, 5, 40, 550])
        sizes[name] = chunks
        texts = [
            f"harbour {name} " + "buoy " * drawn.randrange(4) + "harbour " * drawn.randrange(3)
            for _ in range(chunks)
        ]
        alive[await shelf.put(*map(str.strip, texts))] = chunks

    async def write(writer: int) -> None:
        for number in range(4):
            await publish(f"paper{writer}x{number}")
            if alive and drawn.random() < 0.4:
                doomed = drawn.choice(list(alive))
                del alive[doomed]
                await shelf.remove(doomed)

    async def merge() -> None:
        while not done.is_set():
            await merge_once(shelf.database, shelf.workspace.workspace_id, 4)
            await asyncio.sleep(0)

    async def search() -> None:
        while not done.is_set():
            found = (await shelf.recall("harbour", limit=5000)).lexical
            passages = await shelf.index().passages([hit.chunk_no for hit in found])
            if len(passages) == len(found):
                of = Counter(passage.text.split()[1] for passage in passages.values())
                assert of == {name: sizes[name] for name in of}
            await agrees_with_reference(shelf, "harbour", limit=5000)

    async with asyncio.timeout(600):
        beside = [asyncio.create_task(work()) for work in (merge, search, search)]
        try:
            await asyncio.gather(*(write(writer) for writer in range(4)))
        finally:
            done.set()
            await asyncio.gather(*beside)
    assert await agrees_with_reference(shelf, "harbour", limit=5000) == sum(alive.values())


async def test_what_is_deleted_twice_at_once_is_gone_once(shelf: Shelf) -> None:
    document = await shelf.put("a buoy")
    outcomes = await asyncio.gather(
        *(shelf.remove(document) for _ in range(3)), return_exceptions=True
    )
    assert Counter(map(type, outcomes)) == {type(None): 1, NotFound: 2}


@pytest.mark.parametrize("merged", [False, True], ids=["own segments", "a merged segment"])
async def test_a_deletion_runs_as_many_statements_for_many_attachments_as_for_few(
    shelf: Shelf, test_database: TestDatabase, monkeypatch: pytest.MonkeyPatch, *, merged: bool
) -> None:
    await shelf.put("the kept whale")
    counts = []
    few, many = 3, 12
    for attachments in (few, many):
        family = [await shelf.put("whale of", f"number{each}") for each in range(attachments + 1)]
        while merged and await merge_once(shelf.database, shelf.workspace.workspace_id, 2):
            pass
        async with await psycopg.AsyncConnection.connect(test_database.superuser_url) as connection:
            await connection.execute(
                "UPDATE footnote.documents SET parent_id = %s WHERE document_id = ANY (%s)",
                [family[0], family[1:]],
            )
        with monkeypatch.context() as patched:
            statements = recorded_statements(patched)
            await shelf.remove(family[0])
        counts.append(len(statements))
        assert await shelf.texts("whale") == ["the kept whale"]
    # A publication that was begun again leaves numbers of chunks unused, and each stretch of
    # numbers takes two statements.
    assert abs(counts[1] - counts[0]) < many - few
