"""Find the words that trigger the predicted operation, by removing one word at a time."""

from __future__ import annotations

from collections.abc import Iterator, Set

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.tables import is_cell
from footnote.answering.titles import Terms
from footnote.ports import Operation, Reader

MULTI_ROW_OPERATIONS = frozenset((Operation.SUM, Operation.AVERAGE, Operation.OTHER))
"""Operations whose result no single row contains."""
UNSUPPORTED_OPERATION = (
    "of a column its largest, smallest, sum, average and count are computed, and something else is "
    "asked"
)
ROWS_AMBIGUOUS = "the question does not say plainly which rows it is of"


async def word_triggers_aggregation(
    reader: Reader, question: str, operation: Operation, unlinked_word: str | None
) -> bool:
    """Whether the unexplained word is what triggers the operation; True without such a word.

    Raises ModelUnavailable.
    """
    remaining = " ".join(word for word in question.split() if word != unlinked_word)
    return unlinked_word is None or await reader.operation(remaining) is not operation


async def needs_several_rows(
    reader: Reader, question: str, operations: Set[Operation], answer: LocatedAnswer, terms: Terms
) -> bool:
    """Whether a sum or average over several rows is asked, so that one cell does not answer.

    False if the row or its columns contain the triggering word, such as the total of an invoice.
    Raises ModelUnavailable.
    """
    if len(operations) != 1 or not operations <= MULTI_ROW_OPERATIONS or not is_cell(answer):
        return False
    row_terms = {*terms(answer.candidate.statement), *terms(" ".join(answer.candidate.header))}
    for word, remaining in _without_each_word(question):
        if (
            row_terms.intersection(terms(word))
            and await reader.operation(remaining) not in operations
        ):
            return False
    return True


def _without_each_word(question: str) -> Iterator[tuple[str, str]]:
    words = question.split()
    for index, word in enumerate(words):
        yield word, " ".join((*words[:index], *words[index + 1 :]))
