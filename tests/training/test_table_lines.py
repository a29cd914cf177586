"""Lines of questions over tables say which column is meant, and wrong ones are named."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from footnote.models.table_questions import MOST_CELLS, OPERATIONS

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
                assert len(column.cells) <= MOST_CELLS or not column.title
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
