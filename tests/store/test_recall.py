"""What is published is found, exactly ranked, and gone when it is replaced or deleted."""

from __future__ import annotations

import pytest
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, Lane, Principal, SearchFilters
from footnote.errors import LaneMismatch
from footnote.filters import condition_from
from footnote.models.testing import HashEmbedder
from footnote.store.database import Database
from footnote.store.passages import passage_context
from footnote.store.workspaces import adopt_lane, existing_lane
from tests.store.shelves import Shelf, new_shelf


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def test_an_empty_workspace_answers_emptily(shelf: Shelf) -> None:
    recalled = await shelf.recall("anything")
    assert (recalled.dense, recalled.lexical) == ((), ())


async def test_a_published_document_is_found_by_word_and_by_vector(shelf: Shelf) -> None:
    await shelf.put("The deductible is 500 euros.", "Floods are excluded.")
    recalled = await shelf.recall("deductible")
    assert [hit.chunk_no for hit in recalled.lexical] == [0]
    assert recalled.dense[0].chunk_no == 0
    assert recalled.dense[0].score > recalled.dense[1].score
    assert set(recalled.matched_terms[0].values()) == {recalled.lexical[0].score}


async def test_a_reader_with_a_warm_cache_sees_the_next_publication(shelf: Shelf) -> None:
    await shelf.put("anchor chain")
    assert await shelf.texts("anchor") == ["anchor chain"]
    await shelf.put("anchor winch")
    assert sorted(await shelf.texts("anchor")) == ["anchor chain", "anchor winch"]


async def test_a_language_that_is_new_is_searched_at_once(shelf: Shelf) -> None:
    await shelf.put("The storage hall is dry.")
    await shelf.texts("hall")
    await shelf.put("Die Lagerhallen sind trocken.", language="de")
    assert await shelf.texts("Lagerhalle") == ["Die Lagerhallen sind trocken."]


async def test_the_languages_are_of_what_a_principal_may_see(shelf: Shelf) -> None:
    await shelf.put("Die Lagerhallen sind trocken.", language="de", access=("group:board",))
    await shelf.put("The storage hall is dry.")
    board = Principal(principal_id="chair", groups=("board",))
    reader = Principal(principal_id="reader")
    for _ in range(2):
        assert (await shelf.recall("hall", principal=reader)).languages == ("en",)
        assert set((await shelf.recall("hall", principal=board)).languages) == {"de", "en"}


async def test_a_new_version_replaces_the_old_one(shelf: Shelf) -> None:
    first = await shelf.put("The notice period is three months.", external_id="terms")
    second = await shelf.put("The notice period is six months.", external_id="terms")
    assert first == second
    assert await shelf.texts("notice period") == ["The notice period is six months."]


async def test_the_same_bytes_are_the_same_document(shelf: Shelf) -> None:
    assert await shelf.put("one text") == await shelf.put("one text")
    assert len((await shelf.recall("text")).lexical) == 1


async def test_a_path_that_changes_back_becomes_a_third_version(shelf: Shelf) -> None:
    for text in ("alpha", "beta", "alpha"):
        await shelf.put(text, external_id="path")
    assert await shelf.texts("alpha") == ["alpha"]
    assert await shelf.texts("beta") == []


async def test_a_deleted_document_leaves_nothing(shelf: Shelf, database: Database) -> None:
    document_id = await shelf.put("The salary is secret.")
    await shelf.put("The weather is public.")
    await shelf.texts("salary")
    await shelf.remove(document_id)
    assert await shelf.texts("salary") == []
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        for table in ("documents", "document_versions", "chunks", "embeddings", "segments"):
            rows = await scope.connection.execute(
                sql.SQL("SELECT FROM {}").format(sql.Identifier(table))
            )
            assert len(await rows.fetchall()) == 1, table


async def test_filters_apply_before_the_limit(shelf: Shelf) -> None:
    for number in range(5):
        await shelf.put(f"premium premium premium {number}", collection="loud")
    wanted = await shelf.put("one premium in a longer text about other things", collection="quiet")
    by_collection = await shelf.recall(
        "premium", filters=SearchFilters(collections=("quiet",)), limit=1
    )
    by_document = await shelf.recall(
        "premium", filters=SearchFilters(document_ids=(wanted,)), limit=1
    )
    for recalled in (by_collection, by_document):
        assert [hit.chunk_no for hit in recalled.lexical] == [5]
        assert [hit.chunk_no for hit in recalled.dense] == [5]


async def test_neighbours_come_in_order_and_stop_at_the_edges(
    shelf: Shelf, database: Database
) -> None:
    document_id = await shelf.put("one", "two", "three", "four")
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        context = await passage_context(scope, f"{document_id}:1:1", 2)
    assert [each.text for each in context.context_before] == ["one"]
    assert context.chunk.text == "two"
    assert [each.text for each in context.context_after] == ["three", "four"]


async def test_another_lane_is_refused_not_searched(shelf: Shelf, database: Database) -> None:
    await shelf.put("text")
    other = Shelf(
        database=database, workspace=shelf.workspace, embedder=HashEmbedder(dimensions=32)
    )
    with pytest.raises(LaneMismatch):
        await other.recall("text")
    with pytest.raises(LaneMismatch):
        await other.put("more text")


async def test_a_lane_is_adopted_once(shelf: Shelf, database: Database) -> None:
    lane = Lane(name="fact", provider="p", model="m", dimensions=8, revision="1")
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        assert await existing_lane(scope, lane) is None
        assert await adopt_lane(scope, lane) == await adopt_lane(scope, lane)


async def test_text_that_was_embedded_before_is_not_missing(
    shelf: Shelf, database: Database
) -> None:
    await shelf.put("a", "b", external_id="x")
    await shelf.put("b", "c", external_id="x")
    assert sorted(await shelf.texts("b c")) == ["b", "c"]


async def test_what_is_in_other_languages_is_ranked_by_itself(shelf: Shelf) -> None:
    await shelf.put("The hall is dry.", "The hall is dark.")
    await shelf.put("Die Halle ist trocken.", "Die Kasse ist zu.", language="de-CH")
    await shelf.put("17 | 18", language=None)
    vector = await shelf.embedder.embed_query("Kasse")
    found = await shelf.index().in_other_languages(vector, "en", SearchFilters(), 9)
    assert [hit.chunk_no for hit in found] == [3, 2]
    assert found[0].score > found[1].score
    (nearest,) = await shelf.index().in_other_languages(vector, "en", SearchFilters(), 1)
    assert nearest == found[0]
    own = await shelf.index().in_other_languages(vector, "de", SearchFilters(), 9)
    assert sorted(hit.chunk_no for hit in own) == [0, 1]


async def test_of_other_languages_is_what_one_may_see_and_filters_admit(shelf: Shelf) -> None:
    await shelf.put("The hall is dry.")
    await shelf.put("Die Halle ist trocken.", language="de", access=("group:board",))
    last = await shelf.put("Le hall est sec.", language="fr")
    vector = await shelf.embedder.embed_query("hall")
    board = Principal(principal_id="chair", groups=("board",))
    reader = Principal(principal_id="reader")
    for _ in range(2):
        seen = await shelf.index(reader).in_other_languages(vector, "en", SearchFilters(), 9)
        assert [hit.chunk_no for hit in seen] == [2]
        all_of_it = await shelf.index(board).in_other_languages(vector, "en", SearchFilters(), 9)
        assert sorted(hit.chunk_no for hit in all_of_it) == [1, 2]
    only = SearchFilters(where=condition_from({"language": "de"}))
    assert await shelf.index(reader).in_other_languages(vector, "en", only, 9) == ()
    await shelf.remove(last)
    assert await shelf.index(reader).in_other_languages(vector, "en", SearchFilters(), 9) == ()
