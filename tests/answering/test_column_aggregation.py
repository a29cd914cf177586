"""What is asked of a table's column is computed from its rows exactly, or it is said why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.cite import Footnotes
from footnote.answering.column_aggregation import MAX_CITED, Computed, NotComputed, compute
from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind, BlockSpan, Evidence, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.ports import Operation

from .factories import make_evidence, make_passage

TOOLS = """| Tool | Group | Price | Stock |
|---|---|---|---|
| Adze | Wood | 71 EUR | 4 |
| Maul | Wood | 64 EUR | 12 |
| Froe | Wood | 1,204 EUR | 1 |
| Anvil | Metal | 890 EUR | 2 |"""


def table(text: str, language: str | None = "en", title: str = "Shelf") -> list[Evidence]:
    passage = make_passage(text, kinds=[BlockKind.TABLE], title=title)
    return make_evidence(passage)


def located(evidence: Sequence[Evidence], answer: str) -> list[LocatedAnswer]:
    """The answer where it first stands in a row."""
    for candidate in candidates_of(evidence):
        passage = candidate.evidence.passage
        start = passage.text.find(answer, candidate.start, candidate.end)
        if start >= 0:
            return [
                LocatedAnswer(
                    candidate=candidate, start=start, end=start + len(answer), probability=0.9
                )
            ]
    raise AssertionError(answer)


def asked(
    question: str,
    operation: Operation,
    answer: str,
    evidence: Sequence[Evidence],
    language: str = "en",
) -> Computed | NotComputed | None:
    analyzer = TextAnalyzer()
    return compute(
        question,
        operation,
        located(evidence, answer),
        evidence,
        lambda text: analyzer.terms(text, language),
    )


def said(found: Computed | NotComputed | None) -> str:
    assert isinstance(found, Computed), found
    return found.text


REMARKS = [
    pytest.param(
        "Which tool has the highest price?", Operation.LARGEST, "Froe",
        "Froe — Price: 1,204 EUR (largest of 4 rows)", ["Froe"], id="largest",
    ),
    pytest.param(
        "What is the lowest price?", Operation.SMALLEST, "64 EUR",
        "Maul — Price: 64 EUR (smallest of 4 rows)", ["Maul"], id="smallest",
    ),
    pytest.param(
        "What do all prices sum up to?", Operation.SUM, "71 EUR",
        "Sum of Price: 2,229 EUR (4 rows)", ["Adze", "Maul", "Froe", "Anvil"], id="sum",
    ),
    pytest.param(
        "What is the average stock?", Operation.AVERAGE, "12",
        "Average of Stock: 4.75 (4 rows)", ["Adze", "Maul", "Froe", "Anvil"], id="average",
    ),
    pytest.param(
        "What is the total price of tools for wood?", Operation.SUM, "71 EUR",
        "Sum of Price: 1,339 EUR (3 rows, Group: Wood)", ["Adze", "Maul", "Froe"], id="group",
    ),
    pytest.param(
        "How many tools are for metal?", Operation.COUNT, "Anvil",
        "Count of Tool: 1 (Group: Metal)", ["Anvil"], id="count in a group",
    ),
    pytest.param(
        "How many tools are listed?", Operation.COUNT, "Adze",
        "Count of Tool: 4 (all rows of the table)", ["Adze", "Maul", "Froe", "Anvil"], id="count",
    ),
    pytest.param(
        "How many different groups are there?", Operation.COUNT, "Wood",
        "Count of Group: 2 different (4 rows)", ["Adze", "Maul", "Froe", "Anvil"], id="different",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("question", "operation", "answer", "text", "names"), REMARKS)
def test_a_column_is_computed_and_its_rows_are_cited(
    question: str, operation: Operation, answer: str, text: str, names: list[str]
) -> None:
    found = asked(question, operation, answer, table(TOOLS))
    assert said(found) == text
    assert isinstance(found, Computed)
    footnotes = Footnotes()
    markers = found.cited(footnotes)
    assert list(markers) == [each.marker for each in footnotes.citations]
    assert [each.quote.split(" |")[0] for each in footnotes.citations] == names


@pytest.mark.parametrize("title", ["unit_price_eur", "unitPrice", "unit-price", "Unit price (EUR)"])
@pytest.mark.parametrize("said", [None, "unit price", "unit prices"])
def test_a_title_as_programs_write_it_is_said_by_its_words(title: str, said: str | None) -> None:
    rows = f"| item | {title} | stock |\n|---|---|---|\n| Adze | 71 | 4 |\n| Froe | 9 | 6 |"
    question = f"What is the highest {said or title}?"
    found = asked(question, Operation.LARGEST, "6", table(rows))
    assert isinstance(found, Computed)
    assert found.text == f"Adze — {title}: 71 (largest of 2 rows)"


def test_of_titles_that_differ_in_their_unit_that_one_is_meant_whose_unit_is_said() -> None:
    rows = "| item | price_eur | price_usd |\n|---|---|---|\n| Adze | 71 | 80 |\n| Froe | 9 | 10 |"
    question = "What is the sum of the prices in USD?"
    assert said(asked(question, Operation.SUM, "Adze", table(rows))) == (
        "Sum of price_usd: 90 (2 rows)"
    )
    assert asked("What is the sum of prices?", Operation.SUM, "Adze", table(rows)) is None


@pytest.mark.parametrize("operation", [Operation.SUM, Operation.LARGEST])
def test_of_two_columns_with_one_title_none_is_computed_with(operation: Operation) -> None:
    rows = "| item | Price | Price |\n|---|---|---|\n| Adze | 71 | 80 |\n| Froe | 9 | 10 |"
    found = asked("What is the sum or the most of Price?", operation, "71", table(rows))
    assert found == NotComputed(reason="its table has several columns 'Price'")


def test_equals_are_all_named() -> None:
    rows = "| Tool | Price |\n|---|---|\n| Adze | 71 |\n| Maul | 71 |\n| Froe | 9 |"
    found = asked("Which tool has the highest price?", Operation.LARGEST, "Adze", table(rows))
    assert said(found) == "Adze; Maul — Price: 71 (largest of 3 rows)"


@pytest.mark.parametrize(
    ("question", "operation", "answer"),
    [
        pytest.param("What is the total price of the anvil?", Operation.SUM, "890 EUR", id="a row"),
        pytest.param("How many tools cost more than 100?", Operation.COUNT, "Adze", id="a bound"),
        pytest.param("How many days is it open?", Operation.COUNT, "12", id="a number in a cell"),
        pytest.param("Which is the largest?", Operation.LARGEST, "Froe", id="of two columns"),
    ],
)
def test_what_is_no_question_over_a_column_is_left_to_the_cell(
    question: str, operation: Operation, answer: str
) -> None:
    assert asked(question, operation, answer, table(TOOLS)) is None


STAFF = """| No | Name | Shop | Wage | First aider |
|---|---|---|---|---|
| 1 | Ines Carrow | Fern | 15 | yes |
| 2 | Marek Tuska | Oak | 14 | no |
| 3 | Orla Venning | Fern | 19 | no |
| 4 | Tilda Brook | Oak | 16 | Yes |
| 5 | Abel Ruiz | Oak | 17 | yes |"""


@pytest.mark.parametrize(
    ("question", "operation", "text"),
    [
        (
            "How many first aiders are there?",
            Operation.COUNT,
            "Count of No: 3 (First aider: Yes / yes)",
        ),
        (
            "How many first aiders are there at Oak?",
            Operation.COUNT,
            "Count of No: 2 (Shop: Oak, First aider: Yes / yes)",
        ),
        (
            "What is the average wage of the first aiders?",
            Operation.AVERAGE,
            "Average of Wage: 16 (3 rows, First aider: Yes / yes)",
        ),
        (
            "What is the average wage?",
            Operation.AVERAGE,
            "Average of Wage: 16.20 (5 rows)",
        ),
    ],
)
def test_of_a_column_of_yes_and_no_those_are_meant_that_say_yes(
    question: str, operation: Operation, text: str
) -> None:
    assert said(asked(question, operation, "Ines Carrow", table(STAFF))) == text


def test_one_row_of_a_group_is_counted_only_where_rows_are_asked_for() -> None:
    stock = """| Article | Description | In stock |
|---|---|---|
| A-1 | Saddle leather | 3 |
| A-2 | Saddle gel | 8 |"""
    question = "How many leather saddles do we have?"
    assert asked(question, Operation.COUNT, "3", table(stock)) is None
    question = "How many articles are leather saddles?"
    assert said(asked(question, Operation.COUNT, "3", table(stock))) == (
        "Count of Article: 1 (Description: Saddle leather)"
    )


def test_a_year_that_is_asked_for_is_not_what_is_compared() -> None:
    rows = "| Branch | Year | Revenue |\n|---|---|---|\n| A | 2018 | 410 |\n| A | 2019 | 377 |"
    found = asked("In which year was the revenue largest?", Operation.LARGEST, "2019", table(rows))
    assert said(found) == "A — Revenue: 410 (largest of 2 rows)"


def test_a_sum_among_the_rows_is_no_row() -> None:
    rows = TOOLS + "\n| Total | | 2,229 EUR | 19 |"
    evidence = table(rows)
    assert said(asked("Which is the highest price?", Operation.LARGEST, "71 EUR", evidence)) == (
        "Froe — Price: 1,204 EUR (largest of 4 rows, without the row of totals “Total”)"
    )
    assert said(asked("What is the sum of prices?", Operation.SUM, "71 EUR", evidence)) == (
        "Sum of Price: 2,229 EUR (4 rows, without the row of totals “Total”)"
    )
    assert said(asked("How many tools are listed?", Operation.COUNT, "Adze", evidence)) == (
        "Count of Tool: 4 (all rows of the table, without the row of totals “Total”)"
    )
    # Of a group that the total does not belong to nothing was left out.
    group = asked("What is the sum of prices for wood?", Operation.SUM, "71 EUR", evidence)
    assert said(group) == "Sum of Price: 1,339 EUR (3 rows, Group: Wood)"


PARTS = """| Part | Stock | Days | Price |
|---|---|---|---|
| Valve | 4 | 3 | 112 |
| Seal | 7 | 3 | 39.50 |
| Filter | 9 | 5 | 41.20 |
| Gasket | 12 | 10 | 18.40 |
| Motor | 1 | 21 | 720 |
| Fuse | 30 | 4 | 6.50 |"""


def test_a_row_is_no_sum_for_one_number_that_happens_to_be() -> None:
    evidence = table(PARTS)
    summed = asked("What is the sum of the price?", Operation.SUM, "112", evidence)
    assert said(summed) == "Sum of Price: 937.60 (6 rows)"
    largest = asked("Which is the highest price?", Operation.LARGEST, "112", evidence)
    assert said(largest) == "Motor — Price: 720 (largest of 6 rows)"


@pytest.mark.parametrize("last", ["| All | 33 | 42 | 931.10 |", "| All | 33 |  | 931.10 |"])
def test_a_row_of_totals_is_left_out_by_its_numbers_and_named(last: str) -> None:
    rows = "\n".join(PARTS.splitlines()[:-1])
    found = asked("What is the sum of the price?", Operation.SUM, "112", table(f"{rows}\n{last}"))
    assert said(found) == "Sum of Price: 931.10 (5 rows, without the row of totals “All”)"


def test_a_large_sum_beside_a_rating_is_not_guessed_at() -> None:
    rows = """| Site | Sold | Rating |
|---|---|---|
| North | 41,207 | 4 |
| South | 38,114 | 5 |
| All | 79,321 | 4.5 |"""
    found = asked("How many were sold?", Operation.SUM, "41,207", table(rows))
    assert found == NotComputed(reason="its row 'All' may be the sum of the others")


def test_a_last_row_that_may_be_a_sum_is_not_guessed_at() -> None:
    rows = "| Room | Rent |\n|---|---|\n| Attic | 10 |\n| Cellar | 20 |\n| Hall | 30 |"
    found = asked("What is the highest rent?", Operation.LARGEST, "30", table(rows))
    assert found == NotComputed(reason="its row 'Hall' may be the sum of the others")


def test_a_row_with_one_number_that_is_the_sum_of_those_above_is_counted() -> None:
    rows = [
        "Part | Part number | Stock | Lead time (days) | Unit price (EUR)",
        "---|---|---|---|---",
        *("Bearing | 4021 | 14 | 3 | 12.40", "Belt | 4022 | 9 | 3 | 8.10"),
        *("Filter | 4023 | 40 | 5 | 22.60", "Seal | 4024 | 61 | 10 | 4.50"),
        *("Motor | 4025 | 2 | 21 | 720.00", "Fan | 4026 | 7 | 14 | 310.00"),
        *("Valve | 4027 | 12 | 7 | 35.00", "Hose | 4028 | 30 | 4 | 5.00"),
    ]
    evidence = table("\n".join(f"| {each} |" for each in rows))
    assert said(asked("How many parts are listed?", Operation.COUNT, "Belt", evidence)) == (
        "Count of Part: 8 (all rows of the table)"
    )
    assert said(asked("What is the sum of unit prices?", Operation.SUM, "8.10", evidence)) == (
        "Sum of Unit price (EUR): 1117.60 (8 rows)"
    )
    assert said(asked("What is the highest unit price?", Operation.LARGEST, "8.10", evidence)) == (
        "Motor — Unit price (EUR): 720.00 (largest of 8 rows)"
    )


@pytest.mark.parametrize(
    ("cell", "reason"), [("300 g", "units differ"), ("", "1 of 3 rows have no number")]
)
def test_a_column_that_cannot_be_compared_says_why(cell: str, reason: str) -> None:
    rows = f"| Tool | Weight |\n|---|---|\n| Adze | 3 kg |\n| Maul | {cell} |\n| Froe | 1 kg |"
    found = asked("What is the total weight?", Operation.SUM, "3 kg", table(rows))
    assert isinstance(found, NotComputed)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("cells", "beside", "text"),
    [
        (("$820", "$1,140"), "", "Sum of Cost: $1,960 (2 rows)"),
        (("$1,120", "$1,140"), "\n\nA night costs $99.50.", "Sum of Cost: $2,260 (2 rows)"),
        (("$1,120", "$1,140"), "", None),
    ],
    ids=["in its column", "in its document", "nowhere"],
)
def test_amounts_are_computed_where_others_tell_how_they_are_written(
    cells: tuple[str, str], beside: str, text: str | None
) -> None:
    rows = f"| Trip | Cost |\n|---|---|\n| Vienna | {cells[0]} |\n| Geneva | {cells[1]} |"
    passage = replace(
        make_passage(rows, beside.strip() or "Paid.", kinds=[BlockKind.TABLE, BlockKind.PARAGRAPH]),
        language=None,
    )
    found = asked("What is the total cost?", Operation.SUM, cells[0], make_evidence(passage))
    if text is None:
        assert isinstance(found, NotComputed)
        assert "two ways" in found.reason
    else:
        assert said(found) == text


HEADER = "| Tool | Price |\n|---|---|\n"
LINES = [f"| T{chr(97 + row)}{chr(97 + row)} | {row * row + 200} |" for row in range(20)]


def parts(*cuts: int) -> list[Evidence]:
    """The table over several passages, which begin at these rows."""
    whole = HEADER + "\n".join(LINES)
    found = []
    for number, cut in enumerate(cuts):
        last = cuts[number + 1] if number + 1 < len(cuts) else len(LINES)
        start = whole.index(LINES[cut]) if cut else 0
        end = whole.index(LINES[last - 1]) + len(LINES[last - 1])
        found.append(part(whole, start, end, number))
    return make_evidence(*found)


def part(whole: str, start: int, end: int, number: int) -> Passage:
    passage = make_passage(
        whole[start:end],
        kinds=[BlockKind.TABLE],
        ordinal=number,
        offset=start,
        repeated_header=HEADER if start else "",
    )
    span = BlockSpan(
        char_start=start, char_end=end, page=1, paragraph=1, kind=BlockKind.TABLE,
        begins=start == 0, ends=end == len(whole),
    )  # fmt: skip
    return replace(passage, spans=(span,))


def test_a_table_over_several_passages_is_put_together() -> None:
    evidence = parts(0, 7, 15)
    for order in (evidence, evidence[::-1]):
        found = asked("What is the sum of the prices?", Operation.SUM, "209", order)
        assert (
            said(found) == f"Sum of Price: {sum(each * each + 200 for each in range(20))} (20 rows)"
        )
        assert isinstance(found, Computed)
        assert len(found.rows) == len(LINES) > MAX_CITED
        footnotes = Footnotes()
        assert found.cited(footnotes) == (1, 2, 3)
        quoted = "\n".join(each.quote for each in footnotes.citations)
        assert all(line.strip("| ") in quoted for line in LINES)


@pytest.mark.parametrize("left", [0, 1, 2], ids=["beginning", "middle", "end"])
def test_a_table_of_which_a_part_was_not_read_is_not_computed(left: int) -> None:
    evidence = [each for number, each in enumerate(parts(0, 7, 15)) if number != left]
    answer = "209" if left else "249"
    found = asked("What is the sum of the prices?", Operation.SUM, answer, evidence)
    assert found == NotComputed(
        reason="a part of its table is not among the passages that were read"
    )


def test_another_document_with_the_same_header_is_another_table() -> None:
    other = make_passage(
        HEADER + "| Xxx | 9,000 |", kinds=[BlockKind.TABLE], name="other", ordinal=0
    )
    evidence = [*parts(0), *make_evidence(other)]
    found = asked("What is the highest price?", Operation.LARGEST, "209", evidence)
    assert said(found) == "Ttt — Price: 561 (largest of 20 rows)"


NUMBERS = st.lists(st.decimals(1, 9999, places=2), min_size=2, max_size=30)


@given(NUMBERS)
def test_what_is_said_is_the_sum_the_extreme_or_the_mean(numbers: list[Decimal]) -> None:
    lines = [f"| row {'x' * (at + 1)} | {number} |" for at, number in enumerate(numbers)]
    evidence = table("| Name | Price |\n|---|---|\n" + "\n".join(lines))
    found = asked("What is the sum of the prices?", Operation.SUM, str(numbers[0]), evidence)
    if isinstance(found, Computed) and len(found.rows) == len(numbers):
        assert found.text == f"Sum of Price: {sum(numbers)} ({len(numbers)} rows)"
    largest = asked("What is the highest price?", Operation.LARGEST, str(numbers[0]), evidence)
    if isinstance(largest, Computed) and isinstance(found, Computed):
        own = [Decimal(each.quote.split(" | ")[1]) for each in found.rows]
        assert f"Price: {max(own)} (largest of {len(own)} rows)" in largest.text
        assert all(each.quote.endswith(f" {max(own)}") for each in largest.rows)
