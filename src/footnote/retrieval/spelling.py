"""Correct words of a query that occur in no visible document, by words that do.

The index is blind: it cannot list its words, only count the chunks with a given term. So candidate
words are generated, the index is asked once which of their terms exist, and the best of these are
looked up in passages, to find the words as they are written there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from footnote.domain import SearchFilters
from footnote.language.detection import detect_language, function_words
from footnote.ports import Analyzer, Index, TermPostings, Tokenizer
from footnote.retrieval.edits import (
    FIRST_LETTER,
    REPLACED,
    SPLIT,
    TRANSPOSED,
    TWO_SLIPS_FROM,
    UNPAIRED,
    neighbours,
    plain,
    remoter,
    slips,
)
from footnote.retrieval.query import query_parts

MIN_LETTERS = 4
"""Letters below which a word is not corrected, since it is near too many others."""
MAX_CANDIDATES = 2000
"""Most candidates for all words of a query, in each of two rounds; each is looked up in every
language."""

_TERMS_LOOKED_UP = 5  # Terms of a misspelt word that are looked up in passages.
_PASSAGES = 8  # Passages read for each of them.
_INFLECTED = 0.3  # Extra cost of a candidate that is found only in an inflected form.
_MIN_SHARED_LETTERS = 4  # Minimum number of letters the two forms must then share,
_MAX_ENDING_LETTERS = 2  # and how many more the longer one may have.
_MIN_KNOWN_SHARE = 0.75
"""Minimum share of the known words that must be single tokens for the tokenizer to be reliable."""
_FIRST_LETTER_FROM = 6  # Letters from which the first letter may be corrected.

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\S+")
_IDENTIFIER = re.compile(r"[\d@_/\\&]|\w\.\w")
_UNSPACED_FROM = "\u0e00"


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the query with its offsets."""

    start: int
    end: int
    text: str


_Guess = tuple[_Word, str]
"""A word of the query and a correction candidate."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A correction candidate for a span of the query."""

    word: _Word
    text: str
    terms: tuple[frozenset[str], ...]
    """For each word of the text, its alternative terms, of which one must be in the index."""
    cost: float
    frequency: int

    @property
    def order(self) -> tuple[float, int, str]:
        """Sort key: the most likely first."""
        return self.cost, -self.frequency, self.text


@dataclass(frozen=True, slots=True)
class Misspelt:
    """Words of a query that may be misspelt."""

    words: Sequence[_Word] = ()
    certain: bool = False
    """Whether the tokenizer confirms that they are no words of the language."""

    def __bool__(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True, slots=True)
class Correct:
    """Correct the spelling of a query against the visible documents."""

    analyzer: Analyzer
    tokenizer: Tokenizer | None = None
    """The lane's tokenizer. A word that is a single token exists, even if no document has it."""

    def misspelt(
        self, query: str, absent_terms: Sequence[str], languages: Sequence[str]
    ) -> Misspelt:
        """Return the words of at least `MIN_LETTERS` letters all of whose terms are absent.

        Those in quotes, in exclusions and in identifiers are left as they are, and so are function
        words of the query's own language, which the documents' may lack. `absent_terms` are those
        of the query that no visible chunk holds.
        """
        absent, common_words = frozenset(absent_terms), function_words(detect_language(query))
        suspects, known_words = [], []
        for word in _words(query):
            terms = self.analyzer.query_terms(word.text, languages)
            is_absent = bool(terms) and absent.issuperset(terms)
            is_function_word = word.text.casefold() in common_words
            if len(word.text) >= MIN_LETTERS and is_absent and not is_function_word:
                suspects.append(word)
            else:
                known_words.append(word)
        if self.tokenizer is None or not suspects:
            return Misspelt(suspects)
        pieces = self.tokenizer.count_tokens(
            [word.text.casefold() for word in (*suspects, *known_words)]
        )
        unknown = [word for word, count in zip(suspects, pieces, strict=False) if count > 1]
        single = pieces[len(suspects) :].count(1)
        return Misspelt(
            unknown, bool(known_words) and single >= _MIN_KNOWN_SHARE * len(known_words)
        )

    async def __call__(
        self,
        query: str,
        misspelt: Misspelt,
        languages: Sequence[str],
        index: Index,
        filters: SearchFilters,
    ) -> str | None:
        """Correct the misspelt words of the query; None if there is nothing to correct.

        Each becomes the nearest word of the visible documents; among equally near ones the most
        frequent, then the first in alphabetical order. Without a near one it is kept.
        """
        suspects, certain = misspelt.words, misspelt.certain
        guesses = _nearby_words(query, suspects, certain=certain)
        corrections = await self._choose_corrections(
            guesses, languages, index, filters, certain=certain
        )
        remaining = [word for word in suspects if certain and not _overlaps_any(word, corrections)]
        guesses = _limit_guesses({word: remoter(word.text.casefold()) for word in remaining})
        if guesses:
            corrections += await self._choose_corrections(
                guesses, languages, index, filters, certain=certain
            )
        if not corrections:
            return None
        for reading in sorted(corrections, key=lambda correction: -correction.word.start):
            text = reading.text
            if reading.word.text[0].isupper():
                text = text[0].upper() + text[1:]
            query = query[: reading.word.start] + text + query[reading.word.end :]
        return query

    async def _choose_corrections(
        self,
        guesses: Sequence[_Guess],
        languages: Sequence[str],
        index: Index,
        filters: SearchFilters,
        *,
        certain: bool,
    ) -> list[_Reading]:
        """Return the best candidate for each span that has a good one."""
        # A thousand words take some milliseconds to stem: not on the event loop.
        terms_of = await asyncio.to_thread(self._terms_of, guesses, languages)
        terms = sorted(set().union(*terms_of.values()))
        holders = await index.holders(terms, filters, _PASSAGES)
        # Keeps candidates whose every word has a term in the index, the most likely of each span.
        indexed = {part for part, terms in terms_of.items() if not terms.isdisjoint(holders)}
        existing: dict[_Word, list[_Reading]] = {}
        for word, text in guesses:
            parts = text.split()
            if not indexed.issuperset(parts):
                continue
            terms_by_part = tuple(terms_of[part] for part in parts)
            reading = _Reading(
                word,
                text,
                terms_by_part,
                cost=_cost(word.text, text),
                frequency=min(
                    max(holders[term].count for term in part_terms & holders.keys())
                    for part_terms in terms_by_part
                ),
            )
            existing.setdefault(word, []).append(reading)
        promising = [
            reading
            for readings in existing.values()
            for reading in sorted(readings, key=lambda candidate: candidate.order)[
                :_TERMS_LOOKED_UP
            ]
        ]
        vocabulary = await self._vocabulary(promising, holders, index)
        return _best(promising, vocabulary, holders, certain=certain)

    def _terms_of(
        self, guesses: Sequence[_Guess], languages: Sequence[str]
    ) -> Mapping[str, frozenset[str]]:
        """Map each word of the candidates to its terms in all languages."""
        parts = list({part for _, text in guesses for part in text.split()})
        by_language = [
            self.analyzer.word_terms(parts, language) for language in languages or (None,)
        ]
        return {
            part: frozenset(chain.from_iterable(terms))
            for part, *terms in zip(parts, *by_language, strict=True)
        }

    async def _vocabulary(
        self,
        readings: Sequence[_Reading],
        holders: Mapping[str, TermPostings],
        index: Index,
    ) -> Mapping[str, frozenset[str]]:
        """Map each term of the candidates to the words for it in some passages that contain it."""
        terms = {term for reading in readings for part in reading.terms for term in part} & set(
            holders
        )
        numbers = {number for term in terms for number in holders[term].first}
        words_by_language: dict[str | None, set[str]] = {}
        for passage in (await index.passages(sorted(numbers))).values():
            parts = (passage.document_title, *passage.heading_path, passage.text)
            words_by_language.setdefault(passage.language, set()).update(
                set(_WORD.findall(" ".join(parts).lower()))
            )
        words: dict[str, set[str]] = {term: set() for term in terms}
        for language, passage_words in words_by_language.items():
            sorted_words = sorted(passage_words)
            for word, terms_of_word in zip(
                sorted_words, self.analyzer.word_terms(sorted_words, language), strict=True
            ):
                for term in terms.intersection(terms_of_word):
                    words[term].add(word)
        return {term: frozenset(term_words) for term, term_words in words.items()}


def _words(query: str) -> Iterator[_Word]:
    """The words outside quotes, exclusions, identifiers and scripts without spaces."""
    for part in query_parts(query):
        if part.quoted or part.excluded:
            continue
        for token in _TOKEN.finditer(query, part.start, part.end):
            if _IDENTIFIER.search(token.group()):
                continue
            for match in _WORD.finditer(query, token.start(), token.end()):
                if match.group() < _UNSPACED_FROM:
                    yield _Word(match.start(), match.end(), match.group())


def _nearby_words(query: str, suspects: Sequence[_Word], *, certain: bool) -> list[_Guess]:
    """Return words at one edit from the suspects, and adjacent words joined."""
    guesses = _limit_guesses(
        {
            word: neighbours(
                word.text.casefold(), replaced=certain or len(word.text) >= TWO_SLIPS_FROM
            )
            for word in suspects
        }
    )
    return [
        *guesses,
        *((pair, pair.text.replace(" ", "").casefold()) for pair in _pairs(query, suspects)),
    ]


def _limit_guesses(texts: Mapping[_Word, Sequence[str]]) -> list[_Guess]:
    """Return the candidates of each word, with an equal share of `MAX_CANDIDATES`."""
    share = MAX_CANDIDATES // max(1, len(texts))
    return [(word, text) for word, candidates in texts.items() for text in candidates[:share]]


def _overlaps_any(word: _Word, readings: Sequence[_Reading]) -> bool:
    return any(
        word.start < reading.word.end and reading.word.start < word.end for reading in readings
    )


def _pairs(query: str, suspects: Sequence[_Word]) -> Iterator[_Word]:
    """Yield pairs of adjacent words, of which at least one is a suspect, as one span."""
    for first, second in pairwise(_words(query)):
        if query[first.end : second.start] == " " and (first in suspects or second in suspects):
            yield _Word(first.start, second.end, f"{first.text} {second.text}")


def _best(
    readings: Sequence[_Reading],
    vocabulary: Mapping[str, frozenset[str]],
    holders: Mapping[str, TermPostings],
    *,
    certain: bool,
) -> list[_Reading]:
    """Choose the best candidates in words of the vocabulary, without overlap."""
    variants = {
        variant
        for reading in readings
        for variant in (
            *_in_document_words(reading, vocabulary, holders),
            *_inflected(reading, vocabulary),
        )
    }
    chosen: list[_Reading] = []
    for reading in sorted(variants, key=lambda reading: reading.order):
        if reading.cost <= _allowed(reading, certain=certain) and not _overlaps_any(
            reading.word, chosen
        ):
            chosen.append(reading)
    return chosen


def _in_document_words(
    reading: _Reading, vocabulary: Mapping[str, frozenset[str]], holders: Mapping[str, TermPostings]
) -> Iterator[_Reading]:
    """Yield the words of passages with the candidate's term; of a split, both words literally."""
    if len(reading.terms) == 1:
        for term in reading.terms[0]:
            for word in vocabulary.get(term, ()):
                cost = _cost(reading.word.text, word)
                yield replace(reading, text=word, cost=cost, frequency=holders[term].count)
        return
    spelled = []
    for part, terms in zip(reading.text.split(), reading.terms, strict=True):
        words = {word for term in terms for word in vocabulary.get(term, ())}
        matches = sorted(word for word in words if plain(word) == plain(part))
        if not matches:
            return
        spelled.append(matches[0])
    yield replace(reading, text=" ".join(spelled))


def _inflected(reading: _Reading, vocabulary: Mapping[str, frozenset[str]]) -> Iterator[_Reading]:
    """Yield words of passages that are inflections of the candidate by prefix."""
    if len(reading.terms) > 1 or " " in reading.word.text:
        return
    candidate = plain(reading.text)
    for term in reading.terms[0]:
        for word in vocabulary.get(term, ()):
            plain_word = plain(word)
            shorter, longer = sorted((candidate, plain_word), key=len)
            ending = len(longer) - len(shorter)
            if (
                len(shorter) >= _MIN_SHARED_LETTERS
                and 0 < ending <= _MAX_ENDING_LETTERS
                and longer.startswith(shorter)
            ):
                yield replace(reading, text=word, cost=reading.cost + _INFLECTED)


def _cost(typed: str, correction: str) -> float:
    if " " in typed:
        return TRANSPOSED if plain(typed.replace(" ", "")) == plain(correction) else float("inf")
    if " " in correction:
        return SPLIT
    return slips(typed, correction, SPLIT)


def _allowed(reading: _Reading, *, certain: bool) -> float:
    """Largest cost of a correction; lower if the typed word may exist in its language."""
    letters = len(reading.word.text)
    if letters >= TWO_SLIPS_FROM and (certain or " " in reading.text):
        return SPLIT
    if letters >= TWO_SLIPS_FROM or (certain and letters >= _FIRST_LETTER_FROM):
        return REPLACED + FIRST_LETTER
    return REPLACED if certain else UNPAIRED
