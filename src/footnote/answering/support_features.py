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
MAX_JUDGED_STATEMENTS = 2
"""Statements that the head is run on. With 1 fewer best statements are right; 3 give no gain."""
SUREST = 8.0
"""Log-odds are clipped to ± this value; larger ones carry no further information."""
JUDGED_CHARACTERS = 400
"""Most characters of a statement that the head reads. Few sentences are longer; for a page without
a full stop the words around the answer are as informative, and faster to read."""
_LEAST = 1e-6


async def decide(
    reader: Reader,
    question: str,
    answers: Sequence[LocatedAnswer],
    likeliness: Floats,
    cached_probabilities: dict[tuple[str, str], SupportProbabilities] | None = None,
) -> Floats:
    """A row of `SUPPORT_FEATURES` for each statement. Raises ModelUnavailable.

    `cached_probabilities` has the earlier results by claim and quote; new ones are added.
    """
    rows = np.zeros((len(answers), len(SUPPORT_FEATURES)))
    rows[:, 0] = likeliness
    indices = np.argsort(-likeliness, kind="stable")[:MAX_JUDGED_STATEMENTS]
    best_answers = [answers[int(index)] for index in indices]
    pairs = [
        (
            f"{question} {answer.answer}",
            f"{heading_of(answer.passage)}\n{_around_the_answer(answer)}".lstrip(),
        )
        for answer in best_answers
    ]
    cached_probabilities = {} if cached_probabilities is None else cached_probabilities
    unjudged = [pair for pair in dict.fromkeys(pairs) if pair not in cached_probabilities]
    if unjudged:
        judgements = await reader.judge(
            [claim for claim, _ in unjudged], [quote for _, quote in unjudged]
        )
        cached_probabilities.update(zip(unjudged, judgements, strict=True))
    for index, pair in zip(indices, pairs, strict=True):
        probabilities = cached_probabilities[pair]
        neither_log_probability = math.log(probabilities.neither + _LEAST)
        log_odds = [
            math.log(probability + _LEAST) - neither_log_probability
            for probability in (probabilities.supported, probabilities.contradicted)
        ]
        rows[index, 1:] = [1.0, *np.clip(log_odds, -SUREST, SUREST)]
    return rows


def _around_the_answer(answer: LocatedAnswer) -> str:
    """The statement, or the part around the answer if it is too long."""
    candidate = answer.candidate
    if len(candidate.statement) <= JUDGED_CHARACTERS or candidate.kind is BlockKind.TABLE:
        return candidate.statement
    middle = (answer.start + answer.end - JUDGED_CHARACTERS) // 2
    start = max(candidate.start, min(middle, candidate.end - JUDGED_CHARACTERS))
    return answer.passage.text[start : start + JUDGED_CHARACTERS]
