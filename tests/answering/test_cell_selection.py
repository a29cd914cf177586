"""A question after one cell has it under the column that it means, or no answer where none is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.cell_selection import MAX_ROWS, MIN_CELL, ColumnScores
from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ExpandedPassage,
    PassageReading,
    PassageText,
    TableOperationPrediction,
    TitledColumn,
)

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader

VISITS = """| job | visited_on | technician | hours | place |
|---|---|---|---|---|
| J-1 | 3 May 2024 | Ines Carrow | 2 | Fern Lodge |
| J-2 | 9 May 2024 | Marek Tuska | 5 | Oak Yard |
| J-3 | 9 May 2024 | Ines Carrow | 3 | Selm Hall |
| J-4 | 10 May 2024 | | 4 | Elm Barn |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Tells how likely one column of every table is; what is left speaks for none."""

    title: str
    chance: float = 0.97
    offered: list[Sequence[TitledColumn]] = field(default_factory=list)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        return None

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        self.offered.append(columns)
        each = [self.chance if one.title == self.title else 0.0 for one in columns[1:]]
        return ColumnProbabilities(probabilities=each, no_column_probability=1 - sum(each))

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReader(MarkingReader):
    """Reads passages as marked, and of a row, a line for each cell, these cells with these odds."""

    cells: Sequence[tuple[str, float]] = ()
    lines: list[str] = field(default_factory=list)

    async def read(self, question: str, passages: Sequence[PassageText]) -> list[PassageReading]:
        if not passages[0].text.startswith(("job: ", "place: ", "day: ", "Month: ")):
            return await MarkingReader.read(self, question, passages)
        self.lines.append(passages[0].text)
        return await MarkingReader.read(replace(self, marked=self.cells), question, passages)


async def answered(
    question: str, finder: Told, reader: LineReader, prose: str = "The lodge is open."
) -> Answer:
    answerer = ReaderAnswerer(reader=reader, finder=finder, analyzer=TextAnalyzer())
    passages = make_passage(VISITS, kinds=[BlockKind.TABLE]), make_passage(prose, name="prose")
    return await answerer(question, make_evidence(*passages))


@pytest.mark.parametrize("marked", [(), (("3 May 2024", 0.9),), (("Ines Carrow", 0.4),)])
async def test_a_cell_is_the_one_that_both_models_speak_for(
    marked: Sequence[tuple[str, float]],
) -> None:
    finder = Told(title="technician")
    reader = LineReader(marked=marked, cells=[("Ines Carrow", 8.0), ("3 May 2024", 1.0)])
    answer = await answered("Who visited Fern Lodge?", finder, reader)
    assert answer.sentences[0].text == "J-1, Fern Lodge — technician: Ines Carrow"
    [offered] = finder.offered
    assert [(each.title, each.cells) for each in offered] == [
        ("job", ("J-1", "J-2")),
        ("visited on", ("3 May 2024", "9 May 2024")),
        ("technician", ("Ines Carrow", "Marek Tuska")),
        ("hours", ("2", "5")),
        ("place", ("Fern Lodge", "Oak Yard")),
    ]
    [line] = reader.lines
    assert line.splitlines()[:2] == ["job: J-1", "visited on: 3 May 2024"]


async def test_a_title_that_the_question_says_is_not_always_what_is_asked_for() -> None:
    reader = LineReader(marked=[("Ines Carrow", 0.9)], cells=[("3 May 2024", 9.0)])
    question = "When did the technician come to Fern Lodge?"
    answer = await answered(question, Told(title="visited on"), reader)
    assert answer.sentences[0].text == "J-1, Fern Lodge — visited_on: 3 May 2024"


async def test_what_no_column_has_is_not_said_from_another_one() -> None:
    none = Told(title="", chance=0.0)
    question = "Who paid for the visit to Fern Lodge?"
    assert not (await answered(question, none, LineReader(marked=[("Ines Carrow", 0.9)]))).found
    # Another row that was read surely, and prose, are not meant by that.
    for odds in (0.9, 0.4):
        assert (await answered(question, none, LineReader(marked=[("Marek Tuska", odds)]))).found
    prose = "Orla Venning paid for the visit to Fern Lodge."
    reader = LineReader(marked=[("Orla Venning", 0.9)])
    found = await answered(question, none, reader, prose=prose)
    assert found.sentences[0].text == prose


async def test_what_is_asked_whether_it_is_so_need_not_be_so() -> None:
    reader = LineReader(marked=[("3 May 2024", 0.9)], cells=[("Ines Carrow", 8.0)])
    finder = Told(title="technician")
    answer = await answered("Was it Marek Tuska who came for J-1?", finder, reader)
    assert answer.sentences[0].text == "J-1 — technician: Ines Carrow"
    # Rows of neither name are not asked for.
    other = await answered("Was it Marek Tuska on 3 May 2024 or 10 May 2024?", finder, reader)
    assert "Ines Carrow" not in other.text


async def test_a_refusal_says_what_there_is_of_the_row_that_is_named() -> None:
    none = Told(title="", chance=0.0)
    told = "answer: the row 'J-{}' has {}, and none of these is surely asked for"
    for marked in ((), (("Ines Carrow", 0.9),)):
        refused = await answered("Who paid for J-1?", none, LineReader(marked=marked))
        assert not refused.found
        assert refused.degraded == (told.format(1, "visited_on, technician, hours, place"),)
    # It has no technician.
    refused = await answered("Who paid for J-4?", none, LineReader(marked=()))
    assert refused.degraded == (told.format(4, "visited_on, hours, place"),)
    # A part of its name, another of its cells, or no row.
    for question in ("Who paid for J?", "Who paid for the visit to Fern Lodge?", "Who paid?"):
        refused = await answered(question, none, LineReader(marked=()))
        assert not refused.found
        assert refused.degraded == ()
    # Another answer is not annotated.
    prose = "Orla Venning paid for J-1."
    reader = LineReader(marked=[("Orla Venning", 0.4)])
    for finder in (none, Told(title="technician")):
        found = await answered("Who paid for J-1?", finder, reader, prose=prose)
        assert found.found
        assert found.degraded == ()


async def test_of_a_row_nothing_is_noted_where_another_document_comes_closer() -> None:
    answerer = ReaderAnswerer(
        reader=LineReader(marked=()), finder=Told(title="", chance=0.0), analyzer=TextAnalyzer()
    )
    table = make_passage(VISITS, kinds=[BlockKind.TABLE])
    prose = make_passage("Nobody has paid for J-1.", name="prose")
    notes = [
        (await answerer("Who paid for J-1?", make_evidence(*passages))).degraded
        for passages in ((table, prose), (prose, table))
    ]
    assert [bool(each) for each in notes] == [True, False]


async def test_a_row_called_by_its_name_comes_before_one_that_has_it_in_another_cell() -> None:
    prices = """| place | fare | beds |
|---|---|---|
| Fern Lodge | 12 | 40 |
| Oak Yard | 15 | 22 |"""
    reader = LineReader(marked=(), cells=[("2", 8.0), ("40", 8.0)])

    @dataclass(frozen=True, slots=True, kw_only=True)
    class OfBoth(Told):
        async def column_probabilities(
            self, question: str, columns: Sequence[TitledColumn]
        ) -> ColumnProbabilities | None:
            titles = [each.title for each in columns[1:]]
            own = "hours" if "hours" in titles else "beds"
            return await Told.column_probabilities(replace(self, title=own), question, columns)

    answerer = ReaderAnswerer(reader=reader, finder=OfBoth(title=""), analyzer=TextAnalyzer())
    passages = [
        make_passage(each, kinds=[BlockKind.TABLE], name=name)
        for each, name in ((VISITS, "visits"), (prices, "places"))
    ]
    answer = await answerer("What is the size of Fern Lodge?", make_evidence(*passages))
    assert answer.sentences[0].text == "Fern Lodge — beds: 40"


@pytest.mark.parametrize("read", ["12", "13"])
async def test_of_many_tables_with_a_row_of_that_name_the_one_that_was_read_is_meant(
    read: str,
) -> None:
    titles = ("fare", "wait"), ("beds", "baths"), ("keys", "doors"), ("staff", "hours")
    tables = [
        f"| place | {first} | {second} |\n|---|---|---|\n"
        f"| Fern Lodge | {number}2 | {number}3 |\n| Oak Yard | 7 | 8 |"
        for number, (first, second) in enumerate(titles, start=1)
    ]
    # What a reader marks among the rows of a passage is often a cell beside the one that is meant.
    reader = LineReader(marked=[("12", 0.9)], cells=[(read, 8.0), ("13", 8.0)])
    answerer = ReaderAnswerer(reader=reader, finder=Told(title="wait"), analyzer=TextAnalyzer())
    passages = [
        make_passage(each, kinds=[BlockKind.TABLE], name=f"table-{number}")
        for number, each in enumerate(tables)
    ]
    answer = await answerer(
        "How long do people stand in line at Fern Lodge?", make_evidence(*passages)
    )
    assert answer.sentences[0].text == "Fern Lodge — wait: 13"
    assert len(reader.lines) <= MAX_ROWS


async def test_of_rows_of_one_name_the_one_that_the_question_tells_is_said_with_what_tells_it() -> (
    None
):
    kennels = """| place | size | fare | beds |
|---|---|---|---|
| Fern Lodge | small | 27 | 3 |
| Fern Lodge | large | 33 | 4 |
| Oak Yard | large | 15 | 22 |"""
    # The reader marks a cell of the first of them, however sure.
    reader = LineReader(marked=[("27", 0.95)], cells=[("4", 8.0)])
    answerer = ReaderAnswerer(reader=reader, finder=Told(title="beds"), analyzer=TextAnalyzer())
    passages = [make_passage(kennels, kinds=[BlockKind.TABLE])]
    answer = await answerer("How many sleep in the large Fern Lodge?", make_evidence(*passages))
    assert answer.sentences[0].text == "Fern Lodge, large — beds: 4"


async def test_what_narrows_the_rows_may_be_said_by_the_title_of_the_column() -> None:
    shifts = """| day | Oak early | Oak late | Fern late |
|---|---|---|---|
| Monday | Ines | Marek | Orla |
| Friday | Marek | Tilda | Abel |"""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Narrowing(Told):
        stretch: str

        async def column_probabilities(
            self, question: str, columns: Sequence[TitledColumn]
        ) -> ColumnProbabilities | None:
            told = await Told.column_probabilities(self, question, columns)
            return told and replace(told, filter_phrases=(self.stretch,))

    for stretch, is_told in (("Oak", True), ("Selm", False)):
        answerer = ReaderAnswerer(
            reader=LineReader(marked=(), cells=[("Tilda", 8.0)]),
            finder=Narrowing(title="Oak late", stretch=stretch),
            analyzer=TextAnalyzer(),
        )
        table = make_evidence(make_passage(shifts, kinds=[BlockKind.TABLE]))
        answer = await answerer(f"Who has the late shift in {stretch} on Friday?", table)
        assert answer.found is is_told
        assert ("Friday — Oak late: Tilda" in answer.text) is is_told


@pytest.mark.parametrize(
    ("question", "month", "answer"),
    [
        ("How much gas did the works burn in April?", "Apr", "Apr — Gas m3: 2450"),
        ("How much gas did the works burn in april 2025?", "Apr.", "Apr. — Gas m3: 2450"),
        ("Wie viel Gas wurde im März verbraucht?", "Mar", "Mar — Gas m3: 3100"),
        ("How much gas did the works burn in June?", "Apr", None),
    ],
)
async def test_a_month_is_the_one_that_the_question_calls_otherwise(
    question: str, month: str, answer: str | None
) -> None:
    meters = f"""| Month | El. kWh | Gas m3 |
|---|---|---|
| Feb | 13650 | 3720 |
| {month} | 12800 | {answer[-4:] if answer else 2450} |
| Total | 26450 | 6170 |"""
    answerer = ReaderAnswerer(
        reader=LineReader(marked=(), cells=[(answer[-4:] if answer else "2450", 8.0)]),
        finder=Told(title="Gas m3"),
        analyzer=TextAnalyzer(),
    )
    passage = replace(
        make_passage(meters, kinds=[BlockKind.TABLE]), document_title="Energy report 2025"
    )
    found = await answerer(question, make_evidence(passage))
    assert [each.text for each in found.sentences if found.found] == ([answer] if answer else [])


async def test_the_unit_behind_a_title_need_not_be_said() -> None:
    meters = """| Month | El. kWh | Gas m3 | Water m3 |
|---|---|---|---|
| Feb | 13650 | 3720 | 58 |
| Apr | 12800 | 2450 | 66 |"""
    answerer = ReaderAnswerer(reader=LineReader(marked=[("12800", 0.9)]), analyzer=TextAnalyzer())
    passage = make_passage(meters, kinds=[BlockKind.TABLE])
    answer = await answerer("How much water was used in April?", make_evidence(passage))
    assert answer.sentences[0].text == "Apr — Water m3: 66"


async def test_of_many_columns_the_first_are_named() -> None:
    titles = [f"plan {'x' * number}" for number in range(1, 10)]
    rows = [["site", *titles], ["---"] * 10, ["Fern", *"abcdefghi"], ["Oak", *"jklmnopqr"]]
    table = "\n".join(f"| {' | '.join(each)} |" for each in rows)
    answerer = ReaderAnswerer(
        reader=LineReader(marked=()), finder=Told(title="", chance=0.0), analyzer=TextAnalyzer()
    )
    answer = await answerer(
        "Who paid for Fern?", make_evidence(make_passage(table, kinds=[BlockKind.TABLE]))
    )
    [note] = answer.degraded
    assert f"has {', '.join(titles[:6])} and 3 more, and" in note


async def test_an_empty_cell_says_nothing() -> None:
    reader = LineReader(marked=[("10 May 2024", 0.9)], cells=[("10 May 2024", -4.0)])
    assert not (await answered("Who visited Elm Barn?", Told(title="technician"), reader)).found
    assert reader.lines[0].endswith("technician: \nhours: 4\nplace: Elm Barn")


async def test_what_narrows_the_rows_further_is_not_left_out() -> None:
    class Narrowing(Told):
        async def column_probabilities(
            self, question: str, columns: Sequence[TitledColumn]
        ) -> ColumnProbabilities:
            told = await Told.column_probabilities(self, question, columns)
            assert told is not None
            return replace(
                told, filter_phrases=["wooden"] if "wooden" in question else ["Fern Lodge"]
            )

    reader = LineReader(marked=(), cells=[("Ines Carrow", 8.0)])
    finder = Narrowing(title="technician")
    assert (await answered("Who visited Fern Lodge?", finder, reader)).found
    assert not (await answered("Who visited the wooden Fern Lodge?", finder, reader)).found


async def test_where_nothing_was_read_a_cell_has_to_be_likely() -> None:
    question = "Who visited Fern Lodge?"
    told = Told(title="technician", chance=0.5)
    for odds in (-6.0, -2.0, 0.0, 1.0, 2.0, 6.0):
        reader = LineReader(marked=(), cells=[("Ines Carrow", odds)])
        answer = await answered(question, told, reader)
        assert answer.found == (answer.confidence >= MIN_CELL)
    assert answer.found


def first_rows(whole: Passage, count: int) -> Passage:
    """The passage of a table without what is behind these rows, which stand on a page below it."""
    [span] = whole.spans
    text = "\n".join(whole.text.splitlines()[: count + 2])
    spans = (replace(span, char_end=len(text), ends=False),)
    return replace(whole, text=text, char_end=len(text), spans=spans)


async def test_rows_of_a_part_that_was_not_found_are_said_as_well() -> None:
    whole = make_passage(VISITS, kinds=[BlockKind.TABLE])
    evidence = make_evidence(first_rows(whole, 2))

    async def around(passages: Sequence[Passage]) -> Mapping[int, ExpandedPassage]:
        return {whole.chunk_no: ExpandedPassage(passage=whole, distances={})}

    answerer = ReaderAnswerer(
        reader=LineReader(marked=[("5", 0.9)]), analyzer=TextAnalyzer(), around=around
    )
    found = await answerer("What were the hours on 9 May 2024?", evidence)
    assert [each.text for each in found.sentences] == [
        "J-2 — technician: Marek Tuska, place: Oak Yard, hours: 5",
        "J-3 — technician: Ines Carrow, place: Selm Hall, hours: 3",
    ]
    assert_every_statement_can_be_opened(found, found.evidence)
    [shown] = found.evidence
    assert "J-3" in shown.passage.text
    alone = await answerer("What were the hours of J-2 on 9 May 2024?", evidence)
    assert [each.text for each in alone.sentences] == ["J-2 — hours: 5"]


async def test_the_same_number_in_several_rows_is_said_for_each() -> None:
    alike = VISITS.replace("Ines Carrow | 3 |", "Ines Carrow | 5 |")
    answerer = ReaderAnswerer(reader=LineReader(marked=[("5", 0.9)]), analyzer=TextAnalyzer())
    evidence = make_evidence(make_passage(alike, kinds=[BlockKind.TABLE]))
    found = await answerer("What were the hours on 9 May 2024?", evidence)
    assert [each.text.split()[0] for each in found.sentences] == ["J-2", "J-3"]


async def test_a_row_is_named_where_the_whole_table_has_no_other_one_of_that_name() -> None:
    whole = make_passage(VISITS, kinds=[BlockKind.TABLE])
    part = first_rows(whole, 2)
    asked: list[Sequence[Passage]] = []

    async def around(passages: Sequence[Passage]) -> Mapping[int, ExpandedPassage]:
        asked.append(passages)
        return {part.chunk_no: ExpandedPassage(passage=whole, distances={})}

    reader = LineReader(marked=(), cells=[("Marek Tuska", 8.0), ("Ines Carrow", 8.0)])
    answerer = ReaderAnswerer(
        reader=reader, finder=Told(title="technician"), analyzer=TextAnalyzer()
    )
    with_rest = replace(answerer, around=around)
    for question, is_alone in (("Who came on 9 May 2024?", False), ("Who did J-1?", True)):
        assert (await answerer(question, make_evidence(part))).found
        assert (await with_rest(question, make_evidence(part))).found == is_alone
    assert [[each.chunk_id for each in passages] for passages in asked] == [[part.chunk_id]] * 2


async def test_a_model_that_cannot_tell_changes_nothing() -> None:
    class Silent(Told):
        async def column_probabilities(
            self, question: str, columns: Sequence[TitledColumn]
        ) -> None:
            return None

    reader = LineReader(marked=[("3 May 2024", 0.9)])
    answer = await answered("Who came to Fern Lodge?", Silent(title=""), reader)
    assert answer.sentences[0].text == "J-1, Fern Lodge — visited_on: 3 May 2024"


chances = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(each=chances, none=st.floats(0, 1), scores=st.lists(st.floats(-20, 20), min_size=8))
def test_probabilities_rise_with_what_is_read_and_sum_to_one(
    each: list[float], none: float, scores: list[float]
) -> None:
    told = ColumnScores(scores=scores[: len(each)], chances=each, none=none, filter_phrases=())
    found = told.probabilities
    assert len(found) == len(each) + 1
    assert sum(found) == pytest.approx(1)
    higher = replace(told, scores=[told.scores[0] + 3, *told.scores[1:]]).probabilities
    assert higher[0] >= found[0]
    assert higher[-1] <= found[-1]
