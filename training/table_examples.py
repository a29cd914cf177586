"""What is fitted to so that what a question asks of a table is told: the lines of `questions/` in several arrangements, questions over columns without a table, and ordinary ones of the reading sets.

`table_questions.py` fits to it, `question_check.py` judges on what is kept apart.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from operation_questions import operation_questions
from question_examples import PER_SOURCE, SOURCES, mark, small
from question_lines import is_kept_apart
from table_lines import OverTable, over_tables

from footnote.models.question_tokens import CharSpan, EncodedTurns, encode_turns
from footnote.models.table_questions import (
    BOUNDS,
    EXTREMES,
    MAX_CELLS,
    OPERATIONS,
    RANGES,
    encode_table_question,
)
from footnote.models.tokenizing import UnigramPieces
from footnote.ports import TitledColumn

OF_REPORTS = 0.4
"""How often questions about reports are drawn beside written ones."""
OTHER_TABLES, STEM = 60, 4
"""Tables among which one of other things is looked for, and first letters of a word that tell it."""
BARE = 0.2
"""Share of the arrangements of a table that are shown without cells."""
ANY_ROW = (
    "name",
    "Name",
    "id",
    "no.",
    "Nr.",
    "item",
    "title",
    "Bezeichnung",
    "nom",
    "nombre",
    "nome",
    "名称",
    "название",
    "",
)
"""Titles that do not say what the rows are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableExample:
    """What is run, and what is wanted of it."""

    talk: EncodedTurns
    group: str
    """`titles`, `cells`, `ranges` and `bounds` beside a table; `operating`, `plain` and `ordinary` without one."""
    apart: bool
    operation: int
    """What it asks of a column, number among `OPERATIONS`; -1 where that is not judged."""
    places: tuple[CharSpan, ...] = ()
    """Of a table's columns."""
    wanted: int = -1
    """The number of the column that is meant behind the first, after the last one for none."""
    narrowing: npt.NDArray[np.int64] | None = None
    """Of each token, number among `MARKS`: whether it says which rows are meant; None where that is not known."""
    range: int = -1
    """Which rows are meant by those that it names, number among `RANGES`; -1 where that is not judged."""
    bound: int = -1
    """To which the rows keep that are meant, number among `BOUNDS`; -1 where that is not judged."""
    bounded: int = -1
    """The number of the column that it is about, after the last one for none; -1 where that is not judged."""
    extreme: int = -1
    """Which end of the column that is meant, number among `EXTREMES`; -1 for neither."""
    weight: float = 1.0
    """How often it is drawn beside others of its group."""


def table_examples(data: Path, tokenizer: UnigramPieces, draw: random.Random) -> list[TableExample]:
    """Everything that is fitted to or judged."""
    tables = over_tables()
    fitted = [each for each in tables if not is_kept_apart(each.line)]
    found = [
        example
        for table in tables
        for example in _beside(table, draw.sample(fitted, OTHER_TABLES), tokenizer, draw)
    ]
    asked = operation_questions(data, draw)
    counts = Counter(each.operation for each in asked if not each.apart)
    for each in asked:
        # What is rare is drawn more often than it is there.
        weight = counts[each.operation] ** -0.5 * (OF_REPORTS if each.kind == "reports" else 1)
        group = "plain" if each.operation == "none" else "operating"
        talk = encode_turns(tokenizer, each.text)
        found.append(TableExample(talk=talk, group=group, apart=each.apart, operation=OPERATIONS.index(each.operation), weight=weight))  # fmt: skip
    for number, path in enumerate(sorted((data / "reading").glob("*.jsonl.gz"))):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line)["questions"] for line in lines]
        rows = [each for each in rows if each]
        for own in draw.sample(rows, min(PER_SOURCE, len(rows))):
            talk = encode_turns(tokenizer, draw.choice(own)["question"].strip())
            found.append(TableExample(talk=talk, group="ordinary", apart=number % SOURCES == 0, operation=0))  # fmt: skip
    return found


def _beside(
    table: OverTable, others: Sequence[OverTable], tokenizer: UnigramPieces, draw: random.Random
) -> list[TableExample]:
    """A line as it was written where it is kept apart, otherwise in several arrangements, and beside tables of other things."""
    apart = is_kept_apart(table.line)
    beside = other_rows(table, others)
    found = []
    for each in [table, *beside] if apart else [*arrangements(table, draw), *beside]:
        talk, places = encode_table_question(tokenizer, each.question, each.columns)
        narrowing = None
        if each not in beside:
            narrowing = np.full(len(talk.ids), -1)
            mark(narrowing, talk.question, each.narrowing)
        # A cell that its table lost may be counted there: "How many work in the lab?"
        is_told = each not in beside and (
            each.operation != "none" or (each.column is None) == (table.column is None)
        )
        ends = [end.value for end in EXTREMES]
        has_end = each.column is not None and each.operation in ends
        found.append(
            TableExample(
                talk=talk,
                group="bounds"
                if table.is_over_bounds
                else "ranges"
                if table.is_over_ranges
                else "cells"
                if table.has_cells
                else "titles",
                apart=apart,
                operation=OPERATIONS.index(each.operation) if is_told else -1,
                places=tuple(places),
                wanted=len(places) - 1 if each.column is None else each.column,
                narrowing=narrowing,
                range=-1 if each in beside or each.range is None else RANGES.index(each.range),
                bound=-1 if each in beside or each.bound is None else BOUNDS.index(each.bound),
                bounded=-1
                if each.bound in (None, "none")
                else len(places)
                if each.bounded is None
                else each.bounded,
                extreme=ends.index(each.operation) if has_end else -1,
            )
        )
    return found


def arrangements(table: OverTable, draw: random.Random) -> list[OverTable]:
    """The question beside its columns in other orders, with other cells or without, carelessly, and without the column that is meant."""
    row, *others = table.columns
    unnamed = replace(row, title=draw.choice(ANY_ROW))
    found = [table, replace(table, question=small(table.question), columns=(unnamed, *others))]
    for _ in range(3):
        order = draw.sample(range(len(others)), len(others))
        order = order[: draw.randint(max(1, len(order) - 2), len(order))]
        column = order.index(table.column) if table.column in order else None
        kept = [0, *(at + 1 for at in order)]
        bounded = kept.index(table.bounded) if table.bounded in kept else None
        columns = tuple(table.columns[at] for at in kept)
        found.append(replace(table, columns=columns, column=column, bounded=bounded))
    if table.column is not None and len(others) > 1:
        found.append(_without(table, table.column))
    if not table.has_cells:
        return found
    return [replace(each, columns=_with_cells(each.columns, draw)) for each in found]


def _without(table: OverTable, column: int) -> OverTable:
    """The question beside the other columns."""
    kept = [at for at in range(len(table.columns)) if at != column + 1]
    bounded = kept.index(table.bounded) if table.bounded in kept else None
    return replace(
        table, columns=tuple(table.columns[at] for at in kept), column=None, bounded=bounded
    )


def _with_cells(columns: Sequence[TitledColumn], draw: random.Random) -> tuple[TitledColumn, ...]:
    """The columns with the cells of some rows, or without any."""
    if draw.random() < BARE:
        # Without either nothing would tell a column.
        return tuple(replace(each, cells=()) if each.title else each for each in columns)
    rows = draw.sample(range(len(columns[0].cells)), draw.randint(1, MAX_CELLS))
    return tuple(
        replace(each, cells=tuple(dict.fromkeys(each.cells[at] for at in rows if each.cells[at])))
        for each in columns
    )


def other_rows(table: OverTable, others: Sequence[OverTable]) -> list[OverTable]:
    """The question, where it says what its rows are, beside a table of other things: one with a like title, if there is one."""
    own = table.row.casefold()[:STEM]
    if len(own) < STEM or own not in table.question.casefold():
        return []
    words = set() if table.column is None else set(table.titles[table.column].casefold().split())
    unlike = [each for each in others if own not in each.row.casefold()]
    near = max(unlike, key=lambda each: len(words & set(" ".join(each.titles).casefold().split())))
    return [
        replace(table, columns=each.columns, column=None, bounded=None)
        for each in (near, unlike[0])
    ]
