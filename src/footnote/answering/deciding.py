"""Whether the likeliest statements decide the question, by the head that holds claims to quotes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footnote.answering.choosing import Located
from footnote.answering.observing import Floats, heading_of
from footnote.domain import BlockKind
from footnote.ports import Reader, SupportOdds

DECIDING = ("likeliness", "is_asked", "supported", "contradicted")
"""Of each statement: its utility by what was observed of it; whether the head was asked about it;
and the head's log-odds, against neither, that under its headings it supports the question with the
answer behind it, and that it contradicts that. An answer stands in its statement, so "supported"
comes easily; what could contradict it speaks of what was asked."""
ASKED = 2
"""Statements that the head is asked about. With the likeliest alone fewer of the best ones are
right, with three no more."""
SUREST = 8.0
"""Log-odds beyond which nothing more is learnt from how sure the head is."""
JUDGED_CHARACTERS = 400
"""Of a statement's text. Hardly a sentence is longer; of a page without a full stop the words
around the answer are as telling, and it would take as long as a page to read."""
_LEAST = 1e-6


async def decide(
    reader: Reader,
    question: str,
    found: Sequence[Located],
    likeliness: Floats,
    known: dict[tuple[str, str], SupportOdds] | None = None,
) -> Floats:
    """A row of `DECIDING` for each statement. Raises ModelUnavailable.

    `known` is what the head said before of claims and quotes; what it says now is added.
    """
    rows = np.zeros((len(found), len(DECIDING)))
    rows[:, 0] = likeliness
    places = np.argsort(-likeliness, kind="stable")[:ASKED]
    likeliest = [found[int(each)] for each in places]
    asked = [
        (
            f"{question} {each.answer}",
            f"{heading_of(each.passage)}\n{_around_the_answer(each)}".lstrip(),
        )
        for each in likeliest
    ]
    known = {} if known is None else known
    new = [each for each in dict.fromkeys(asked) if each not in known]
    if new:
        told = await reader.judge([claim for claim, _ in new], [quote for _, quote in new])
        known.update(zip(new, told, strict=True))
    for place, pair in zip(places, asked, strict=True):
        odds = known[pair]
        against = math.log(odds.neither + _LEAST)
        each = [math.log(one + _LEAST) - against for one in (odds.supported, odds.contradicted)]
        rows[place, 1:] = [1.0, *np.clip(each, -SUREST, SUREST)]
    return rows


def _around_the_answer(found: Located) -> str:
    """The statement; of one that is longer than any sentence the part around the answer."""
    one = found.candidate
    if len(one.statement) <= JUDGED_CHARACTERS or one.kind is BlockKind.TABLE:
        return one.statement
    middle = (found.start + found.end - JUDGED_CHARACTERS) // 2
    start = max(one.start, min(middle, one.end - JUDGED_CHARACTERS))
    return found.passage.text[start : start + JUDGED_CHARACTERS]
