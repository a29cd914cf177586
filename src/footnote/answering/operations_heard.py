"""Which words of a question ask for an operation over a column, by asking without each of them."""

from __future__ import annotations

from collections.abc import Iterator, Set

from footnote.answering.choosing import Located
from footnote.answering.tables import is_cell
from footnote.answering.titles import Terms
from footnote.ports import Operation, Reader

OF_SEVERAL = frozenset((Operation.SUM, Operation.AVERAGE, Operation.OTHER))
"""What no single row answers."""
NOT_MADE = (
    "of a column its largest, smallest, sum, average and count are computed, and something else is "
    "asked"
)
OF_WHICH_ROWS = "the question does not say plainly which rows it is of"


async def is_all_asked(
    reader: Reader, question: str, operation: Operation, unexplained: str | None
) -> bool:
    """Whether the one further word of a question says which operation it asks for.

    Raises ModelUnavailable.
    """
    rest = " ".join(each for each in question.split() if each != unexplained)
    return unexplained is None or await reader.operation(rest) is not operation


async def asks_for_more(
    reader: Reader, question: str, heard: Set[Operation], found: Located, terms: Terms
) -> bool:
    """Whether one row is no answer, since a sum, say, or an average of several is asked for.

    It is one where the row or its columns bear a word that asks for it, such as the total of an
    invoice. Raises ModelUnavailable.
    """
    if len(heard) != 1 or not heard <= OF_SEVERAL or not is_cell(found):
        return False
    said = {*terms(found.candidate.statement), *terms(" ".join(found.candidate.header))}
    for word, rest in _without_each_word(question):
        if said.intersection(terms(word)) and await reader.operation(rest) not in heard:
            return False
    return True


def _without_each_word(question: str) -> Iterator[tuple[str, str]]:
    words = question.split()
    for place, word in enumerate(words):
        yield word, " ".join((*words[:place], *words[place + 1 :]))
