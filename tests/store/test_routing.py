"""What a document is about routes searches to it for as long as it is published."""

from __future__ import annotations

from uuid import UUID

import pytest

from footnote.domain import LOCAL_PRINCIPAL, Principal, SearchFilters
from footnote.ports import Recalled, RecallRequest, RoutedDocument, Routes, Routing
from footnote.store.database import Database
from footnote.store.merging import merge_once
from tests.store.shelves import Shelf, new_shelf

ROUTE = Routing(threshold=1, documents=2)
TOPICS = {
    "harbour": "Harbour dues and berths",
    "storm": "Storm damage to moorings",
    "crew": "Crew wages and leave",
    "fuel": "Fuel and lubricants",
}
ANNA = Principal(principal_id="anna")
BERT = Principal(principal_id="bert")


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def fill(shelf: Shelf) -> dict[str, UUID]:
    """Documents that only their titles tell apart."""
    return {
        name: await shelf.put("general terms", f"{name} clause", about=about)
        for name, about in TOPICS.items()
    }


async def routes(shelf: Shelf, query: str, **options: object) -> Routes:
    recalled: Recalled = await shelf.recall(query, route=ROUTE, **options)  # type: ignore[arg-type]  # passed on
    assert recalled.routes is not None
    return recalled.routes


def by_rank(found: Routes) -> dict[int, RoutedDocument]:
    """The documents of the recalled chunks; each is one value, shared by its chunks."""
    return {document.rank: document for document in found.documents.values()}


async def test_a_document_is_chosen_for_what_it_is_about(shelf: Shelf) -> None:
    await fill(shelf)
    found = await routes(shelf, "storm damage terms")
    assert found.in_scope == 4
    ranked = by_rank(found)
    assert [ranked[rank].chosen for rank in sorted(ranked)] == [True, True, False, False]
    # Chunks 2 and 3 are those of the storm.
    assert found.documents[2] == found.documents[3] == ranked[1]
    assert ranked[1].bm25 > 0
    assert ranked[1].similarity is not None
    assert ranked[1].similarity > 0.5


async def test_the_flat_search_is_the_same_with_and_without_a_route(shelf: Shelf) -> None:
    await fill(shelf)
    for query in ("storm damage", "general terms", "fuel clause"):
        flat, routed = await shelf.recall(query), await shelf.recall(query, route=ROUTE)
        assert (routed.dense, routed.lexical) == (flat.dense, flat.lexical)
        assert routed.matched_terms == flat.matched_terms
        assert routed.idf == flat.idf
        assert flat.routes is None


async def test_few_documents_are_all_looked_into(shelf: Shelf) -> None:
    await fill(shelf)
    recalled = await shelf.recall("storm", route=Routing(threshold=4))
    assert recalled.routes == Routes(in_scope=4)


async def test_a_document_that_says_nothing_of_itself_has_no_rank(shelf: Shelf) -> None:
    await fill(shelf)
    await shelf.put("storm terms of an unknown kind")
    found = await routes(shelf, "storm terms")
    assert found.in_scope == 4
    assert 8 not in found.documents
    assert 2 in found.documents


async def test_a_workspace_without_any_routes_nowhere(shelf: Shelf) -> None:
    await shelf.put("storm terms")
    assert await routes(shelf, "storm") == Routes(in_scope=0)


async def test_words_alone_route_without_a_model(shelf: Shelf) -> None:
    await fill(shelf)
    recalled = await shelf.index().recall(
        RecallRequest(
            terms_of=lambda languages: shelf.analyzer.query_terms("lubricants terms", languages),
            route=ROUTE,
        )
    )
    assert recalled.routes is not None
    # All four have general terms, and one alone is about a word of the query.
    assert len(recalled.lexical) == 4
    assert [number for number, each in recalled.routes.documents.items() if each.chosen] == [6]
    assert recalled.routes.documents[6].similarity is None


async def test_a_new_version_is_about_what_it_says_now(shelf: Shelf) -> None:
    await fill(shelf)
    await shelf.put("clause", external_id="x", about="Pilotage")
    assert (await routes(shelf, "pilotage clause")).documents[8].rank == 1
    await shelf.put("clause two", external_id="x", about="Towage")
    found = await routes(shelf, "towage clause")
    assert found.in_scope == 5
    assert found.documents[9].rank == 1
    assert (await routes(shelf, "pilotage clause")).documents[9].bm25 == 0
    await shelf.put("clause three", external_id="x")
    assert (await routes(shelf, "towage clause")).in_scope == 4


async def test_a_deleted_document_is_routed_to_no_more(shelf: Shelf, database: Database) -> None:
    made = await fill(shelf)
    before = by_rank(await routes(shelf, "storm clause"))
    await shelf.remove(made["storm"])
    found = await routes(shelf, "storm clause")
    assert found.in_scope == 3
    assert before[1].bm25 > 0
    assert all(each.bm25 == 0 for each in found.documents.values())
    async with database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        rows = await scope.connection.execute("SELECT FROM document_embeddings")
        assert len(await rows.fetchall()) == 3


async def test_merging_changes_no_route(shelf: Shelf) -> None:
    made = await fill(shelf)
    await shelf.put("general clause one", about="Storm warnings")
    doomed = await shelf.put("general clause two", about="Storm lanterns")
    await shelf.remove(doomed)
    queries = ("storm damage clause", "fuel", "general terms")
    before = [await routes(shelf, query) for query in queries]
    while await merge_once(shelf.database, shelf.workspace.workspace_id, 2):
        pass
    assert [await routes(shelf, query) for query in queries] == before
    await shelf.remove(made["storm"])
    assert (await routes(shelf, "storm damage clause")).in_scope == 4


async def test_a_hidden_document_takes_no_ones_place(shelf: Shelf) -> None:
    await fill(shelf)
    hidden = await shelf.put("storm clause", about="Storm damage storm", access=("anna",))
    assert (await routes(shelf, "storm clause", principal=ANNA)).documents[8].rank == 1
    found = await routes(shelf, "storm clause", principal=BERT)
    assert found.in_scope == 4
    assert 8 not in found.documents
    assert found.documents[2].rank == 1
    filters = SearchFilters(document_ids=(hidden,))
    assert (await routes(shelf, "storm", principal=BERT, filters=filters)).in_scope == 0


async def test_filters_leave_the_others_out_of_scope(shelf: Shelf) -> None:
    made = await fill(shelf)
    filters = SearchFilters(document_ids=(made["crew"], made["fuel"]))
    found = await routes(shelf, "storm clause", filters=filters)
    assert found.in_scope == 2
    assert sorted(by_rank(found)) == [1, 2]


async def test_another_workspace_knows_nothing_of_it(shelf: Shelf, database: Database) -> None:
    await fill(shelf)
    other = await new_shelf(database, "other")
    await other.put("storm clause", about="Other things")
    assert (await routes(other, "storm clause")).in_scope == 1
    async with database.outside() as connection:
        rows = await connection.execute("SELECT FROM document_embeddings")
        assert await rows.fetchall() == []
