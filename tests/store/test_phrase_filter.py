"""Phrases and exclusions narrow a search before the best are taken."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.domain import LOCAL_PRINCIPAL, Principal, SearchFilters
from footnote.ports import Recalled, RecallRequest
from footnote.retrieval.spelling import Correct
from footnote.store import phrase_filter
from footnote.store.database import Database
from footnote.store.recall import PostgresIndex
from tests.store.shelves import Shelf, new_shelf

READER = Principal(principal_id="reader")


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def recall(
    shelf: Shelf,
    query: str,
    *,
    phrases: Sequence[str] = (),
    excluded: Sequence[str] = (),
    limit: int = 10,
    principal: Principal = LOCAL_PRINCIPAL,
    filters: SearchFilters | None = None,
    exact_phrases: bool = False,
) -> Recalled:
    return await shelf.index(principal).recall(
        RecallRequest(
            terms_of=lambda languages: shelf.analyzer.query_terms(query, languages),
            vector=await shelf.embedder.embed_query(query),
            limit=limit,
            filters=filters or SearchFilters(),
            phrases=tuple(phrases),
            excluded=tuple(excluded),
            exact_phrases=exact_phrases,
        )
    )


def numbers(recalled: Recalled) -> tuple[list[int], list[int]]:
    """Chunks of the lexical and of the dense recall."""
    return (
        sorted(hit.chunk_no for hit in recalled.lexical),
        sorted(hit.chunk_no for hit in recalled.dense),
    )


async def test_a_phrase_holds_for_both_recalls_and_before_the_limit(shelf: Shelf) -> None:
    await shelf.put(*(f"period notice period notice {number}" for number in range(5)))
    await shelf.put("among many other things a Notice Period, too")
    found = await recall(shelf, "notice period", phrases=["notice period"], limit=10)
    # `period notice period` holds it as well.
    assert numbers(found) == ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5])
    found = await recall(shelf, "notice period", phrases=["notice period too"], limit=1)
    assert numbers(found) == ([5], [5])
    assert found.notes == ()


async def test_several_phrases_must_all_be_held(shelf: Shelf) -> None:
    await shelf.put("red apple", "green pear", "red apple and green pear")
    found = await recall(shelf, "red", phrases=["red apple", "green pear"])
    assert numbers(found)[1] == [2]


async def test_a_phrase_may_stand_in_the_title(shelf: Shelf) -> None:
    # The shelf's title is the beginning of its first chunk, and is not among its terms.
    await shelf.put("Annual report", "report of the annual turnover", "turnover")
    found = await recall(shelf, "turnover", phrases=["annual report"])
    assert numbers(found)[1] == [0, 1]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("to be or not to be", [0]),
        ("POL 88213 X", [1]),
        ("pol88213x", [1]),
        ("保险合同", [2]),
        ("合", [2]),
        ("not here at all", []),
        ("die Kündigung", [3]),
    ],
)
async def test_a_phrase_of_function_words_identifiers_or_characters_is_found(
    shelf: Shelf, phrase: str, expected: list[int]
) -> None:
    await shelf.put("To be, or not to be?")
    await shelf.put("Policy POL-88213-X is void.")
    await shelf.put("这份保险合同是有效的", language="zh")
    await shelf.put("Wir bestätigen die Kündigung.", language="de")
    await shelf.put("Something else, be it or not, to 88213 POL.")
    found = await recall(shelf, "x", phrases=[phrase], exact_phrases=True)
    assert numbers(found)[1] == expected


async def test_an_excluded_word_goes_by_its_stem_in_each_language(shelf: Shelf) -> None:
    await shelf.put("one draft", "two drafts", "drafting room")
    await shelf.put("drei Kündigungen", "vier die Kündigung", language="de")
    await shelf.put("people die")
    assert numbers(await recall(shelf, "x", excluded=["drafts"]))[1] == [3, 4, 5]
    assert numbers(await recall(shelf, "x", excluded=["Kündigung"]))[1] == [0, 1, 2, 5]
    assert numbers(await recall(shelf, "x", excluded=["die"]))[1] == [0, 1, 2, 3]


async def test_an_excluded_identifier_or_phrase_goes_only_as_a_whole(shelf: Shelf) -> None:
    await shelf.put("about the policy")
    await shelf.put("POL-88213-X")
    await shelf.put("POL-88213-Y")
    await shelf.put("X POL 88213 X")
    assert numbers(await recall(shelf, "policy", excluded=["POL-88213-X"]))[1] == [0, 2]
    assert numbers(await recall(shelf, "policy", excluded=["POL 88213"]))[1] == [0]
    assert numbers(await recall(shelf, "policy", excluded=["the policy"]))[1] == [1, 2, 3]


async def test_phrases_exclusions_and_filters_work_together(shelf: Shelf) -> None:
    await shelf.put("red apple pie", collection="a")
    await shelf.put("red apple cake", collection="a")
    await shelf.put("red apple jam", collection="b")
    found = await recall(
        shelf,
        "red apple",
        phrases=["red apple"],
        excluded=["cake"],
        filters=SearchFilters(collections=("a",)),
    )
    assert numbers(found) == ([0], [0])


async def test_what_is_narrowed_is_not_remembered_as_the_scope(shelf: Shelf) -> None:
    await shelf.put("red apple", "green pear")
    assert numbers(await recall(shelf, "red", phrases=["red apple"]))[1] == [0]
    await shelf.put("brown nut")
    assert numbers(await recall(shelf, "red", excluded=["apple"]))[1] == [1, 2]
    assert numbers(await recall(shelf, "red"))[1] == [0, 1, 2]


async def test_a_phrase_finds_nothing_that_is_hidden(shelf: Shelf) -> None:
    await shelf.put("the merger is secret", access=("group:board",))
    await shelf.put("the merger is public")
    found = await recall(shelf, "merger", phrases=["the merger is"], principal=READER)
    assert numbers(found) == ([1], [1])


async def test_what_is_too_much_to_read_is_left_out_and_said(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrase_filter, "MAX_VERIFIED", 2)
    await shelf.put("x", "apple red apple red", "red apple", "apple of red colour, or apple", "red")
    found = await recall(shelf, "red apple", phrases=["red apple"])
    assert numbers(found)[0] == [1, 2]
    assert found.notes == (
        "phrases: 3 passages may hold the phrase “red apple”; the 2 most promising were checked, "
        "and the others are left out",
    )
    found = await recall(shelf, "x", excluded=["red apple"])
    assert numbers(found)[1] == [0, 4]
    assert "excluded “red apple”" in found.notes[0]


async def test_absent_terms_are_those_of_no_visible_chunk(shelf: Shelf) -> None:
    gone = await shelf.put("anchor")
    await shelf.put("secret merger", access=("group:board",))
    await shelf.put("public chain", "cheap chain")
    await shelf.remove(gone)
    found = await recall(
        shelf, "anchor merger chain nonsense", principal=READER, phrases=["cheap chain"]
    )
    assert set(found.absent_terms) == {"anchor", "merger", "nonsens"}
    assert found.languages == ("en",)
    assert found.idf["nonsens"] == max(found.idf.values())
    assert found.idf["chain"] == min(found.idf.values())


async def counts(
    index: PostgresIndex, terms: Sequence[str], filters: SearchFilters
) -> dict[str, int]:
    found = await index.holders(terms, filters, 2)
    for each in found.values():
        assert len(each.first) == min(each.count, 2)
        assert list(each.first) == sorted(each.first)
    return {term: each.count for term, each in found.items()}


async def test_holders_are_visible_chunks_and_nothing_else(shelf: Shelf) -> None:
    gone = await shelf.put("chain chain")
    await shelf.put("chain secret", access=("group:board",))
    await shelf.put("chain", "chain link", collection="b")
    await shelf.remove(gone)
    index = shelf.index(READER)
    terms = ["chain", "link", "secret", "nothing"]
    assert await counts(index, terms, SearchFilters()) == {"chain": 2, "link": 1}
    assert await counts(index, terms, SearchFilters(collections=("a",))) == {}
    everyone = shelf.index(Principal(principal_id="chair", groups=("board",)))
    assert (await counts(everyone, terms, SearchFilters()))["secret"] == 1


async def test_the_words_of_a_phrase_that_stands_nowhere_are_searched_and_it_is_said(
    shelf: Shelf,
) -> None:
    await shelf.put("the red apple", "an apple, red", "a pear tart")
    found = await recall(shelf, "apple red pear", phrases=("apple red pear",), excluded=["tart"])
    assert numbers(found) == ([0, 1], [0, 1])
    assert found.notes == (
        "phrases: no passage that may be searched holds “apple red pear”, so its words were "
        "searched; with exact_phrases nothing but the phrase is found",
    )


async def test_of_phrases_that_no_passage_holds_together_the_words_are_searched(
    shelf: Shelf,
) -> None:
    await shelf.put("red apple", "green pear", "brown nut")
    found = await recall(shelf, "red apple green pear", phrases=["red apple", "green pear"])
    assert numbers(found)[0] == [0, 1]
    assert found.notes == (
        "phrases: no passage that may be searched holds “red apple” and “green pear” together, so "
        "their words were searched; with exact_phrases nothing but the phrases is found",
    )


async def test_a_phrase_that_only_a_hidden_passage_holds_stands_nowhere(shelf: Shelf) -> None:
    await shelf.put("the merger is secret", access=("group:board",))
    await shelf.put("secret is the merger")
    found = await recall(shelf, "merger", phrases=["merger is secret"], principal=READER)
    assert numbers(found) == ([1], [1])
    assert len(found.notes) == 1


async def test_where_only_the_exact_phrase_is_wanted_nothing_else_is_found(shelf: Shelf) -> None:
    await shelf.put("the red apple", "an apple, red")
    found = await recall(shelf, "apple", phrases=("apple red pear",), exact_phrases=True)
    assert (found.dense, found.lexical) == ((), ())
    assert found.notes == (
        "phrases: no passage that may be searched holds “apple red pear”; to search for the words "
        "themselves, leave out the quotation marks",
    )


async def test_spelling_is_corrected_by_visible_words_alone(shelf: Shelf) -> None:
    await shelf.put("the merger of Meridian", access=("group:board",))
    await shelf.put("the meridional wind")
    correct = Correct(shelf.analyzer)
    board = Principal(principal_id="chair", groups=("board",))
    for principal, expected in ((board, "Meridian merger"), (READER, None)):
        found = await recall(shelf, "Meridain merger", principal=principal)
        index = shelf.index(principal)
        query = "Meridain merger"
        misspelt = correct.misspelt(query, found.absent_terms, found.languages)
        mended = await correct(query, misspelt, found.languages, index, SearchFilters())
        assert mended == expected


async def test_holders_are_those_of_lists_in_memory_and_leave_none_there(shelf: Shelf) -> None:
    await shelf.put("chain", "chain link")
    index = shelf.index()
    before = await index.holders(["chain", "link", "nothing"], SearchFilters(), 3)
    assert not shelf.cache._postings
    await recall(shelf, "chain link nothing")
    assert await index.holders(["chain", "link", "nothing"], SearchFilters(), 3) == before


async def test_the_generation_rises_with_what_is_published_and_deleted(shelf: Shelf) -> None:
    index = shelf.index()
    first = await index.generation()
    document = await shelf.put("chain")
    second = await index.generation()
    await shelf.remove(document)
    assert first < second < await index.generation()
