"""What makes one probability of what was read and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from footnote.answering.choosing import Located
from footnote.answering.observing import OBSERVED, observe, shares_of
from footnote.answering.reader_answers import read_statements
from footnote.answering.weighing import STATEMENTS, Coefficients, Weighing, fitted
from footnote.domain import Evidence
from footnote.errors import LaneUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import HashEmbedder, WordReader

from .factories import make_evidence, make_passage

ANALYZER = TextAnalyzer()


def weighing(bias: float = -2.0, **weights: float) -> Weighing:
    every: Mapping[str, float] = {name: weights.get(name, 0.0) for name in OBSERVED}
    assert weights.keys() <= every.keys()
    return Weighing(
        embedder=HashEmbedder(),
        analyzer=ANALYZER,
        coefficients=Coefficients(weights=every, bias=bias, least=0.5),
    )


async def read(question: str, evidence: list[Evidence]) -> list[Located]:
    return await read_statements(WordReader(), question, evidence)


def rents() -> list[Evidence]:
    return make_evidence(
        make_passage("The rent of the flat is 1,450 a month.", name="lease"),
        make_passage("The rent of the shed is 90 a month.", name="shed"),
    )


async def test_the_probabilities_of_all_statements_leave_room_for_none_of_them() -> None:
    evidence = rents()
    found = await read("What is the rent?", evidence)
    weighed = await weighing(bias=3.0, score=1.0)("What is the rent?", found, evidence)
    assert len(weighed.found) == 2
    assert 0.9 < sum(each.probability for each in weighed.found) < 1


@pytest.mark.parametrize(
    ("weights", "answer"),
    [
        pytest.param({"log_rank": -2.0}, "1,450", id="the-rank"),
        pytest.param({"passage_standing": 2.0}, "90", id="the-likeness-of-the-passage"),
        pytest.param({"statement_coverage": 9.0}, "90", id="the-words-of-the-question"),
        pytest.param({"lacks_numbers": -9.0}, "90", id="the-numbers-of-the-question"),
    ],
)
async def test_of_two_statements_that_read_alike_the_search_decides(
    weights: dict[str, float], answer: str
) -> None:
    first, second = make_evidence(
        make_passage("The rent is 1,450 a month.", name="lease"),
        make_passage("The rent of shed 7 is 90 a month.", name="shed"),
    )
    evidence = [replace(first, similarity=0.3), replace(second, similarity=0.8)]
    question = "What is the rent of shed 7?"
    found = await read(question, evidence)
    weighed = await weighing(**weights)(question, found, evidence)
    best = max(weighed.found, key=lambda each: each.probability)
    assert answer in best.candidate.statement


async def test_words_count_for_nothing_across_languages() -> None:
    german = replace(make_passage("Die Miete ist 1.450 im Monat."), language="de")
    english = make_passage("The rent is 1,450 a month.", name="lease")
    evidence = make_evidence(german, english)
    found = [
        one for each in evidence for one in await read("What is the rent 1,450 a Monat?", [each])
    ]
    foreign, own = shares_of("What is the rent of the flat?", found, evidence, ANALYZER)
    assert (foreign.is_foreign, foreign.statement, foreign.unseen) == (True, 0.0, 0.0)
    assert not own.is_foreign
    assert own.statement > 0


async def test_at_most_so_many_statements_are_embedded() -> None:
    text = " ".join(f"The rent of flat {number} is {number}00." for number in range(40))
    evidence = make_evidence(make_passage(text))
    found = await read("What is the rent of flat 7?", evidence)
    assert len(found) > STATEMENTS
    weighed = await weighing(score=1.0)("What is the rent of flat 7?", found, evidence)
    assert len(weighed.found) == STATEMENTS
    assert any("flat 7 " in each.candidate.statement for each in weighed.found)


class AwayEmbedder(HashEmbedder):
    async def embed_query(self, text: str) -> np.ndarray:
        raise LaneUnavailable("the embedder is away")


async def test_without_the_embedder_the_rest_decides_and_that_is_said() -> None:
    evidence = rents()
    found = await read("What is the rent?", evidence)
    whole = weighing(score=1.0, statement_standing=1.0)
    weighed = await replace(whole, embedder=AwayEmbedder())("What is the rent?", found, evidence)
    assert [each.candidate for each in weighed.found] == [each.candidate for each in found]
    assert weighed.degraded == (
        "answer: without the similarity of statements, the embedder is away",
    )


async def test_what_is_observed_of_a_statement_has_its_place_by_name() -> None:
    evidence = rents()
    found = await read("What is the rent of shed 12?", evidence)
    shares = shares_of("What is the rent of shed 12?", found, evidence, ANALYZER)
    rows = observe("What is the rent of shed 12?", found, shares, evidence, [0.1, 0.9])
    seen = [dict(zip(OBSERVED, row, strict=True)) for row in rows]
    assert [each["log_rank"] for each in seen] == pytest.approx([0, np.log(2)])
    assert [each["lacks_numbers"] for each in seen] == [1, 1]
    assert seen[0]["statement_standing"] < 0 < seen[1]["statement_standing"]
    assert seen[0]["statement_coverage"] < seen[1]["statement_coverage"]


def test_the_fitted_numbers_name_what_is_observed() -> None:
    assert set(fitted().weights) == set(OBSERVED)
    assert 0 < fitted().least < 1
    assert fitted().weights["score"] > 0
