"""The supports of all statements become one decision: do these documents answer the question?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from footnote.answering.coefficients import ANSWERABILITY, Trust, probability
from footnote.answering.ground import Weighed
from footnote.answering.question import Question
from footnote.answering.reading import Reading
from footnote.answering.sanitise import without_hidden
from footnote.language.identifiers import is_identifier


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
    unseen_attributes: float
    """Share of the plain words asked about that no evidence holds, in these or kindred words."""
    similarity_lead: float
    """How far the highest cosine stands above the middle one, 0…2."""
    lead_without_words: float
    """The same times the share of the question that the best statement's context lacks."""
    support_margin: float
    """How far the best statement's log-odds stand above the next one's; at most `WIDEST_MARGIN`."""
    meaning_coverage: float
    """The best statement's signal of this name; so are those that follow."""
    meaning_nearby: float
    meaning_in_context: float
    attribute_meaning: float
    passage_similarity: float
    newness: float
    is_label: float
    is_row: float
    fits_kind: float
    joint_meaning: float
    """Share of the question's terms that the best statements hold together with their
    surroundings, in these or kindred words."""
    question_length: float
    """Terms of the question as a share of `LONG_QUESTION`, at most 1: no one statement holds all of
    a long one."""
    lacks_counted: float
    lacks_sign: float
    own_attributes: float
    told_of_named: float
    only_names: float
    beyond_title: float
    is_opening: float
    passage_lead: float
    lacks_figures: float
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
    "unseen_attributes",
    "similarity_lead",
    "lead_without_words",
    "support_margin",
    "meaning_coverage",
    "meaning_nearby",
    "meaning_in_context",
    "attribute_meaning",
    "passage_similarity",
    "newness",
    "is_label",
    "is_row",
    "fits_kind",
    "joint_meaning",
    "question_length",
    "lacks_counted",
    "lacks_sign",
    "own_attributes",
    "told_of_named",
    "only_names",
    "beyond_title",
    "is_opening",
    "passage_lead",
    "lacks_figures",
    "attribute_coverage",
    "lacks_person",
    "lacks_date",
    "lacks_number",
    "lacks_attributes",
)
"""The fields that the fitted model weighs."""

WIDEST_MARGIN = 4.0
JOINT_STATEMENTS = 3
"""Statements that may answer a question together."""
LONG_QUESTION = 10
"""Terms from which a question is long."""
LACKING_IDENTIFIER_CEILING = 0.05
"""Answerability when an identifier asked about is nowhere: what is said of another one misleads."""

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


def look_out(question: Question, readings: Sequence[Reading], ranked: Sequence[Weighed]) -> Outlook:
    """The outlook over all readings, given the weighed ones, best first and at least one."""
    best = ranked[0]
    text = _text_of(readings)
    odds = [_log_odds(each.support) for each in ranked[:2]]
    similarities = [each.signals.similarity for each in ranked]
    lead = max(similarities) - median(similarities)
    said = best.signals
    return Outlook(
        support_log_odds=odds[0],
        best_similarity=max(similarities),
        similarity_lead=lead,
        lead_without_words=lead * (1 - said.meaning_in_context),
        support_margin=min(WIDEST_MARGIN, odds[0] - odds[-1]) if odds[1:] else WIDEST_MARGIN,
        unseen_attributes=_share_unseen(question, best, readings),
        meaning_coverage=said.meaning_coverage,
        meaning_nearby=said.meaning_nearby,
        meaning_in_context=said.meaning_in_context,
        attribute_meaning=said.attribute_meaning,
        passage_similarity=said.passage_similarity,
        newness=said.newness,
        is_label=said.is_label,
        is_row=said.is_row,
        fits_kind=said.fits_kind,
        joint_meaning=_joint_meaning(question, ranked[:JOINT_STATEMENTS]),
        question_length=min(1.0, len(question.terms(_language_of(best))) / LONG_QUESTION),
        lacks_counted=said.lacks_counted,
        lacks_sign=said.lacks_sign,
        own_attributes=said.own_attributes,
        told_of_named=said.told_of_named,
        only_names=said.only_names,
        beyond_title=said.beyond_title,
        is_opening=said.is_opening,
        passage_lead=said.passage_lead,
        lacks_figures=said.lacks_figures,
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


def _language_of(statement: Weighed) -> str | None:
    return statement.reading.candidate.evidence.passage.language


def _joint_meaning(question: Question, statements: Sequence[Weighed]) -> float:
    language = _language_of(statements[0])
    asked, meant = question.terms(language), question.meanings_of(language)
    alike = [each.reading for each in statements if _language_of(each) == language]
    terms = frozenset(chain.from_iterable(each.near_terms for each in alike))
    meanings = frozenset(chain.from_iterable(each.near_meanings for each in alike))
    held = [term for term in asked if term in terms or meant.get(term, frozenset()) & meanings]
    return len(held) / len(asked) if asked else 0.0


def _log_odds(chance: float) -> float:
    held = min(1 - 1e-9, max(1e-9, chance))
    return math.log(held / (1 - held))


def _share_unseen(question: Question, best: Weighed, readings: Sequence[Reading]) -> float:
    """The share of the plain words asked about that stand nowhere, by themselves or by meaning."""
    language = best.reading.candidate.evidence.passage.language
    plain, meant = question.attributes(language), question.meanings_of(language)
    terms = frozenset(chain.from_iterable(each.context_terms for each in readings))
    meanings = frozenset(chain.from_iterable(each.context_meanings for each in readings))
    unseen = [
        term for term in plain if term not in terms and not meant.get(term, frozenset()) & meanings
    ]
    return len(unseen) / len(plain) if plain else 0.0


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
    text = "\n".join(
        "\n".join((each.document_title, each.filename, *each.heading_path, each.text))
        for each in passages.values()
    )
    return without_hidden(text).casefold()


def _share_missing(words: Sequence[str], text: str) -> float:
    return sum(word not in text for word in words) / len(words) if words else 0.0
