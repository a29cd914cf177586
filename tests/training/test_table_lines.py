"""Lines of questions over tables say which column is meant, and wrong ones are named."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from footnote.models.table_questions import MAX_CELLS, OPERATIONS

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

import question_lines
import table_examples
import table_lines

SPOONS = {
    "language": "en",
    "columns": [["Item", "Ladle", "Whisk", "Pot"], ["RRP", "14", "8", "62"], ["", "a", "b", "c"]],
    "questions": [["What is [the ladle] sold for?", "RRP", "none"], ["How many?", None, "count"]],
}


@pytest.mark.parametrize(
    ("fields", "narrowing"),
    [({}, []), ({"marked": "Which [oak] bed [of Jo] is dearest?"}, ["oak", "of Jo"])],
)
def test_a_line_says_which_rows_are_meant(
    tmp_path: Path, fields: dict[str, str], narrowing: list[str]
) -> None:
    line = {"question": "Which oak bed of Jo is dearest?", "row": "bed", "titles": ["EUR", "kg"]}
    line |= {"column": "EUR", "operation": "largest", "language": "en", **fields}
    (tmp_path / "columns-x.jsonl").write_text(json.dumps(line), encoding="utf-8")
    [found] = table_lines.over_tables(tmp_path)
    assert [found.question[start:end] for start, end in found.narrowing] == narrowing
    assert (found.column, found.titles) == (0, ("EUR", "kg"))


@pytest.mark.parametrize(
    "fields", [{"marked": "Which [elm] bed is it?"}, {"titles": ["kg"]}, {"titles": []}]
)
def test_a_line_about_another_table_is_named(tmp_path: Path, fields: dict[str, object]) -> None:
    line: dict[str, object] = {"question": "Which bed is dearest?", "row": "bed"}
    line |= {"titles": ["EUR"], "column": "EUR", "operation": "largest", "language": "en"}
    line |= fields
    (tmp_path / "columns-x.jsonl").write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(ValueError, match=r"columns-x.jsonl, line 1: "):
        table_lines.over_tables(tmp_path)


def test_which_rows_are_meant_by_their_first_and_last_is_told(tmp_path: Path) -> None:
    months = [["Month", "May", "June", "July"], ["Guests", "4", "5", "6"]]
    asked = [
        ["How many came from [May] to [July]?", "Guests", "sum", "between"],
        ["How many came in [May] and [July]?", "Guests", "sum", "none"],
        ["How many came in [May]?", "Guests", "none"],
        ["How many came in spring?", "Guests", "sum"],
    ]
    line = {"language": "en", "columns": months, "questions": asked}
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(line), encoding="utf-8")
    told = [(each.range, each.is_over_ranges) for each in table_lines.over_tables(tmp_path)]
    assert told == [("between", True), ("none", True), ("none", False), (None, False)]
    line["questions"] = [[*asked[0][:3], "around"]]
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(ValueError, match=r"tables-x.jsonl, line 1: "):
        table_lines.over_tables(tmp_path)


VANS = {
    "language": "en",
    "columns": [["Day", "1 May", "2 May", "3 May"], ["Jobs", "4", "5", "6"], ["£", "9", "8", "7"]],
    "questions": [
        ["How many days had over {4} jobs?", None, "count", "more", "Jobs"],
        ["jobs from {1 May} to {2 May}", "Jobs", "sum", "between", "Day"],
        ["Which days took more than {3} hours?", None, "none", "more", None],
        ["takings on [1 May]", "£", "none", "none", "none", None],
        ["How many jobs on [1 May]?", "Jobs", "none"],
        ["How many jobs in 2 days?", "Jobs", "sum"],
    ],
}


def test_to_which_bound_the_rows_keep_is_told(tmp_path: Path) -> None:
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(VANS), encoding="utf-8")
    found = table_lines.over_tables(tmp_path)
    assert [(each.bound, each.bounded, each.range) for each in found] == [
        ("more", 1, "none"),
        ("between", 0, None),
        ("more", None, "none"),
        ("none", None, "none"),
        ("none", None, "none"),
        (None, None, None),
    ]
    assert [each.is_over_bounds for each in found] == [True] * 4 + [False] * 2
    assert not any(mark in each.question for each in found for mark in "[]{}")


@pytest.mark.parametrize(
    "told", [("above", "Jobs"), ("more", "Hours"), ("none", "Jobs"), ("around", "more", "Jobs")]
)
def test_a_bound_over_another_table_is_named(tmp_path: Path, told: Sequence[str]) -> None:
    line = VANS | {"questions": [["How many days had over {4} jobs?", None, "count", *told]]}
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(ValueError, match=r"tables-x.jsonl, line 1: "):
        table_lines.over_tables(tmp_path)


def test_a_bound_stays_with_its_column_however_the_table_is_arranged(tmp_path: Path) -> None:
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(VANS), encoding="utf-8")
    draw = random.Random(0)
    for table in table_lines.over_tables(tmp_path)[:2]:
        assert table.bounded is not None
        title, kept = table.columns[table.bounded].title, set()
        for _ in range(20):
            for each in table_examples.arrangements(table, draw):
                own = [one.title for one in each.columns]
                # The first loses its title in one of them, and not its place.
                told = None if each.bounded is None else each.columns[each.bounded].title
                assert each.bounded == 0 or told == (title if title in own else None)
                kept.add(each.bounded is None)
        assert kept == ({True, False} if title == "Jobs" else {False})


def test_a_table_has_cells_and_several_questions(tmp_path: Path) -> None:
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(SPOONS), encoding="utf-8")
    sold, many = table_lines.over_tables(tmp_path)
    assert (sold.question, sold.column, sold.operation) == (
        "What is the ladle sold for?",
        0,
        "none",
    )
    assert [sold.question[start:end] for start, end in sold.narrowing] == ["the ladle"]
    assert (sold.row, sold.columns[1].cells) == ("Item", ("14", "8", "62"))
    assert (many.column, many.operation, sold.line) == (None, "count", many.line)


@pytest.mark.parametrize(
    "changed",
    [
        {"questions": [["What is it?", "Price", "none"]]},
        {"questions": [["What is it?", "RRP"]]},
        {"columns": [["Item", "Ladle"]]},
    ],
)
def test_a_table_without_such_a_column_is_named(tmp_path: Path, changed: dict[str, object]) -> None:
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(SPOONS | changed), encoding="utf-8")
    with pytest.raises(ValueError, match=r"tables-x.jsonl, line 1: "):
        table_lines.over_tables(tmp_path)


def test_a_table_is_arranged_so_that_each_column_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "tables-x.jsonl").write_text(json.dumps(SPOONS), encoding="utf-8")
    [sold, _] = table_lines.over_tables(tmp_path)
    draw = random.Random(0)
    seen = set()
    for _ in range(20):
        for each in table_examples.arrangements(sold, draw):
            told = None if each.column is None else each.titles[each.column]
            assert told == ("RRP" if "RRP" in each.titles else None)
            for column in each.columns[1:]:
                assert column.title or column.cells
                assert len(column.cells) <= MAX_CELLS or not column.title
            seen.add((each.column, bool(each.columns[1].cells)))
    assert {column for column, _ in seen} == {None, 0, 1}
    assert {has_cells for _, has_cells in seen} == {True, False}


def test_what_was_written_is_as_described() -> None:
    tables = table_lines.over_tables()
    assert all(each.column is None or each.column < len(each.titles) for each in tables)
    assert {each.operation for each in tables} == set(OPERATIONS)
    assert {each.has_cells for each in tables} == {True, False}
    lines = {each.line for each in tables}
    assert 0.1 < sum(map(question_lines.is_kept_apart, lines)) / len(lines) < 0.2
