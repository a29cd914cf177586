"""Statements become readings: their terms and meanings, and those of what surrounds them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from footnote.answering.sanitise import without_hidden
from footnote.answering.sentences import Candidate
from footnote.language.thesaurus import related_words
from footnote.ports import Analyzer

_Content = tuple[frozenset[str], frozenset[int]]
"""The terms of a text and what they can mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The lexical side of a candidate, worked out once."""

    candidate: Candidate
    terms: frozenset[str]
    context_terms: frozenset[str]
    passage_terms: frozenset[str]
    meanings: frozenset[int]
    """What the thesaurus knows of the statement."""
    near_meanings: frozenset[int]
    """The same of the statement before it and its headings too."""
    context_meanings: frozenset[int]
    """The same of its document's title too."""
    title_terms: frozenset[str]
    """Of its document's title and file name."""
    near_terms: frozenset[str]
    """Of the statement, the one before it and the headings that are not the document's title."""
    context: str
    """Case-folded text in which figures and names are looked up."""
    document_terms: frozenset[str] = frozenset()
    """Of all its document's passages at hand: what it holds somewhere applies to all of it."""


def read(candidates: Sequence[Candidate], analyzer: Analyzer) -> list[Reading]:
    """Analyze each candidate within its passage; each text is analyzed once."""
    known: dict[tuple[str, str | None], _Content] = {}
    related = related_words(analyzer)

    def content_of(text: str, language: str | None) -> _Content:
        if (text, language) not in known:
            terms = analyzer.terms(text, language)
            meanings = related.all_meanings(terms, language or "en")
            known[text, language] = (frozenset(terms), meanings)
        return known[text, language]

    def terms_of(text: str, language: str | None) -> frozenset[str]:
        return content_of(text, language)[0]

    passages: dict[str, frozenset[str]] = {}
    documents: dict[UUID, frozenset[str]] = {}
    for candidate in candidates:
        passage = candidate.evidence.passage
        held = passages.get(passage.chunk_id) or terms_of(_headings(candidate), passage.language)
        held |= terms_of(candidate.statement, passage.language)
        passages[passage.chunk_id] = held
        everywhere = documents.get(passage.document_id)
        everywhere = everywhere or terms_of(_label(candidate), passage.language)
        documents[passage.document_id] = everywhere | held
    return [_reading(candidate, content_of, passages, documents) for candidate in candidates]


def _reading(
    candidate: Candidate,
    content_of: Callable[[str, str | None], _Content],
    passages: Mapping[str, frozenset[str]],
    documents: Mapping[UUID, frozenset[str]],
) -> Reading:
    passage, label = candidate.evidence.passage, _label(candidate)
    own, meanings = content_of(candidate.statement, passage.language)
    lead, lead_meanings = content_of(candidate.lead, passage.language)
    headings, heading_meanings = content_of(_headings(candidate), passage.language)
    labels, label_meanings = content_of(label, passage.language)
    near_meanings = meanings | lead_meanings | heading_meanings
    # A field of a form says what it says about what the whole form is about.
    form = without_hidden(passage.text) if candidate.is_field else ""
    return Reading(
        candidate=candidate,
        terms=own,
        context_terms=own | lead | labels,
        passage_terms=passages[passage.chunk_id],
        title_terms=content_of(_title(candidate), passage.language)[0],
        near_terms=own | lead | headings,
        meanings=meanings,
        near_meanings=near_meanings,
        context_meanings=near_meanings | label_meanings,
        context=f"{candidate.statement} {candidate.lead} {label} {form}".casefold(),
        document_terms=documents[passage.document_id],
    )


def rarity(readings: Sequence[Reading]) -> Mapping[str, float]:
    """For each term, how much its presence says, 0…1: 1 when hardly any statement holds it."""
    count = len(readings)
    found = Counter(chain.from_iterable(reading.terms for reading in readings))
    ceiling = math.log1p(2 * (count + 1))
    return {term: math.log1p((count + 1) / (held + 0.5)) / ceiling for term, held in found.items()}


def _label(candidate: Candidate) -> str:
    passage = candidate.evidence.passage
    return " ".join((passage.document_title, passage.filename, *passage.heading_path))


def _title(candidate: Candidate) -> str:
    passage = candidate.evidence.passage
    return f"{passage.document_title} {passage.filename}"


def _headings(candidate: Candidate) -> str:
    """The headings above a statement, without one that only repeats the document's title."""
    passage = candidate.evidence.passage
    return " ".join(each for each in passage.heading_path if each != passage.document_title)
