"""Restrict a search to chunks that contain its phrases and nothing that it excludes.

The lexical index has keyed term ids and no positions. Posting lists give the candidates, which
contain every word of a phrase; then the chunk's own text is checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from psycopg.rows import DictRow

from footnote.index.bm25 import Numbers, score
from footnote.index.phrases import Phrase, folded_text, read_phrase
from footnote.index.ranges import ChunkRanges
from footnote.index.stemming import analysis_language
from footnote.index.terms import term_ids
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexCache, IndexState, Posting
from footnote.store.index_state import ranges_of
from footnote.store.lexical import ask_postings, read_postings
from footnote.store.sealing import CHUNK_TEXT, HEADINGS, TITLE, Sealing
from footnote.store.statements import load_statements

MAX_VERIFIED = 20_000
"""Most chunks whose text is read for one search: about a second's work."""

_BATCH = 1000
_SQL = load_statements("phrase_filter")
_NO_NUMBERS: Numbers = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """The chunks that the filter leaves."""

    visible: ChunkRanges
    notes: tuple[str, ...]
    """One sentence for each phrase that was not found or could not be checked completely."""


async def narrow(
    scope: WorkspaceScope,
    state: IndexState,
    cache: IndexCache,
    visible: ChunkRanges,
    *,
    phrases: Sequence[str],
    excluded: Sequence[str],
    exact_phrases: bool = False,
) -> Narrowed:
    """Return the visible chunks that contain every phrase and nothing that is excluded.

    If no visible chunk contains every phrase, the phrases are ignored and a note says so; with
    `exact_phrases` nothing is found instead. An excluded word is matched by its stem in each
    document's language, so `drafts` excludes `draft`; excluded identifiers, phrases and function
    words are matched literally. At most `MAX_VERIFIED` texts are read, those with the best BM25
    scores first; chunks that could not be checked are left out, and a note says so. A phrase
    without letter or digit is ignored.
    """
    required = _parsed_phrases(phrases)
    excluded_phrases = _parsed_phrases(excluded)
    lookup = await _lookup(scope, state, cache, visible, [*required, *excluded_phrases])
    notes: list[str] = []
    reading = MAX_VERIFIED
    if required:
        verified = await _verified(scope, lookup, lookup.candidates(required), required, reading)
        reading -= verified.read
        if verified.holding.size or exact_phrases:
            visible = ChunkRanges.from_rising(verified.holding)
            notes += verified.notes(f"the phrase {_quoted(required)}")
        if not verified.holding.size:
            notes.append(_no_match_note(required, verified, exact_phrases=exact_phrases))
    for phrase in excluded_phrases:
        visible = visible.difference(ChunkRanges.from_rising(lookup.by_stem(phrase)))
        candidates = lookup.literal_candidates(phrase)
        candidates = candidates[visible.mask_of_rising(candidates)]
        verified = await _verified(scope, lookup, candidates, [phrase], reading)
        reading -= verified.read
        removed = np.union1d(verified.holding, verified.unread)
        visible = visible.difference(ChunkRanges.from_rising(removed))
        notes += verified.notes(f"the excluded {_quoted([phrase])}")
    return Narrowed(visible=visible, notes=tuple(notes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Lookup:
    """The posting lists of the phrases' terms, and the visible chunks by language."""

    by_language: Mapping[str, ChunkRanges]
    """Visible live chunks by analysis language."""
    state: IndexState
    terms: Mapping[str, Posting]

    def candidates(self, phrases: Sequence[Phrase]) -> Numbers:
        """Return the chunks that contain the words of every phrase, ascending."""
        return self._union(
            reduce(_intersection, [self._containing(phrase, code) for phrase in phrases])
            for code in self.by_language
        )

    def literal_candidates(self, phrase: Phrase) -> Numbers:
        """Return the chunks that may contain an excluded phrase without a stem, ascending."""
        return self._union(
            self._containing(phrase, code) for code in self.by_language if not phrase.stems(code)
        )

    def by_stem(self, phrase: Phrase) -> Numbers:
        """Return the chunks with the stem of an excluded word in their language, ascending."""
        return self._union(
            self._within(code, self._all_of(stems))
            for code in self.by_language
            if (stems := phrase.stems(code))
        )

    def _containing(self, phrase: Phrase, code: str) -> Numbers:
        numbers = self._within(code, self.state.corpus.chunk_numbers)
        for alternatives in phrase.requirements(code):
            numbers = _intersection(
                numbers, self._union(self._all_of(terms) for terms in alternatives)
            )
        return numbers

    def _within(self, code: str, numbers: Numbers) -> Numbers:
        return numbers[self.by_language[code].mask_of_rising(numbers)]

    def _all_of(self, terms: Sequence[str]) -> Numbers:
        return reduce(_intersection, [self.terms[term][0] for term in terms])

    @staticmethod
    def _union(parts: Iterable[Numbers]) -> Numbers:
        return np.unique(np.concatenate([_NO_NUMBERS, *parts]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Verified:
    """The result of checking the texts of candidates."""

    holding: Numbers
    """Candidates that contain every phrase, ascending."""
    unread: Numbers
    """Candidates beyond the limit, which were not read, ascending."""
    read: int

    def notes(self, description: str) -> Iterator[str]:
        """Yield a sentence on the candidates that were not read, if there are any."""
        if self.unread.size:
            yield (
                f"phrases: {self.read + self.unread.size} passages may hold {description}; the "
                f"{self.read} most promising were checked, and the others are left out"
            )


async def _lookup(
    scope: WorkspaceScope,
    state: IndexState,
    cache: IndexCache,
    visible: ChunkRanges,
    phrases: Sequence[Phrase],
) -> _Lookup:
    cursor = await scope.execute(_SQL["language_ranges"])
    live = visible.difference(state.dead)
    by_language: dict[str, ChunkRanges] = {}
    for row in await cursor.fetchall():
        code = analysis_language(row["language"])
        ranges = by_language.get(code, ChunkRanges.empty())
        by_language[code] = ranges.union(ranges_of(row["chunks"]).intersection(live))
    terms = list(
        dict.fromkeys(
            term for phrase in phrases for code in by_language for term in _terms(phrase, code)
        )
    )
    ids = term_ids(state.lexical_key, terms)
    pending = await ask_postings(scope, state, cache, ids)
    postings = await read_postings(scope, state, cache, pending)
    return _Lookup(
        by_language=by_language,
        state=state,
        terms={term: postings[number] for term, number in zip(terms, ids, strict=True)},
    )


async def _verified(
    scope: WorkspaceScope,
    lookup: _Lookup,
    candidates: Numbers,
    phrases: Sequence[Phrase],
    reading: int,
) -> _Verified:
    """Check which candidates contain every phrase; at most `reading` of them are read."""
    chosen = candidates
    if candidates.size > reading:
        chosen = await asyncio.to_thread(_most_promising, lookup, candidates, reading)
    holding: list[int] = []
    for start in range(0, chosen.size, _BATCH):
        rows = await scope.all(_SQL["texts"], {"numbers": chosen[start : start + _BATCH].tolist()})
        holding += await asyncio.to_thread(_matching_chunks, scope.sealing, rows, phrases)
    return _Verified(
        holding=np.array(sorted(holding), dtype=np.int32),
        unread=np.setdiff1d(candidates, chosen, assume_unique=True),
        read=int(chosen.size),
    )


def _most_promising(lookup: _Lookup, candidates: Numbers, limit: int) -> Numbers:
    """Return the candidates with the best BM25 scores for the words of the phrases, ascending."""
    if limit <= 0:
        return _NO_NUMBERS
    ranking = score(
        dict(enumerate(lookup.terms.values())),
        lookup.state.corpus,
        lookup.state.dead,
        ChunkRanges.from_rising(candidates),
        limit,
    ).ranking
    scored = np.array(sorted(hit.chunk_no for hit in ranking), dtype=np.int32)
    unscored = np.setdiff1d(candidates, scored, assume_unique=True)
    return np.union1d(scored, unscored[: limit - scored.size])


def _matching_chunks(
    sealing: Sealing, rows: Sequence[DictRow], phrases: Sequence[Phrase]
) -> list[int]:
    numbers = []
    for row in rows:
        number: int = row["chunk_no"]
        parts = (
            sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            *sealing.plain_words(HEADINGS.of(number), row["heading_path"]),
            sealing.plain_text(CHUNK_TEXT.of(number), row["text"]),
        )
        texts = [folded_text(part) for part in parts]
        if all(any(phrase.occurs_in(text) for text in texts) for phrase in phrases):
            numbers.append(number)
    return numbers


def _terms(phrase: Phrase, code: str) -> Iterator[str]:
    for alternatives in phrase.requirements(code):
        for terms in alternatives:
            yield from terms
    yield from phrase.stems(code)


def _parsed_phrases(texts: Sequence[str]) -> list[Phrase]:
    return [phrase for text in dict.fromkeys(texts) if (phrase := read_phrase(text)) is not None]


def _quoted(phrases: Sequence[Phrase]) -> str:
    return " and ".join(f"“{phrase.text}”" for phrase in phrases)


def _no_match_note(phrases: Sequence[Phrase], verified: _Verified, *, exact_phrases: bool) -> str:
    several = len(phrases) > 1
    checked = "was checked" if verified.unread.size else "may be searched"
    message = f"phrases: no passage that {checked} holds {_quoted(phrases)}"
    message += " together" if several else ""
    if exact_phrases:
        return f"{message}; to search for the words themselves, leave out the quotation marks"
    return (
        f"{message}, so {'their' if several else 'its'} words were searched; with exact_phrases "
        f"nothing but the {'phrases' if several else 'phrase'} is found"
    )


def _intersection(first: Numbers, second: Numbers) -> Numbers:
    """Intersect two ascending arrays."""
    return np.intersect1d(first, second, assume_unique=True)
