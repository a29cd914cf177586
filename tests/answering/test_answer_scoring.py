"""What makes one probability of what was read and how it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from footnote.answering.answer_features import ANSWER_FEATURES, feature_matrix, term_coverage
from footnote.answering.answer_scoring import (
    STATEMENTS,
    Coefficients,
    ConditionalLogit,
    LogitAnswerScorer,
    fitted,
)
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.reading import read_statements
from footnote.answering.reading_order import (
    HARDLY,
    MAX_PASSAGES,
    NEVER,
    PASSAGE_FEATURES,
    READ_FIRST,
    READ_UNTIL,
    rank_for_reading,
)
from footnote.answering.support_features import (
    JUDGED_CHARACTERS,
    MAX_JUDGED_STATEMENTS,
    SUPPORT_FEATURES,
    SUREST,
    decide,
)
from footnote.domain import Evidence
from footnote.errors import LaneUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import CountingEmbedder, HashEmbedder, WordReader
from footnote.ports import SupportProbabilities

from .factories import make_evidence, make_passage

ANALYZER = TextAnalyzer()


def weighing(bias: float = -2.0, **weights: float) -> LogitAnswerScorer:
    """By what is observed alone, unless weights of `SUPPORT_FEATURES` say otherwise."""
    every: Mapping[str, float] = {name: weights.pop(name, 0.0) for name in ANSWER_FEATURES}
    decided = {name: weights.pop(name, float(name == "likeliness")) for name in SUPPORT_FEATURES}
    promising = {name: float(name == "statement_coverage") for name in PASSAGE_FEATURES}
    assert not weights
    return LogitAnswerScorer(
        reader=WordReader(),
        embedder=HashEmbedder(),
        analyzer=ANALYZER,
        coefficients=Coefficients(
            promising=ConditionalLogit(weights=promising, bias=0.0),
            observed=ConditionalLogit(weights=every, bias=bias),
            decided=ConditionalLogit(weights=decided, bias=0.0),
            least=0.5,
            undecided=0.1,
        ),
    )


async def read(question: str, evidence: list[Evidence]) -> list[LocatedAnswer]:
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
    statements = [each.candidate for each in found]
    foreign, own = term_coverage("What is the rent of the flat?", statements, evidence, ANALYZER)
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
    statements = [each.candidate for each in found]
    shares = term_coverage("What is the rent of shed 12?", statements, evidence, ANALYZER)
    rows = feature_matrix("What is the rent of shed 12?", found, shares, evidence, [0.1, 0.9])
    seen = [dict(zip(ANSWER_FEATURES, row, strict=True)) for row in rows]
    assert [each["log_rank"] for each in seen] == pytest.approx([0, np.log(2)])
    assert [each["lacks_numbers"] for each in seen] == [1, 1]
    assert seen[0]["statement_standing"] < 0 < seen[1]["statement_standing"]
    assert seen[0]["statement_coverage"] < seen[1]["statement_coverage"]


async def test_what_decides_the_question_is_likelier() -> None:
    evidence = make_evidence(
        make_passage("Smoking outside is dear.", name="prices"),
        make_passage("Smoking outside is allowed.", name="rules"),
    )
    question = "Smoking outside is what?"
    found = await read(question, evidence)

    class Decided(WordReader):
        async def judge(
            self, statements: Sequence[str], quotes: Sequence[str]
        ) -> list[SupportProbabilities]:
            return [
                SupportProbabilities(supported=0.0, contradicted=0.9, neither=0.1)
                if "allowed" in each
                else SupportProbabilities(supported=0.0, contradicted=0.1, neither=0.9)
                for each in quotes
            ]

    best = {}
    for weight in (0.0, 1.0):
        weigh = replace(weighing(log_rank=-1.0, contradicted=weight), reader=Decided())
        weighed = await weigh(question, found, evidence)
        best[weight] = max(weighed.found, key=lambda each: each.probability).answer
    assert "dear" in best[0.0]
    assert "allowed" in best[1.0]


async def test_only_the_likeliest_statements_are_asked_about_under_their_headings() -> None:
    passage = make_passage("The rent of flat 1 is 100. The rent of flat 2 is 200. Flat 3 is free.")
    evidence = make_evidence(replace(passage, document_title="Lease"))
    question = "What is the rent of flat 2?"
    found = await read(question, evidence)
    asked: list[tuple[str, str]] = []

    class Asked(WordReader):
        async def judge(
            self, statements: Sequence[str], quotes: Sequence[str]
        ) -> list[SupportProbabilities]:
            asked.extend(zip(statements, quotes, strict=True))
            return [SupportProbabilities(supported=0.0, contradicted=1.0, neither=0.0)] * len(
                quotes
            )

    likeliness = np.array([1.0, 2.0, 0.0])
    assert len(found) == len(likeliness) == MAX_JUDGED_STATEMENTS + 1
    rows = await decide(Asked(), question, found, likeliness)
    assert rows[:, 0].tolist() == [1, 2, 0]
    assert rows[:, 1].tolist() == [1, 1, 0]
    assert rows[:, 3].tolist() == [SUREST, SUREST, 0]
    assert asked == [
        (f"{question} {each.answer}", f"Lease\n{each.candidate.statement}")
        for each in (found[1], found[0])
    ]


async def test_of_a_statement_without_end_the_words_around_the_answer_are_judged() -> None:
    asked: list[str] = []

    class Judge(WordReader):
        async def judge(
            self, statements: Sequence[str], quotes: Sequence[str]
        ) -> list[SupportProbabilities]:
            asked.extend(quotes)
            return await WordReader().judge(statements, quotes)

    filler = " of what nobody asked for" * 60
    evidence = make_evidence(make_passage(f"It speaks{filler}, the rent is 1,450{filler}."))
    found = await read("What is the rent?", evidence)
    at = evidence[0].passage.text.index("1,450")
    found = [replace(found[0], start=at, end=at + 5)]
    await decide(Judge(), "What is the rent?", found, np.zeros(1))
    assert len(asked[0].partition("\n")[2]) == JUDGED_CHARACTERS
    assert "the rent is 1,450 of" in asked[0]


async def test_of_one_question_the_models_are_asked_about_each_statement_once() -> None:
    evidence = rents()
    found = await read("What is the rent?", evidence)
    embedder = CountingEmbedder(inner=HashEmbedder())
    weigh = replace(weighing(score=1.0), embedder=embedder).with_cache()
    first = await weigh("What is the rent?", found[:1], evidence)
    both = await weigh("What is the rent?", found, evidence)
    assert sorted(embedder.texts) == sorted(each.candidate.embedded_text for each in found)
    afresh = await weighing(score=1.0)("What is the rent?", found, evidence)
    assert both.found == afresh.found
    assert len(first.found) == 1


def test_passages_that_hold_what_is_asked_are_read_first() -> None:
    passages = (
        make_passage("Dogs bark at night.", name="dogs"),
        make_passage("The flat has three rooms.", name="flat"),
        make_passage("The deposit of the flat is 2,900.", name="deposit"),
        make_passage(" \n ", name="nothing"),
    )
    evidence = make_evidence(*passages)
    ordered = weighing().rank_for_reading("What is the deposit of the flat?", evidence)
    assert [each.passage.chunk_id for each in ordered.evidence[:2]] == [
        passages[2].chunk_id,
        passages[1].chunk_id,
    ]
    assert sorted(each.rank for each in ordered.evidence) == [1, 2, 3, 4]
    assert weighing().rank_for_reading("What is the deposit?", []).evidence == []


@pytest.mark.parametrize(
    ("chances", "ends"),
    [
        pytest.param([0.1] * 9, [4, 8, 9], id="nothing-stands-out"),
        pytest.param([0.02] * 20, [*READ_UNTIL], id="no-more-than-are-looked-at"),
        pytest.param([0.8, 0.1, HARDLY / 4, *[NEVER / 3] * 2], [READ_FIRST, 4], id="two-stand-out"),
        pytest.param([0.9, *[NEVER / 20] * 15], [READ_FIRST], id="one-alone"),
        pytest.param([0.5, 0.1, 0.1, 0.1, *[NEVER / 20] * 9], [4], id="four-alone"),
        pytest.param([0.5], [1], id="one-passage"),
    ],
)
def test_the_chance_that_the_answer_stands_further_behind_ends_the_reading(
    chances: list[float], ends: list[int]
) -> None:
    evidence = make_evidence(*[make_passage(f"Flat {n}.") for n in range(len(chances))])
    utilities = np.log(np.array(chances) / (1 - sum(chances)))
    order = rank_for_reading(evidence, utilities)
    assert order.ends == ends
    assert order.ends[-1] <= MAX_PASSAGES
    assert order.evidence == evidence


def test_the_fitted_numbers_name_what_is_observed() -> None:
    assert tuple(fitted().promising.weights) == PASSAGE_FEATURES
    assert tuple(fitted().observed.weights) == ANSWER_FEATURES
    assert tuple(fitted().decided.weights) == SUPPORT_FEATURES
    assert 0 < fitted().undecided < fitted().least < 1
    assert fitted().observed.weights["score"] > 0
    assert fitted().decided.weights["likeliness"] > 0
