"""A query that names a document finds it among any number of others that say the same."""

from __future__ import annotations

import pytest

from footnote.domain import Principal
from footnote.store.database import Database
from footnote.store.merging import merge_once
from tests.store.shelves import Shelf, new_shelf

ANNA = Principal(principal_id="anna")
COMPANIES = ("Bramble", "Conifer", "Dogwood", "Elder")
QUARTERS = ("2022 Q3", "2023 Q1", "2023 Q2")


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def fill(shelf: Shelf) -> dict[str, int]:
    """Reports that only their names tell apart; the first chunk number of each."""
    firsts = {}
    number = 0
    for company in COMPANIES:
        for quarter in QUARTERS:
            called = f"{quarter} {company}"
            await shelf.put(f"net sales {number}", f"inventories {number}", called=called)
            firsts[called], number = number, number + 2
    return firsts


async def test_a_report_is_named_by_company_and_quarter_however_that_is_written(
    shelf: Shelf,
) -> None:
    firsts = await fill(shelf)
    for query in ("Dogwood's net sales in Q1 2023", "net sales of Dogwood, first quarter of 2023"):
        recalled = await shelf.recall(query, names=True)
        best = {number for number, lack in recalled.name_score_gaps.items() if lack == 0}
        first = firsts["2023 Q1 Dogwood"]
        assert best == {first, first + 1}


async def test_a_company_alone_names_all_its_reports(shelf: Shelf) -> None:
    firsts = await fill(shelf)
    recalled = await shelf.recall("inventories at Elder", names=True)
    best = {number for number, lack in recalled.name_score_gaps.items() if lack == 0}
    expected = {
        first + at for called, first in firsts.items() if "Elder" in called for at in (0, 1)
    }
    assert best == expected


async def test_what_is_named_is_recalled_however_many_others_are_better(shelf: Shelf) -> None:
    firsts = await fill(shelf)
    query = "net sales of Elder in Q2 2023"
    flat = await shelf.recall(query, limit=2)
    named = await shelf.recall(query, limit=2, names=True)
    first = firsts["2023 Q2 Elder"]
    assert first not in {hit.chunk_no for hit in flat.lexical}
    assert first in {hit.chunk_no for hit in named.lexical}
    assert {first, first + 1} <= {hit.chunk_no for hit in named.dense}
    assert set(flat.lexical) <= set(named.lexical)
    assert list(named.lexical) == sorted(named.lexical, key=lambda hit: (-hit.score, hit.chunk_no))
    assert flat.name_score_gaps == {}


async def test_names_outlive_merges_and_go_with_their_document(shelf: Shelf) -> None:
    firsts = await fill(shelf)
    while await merge_once(shelf.database, shelf.workspace.workspace_id, 4):
        pass
    await shelf.put("net sales again", called="2022 Q3 Conifer, amended")
    gone = await shelf.put("net sales once more", called="2023 Q1 Dogwood, amended")
    recalled = await shelf.recall("net sales of Dogwood in Q1 2023, amended", names=True)
    assert recalled.name_score_gaps[25] == 0
    assert recalled.name_score_gaps[firsts["2023 Q1 Dogwood"]] > 0
    await shelf.remove(gone)
    recalled = await shelf.recall("net sales of Dogwood in Q1 2023, amended", names=True)
    assert 25 not in recalled.name_score_gaps
    assert recalled.name_score_gaps[firsts["2023 Q1 Dogwood"]] == 0


async def test_a_document_that_may_not_be_seen_changes_nothing(shelf: Shelf) -> None:
    for at in range(4):
        await shelf.put(f"net sales {at}", f"costs {at}", called=f"{COMPANIES[at]} report")
        await shelf.put(f"wages {at}", called=f"{COMPANIES[at]} report")
    before = await shelf.recall("net sales of Bramble", names=True, principal=ANNA)
    for at in range(4):
        await shelf.put(f"hidden {at}", called="Bramble secret", access=("bert",))
    after = await shelf.recall("net sales of Bramble", names=True, principal=ANNA)
    assert before.name_score_gaps
    assert after.name_score_gaps == before.name_score_gaps


async def test_documents_without_names_are_searched_as_before(shelf: Shelf) -> None:
    await shelf.put("net sales of Bramble")
    await shelf.put("net sales of Conifer")
    flat = await shelf.recall("net sales of Bramble")
    assert (await shelf.recall("net sales of Bramble", names=True)) == flat
