"""Detect question words that may restrict the rows in a way that is not understood."""

from __future__ import annotations

import re

from footnote.answering.column_predictions import EXTREMES
from footnote.answering.schema_linking import LinkedQuestion
from footnote.language.negators import NEGATION_WORDS
from footnote.ports import Operation

_JOINING = frozenset("tn")
_WORD = re.compile(r"\w+")
_FEWEST_LETTERS, _MOST_OF_ENDING = 5, 3
"""Of a cell that a compound may begin with, and of what may be an ending of the cell itself."""


def unsupported_reason(asked: LinkedQuestion, operation: Operation) -> str | None:
    """The reason why the rows cannot be determined, whatever the question mentions; None
    without."""
    if (word := _leaving_out(asked)) is not None:
        return f"what the question leaves out by {word!r} is not told"
    # "Of all quarters together" says such a title, too.
    if operation in EXTREMES and (title := _divided_by(asked)) is not None:
        return f"each {title!r} has several rows, which are not put together"
    return None


def partial_mention_reason(asked: LinkedQuestion, operation: Operation) -> str | None:
    """The reason why a part of a cell value in the question may restrict the rows; None without."""
    if (beginning := _beginning_a_word(asked)) is not None:
        return f"a word of the question begins with {beginning!r}, which only some rows say"
    # An end of a column is said with words of all kinds: "le plus haut".
    if operation not in EXTREMES and (part := _said_in_part(asked)) is not None:
        return f"{part[0]!r} may mean {part[1]!r}, which only some rows say"
    return None


def _leaving_out(asked: LinkedQuestion) -> str | None:
    """A word by which the question leaves something out or denies it."""
    known = asked.all_terms(
        *asked.table.header, *(e for g in asked.matched_cells.values() for e in g)
    )
    words = _WORD.findall(asked.question.casefold())
    return next(
        (
            each
            for each in words
            # Latin letters alone join words: "a-t-il".
            if each in NEGATION_WORDS - _JOINING and not asked.terms_of(each) & known
        ),
        None,
    )


def _divided_by(asked: LinkedQuestion) -> str | None:
    """The title of a column of words that the question says, each of several rows.

    "Which technician earned most?" asks neither for a row nor for all of them together.
    """
    for at in asked.titles:
        cells = asked.table.column(at)
        is_of_words = at > 0 and at not in asked.orderable_columns and at not in asked.matched_cells
        if is_of_words and len(set(cells)) < len(cells):
            return asked.table.header[at]
    return None


def _beginning_a_word(asked: LinkedQuestion) -> str | None:
    """A cell of words with which a longer word of the question begins, as compounds do."""
    words = asked.question.casefold().split()
    cells = {
        each.casefold(): each
        for at in range(len(asked.table.header))
        if at not in asked.orderable_columns
        for each in asked.table.column(at)
        if len(each) >= _FEWEST_LETTERS
    }
    return next(
        (
            cells[word[:end]]
            for word in words
            for end in range(_FEWEST_LETTERS, len(word) - _MOST_OF_ENDING)
            if word[:end] in cells
        ),
        None,
    )


def _said_in_part(asked: LinkedQuestion) -> tuple[str, str] | None:
    """A question word that occurs in only one distinct cell value of a column, and that value.

    "The Festival" may mean the rows whose cell has more words. Words of the titles or of the
    document's name are ignored.
    """
    known = asked.all_terms(*asked.table.header, *asked.context_titles)
    for word in asked.question.split():
        if not (own := asked.terms_of(word)) or own & known:
            continue
        for at in range(len(asked.table.header)):
            if at in asked.orderable_columns:
                continue
            cells = {each for each in asked.table.column(at) if own <= asked.terms_of(each)}
            if len(cells) == 1 and len(set(asked.table.column(at))) > 1:
                return word.strip("?!.,"), cells.pop()
    return None
