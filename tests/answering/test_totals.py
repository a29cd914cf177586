"""A row is left out as a sum of others where its numbers and its name leave no doubt."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.tables import tables_of
from footnote.answering.totals import totals_of
from footnote.domain import BlockKind

from .factories import make_evidence, make_passage


def told(*lines: str) -> tuple[list[str], list[str]]:
    """What the rows are called that sum up others, and those of which it cannot be told."""
    columns = lines[0].count("|") + 1
    text = "\n".join(
        f"| {each} |" for each in (lines[0], " | ".join(["---"] * columns), *lines[1:])
    )
    [table] = tables_of(make_evidence(make_passage(text, kinds=[BlockKind.TABLE])))
    totals = totals_of(table)
    assert [row for row in table.rows if row in totals.own or row in totals.sums] == [*table.rows]
    assert len(totals.own) + len(totals.sums) == len(table.rows)
    return [each.cells[0].text for each in totals.sums], [
        each.cells[0].text for each in totals.unclear
    ]


COST, WITH_MEAN = "Site | Cost", "Site | Cost | Mean"


@pytest.mark.parametrize(
    ("lines", "sums"),
    [
        pytest.param(
            (COST, "A | 127", "B | 80", "C | 90", "Fleet | 297"), ["Fleet"], id="the last"
        ),
        pytest.param((COST, "A | 1", "B | 2", "Total | 3"), ["Total"], id="by its name"),
        pytest.param((COST, "A | 1", "Summe | 1"), ["Summe"], id="of one row"),
        pytest.param((COST, "A | 1", "B | 2", "| 3"), [""], id="without a name"),
        pytest.param((COST, "A | 1", "B | 2", "**Both** | **3**"), ["Both"], id="in bold"),
        pytest.param(
            (WITH_MEAN, "A | 127 | 4", "B | 80 | 5", "Total | 207 | 4.5"),
            ["Total"],
            id="and a mean",
        ),
        pytest.param(
            ("Site | Cost | Staff", "A | 12 | 4", "B | 9 | 5", "All | 21 | 9"),
            ["All"],
            id="in every column",
        ),
        pytest.param(
            ("Site | Cost | Staff", "A | 127 |", "B | 80 | 5", "C | | 9", "All | 207 | 14"),
            ["All"],
            id="beside gaps",
        ),
        pytest.param(
            (
                COST,
                "A | 125",
                "B | 80",
                "North | 205",
                "C | 50",
                "D | 73",
                "South | 123",
                "Both | 328",
            ),
            ["North", "South", "Both"],
            id="of groups",
        ),
        pytest.param(
            (WITH_MEAN, "A | 127 | 1", "B | 80 | 2", "North total | 207 | 1.5", "C | 50 | 4"),
            ["North total"],
            id="of one group, by a word of its name",
        ),
        pytest.param(
            (COST, "A | 1270.15", "B | 80.20", "AB | 1350.35", "C | 9.00"), ["AB"], id="exact"
        ),
    ],
)
def test_a_row_of_totals_is_told(lines: Sequence[str], sums: Sequence[str]) -> None:
    assert told(*lines) == (sums, [])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            (
                "Part | Days | Price",
                "A | 3 | 1.50",
                "B | 3 | 9",
                "C | 15 | 2",
                "D | 21 | 72",
                "E | 4 | 3",
            ),
            id="one column of several",
        ),
        pytest.param((COST, "A | 125", "B | 80", "C | 205", "D | 50"), id="one amid the rows"),
        pytest.param((COST, "A | 1", "B | 2", "C | 3", "D | 6", "E | 5"), id="small numbers"),
        pytest.param(
            ("Site | Cost | Mean", "A | 10 | 4", "B | 20 | 5", "C | 30 | 7"), id="small, last"
        ),
        pytest.param((COST, "A | 0", "B | 0", "C | 0"), id="nothing at all"),
        pytest.param(
            (
                "Operation | Price | Nights",
                "Spaying | 375 | 1",
                "Cleaning | 205 | 0",
                "Extraction | 85 | 0",
                "Skin | 190 | 0",
                "Birth | 640 | 2",
                "Ligament | 1480 | 3",
            ),
            id="few of many numbers",
        ),
        pytest.param((COST, "Total | 100"), id="a name alone"),
        pytest.param(("Eclipse | Seconds", "total | 120", "total | 90", "total | 77"), id="a kind"),
        pytest.param(
            (COST, "Paris | 30", "| 12", "| 18", "| 30", "Rome | 4"), id="names in some rows"
        ),
    ],
)
def test_a_row_of_data_is_not_left_out(lines: Sequence[str]) -> None:
    assert told(*lines) == ([], [])


@pytest.mark.parametrize(
    ("lines", "unclear"),
    [
        pytest.param((COST, "A | 10", "B | 20", "C | 30"), "C", id="few digits in the only column"),
        pytest.param((WITH_MEAN, "A | 127 | 4", "B | 80 | 5", "C | 207 | 4"), "C", id="one of two"),
        pytest.param((COST, "A | 127", "B | 80", "Total | 208"), "Total", id="a rounded total"),
        pytest.param((COST, "Total | 207", "A | 127", "B | 80"), "Total", id="a total at the top"),
    ],
)
def test_a_row_that_may_be_a_sum_is_named(lines: Sequence[str], unclear: str) -> None:
    assert told(*lines) == ([], [unclear])


NUMBERS = st.lists(st.integers(1, 40), min_size=2, max_size=12)


@given(NUMBERS)
def test_one_number_of_several_never_leaves_a_row_out(numbers: list[int]) -> None:
    # The second column is never the sum of what is above it.
    lines = [f"row {'x' * (at + 1)} | {number} | 7" for at, number in enumerate(numbers)]
    assert told("Name | Days | Price", *lines)[0] == []


@given(NUMBERS, st.sampled_from(["Total", "Gesamtsumme", "合计", "Fleet"]))
def test_the_sum_of_all_rows_is_left_out_and_no_other(numbers: list[int], name: str) -> None:
    lines = [f"row {'x' * (at + 1)} | {number} | 7" for at, number in enumerate(numbers)]
    total = f"{name} | {sum(numbers)} | {7 * len(numbers)}"
    assert told("Name | Days | Price", *lines, total) == ([name], [])


def test_a_model_is_shown_the_first_cells_of_a_column_that_differ() -> None:
    [table] = tables_of(
        make_evidence(
            make_passage(
                """| itemNo | In_stock | Aisle |
|---|---|---|
| A-1 | yes | |
| A-2 | yes | |
| A-3 | no | 4 |
| A-4 | unknown | 5 |""",
                kinds=[BlockKind.TABLE],
            )
        )
    )
    shown = [(each.title, each.cells) for each in table.titled_columns()]
    assert shown == [
        ("item No", ("A-1", "A-2")),
        ("In stock", ("yes", "no")),
        ("Aisle", ("4", "5")),
    ]
    assert [each.title for each in table.titled_columns([2])] == ["item No", "Aisle"]
