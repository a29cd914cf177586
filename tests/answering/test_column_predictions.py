"""A column is computed over that the question is about without saying its title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import BlockKind, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    Operation,
    TableOperationPrediction,
    TitledColumn,
)

from .factories import make_evidence, make_passage
from .test_column_answers import HearingReader
from .test_reader_answers import MarkingReader

SHIPS = """| ship | length_m | crew | built | port |
|---|---|---|---|---|
| Heron | 31 | 9 | 1958 | Selm |
| Petrel | 24 | 14 | 1911 | Tarn |
| Gannet | 27 | 6 | 1984 | Tarn |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """Knows the column of some words, and remembers what it was asked beside."""

    columns: Mapping[str, tuple[str, Operation]]
    asked: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        row, *titles = (each.title for each in columns)
        self.asked.append((row, titles))
        for word, (title, extreme) in self.columns.items():
            if word in question:
                narrowing = [each for each in NARROWING if each in question]
                return ColumnPrediction(
                    number=titles.index(title),
                    probability=0.9,
                    extreme=extreme,
                    extreme_odds=4.0,
                    filter_phrases=narrowing,
                )
        return None

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities:
        titles = [each.title for each in columns[1:]]
        meant = await self.predict_column(question, columns)
        self.asked.pop()
        number = -1 if meant is None else meant.number
        each = [0.99 if number == at else 0.0 for at in range(len(titles))]
        narrowing = () if meant is None else meant.filter_phrases
        return ColumnProbabilities(
            probabilities=each, no_column_probability=1 - sum(each), filter_phrases=narrowing
        )

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        return None


NARROWING = ("wooden", "of Tarn", "of Kiel", "the Petrel")
KNOWN = {
    "longest": ("length m", Operation.LARGEST),
    "oldest": ("built", Operation.SMALLEST),
    "aboard": ("crew", Operation.LARGEST),
}


async def said(question: str, finder: Finder | None, asks: Operation = Operation.LARGEST) -> str:
    reader = HearingReader(marked=(), asks=asks, heard=("longest", "oldest", "most", "aboard"))
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    answer = await answerer(question, make_evidence(make_passage(SHIPS, kinds=[BlockKind.TABLE])))
    return answer.text if answer.found else ""


@pytest.mark.parametrize(
    ("question", "asks", "answer"),
    [
        (
            "Which ship is the longest?",
            Operation.LARGEST,
            "Heron — length_m: 31 (largest of 3 rows) [1]",
        ),
        # The model that hears operations does not see that a year is asked about.
        (
            "Which ship is the oldest?",
            Operation.LARGEST,
            "Petrel — built: 1911 (smallest of 3 rows) [1]",
        ),
        ("What is aboard?", Operation.SUM, "Sum of crew: 29 (3 rows) [1] [2] [3]"),
        (
            "Which is the longest of all our fine ships?",
            Operation.LARGEST,
            "Heron — length_m: 31 (largest of 3 rows) [1]",
        ),
        (
            "What is the longest ship of Tarn?",
            Operation.LARGEST,
            "Gannet — length_m: 27 (largest of 2 rows, port: Tarn) [1]",
        ),
        # What narrows the rows is never left out.
        ("Which wooden ship is the longest?", Operation.LARGEST, ""),
        ("Which wooden ship of Tarn is the longest?", Operation.LARGEST, ""),
        ("What is the longest ship of Kiel?", Operation.LARGEST, ""),
        ("Which ship has most fans?", Operation.LARGEST, ""),
    ],
)
async def test_a_word_that_means_a_column_is_enough(
    question: str, asks: Operation, answer: str
) -> None:
    assert await said(question, Finder(columns=KNOWN), asks) == answer
    assert await said(question, None, asks) == ""


async def test_columns_of_numbers_are_offered() -> None:
    finder = Finder(columns=KNOWN)
    await said("Which ship is the longest?", finder)
    assert finder.asked == [("ship", ["length m", "crew", "built"])]


async def answered(
    question: str, *passages: Passage, marked: Sequence[tuple[str, float]] = ()
) -> str:
    reader = MarkingReader(marked=marked, asks=Operation.LARGEST if "longest" in question else None)
    answerer = ReaderAnswerer(reader=reader, finder=Finder(columns=KNOWN), analyzer=TextAnalyzer())
    answer = await answerer(question, make_evidence(*passages))
    return answer.text if answer.found else ""


async def test_a_weak_reading_of_some_row_is_no_superlative() -> None:
    table = make_passage(SHIPS, kinds=[BlockKind.TABLE])
    prose = make_passage("The longest ship of all was the Marlin.", name="prose")
    longest = "Heron — length_m: 31 (largest of 3 rows) [1]"
    question = "Which ship is the longest?"
    assert await answered(question, table, marked=[("Petrel", 0.4)]) == longest
    for unsure in (0.4, 0.7):
        assert await answered(question, table, prose, marked=[("Marlin", unsure)]) == longest
    said = "The longest ship of all was the Marlin. [1]"
    assert await answered(question, table, prose, marked=[("Marlin", 0.8)]) == said


async def test_of_two_tables_that_are_meant_the_one_whose_rows_are_said_is_taken() -> None:
    table = make_passage(SHIPS, kinds=[BlockKind.TABLE])
    boats = SHIPS.replace("ship", "boat").replace("31", "99")
    other = make_passage(boats, kinds=[BlockKind.TABLE], name="other")
    longest = "Heron — length_m: 31 (largest of 3 rows) [1]"
    assert await answered("Which ship is the longest?", table, other) == longest
    assert await answered("Which is the longest?", table, other) == ""


async def test_several_tables_that_may_be_meant_are_named() -> None:
    tables = [
        make_passage(SHIPS.replace("31", each), kinds=[BlockKind.TABLE], name=each)
        for each in ("31", "99")
    ]
    reader = MarkingReader(marked=(), asks=Operation.LARGEST)
    answerer = ReaderAnswerer(reader=reader, finder=Finder(columns=KNOWN), analyzer=TextAnalyzer())
    answer = await answerer("Which is the longest?", make_evidence(*tables))
    assert not answer.found
    [note] = answer.degraded
    assert "2 tables may be meant, of 31.pdf, 99.pdf" in note


@dataclass(frozen=True, slots=True, kw_only=True)
class SureFinder(Finder):
    """Is less sure of the column of a table of other things."""

    others: float

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        row = columns[0].title
        found = await Finder.predict_column(self, question, columns)
        return found and replace(found, probability=0.98 if row == "ship" else self.others)


@pytest.mark.parametrize(("others", "is_told"), [(0.7, True), (0.97, False)])
async def test_a_table_that_is_far_likelier_is_taken(others: float, is_told: bool) -> None:
    ships = make_passage(SHIPS, kinds=[BlockKind.TABLE])
    planks = make_passage(SHIPS.replace("ship", "plank"), kinds=[BlockKind.TABLE], name="planks")
    finder = SureFinder(columns=KNOWN, others=others)
    reader = MarkingReader(marked=(), asks=Operation.LARGEST)
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    answer = await answerer("Which is the longest?", make_evidence(planks, ships))
    assert answer.found is is_told
    assert not is_told or answer.citations[0].filename == ships.filename


BELLS = """| bell | cast | rings at | weight_kg |
|---|---|---|---|
| Maria | 3 May 1911 | 18:05 | 900 |
| Petra | 12 March 1984 | 6:30 | 1,250 |
| Anna | 30 October 1871 | 12:00 | 310 |"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which bell is the oldest?", "Anna — cast: 30 October 1871 (earliest of 3 rows) [1]"),
        ("Which bell rings last?", "Maria — rings at: 18:05 (largest of 3 rows) [1]"),
        # What is not added up is no column for a sum.
        ("What do the oldest ones sum up to?", ""),
    ],
)
async def test_dates_and_times_have_an_earliest_and_a_latest(question: str, answer: str) -> None:
    columns = {"oldest": ("cast", Operation.SMALLEST), "last": ("rings at", Operation.LARGEST)}
    reader = MarkingReader(
        marked=(), asks=Operation.SUM if "sum" in question else Operation.LARGEST
    )
    answerer = ReaderAnswerer(
        reader=reader, finder=Finder(columns=columns), analyzer=TextAnalyzer()
    )
    given = await answerer(question, make_evidence(make_passage(BELLS, kinds=[BlockKind.TABLE])))
    assert (given.text if given.found else "") == answer


PIANOS = """| instrument | kind | price_eur |
|---|---|---|
| Bechstein | Concert grand | 310 |
| Petrof | Grand | 150 |
| Erard | Grand | 120 |
| Ibach | Klavier | 90 |"""
DOUBLE = PIANOS.replace("kind", "price_eur").replace("Grand", "3").replace("Klavier", "4")


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (PIANOS, "sum over the grands", "Sum of price_eur: 270 (2 rows, kind: Grand) [1] [2]"),
        # One row alone has its cell and no sum, and is never those that a part of its name says.
        (PIANOS, "sum over the concert grands", "Bechstein — price_eur: 310 [1]"),
        (
            PIANOS,
            "sum over the concert grands and other grands",
            "Sum of price_eur: 580 (3 rows, kind: Concert grand / Grand) [1] [2] [3]",
        ),
        (PIANOS, "sum of what the Klavieraufträge cost", ""),
        (PIANOS, "sum of all", "Sum of price_eur: 670 (4 rows) [1] [2] [3] [4]"),
        (DOUBLE.replace("Concert 3", "3"), "sum of all", ""),
        (
            "\n".join(PIANOS.splitlines()[:3]),
            "sum of all",
            "Sum of price_eur: 310 (1 row) [1]",
        ),
    ],
)
async def test_rows_are_those_that_the_longest_cell_names(
    table: str, question: str, answer: str
) -> None:
    reader = MarkingReader(marked=(), asks=Operation.SUM)
    finder = Finder(columns={"sum": ("price eur", Operation.LARGEST)})
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    given = await answerer(question, make_evidence(make_passage(table, kinds=[BlockKind.TABLE])))
    assert (given.text if given.found else "") == answer


async def test_a_row_that_was_cut_breaks_no_question() -> None:
    # A long cell goes on in a passage that has no more of its row.
    table = make_passage(
        f"{PIANOS}\n| and so on to the end of the report |", kinds=[BlockKind.TABLE]
    )
    prose = make_passage("The workshop opens at eight.", name="prose")
    for question in ("When does the workshop open?", "sum of all", "sum of the grands"):
        reader = MarkingReader(marked=[("at eight", 0.4)], asks=Operation.SUM)
        finder = Finder(columns={"sum": ("price eur", Operation.LARGEST)})
        answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
        answer = await answerer(question, make_evidence(prose, table))
        assert "Sum" not in answer.text


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("sum of all except the grands", "'except'"),
        ("sum of all that is not a Klavier", "'not'"),
    ],
)
async def test_what_a_question_leaves_out_is_not_computed(question: str, reason: str) -> None:
    reader = MarkingReader(marked=(), asks=Operation.SUM)
    finder = Finder(columns={"sum": ("price eur", Operation.LARGEST)})
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    table = make_passage(PIANOS, kinds=[BlockKind.TABLE])
    answer = await answerer(question, make_evidence(table))
    assert not answer.found
    assert reason in answer.degraded[0]


async def test_the_best_of_a_column_that_has_several_rows_each_is_no_row() -> None:
    reader = MarkingReader(marked=(), asks=Operation.LARGEST)
    finder = Finder(columns={"costs most": ("price eur", Operation.LARGEST)})
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    evidence = make_evidence(make_passage(PIANOS, kinds=[BlockKind.TABLE]))
    answer = await answerer("Which kind costs most altogether?", evidence)
    assert not answer.found
    assert "each 'kind' has several rows" in answer.degraded[0]
    assert (await answerer("Which instrument costs most?", evidence)).found


async def test_of_titles_with_the_same_terms_the_one_that_is_said_is_meant() -> None:
    rows = [
        "| Order | Ordered by | Amount |",
        "|---|---|---|",
        "| B-1 | Orla Kent | 30 |",
        "| B-2 | Orla Kent | 12 |",
        "| B-3 | Finn Rowe | 45 |",
        "| B-4 | Ines Vale | 50 |",
    ]
    reader = MarkingReader(marked=(), asks=Operation.SMALLEST)
    finder = Finder(columns={"cheapest": ("Amount", Operation.SMALLEST)})
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    evidence = make_evidence(make_passage("\n".join(rows), kinds=[BlockKind.TABLE]))
    answer = await answerer("What was the cheapest order?", evidence)
    assert answer.text == "B-2 — Amount: 12 (smallest of 4 rows) [1]"
