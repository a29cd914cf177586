"""Compute features of the best statements with the claim-verification head."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from footnote.answering.answer_features import Floats, heading_of
from footnote.answering.answer_selection import LocatedAnswer
from footnote.domain import BlockKind
from footnote.ports import Reader, SupportProbabilities

SUPPORT_FEATURES = ("likeliness", "is_asked", "supported", "contradicted")
"""Features of a statement: its utility from `ANSWER_FEATURES`; 1 if the head was run on it, else
0; and the head's log-odds, each against "neither", that the statement under its headings supports,
and that it contradicts, the claim "question + answer". An answer is part of its statement, so
"supported" is often high; "contradicted" shows that the statement is about the subject of the
question."""
ASKED = 2
"""Statements that the head is run on. With 1 fewer best statements are right; 3 give no gain."""
SUREST = 8.0
"""Log-odds are clipped to ± this value; larger ones carry no further information."""
JUDGED_CHARACTERS = 400
"""Of a statement's text. Hardly a sentence is longer; of a page without a full stop the words
around the answer are as telling, and it would take as long as a page to read."""
_LEAST = 1e-6


async def decide(
    reader: Reader,
    question: str,
    found: Sequence[LocatedAnswer],
    likeliness: Floats,
    known: dict[tuple[str, str], SupportProbabilities] | None = None,
) -> Floats:
    """A row of `SUPPORT_FEATURES` for each statement. Raises ModelUnavailable.

    `known` is what the head said before of claims and quotes; what it says now is added.
    """
    rows = np.zeros((len(found), len(SUPPORT_FEATURES)))
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


def _around_the_answer(found: LocatedAnswer) -> str:
    """The statement; of one that is longer than any sentence the part around the answer."""
    one = found.candidate
    if len(one.statement) <= JUDGED_CHARACTERS or one.kind is BlockKind.TABLE:
        return one.statement
    middle = (found.start + found.end - JUDGED_CHARACTERS) // 2
    start = max(one.start, min(middle, one.end - JUDGED_CHARACTERS))
    return found.passage.text[start : start + JUDGED_CHARACTERS]
