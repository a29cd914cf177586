"""The supports of all statements become one decision: do these documents answer the question?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.coefficients import ANSWERABILITY, Trust, probability
from footnote.answering.ground import Reading, Weighed
from footnote.answering.question import Question, is_identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What speaks for and against the evidence as a whole.

    More signals were tried (margin over the next best, lead in similarity, rarest missing term,
    squares, products), and boosted trees over all of them: none ranked held-out questions better
    by as much as 0.01 of area under the curve in English.
    """

    support_log_odds: float
    """log(p / (1 − p)) of the best statement's support."""
    best_similarity: float
    """Highest cosine of any statement with the question, −1…1."""
    passage_coverage: float
    """Highest weighted share of the question's terms in one passage and its headings, 0…1."""
    unseen_names: float
    """Share of the proper names asked about that no evidence holds, 0…1."""
    attribute_coverage: float
    """Weighted share of the plain words asked about that the best statement's context holds."""
    lacks_person: float
    """1 when a person is asked for and the best statement names none."""
    lacks_date: float
    """1 when a date is asked for and the best statement holds none."""
    lacks_number: float
    """1 when an amount, a count or a duration is asked for and the best statement holds none."""
    lacks_attributes: float
    """1 when the best statement holds none of the plain words asked about."""
    lacks_identifier: bool
    """Whether an identifier is asked about that no evidence holds."""


OUTLOOK_NAMES: tuple[str, ...] = (
    "support_log_odds",
    "best_similarity",
    "passage_coverage",
    "unseen_names",
    "attribute_coverage",
    "lacks_person",
    "lacks_date",
    "lacks_number",
    "lacks_attributes",
)
"""The fields that the fitted model weighs."""

LACKING_IDENTIFIER_CEILING = 0.05
"""Answerability when an identifier asked about is nowhere: what is said of another one misleads."""

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


def look_out(question: Question, readings: Sequence[Reading], ranked: Sequence[Weighed]) -> Outlook:
    """The outlook over all readings, given the weighed ones, best first and at least one."""
    best = ranked[0]
    support = min(1 - 1e-9, max(1e-9, best.support))
    text = _text_of(readings)
    return Outlook(
        support_log_odds=math.log(support / (1 - support)),
        best_similarity=max(each.signals.similarity for each in ranked),
        passage_coverage=max(each.signals.passage_coverage for each in ranked),
        unseen_names=_share_missing(question.names, text),
        lacks_person=best.signals.lacks_person,
        lacks_date=best.signals.lacks_date,
        lacks_number=best.signals.lacks_number,
        lacks_attributes=best.signals.lacks_attributes,
        attribute_coverage=best.signals.attribute_coverage,
        lacks_identifier=_lacks_identifier(question.figures, text),
    )


def answerability(outlook: Outlook, trust: Trust) -> float:
    """How likely the evidence answers the question, 0…1."""
    chance = probability(
        ANSWERABILITY[trust], {name: float(getattr(outlook, name)) for name in OUTLOOK_NAMES}
    )
    return min(chance, LACKING_IDENTIFIER_CEILING) if outlook.lacks_identifier else chance


def _lacks_identifier(figures: Sequence[str], text: str) -> bool:
    wanted = [_NOT_ALPHANUMERIC.sub("", each) for each in figures if is_identifier(each)]
    if not wanted:
        return False
    held = _NOT_ALPHANUMERIC.sub("", text)
    return any(each not in held for each in wanted)


def _text_of(readings: Sequence[Reading]) -> str:
    """Case-folded text of all passages with their titles, file names and headings."""
    passages = {
        reading.candidate.evidence.passage.chunk_id: reading.candidate.evidence.passage
        for reading in readings
    }
    return "\n".join(
        "\n".join((each.document_title, each.filename, *each.heading_path, each.text))
        for each in passages.values()
    ).casefold()


def _share_missing(words: Sequence[str], text: str) -> float:
    return sum(word not in text for word in words) / len(words) if words else 0.0
