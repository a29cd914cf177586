"""Statements become support: how likely each one answers the question, from signals kept apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from footnote.answering.coefficients import SUPPORT, Trust, probability
from footnote.answering.kinds import holds_kind, lacks_counted, lacks_name
from footnote.answering.question import AnswerKind, Question
from footnote.answering.reading import Reading
from footnote.answering.signs import lacks_sign
from footnote.domain import BlockKind
from footnote.language.identifiers import identifiers_in, is_identifier
from footnote.ports import Vector, Vectors

SHORTEST_STATEMENT_TERMS = 3
"""Below this many terms a statement is a caption or a stray label rather than a sentence."""

KINDRED_WORTH = 0.75
"""What a kindred word counts beside the word itself: it may be kin in another sense."""
ENOUGH_NEW_TERMS = 5
"""From this many terms that the question did not say, more of them tell nothing more."""
FEWEST_NEW_TERMS = 2
"""Below this many terms that the question did not say, a label only names its subject; one less
will do for a whole sentence, or where something is of the kind that is asked for."""
OPENING_CHARACTERS = 160
"""Characters of a document that only say what it is, by and large."""
_FULL_STOPS = (".", "!", "。", "！")

_NUMBERS = (AnswerKind.AMOUNT, AnswerKind.COUNT, AnswerKind.DURATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for and against a statement as an answer; each in 0…1 but `similarity`."""

    similarity: float
    """Cosine of statement and question, −1…1; 0 when there is no embedder."""
    coverage: float
    """Weighted share of the question's terms in the statement."""
    context_coverage: float
    """The same, with the statement before it, its headings and its document's title."""
    passage_coverage: float
    """The same, with all of its passage and headings, the document's title left out: a document
    about a thing is no passage about what is asked of it."""
    attribute_coverage: float
    """Weighted share of the question's plain words, neither names nor figures, in the statement,
    the one before it and its headings, the document's title left out: what is asked about the
    thing that is named."""
    lacks_attributes: float
    """1 when there are such words and none of them is there."""
    meaning_coverage: float
    """Weighted share of the question's terms that the statement holds in these or kindred words."""
    meaning_nearby: float
    """The same, with the statement before it and its headings."""
    meaning_in_context: float
    """The same, with the title of its document too."""
    attribute_meaning: float
    """Weighted share of the question's plain words that stand nearby in these or kindred words."""
    newness: float
    """How many terms the question did not say, as a share of `ENOUGH_NEW_TERMS`, at most 1."""
    is_label: float
    """1 when it is neither a whole sentence nor the row of a table."""
    is_row: float
    """1 when it is the row of a table."""
    passage_similarity: float
    """Cosine of its passage and the question, as the search found it; 0 if it did not."""
    fits_kind: float
    """1 when a particular kind is asked for and the statement holds one."""
    lacks_person: float
    """1 when a person is asked for and the statement names none."""
    lacks_date: float
    """1 when a date is asked for and the statement holds none."""
    lacks_number: float
    """1 when an amount, a count or a duration is asked for and the statement holds none."""
    lacks_counted: float
    """1 when a number of things is asked for and no number stands beside these things."""
    lacks_sign: float
    """1 when a reason, an address, a weight, a company or the like is asked for and nothing in the
    statement looks like one."""
    own_attributes: float
    """Weighted share of the question's plain words that the statement itself holds in these or
    kindred words."""
    told_of_named: float
    """The same times the share of names and figures asked about that its document holds: where the
    document is about the thing, a statement needs not name it again."""
    only_names: float
    """1 when plain words are asked about and the statement holds names asked about, but none of
    the words."""
    beyond_title: float
    """Weighted share of the question's terms that its document's title lacks and that stand nearby
    in these or kindred words: what is asked about the thing the document is about."""
    is_opening: float
    """1 when it stands at the beginning of its document, where things are named, not told."""
    passage_lead: float
    """How far `passage_similarity` stands above that of the middle passage, −2…2."""
    lacks_figures: float
    """Share of the identifiers and numbers asked about that the statement and its context lack."""
    lacks_names: float
    """The same of proper names."""
    nearness: float
    """1 / rank of its evidence."""
    is_foreign: float
    """1 when it is written in another language than the question."""


SIGNAL_NAMES: tuple[str, ...] = tuple(Signals.__dataclass_fields__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A statement with what speaks for it."""

    reading: Reading
    signals: Signals
    support: float
    """How likely it answers the question, 0…1."""
    vector: Vector | None = None


def weigh(
    question: Question,
    readings: Sequence[Reading],
    *,
    vectors: Vectors | None,
    target: Vector | None,
    trusts: Sequence[Trust],
    rarities: Mapping[str, float],
) -> list[Weighed]:
    """Signals and support of each reading; `vectors` has one row for each, or is absent."""
    weighed = []
    middle = _middle_similarity(readings)
    for position, (reading, trust) in enumerate(zip(readings, trusts, strict=True)):
        vector = None if vectors is None else vectors[position]
        similarity = 0.0 if vector is None or target is None else float(np.dot(vector, target))
        signals = _signals(question, reading, similarity, rarities, middle)
        support = probability(
            SUPPORT[trust], {name: getattr(signals, name) for name in SIGNAL_NAMES}
        )
        weighed.append(Weighed(reading=reading, signals=signals, support=support, vector=vector))
    return weighed


def by_words(
    question: Question, readings: Sequence[Reading], rarities: Mapping[str, float]
) -> list[float]:
    """The support of each reading by words alone, 0…1: what it costs no vector to know."""
    unembedded = weigh(
        question,
        readings,
        vectors=None,
        target=None,
        trusts=[Trust.NONE] * len(readings),
        rarities=rarities,
    )
    return [each.support for each in unembedded]


def _signals(
    question: Question,
    reading: Reading,
    similarity: float,
    rarities: Mapping[str, float],
    middle: float,
) -> Signals:
    evidence = reading.candidate.evidence
    language = evidence.passage.language
    asked = _asked(question, reading, rarities)
    meant = question.meanings_of(language)
    plain = question.attributes(language)
    attributes = {term: weight for term, weight in asked.items() if term in plain}
    particular = question.kind is not AnswerKind.ANY
    statement = reading.candidate.statement
    attributed = _share(attributes, reading.near_terms) if attributes else 1.0
    is_row = reading.candidate.kind is BlockKind.TABLE
    fits = holds_kind(statement, question.kind, question.text, is_row=is_row)
    beyond = {term: weight for term, weight in asked.items() if term not in reading.title_terms}
    fresh = len(reading.terms.difference(question.terms(language)))

    def share(terms: Mapping[str, float], held: frozenset[str], known: frozenset[int]) -> float:
        kindred = frozenset(term for term in terms if meant.get(term, frozenset()) & known)
        literal = _share(terms, held)
        return literal + KINDRED_WORTH * (_share(terms, held | kindred) - literal)

    named = {term: weight for term, weight in asked.items() if term not in plain}
    told = share(attributes, reading.terms, reading.meanings) if attributes else 1.0
    return Signals(
        similarity=similarity,
        coverage=_share(asked, reading.terms),
        context_coverage=_share(asked, reading.context_terms),
        passage_coverage=_share(asked, reading.passage_terms),
        attribute_coverage=attributed,
        lacks_attributes=float(not attributed),
        meaning_coverage=share(asked, reading.terms, reading.meanings),
        meaning_nearby=share(asked, reading.near_terms, reading.near_meanings),
        meaning_in_context=share(asked, reading.context_terms, reading.context_meanings),
        attribute_meaning=(
            share(attributes, reading.near_terms, reading.near_meanings) if attributes else 1.0
        ),
        newness=min(1.0, fresh / ENOUGH_NEW_TERMS),
        lacks_counted=float(not is_row and lacks_counted(statement, question.text)),
        lacks_sign=float(
            lacks_sign(statement, question.text) or lacks_name(statement, question.text)
        ),
        own_attributes=told,
        told_of_named=told * _share(named, reading.document_terms) if named else told,
        only_names=float(bool(attributes) and not told and bool(named.keys() & reading.terms)),
        beyond_title=(share(beyond, reading.near_terms, reading.near_meanings) if beyond else 0.0),
        is_opening=float(reading.candidate.canonical_span[0] < OPENING_CHARACTERS),
        passage_lead=evidence.similarity - middle if evidence.similarity else 0.0,
        is_label=float(not is_row and not statement.endswith(_FULL_STOPS)),
        is_row=float(is_row),
        passage_similarity=evidence.similarity or 0.0,
        fits_kind=float(particular and fits),
        lacks_person=float(question.kind is AnswerKind.PERSON and not fits),
        lacks_date=float(question.kind is AnswerKind.DATE and not fits),
        lacks_number=float(question.kind in _NUMBERS and not fits),
        lacks_figures=_lacking_figures(_figures_to_hold(question, reading), reading.context),
        lacks_names=_lacking(question.names, reading.context),
        nearness=1.0 / max(1, evidence.rank),
        is_foreign=float(question.is_foreign(language)),
    )


def says_something(question: Question, reading: Reading) -> bool:
    """Whether a statement could answer at all: not a question, a heading, a stub or an echo."""
    statement = reading.candidate.statement
    sentence = statement.endswith(_FULL_STOPS) or reading.candidate.is_field
    if statement.endswith(("?", "？", ":", "：")):
        return False
    if len(reading.terms) < SHORTEST_STATEMENT_TERMS - sentence:
        return False
    asked = question.terms(reading.candidate.evidence.passage.language)
    whole = sentence or holds_asked_kind(question, statement)
    return len(reading.terms.difference(asked)) >= FEWEST_NEW_TERMS - whole


def holds_asked_kind(question: Question, statement: str) -> bool:
    """Whether a particular kind of answer is asked for and the statement holds one."""
    particular = question.kind is not AnswerKind.ANY
    return particular and holds_kind(statement, question.kind, question.text)


def _asked(
    question: Question, reading: Reading, rarities: Mapping[str, float]
) -> Mapping[str, float]:
    """What a statement should hold; an identifier no longer once it has chosen the document."""
    language = reading.candidate.evidence.passage.language
    terms = question.terms(language)
    settled = _settled(question, reading)
    return {
        term: weight * rarities.get(term, 1.0)
        for term, weight in terms.items()
        if term not in settled
    }


def _settled(question: Question, reading: Reading) -> frozenset[str]:
    """The identifiers' terms, where prose of a document that holds them needs not repeat them.

    A table's row with an identifier of its own is a record: it is about another one only if it
    holds that too. A question that asks nothing but an identifier asks for it everywhere.
    """
    language = reading.candidate.evidence.passage.language
    codes = question.identifiers(language)
    if not codes or not question.terms(language).keys() - codes:
        return frozenset()
    if reading.candidate.kind is BlockKind.TABLE and identifiers_in(reading.candidate.statement):
        return frozenset()
    return codes if codes <= reading.document_terms else frozenset()


def _figures_to_hold(question: Question, reading: Reading) -> Sequence[str]:
    foreign = question.is_foreign(reading.candidate.evidence.passage.language)
    designators = () if foreign else question.designators
    if not _settled(question, reading):
        return (*question.figures, *designators)
    figures = (figure for figure in question.figures if not is_identifier(figure))
    return (*figures, *designators)


def _share(asked: Mapping[str, float], held: frozenset[str]) -> float:
    total = sum(asked.values())
    return sum(weight for term, weight in asked.items() if term in held) / total if total else 0.0


def _lacking(words: Sequence[str], text: str) -> float:
    return sum(word not in text for word in words) / len(words) if words else 0.0


def _lacking_figures(figures: Sequence[str], text: str) -> float:
    """Like `_lacking`; 20 does not stand in 2025."""
    held = [
        re.search(
            rf"(?<!\d){re.escape(figure)}(?!\d)"
            if _has_digit(figure)
            else rf"(?<!\w){re.escape(figure)}(?!\w)",
            text,
        )
        for figure in figures
    ]
    return held.count(None) / len(held) if held else 0.0


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _middle_similarity(readings: Sequence[Reading]) -> float:
    """The middle one of the passages' similarities to the question; 0 without any."""
    known = {
        reading.candidate.evidence.passage.chunk_id: reading.candidate.evidence.similarity
        for reading in readings
    }
    held = [each for each in known.values() if each is not None]
    return median(held) if held else 0.0
