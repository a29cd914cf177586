"""A misspelt word becomes the nearest word of the documents, and nothing else is touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import SearchFilters
from footnote.ports import RecallRequest
from footnote.retrieval.edits import FIRST_LETTER, REPLACED, SPLIT, neighbours, remoter, slips
from footnote.retrieval.spelling import MAX_CANDIDATES, Correct

from .list_index import ANALYZER, ListIndex

TEXTS = (
    "The insurance policy covers the contractor and all contracts.",
    "The contractors signed the contract in September.",
    "The deductible is paid by the insured, captured in the database.",
    "Statements on premiums and payment are attached.",
    "Luther travelled; the elected artist was born near Warsaw.",
    "The notice period begins when the notice is received.",
)
WORDS = frozenset(" ".join(TEXTS).lower().replace(".", "").replace(",", "").split())


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer that holds some words in one piece."""

    words: frozenset[str]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [1 if text in self.words else 2 for text in texts]


async def mended(
    query: str, texts: tuple[str, ...] = TEXTS, known: frozenset[str] | None = WORDS
) -> str | None:
    index = ListIndex(texts)
    recalled = await index.recall(
        RecallRequest(terms_of=lambda languages: ANALYZER.query_terms(query, languages))
    )
    correct = Correct(ANALYZER, None if known is None else Vocabulary(known))
    misspelt = correct.misspelt(query, recalled.absent_terms, recalled.languages)
    return await correct(query, misspelt, recalled.languages, index, SearchFilters())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("insurnace policy", "insurance policy"),
        ("the dedutcible", "the deductible"),
        ("deductiblle amount", "deductible amount"),
        ("premuims and paymnt", "premiums and payment"),
        ("Statments on premiums", "Statements on premiums"),
        ("when was Luhter elected", "when was Luther elected"),
        ("the notice perio", "the notice period"),
        ("conractor", "contractor"),
        ("contracttor contrcat?", "contractor contract?"),
        ("septmeber, notice", "september, notice"),
        ("dedcutibel notice", "deductible notice"),
        ("the data base", "the database"),
        ("noticeperiod", "notice period"),
        ("Wrasaw's artist", "Warsaw's artist"),
        ("capturd in the", "captured in the"),
        ("-premium insurnace", "-premium insurance"),
        ('"insurance policy" contrcat', '"insurance policy" contract'),
    ],
)
async def test_a_misspelt_word_becomes_the_nearest_word(query: str, expected: str) -> None:
    assert await mended(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "insurance policy",
        "the contractor of the",
        "ISO 27001 or POL-88213-X",
        '"insurnace policy"',
        "policy -insurnace",
        "polici",
        "insurnace2 pay_ment contrct@home.org",
        "abc xyz",
        "completely unrelated rhubarb",
        "保险合同",
        "",
    ],
)
async def test_what_is_right_quoted_short_or_near_nothing_stays(query: str) -> None:
    assert await mended(query) is None


async def test_a_function_word_of_the_querys_own_language_is_no_slip() -> None:
    texts = ("The warden sees to repairs, and the master to costs.", *TEXTS)
    known = WORDS | {"warden", "bis", "wann", "müssen", "die", "kosten", "gemeldet"}
    assert await mended("Bis wann müssen die Kosten gemeldet werden?", texts, known) is None
    assert await mended("the notice to the werden", texts, known) == "the notice to the warden"


async def test_a_word_the_tokenizer_holds_in_one_piece_exists() -> None:
    assert await mended("the notion", known=WORDS | {"notion"}) is None
    # One letter makes another word of "premium", which nobody meant.
    assert await mended("the premise", known=WORDS | {"premise"}) is None


async def test_without_a_tokenizer_a_short_word_is_not_replaced_by_another_letter() -> None:
    texts = ("the gold coast", "a silver coast")
    assert await mended("cold gold", texts, known=None) is None
    assert await mended("silvre coast", texts, known=None) == "silver coast"


async def test_of_equally_near_words_the_commonest_wins_then_the_first() -> None:
    texts = ("the planter", "the plaster", "a plaster wall")
    known = frozenset({"the", "a", "wall"})
    assert await mended("the plavter", texts, known) == "the plaster"
    assert await mended("the plavter", texts[:2], known) == "the planter"


async def test_a_stem_that_no_word_near_enough_has_is_no_correction() -> None:
    # `electred` would have the stem of `electric`.
    assert await mended("electled", ("electric light", "electricity", "light")) is None


def test_all_single_slips_are_among_the_neighbours() -> None:
    found = neighbours("cat")
    assert {"act", "cta", "ct", "at", "ca", "catt", "cut", "cart", "bat", "cats"} <= set(found)
    assert len(found) == len(set(found))
    assert "cat" not in found
    assert "notice period" in neighbours("noticeperiod")
    assert neighbours("деньги").count("денги") == 1
    assert "cut" not in neighbours("cat", replaced=False)
    assert len(neighbours("responsibility")) < MAX_CANDIDATES


def test_two_slips_are_assumed_of_longer_words_alone() -> None:
    assert "deductible" in remoter("dedcutibel")
    assert remoter("policy") == []


@pytest.mark.parametrize(
    ("typed", "meant", "cost"),
    [
        ("policy", "policy", 0.0),
        ("polciy", "policy", 0.8),
        ("pollicy", "policy", 0.8),
        ("poicy", "policy", 0.9),
        ("polixy", "policy", 1.0),
        ("oplicy", "policy", 1.4),
        ("olicy", "policy", 1.5),
        ("bolicy", "policy", 1.6),
        ("polzzy", "policy", 2.0),
        ("kundigung", "Kündigung", 0.0),
    ],
)
def test_slips_cost_what_they_are_unlikely(typed: str, meant: str, cost: float) -> None:
    assert slips(typed, meant, SPLIT) == pytest.approx(cost)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_slips_are_the_same_both_ways_and_nought_only_for_the_same_word(
    one: str, other: str
) -> None:
    there, back = slips(one, other, 20.0), slips(other, one, 20.0)
    assert there == pytest.approx(back)
    assert (there == 0.0) == (one == other)
    assert slips(one, other, there - 0.1) == math.inf or there == 0.0


@settings(deadline=None)
@given(st.text("abcdefgh", min_size=4, max_size=7))
def test_a_neighbour_of_a_shorter_word_is_one_slip_away(word: str) -> None:
    near = [each for each in neighbours(word) if " " not in each]
    assert all(slips(word, each, SPLIT) <= REPLACED + FIRST_LETTER for each in near)
