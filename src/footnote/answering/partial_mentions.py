"""Detect question words that may restrict the rows in a way that is not understood."""

from __future__ import annotations

import re

from footnote.answering.column_predictions import EXTREMES
from footnote.answering.schema_linking import LinkedQuestion
from footnote.language.negators import NEGATION_WORDS
from footnote.ports import Operation

_JOINING = frozenset("tn")
_WORD = re.compile(r"\w+")
_FEWEST_LETTERS, _MAX_OF_ENDING = 5, 3
"""Minimum letters of a cell that a compound begins with, and maximum letters of an inflection."""


def unsupported_reason(linked: LinkedQuestion, operation: Operation) -> str | None:
    """The reason why the rows cannot be determined, whatever the question mentions; None
    without."""
    if (word := _negation_word(linked)) is not None:
        return f"what the question leaves out by {word!r} is not told"
    # "Of all quarters together" also mentions such a title.
    if operation in EXTREMES and (title := _repeated_category_title(linked)) is not None:
        return f"each {title!r} has several rows, which are not put together"
    return None


def partial_mention_reason(linked: LinkedQuestion, operation: Operation) -> str | None:
    """The reason why a part of a cell value in the question may restrict the rows; None without."""
    if (prefix := _compound_prefix(linked)) is not None:
        return f"a word of the question begins with {prefix!r}, which only some rows say"
    # Maxima and minima are expressed by many words: "le plus haut".
    if operation not in EXTREMES and (match := _partial_match(linked)) is not None:
        return f"{match[0]!r} may mean {match[1]!r}, which only some rows say"
    return None


def _negation_word(linked: LinkedQuestion) -> str | None:
    """A word of exclusion or negation in the question."""
    linked_terms = linked.all_terms(
        *linked.table.header, *(cell for cells in linked.matched_cells.values() for cell in cells)
    )
    words = _WORD.findall(linked.question.casefold())
    return next(
        (
            word
            for word in words
            # Only Latin letters connect words: "a-t-il".
            if word in NEGATION_WORDS - _JOINING and not linked.terms_of(word) & linked_terms
        ),
        None,
    )


def _repeated_category_title(linked: LinkedQuestion) -> str | None:
    """The mentioned title of a column of words, each of which is in several rows.

    "Which technician earned most?" asks for a total per technician, not for a row or for all rows.
    """
    for column in linked.titles:
        cells = linked.table.column(column)
        is_text_column = (
            column > 0
            and column not in linked.orderable_columns
            and column not in linked.matched_cells
        )
        if is_text_column and len(set(cells)) < len(cells):
            return linked.table.header[column]
    return None


def _compound_prefix(linked: LinkedQuestion) -> str | None:
    """A cell of words that is the beginning of a longer word of the question, as in compounds."""
    words = linked.question.casefold().split()
    cells = {
        cell.casefold(): cell
        for column in range(len(linked.table.header))
        if column not in linked.orderable_columns
        for cell in linked.table.column(column)
        if len(cell) >= _FEWEST_LETTERS
    }
    return next(
        (
            cells[word[:end]]
            for word in words
            for end in range(_FEWEST_LETTERS, len(word) - _MAX_OF_ENDING)
            if word[:end] in cells
        ),
        None,
    )


def _partial_match(linked: LinkedQuestion) -> tuple[str, str] | None:
    """A question word that occurs in only one distinct cell value of a column, and that value.

    "The Festival" may mean the rows whose cell has more words. Words of the titles or of the
    document's name are ignored.
    """
    context_terms = linked.all_terms(*linked.table.header, *linked.context_titles)
    for word in linked.question.split():
        if not (word_terms := linked.terms_of(word)) or word_terms & context_terms:
            continue
        for column in range(len(linked.table.header)):
            if column in linked.orderable_columns:
                continue
            matching_cells = {
                cell for cell in linked.table.column(column) if word_terms <= linked.terms_of(cell)
            }
            if len(matching_cells) == 1 and len(set(linked.table.column(column))) > 1:
                return word.strip("?!.,"), matching_cells.pop()
    return None
