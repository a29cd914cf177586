"""Questions over tables, written by hand in `questions/`.

    python training/table_lines.py

checks the files and counts what is in them. In `columns-*.jsonl` a line has a `question`, the titles of a table's columns, that of its `row`s and the others,
`titles`, and the `column` that the question is about, mostly without naming it, or null where it is about none; where the question narrows the rows, as by the
name of one or of a group, it stands in `marked`, too, with these stretches in square brackets. In `tables-*.jsonl` a line is a table: its `columns`, each a title
and three cells, of which the first names the rows, and its `questions`, each with such brackets, the title that is meant or null, and what it asks of the column; some
also have whether the rows from one that it names to another are meant, or up to one (`footnote.ports.RowRange`), or `none`, and some to which bound the rows keep
that are meant (`footnote.ports.Bound`), or `none`, and the title of the column that it is about, or null; the values that set it stand in curly brackets.
One in `question_lines.HELD_OUT` questions, or tables, by their text, is in no fit.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from question_lines import FOLDER, bracketed, is_kept_apart

from footnote.models.question_tokens import CharSpan
from footnote.models.table_questions import BOUNDS, OPERATIONS, RANGES
from footnote.ports import TitledColumn

_NUMBER = re.compile(r"\d(?![^\[\]]*\])")
"""A digit outside square brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTable:
    """A question over a table."""

    question: str
    columns: tuple[TitledColumn, ...]
    """The first of which names the rows."""
    column: int | None
    """The number of the one that is meant, behind the first."""
    operation: str
    narrowing: tuple[CharSpan, ...]
    """What of the question says which of the rows are meant."""
    language: str
    line: str
    range: str | None = None
    """Which rows are meant by those that it names, of `RANGES`; None where that is not known."""
    is_over_ranges: bool = False
    """Whether it is one of those that were written for this."""
    bound: str | None = None
    """To which the rows keep that are meant, of `BOUNDS`; None where that is not known."""
    bounded: int | None = None
    """The number of the column that it is about, the first one 0; None for none of them."""
    is_over_bounds: bool = False
    """Whether it is one of those that were written for bounds, or looked through for them."""

    @property
    def row(self) -> str:
        """The title of what names the rows."""
        return self.columns[0].title

    @property
    def titles(self) -> tuple[str, ...]:
        """Of the columns behind the first."""
        return tuple(each.title for each in self.columns[1:])

    @property
    def has_cells(self) -> bool:
        """Whether it was written with some."""
        return any(each.cells for each in self.columns)


def over_tables(folder: Path = FOLDER) -> list[OverTable]:
    """The questions over tables of a folder, in the order of its files. Raises ValueError for a line that is not as described."""
    found: dict[tuple[str, ...], OverTable] = {}
    for pattern, questions in (("columns-*.jsonl", _of_question), ("tables-*.jsonl", _of_table)):
        for path in sorted(folder.glob(pattern)):
            for number, written in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                try:
                    own = list(questions(json.loads(written)))
                except (KeyError, TypeError, ValueError) as error:
                    raise ValueError(f"{path.name}, line {number}: {written}") from error
                for each in own:
                    found.setdefault((each.question, *each.titles), each)
    return list(found.values())


def _of_question(line: dict[str, Any]) -> Iterator[OverTable]:
    question = bracketed(line.get("marked", line["question"]))
    if question.text != line["question"]:
        raise ValueError(question.text)
    columns = tuple(TitledColumn(title=each) for each in (line["row"], *line["titles"]))
    yield OverTable(question=question.text, columns=columns, column=_number(columns, line["column"]), operation=line["operation"],
                    narrowing=tuple(question.stretches), language=line["language"], line=question.text)  # fmt: skip


def _of_table(line: dict[str, Any]) -> Iterator[OverTable]:
    columns = tuple(TitledColumn(title=title, cells=tuple(cells)) for title, *cells in line["columns"])  # fmt: skip
    for text, meant, operation, *written in line["questions"]:
        question = bracketed(text.replace("{", "").replace("}", ""))
        told = _range_and_bound(columns, text, operation, written)
        yield OverTable(question=question.text, columns=columns, column=_number(columns, meant), operation=operation,
                        narrowing=tuple(question.stretches), language=line["language"], line=json.dumps(line["columns"]), range=told.range,
                        is_over_ranges=len(written) == 1, bound=told.bound, bounded=told.bounded, is_over_bounds=len(written) > 1)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """Which rows a question means."""

    range: str | None
    bound: str | None
    bounded: int | None = None


def _range_and_bound(columns: Sequence[TitledColumn], text: str, operation: str, written: Sequence[str | None]) -> _Told:  # fmt: skip
    """What a line says of this: nothing, a range, a bound and its column, or all three. Raises ValueError for another one."""
    if len(written) < 2:
        known = written[0] if written else "none" if operation == "none" else None
        # Without a number that is no name no bound is set.
        told = _Told(range=known, bound=None if _NUMBER.search(text) else "none")
    else:
        *ranges, bound, title = written
        own = [each.title for each in columns]
        if title is not None and (own.count(title) != 1 or bound == "none"):
            raise ValueError(title)
        number = None if title is None else own.index(title)
        # Rows that are days may be meant by a range of their names as well.
        known = ranges[0] if ranges else None if number == 0 else "none"
        told = _Told(range=known, bound=bound, bounded=number)
    if told.range not in (None, *RANGES) or told.bound not in (None, *BOUNDS):
        raise ValueError(f"{told.range}, {told.bound}")
    return told


def _number(columns: tuple[TitledColumn, ...], title: str | None) -> int | None:
    """Of the column with this title. Raises ValueError where none or several have it."""
    titles = [each.title for each in columns[1:]]
    if not titles or (title is not None and titles.count(title) != 1):
        raise ValueError(title)
    return None if title is None else titles.index(title)


def main() -> None:
    tables = over_tables()
    over = Counter((each.language, each.column is not None) for each in tables)
    for (language, meant), number in sorted(over.items()):
        print(f"{language}: {number} questions about {'a' if meant else 'no'} column")
    for operation in OPERATIONS:
        print(f"{operation}: {sum(each.operation == operation for each in tables)}")
    for meant in RANGES:
        print(f"rows {meant}: {sum(each.range == meant for each in tables)}")
    for bound in BOUNDS:
        print(
            f"bound {bound}: {sum(each.is_over_bounds and each.bound == bound for each in tables)}"
        )
    apart = sum(is_kept_apart(each.line) for each in tables)
    shown = sum(each.has_cells for each in tables)
    print(f"{len(tables)} questions over tables, {shown} of them with cells, {apart} kept apart")


if __name__ == "__main__":
    main()
