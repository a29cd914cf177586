"""A question that compares rows, which it names, is answered with the cells of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from footnote.answering.reader_answers import ReaderAnswerer
from footnote.domain import Answer, BlockKind, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    ExpandedPassage,
    Operation,
    RowRange,
    TableOperationPrediction,
    TitledColumn,
)

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_cell_selection import first_rows
from .test_reader_answers import MarkingReader

SHOPS = """| Shop | Repairs | Repair income (£) | Opened | Head |
|---|---|---|---|---|
| Marl Street | 1,870 | 94,300 | 2009-05-02 | Nadia Rehman |
| Otterhaven | 940 | 48,700 | 2014-03-01 | Oskar Lind |
| Tinnock | 1,105 | 57,600 | 2017-08-12 | Benedikt Vogler |
| Quay | 310 | 48,700 | | Luca Ferrante |"""

TASKS = """| Task | Price |
|---|---|
| Descale the two copper kettles in the yard | 35 |
| Replace lamps along the old north wall | 80 |"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Titled:
    """Tells one column, one of its ends, and what is asked of it."""

    title: str = "Repair income (£)"
    extreme: Operation = Operation.LARGEST
    odds: float = 3.0
    heard: Mapping[Operation, float] = field(default_factory=lambda: {Operation.OTHER: 0.7})
    narrowing: Sequence[str] = ()
    operation: Operation | None = None
    ranges: Mapping[RowRange, float] = field(default_factory=dict)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        titles = [each.title for each in columns[1:]]
        if self.title not in titles:
            return None
        return ColumnPrediction(
            number=titles.index(self.title),
            probability=0.9,
            extreme=self.extreme,
            extreme_odds=self.odds,
            filter_phrases=self.narrowing,
        )

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        return None

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        return TableOperationPrediction(
            operation=self.operation,
            probability=0.7,
            no_column_probability=0.05,
            operation_probabilities=self.heard,
            range_probabilities=self.ranges,
        )


async def answered(
    question: str, finder: Titled, marked: Sequence[tuple[str, float]] = (("940", 0.6),)
) -> Answer:
    answerer = ReaderAnswerer(
        reader=MarkingReader(marked=marked), finder=finder, analyzer=TextAnalyzer()
    )
    prose = make_passage("The quay shop took over the stock.", name="prose")
    tables = [
        make_passage(SHOPS, kinds=[BlockKind.TABLE]),
        make_passage(TASKS, kinds=[BlockKind.TABLE], name="tasks"),
    ]
    passages = *tables, prose
    return await answerer(question, make_evidence(*passages))


@pytest.mark.parametrize(
    ("question", "finder", "said"),
    [
        (
            "Which shop made more from repairs, Otterhaven or Tinnock?",
            Titled(),
            "Tinnock — Repair income (£): 57,600 (Otterhaven: 48,700)",
        ),
        (
            "Which made less, Otterhaven or Tinnock or Marl Street?",
            Titled(extreme=Operation.SMALLEST),
            "Otterhaven — Repair income (£): 48,700 (Tinnock: 57,600; Marl Street: 94,300)",
        ),
        (
            "Did Otterhaven or the Quay make more?",
            Titled(),
            "Otterhaven — Repair income (£): 48,700 (Quay: 48,700, equal)",
        ),
        (
            "Was Tinnock opened before Otterhaven?",
            Titled(title="Opened", extreme=Operation.SMALLEST),
            "Otterhaven — Opened: 2014-03-01 (Tinnock: 2017-08-12)",
        ),
        (
            "Whose shop makes more, that of Benedikt or of Nadia Rehman?",
            Titled(),
            "Nadia Rehman — Repair income (£): 94,300 (Benedikt Vogler: 57,600)",
        ),
        (
            "Compare the repair income of Otterhaven and Tinnock.",
            Titled(odds=0.2),
            "Otterhaven — Repair income (£): 48,700 (Tinnock: 57,600)",
        ),
    ],
)
async def test_the_end_that_is_meant_comes_first_with_the_others_behind_it(
    question: str, finder: Titled, said: str
) -> None:
    answer = await answered(question, finder)
    assert [each.text for each in answer.sentences] == [said]
    assert len(answer.sentences[0].markers) == said.count(":")
    assert_every_statement_can_be_opened(answer, answer.evidence)


@pytest.mark.parametrize(
    ("question", "finder"),
    [
        ("How much did Otterhaven and Tinnock make together?", Titled(heard={Operation.SUM: 0.95})),
        ("Which shop made more, Otterhaven or the harbour?", Titled()),
        ("Which is nearer, Otterhaven or Tinnock?", Titled(title="Distance")),
        ("Which is older, the Quay or Tinnock?", Titled(title="Opened")),
        ("Who made more in May, Otterhaven or Tinnock?", Titled(narrowing=["in May"])),
        ("What did the kettles of the old quay cost?", Titled(title="Price")),
    ],
)
async def test_what_is_asked_of_all_and_what_cannot_be_compared_is_not_said_so(
    question: str, finder: Titled
) -> None:
    answer = await answered(question, finder, marked=())
    assert not any("Otterhaven:" in each.text for each in answer.sentences)
    assert not any("Tinnock:" in each.text for each in answer.sentences)
    assert not any("lamps" in each.text for each in answer.sentences)


async def test_prose_that_is_surer_is_said_instead() -> None:
    told = [("The quay shop took over the stock", 0.95)]
    answer = await answered("Which made more, Otterhaven or Tinnock?", Titled(), told)
    assert answer.sentences[0].text == "The quay shop took over the stock."


async def test_another_row_of_the_name_in_the_rest_of_the_table_is_not_passed_over() -> None:
    rest = "| Tinnock | 1 | 2 | 2020-01-01 | Hattie Brook |"
    whole = make_passage(f"{SHOPS}\n{rest}", kinds=[BlockKind.TABLE])
    part = first_rows(whole, 3)

    async def around(passages: Sequence[Passage]) -> Mapping[int, ExpandedPassage]:
        return {part.chunk_no: ExpandedPassage(passage=whole, distances={})}

    answerer = ReaderAnswerer(
        reader=MarkingReader(marked=()), finder=Titled(), analyzer=TextAnalyzer()
    )
    question = "Which made more, Otterhaven or Tinnock?"
    assert (await answerer(question, make_evidence(part))).found
    with_rest = replace(answerer, around=around)
    assert not (await with_rest(question, make_evidence(part))).found


NO_COLUMN = Titled(title="", operation=Operation.LARGEST)


@pytest.mark.parametrize(
    ("question", "finder", "said"),
    [
        ("Which is nicer, Otterhaven or Tinnock?", NO_COLUMN, True),
        ("Who heads Otterhaven and Tinnock?", Titled(title=""), False),
        ("Which is nicer, Otterhaven or Dunmere?", NO_COLUMN, False),
        ("Which made more, Otterhaven or Tinnock?", Titled(operation=Operation.LARGEST), True),
    ],
)
async def test_rows_are_read_as_a_whole_where_a_comparison_has_no_column(
    question: str, finder: Titled, *, said: bool
) -> None:
    answerer = ReaderAnswerer(
        reader=MarkingReader(marked=(("940", 0.6),)), finder=finder, analyzer=TextAnalyzer()
    )
    evidence = make_evidence(make_passage(SHOPS, kinds=[BlockKind.TABLE]))
    compared = await answerer.compare_rows(question, evidence)
    assert (compared is not None) == said
    if compared is not None and finder.title == "":
        assert compared == await answerer(question, evidence)
    elif compared is not None:
        assert compared.text.startswith("Tinnock")
