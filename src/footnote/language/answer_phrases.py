"""What an answer says beside what it quotes and computes: the phrases of one language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPhrases:
    """What stands in braces is filled in.

    Counts stand where no word has to agree with them: "wiersze: 5" has one form for all numbers.
    `{over}` are the rows of which something is said, with what narrows them, joined by `comma`.
    """

    not_found: str
    sum: str
    average: str
    count: str
    of_column: str
    """One of these, `{what}`, of a column with a title."""
    untitled: str
    """What is counted in a column without a title."""
    count_of_different: str
    """A whole statement, of a column that has some values several times."""
    largest: str
    smallest: str
    latest: str
    earliest: str
    in_all: str
    """Of what two rows or more have alike."""
    one_row: str
    rows: str
    all_rows: str
    without_total: str
    without_named_total: str
    without_totals: str
    """Of two rows or more."""
    and_more: str
    """Behind names that are said."""
    equal: str
    """Of the first two of rows that are compared."""
    comma: str = ", "
    value: str = "{what}: {number} ({over})"
    noted: str = "{found} ({note})"
    """What stands in a table, with which rows it is of."""

    def of_title(self, what: str, title: str) -> str:
        """A sum, an average or a count, of a column that may have no title."""
        return self.of_column.format(what=what, title=title) if title else what

    def rows_of(self, count: int) -> str:
        """How many rows something is of."""
        return self.one_row if count == 1 else self.rows.format(count=count)

    def listed(self, names: Sequence[str], most: int) -> str:
        """The first of these names, at most so many, and how many more there are."""
        more = self.and_more.format(count=len(names) - most) if len(names) > most else ""
        return "; ".join(names[:most]) + more

    def joined(self, *parts: str) -> str:
        """Those of the parts that are not empty."""
        return self.comma.join(filter(None, parts))


ENGLISH = AnswerPhrases(
    not_found="I could not find this in your documents.",
    sum="Sum",
    average="Average",
    count="Count",
    of_column="{what} of {title}",
    untitled="rows",
    count_of_different="Count of {title}: {number} different ({over})",
    largest="largest of {over}",
    smallest="smallest of {over}",
    latest="latest of {over}",
    earliest="earliest of {over}",
    in_all="in all of {over}",
    one_row="1 row",
    rows="{count} rows",
    all_rows="all rows of the table",
    without_total="without the row of totals",
    without_named_total="without the row of totals “{name}”",
    without_totals="without {count} rows of totals",
    and_more=" and {count} more",
    equal="equal",
)
"""Of questions in all languages that have no phrases of their own."""
