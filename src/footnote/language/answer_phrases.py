"""The fixed phrases of answers, beside quotes and computed values, in one language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPhrases:
    """The phrases of one language; names in braces are placeholders.

    Counts stand where no word must agree with them: "wiersze: 5" has one form for all numbers.
    `{over}` describes the rows that a value is computed from, with their restrictions, joined by
    `comma`.
    """

    not_found: str
    sum: str
    average: str
    count: str
    of_column: str
    """One of the three above, as `{what}`, for a column with a title."""
    untitled: str
    """The label of what is counted in a column without a title."""
    count_of_different: str
    """The whole statement of a count of distinct values, where some values repeat."""
    largest: str
    smallest: str
    latest: str
    earliest: str
    in_all: str
    """The note of a value that two or more rows share."""
    one_row: str
    rows: str
    all_rows: str
    without_total: str
    without_named_total: str
    without_totals: str
    """For two or more rows of totals."""
    and_more: str
    """The end of a shortened list of names."""
    equal: str
    """The note that the first two of the compared rows are equal."""
    comma: str = ", "
    value: str = "{what}: {number} ({over})"
    noted: str = "{found} ({note})"
    """A value from a table, with a note on the rows that it is from."""

    def of_title(self, label: str, title: str) -> str:
        """Return the label of a sum, average or count, with the column's title if it has one."""
        return self.of_column.format(what=label, title=title) if title else label

    def rows_of(self, count: int) -> str:
        """Return a number of rows in words."""
        return self.one_row if count == 1 else self.rows.format(count=count)

    def listed(self, names: Sequence[str], limit: int) -> str:
        """Join the first `limit` names, followed by how many more there are."""
        suffix = self.and_more.format(count=len(names) - limit) if len(names) > limit else ""
        return "; ".join(names[:limit]) + suffix

    def joined(self, *parts: str) -> str:
        """Join the parts that are not empty."""
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
"""The phrases for languages that have none of their own."""
