"""Retrieve the quotes from passages for verifying a claim."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from footnote.answering.attribution import MIN_COVERAGE, WINDOW_PRICE, Span, windows
from footnote.answering.cite import citation_of
from footnote.answering.claim_evidence import LANGUAGES
from footnote.answering.sentences import Candidate, candidates_of, cells_of
from footnote.domain import BlockKind, Citation, Evidence, Passage
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder

MAX_QUOTES = 3
"""Most quotes of one claim."""
QUOTE_CHARACTERS = 1_000
"""Most characters of a quote of several sentences; a longer quote is one sentence."""
EMBEDDED_TOKENS = 6_000
"""Most tokens that are embedded for one check: a second or two on one core."""
WEAK = 0.5
"""Coverage below which vectors are used as well: few words match across languages and for
paraphrases."""
NEAR = 0.25
"""Minimum cosine of a related sentence. A true pair in two languages has 0.3 to 0.4 in the packaged
lane, another sentence of the same text up to 0.15."""
NEAREST = 2
"""Sentences of a claim that are retrieved by vectors."""
_SENTENCES_TRIED = 12
"""Sentences that are tried as quotes together with adjacent sentences."""
_SHARE_OF_BEST = 0.2
"""Minimum coverage of a further quote, as a share of the best one's. It is low because figures
weigh much: a source with another figure must be compared with the claim."""
_DIGITS_WEIGHT = 2.0
_MIN_WEIGHT = 0.2
_AROUND_CHARACTERS = 240
"""Characters of context on each side of a quote that a judge reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteCandidate:
    """A quote for a claim."""

    candidates: tuple[Candidate, ...]
    """The sentences or the row of the quote, in order."""
    coverage: float = 0.0
    """Weighted share of the claim's terms in the quote."""
    is_named_row: bool = False
    """Whether it is a table row that the claim names."""

    @property
    def passage(self) -> Passage:
        """The passage of the quote."""
        return self.candidates[0].evidence.passage

    @property
    def start(self) -> int:
        """Where the quote begins in the passage's text."""
        return self.candidates[0].start

    @property
    def end(self) -> int:
        """Where the quote ends in the passage's text."""
        return self.candidates[-1].end

    @property
    def citation(self) -> Citation:
        """The citation of the quote."""
        return citation_of(self.passage, self.start, self.end, marker=1)

    @property
    def label(self) -> str:
        """Title and headings above the quote."""
        return " › ".join(filter(None, (self.passage.document_title, *self.passage.heading_path)))

    @property
    def surroundings(self) -> str:
        """The quote with its context in the paragraph; a table row alone, with its header.

        Another row or paragraph may be about something else, so its figures are not context.
        """
        if self.candidates[0].kind is BlockKind.TABLE:
            return self.candidates[0].statement
        text = self.passage.text
        block_start, block_end = self._block_bounds
        first, last = (
            max(block_start, self.start - _AROUND_CHARACTERS),
            self.end + _AROUND_CHARACTERS,
        )
        last = min(block_end, last)
        if first > block_start:
            first = min(self.start, text.find(" ", first, self.start) + 1 or self.start)
        if last < block_end:
            last = max(self.end, text.rfind(" ", self.end, last))
        return text[first:last]

    @property
    def _block_bounds(self) -> tuple[int, int]:
        """The bounds of the quote's paragraphs in the passage's text."""
        passage = self.passage
        offset = passage.body_offset - passage.char_start
        spans = [(span.char_start + offset, span.char_end + offset) for span in passage.spans]
        overlapping = [span for span in spans if span[0] < self.end and self.start < span[1]]
        block_start = max(passage.body_offset, min((span[0] for span in overlapping), default=0))
        block_end = max((span[1] for span in overlapping), default=len(passage.text))
        return block_start, min(block_end, len(passage.text))

    @property
    def judged_text(self) -> str:
        """The text for a judge."""
        return f"{self.label}\n{self.surroundings}" if self.label else self.surroundings


@dataclass(frozen=True, slots=True)
class _RowStarts:
    """Start offsets of table rows in each passage, by chunk id."""

    named_starts: dict[str, set[int]] = field(default_factory=dict)
    other_starts: dict[str, set[int]] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class QuoteRetriever:
    """Finds the quotes of claims in the passages of one check; each passage is read once."""

    analyzer: Analyzer
    embedder: Embedder | None = None
    degraded: list[str] = field(default_factory=list)
    """Notes on what could not be done during retrieval."""
    _singles: dict[str, list[Span]] = field(default_factory=dict)
    _term_counts: Counter[str] = field(default_factory=Counter)

    def read(self, passages: Iterable[Passage]) -> None:
        """Add passages. Blocks: call it in a thread."""
        for passage in passages:
            if passage.chunk_id not in self._singles:
                evidence = Evidence(passage=passage, rank=1, score=0.0)
                spans = [
                    Span(
                        candidates=(candidate,),
                        terms=frozenset(self.analyzer.terms(candidate.statement, passage.language)),
                    )
                    for candidate in candidates_of([evidence])
                ]
                self._singles[passage.chunk_id] = spans
                self._term_counts.update(chain.from_iterable(span.terms for span in spans))

    def retrieve_lexical(self, words: str, passages: Sequence[Passage]) -> list[QuoteCandidate]:
        """The quotes with most of a claim's terms, best first; rare terms weigh most.

        Blocks: call it in a thread.
        """
        claim_language = self.analyzer.language_of(words, LANGUAGES)
        term_weights: dict[str | None, list[Mapping[str, float]]] = {}
        for language in {passage.language for passage in passages}:
            # Terms are also extracted in the claim's language, or its function words would count as
            # content.
            term_sets = [
                self.analyzer.terms(words, term_language)
                for term_language in (language, claim_language)
            ]
            term_weights[language] = [self._term_weights(frozenset(terms)) for terms in term_sets]
        table_rows = self._split_rows(words, claim_language, passages)
        ranked: list[tuple[float, int, int, Passage]] = []
        for passage_index, passage in enumerate(passages):
            for sentence_index, span in enumerate(self._singles[passage.chunk_id]):
                coverage = _best_coverage(term_weights[passage.language], span.terms)
                if coverage > 0 and span.start not in table_rows.other_starts[passage.chunk_id]:
                    ranked.append((-coverage, passage_index, sentence_index, passage))
        ranked.sort(key=lambda entry: entry[:3])
        quotes: dict[tuple[str, int, int], QuoteCandidate] = {}
        for _, _, sentence_index, passage in ranked[:_SENTENCES_TRIED]:
            for window in self._windows_around(passage, sentence_index):
                starts = {candidate.start for candidate in window.candidates}
                if starts & table_rows.other_starts[passage.chunk_id]:
                    continue
                if len(window.candidates) > 1 and window.end - window.start > QUOTE_CHARACTERS:
                    continue
                coverage = _best_coverage(term_weights[passage.language], window.terms)
                is_named = starts <= table_rows.named_starts[passage.chunk_id]
                quote = QuoteCandidate(
                    candidates=window.candidates, coverage=coverage, is_named_row=is_named
                )
                quotes[passage.chunk_id, window.start, window.end] = quote
        return _select_disjoint(quotes.values())

    async def retrieve_dense(
        self, claims: Mapping[int, str], passages: Sequence[Sequence[Passage]]
    ) -> dict[int, list[QuoteCandidate]]:
        """The sentences nearest in meaning to each of these claims, if any is near enough."""
        if self.embedder is None or not claims:
            return {}
        spans: dict[str, tuple[Passage, Span]] = {}
        for claim_index, words in claims.items():
            claim_language = self.analyzer.language_of(words, LANGUAGES)
            other_rows = self._split_rows(words, claim_language, passages[claim_index]).other_starts
            for passage in passages[claim_index]:
                for span in self._singles[passage.chunk_id]:
                    if span.start in other_rows[passage.chunk_id]:
                        continue
                    spans.setdefault(f"{passage.chunk_id}:{span.start}", (passage, span))
        texts = {key: span.candidates[0].embedded_text for key, (_, span) in spans.items()}
        selected = await asyncio.to_thread(self._within_budget, EMBEDDED_TOKENS, texts)
        if len(selected) < len(spans):
            self.degraded.append(
                f"quotes: the meaning of {len(selected)} of {len(spans)} sentences was compared"
            )
        if not selected:
            return {}
        try:
            vectors = await self.embedder.embed_documents([*selected.values(), *claims.values()])
        except LaneUnavailable as unavailable:
            self.degraded.append(f"quotes: words alone, {unavailable}")
            return {}
        sentence_vectors = np.asarray(vectors[: len(selected)])
        keys = list(selected)
        quotes: dict[int, list[QuoteCandidate]] = {}
        for claim_vector, claim_index in zip(vectors[len(selected) :], claims, strict=True):
            chunk_ids = {passage.chunk_id for passage in passages[claim_index]}
            similarities = sentence_vectors @ claim_vector
            ranked = (int(index) for index in np.argsort(-similarities, kind="stable"))
            nearest = [
                index
                for index in ranked
                if similarities[index] >= NEAR and spans[keys[index]][0].chunk_id in chunk_ids
            ]
            quotes[claim_index] = [
                QuoteCandidate(candidates=spans[keys[index]][1].candidates)
                for index in nearest[:NEAREST]
            ]
        return quotes

    def _split_rows(
        self, words: str, claim_language: str | None, passages: Sequence[Passage]
    ) -> _RowStarts:
        """Split table rows into those that a claim names and those about something else.

        A claim about one row must not be supported by another. A row is identified by its first
        cell; if the claim names no row of a table, every row may support it. A table of two columns
        whose second is not all figures may list different properties of one thing, so none of its
        rows is excluded.
        """
        claim_terms: dict[str | None, frozenset[str]] = {}
        table_rows = _RowStarts()
        for passage in passages:
            language = passage.language
            if language not in claim_terms:
                term_sets = [
                    self.analyzer.terms(words, term_language)
                    for term_language in {language, claim_language}
                ]
                claim_terms[language] = frozenset(chain.from_iterable(term_sets))
            tables: dict[tuple[str, ...], dict[int, frozenset[str]]] = {}
            mixed_headers: set[tuple[str, ...]] = set()
            for span in self._singles[passage.chunk_id]:
                cells = cells_of(span.candidates[0])
                if cells and any(map(str.isalpha, cells[0].text)):
                    terms = frozenset(self.analyzer.terms(cells[0].text, language))
                    header = span.candidates[0].header
                    tables.setdefault(header, {})[span.start] = terms
                    if len(cells) < 3 and not any(map(str.isdigit, cells[-1].text)):
                        mixed_headers.add(header)
            named_rows: set[int] = set()
            other_rows: set[int] = set()
            for header, rows in tables.items():
                named_terms = {
                    terms for terms in rows.values() if terms and terms <= claim_terms[language]
                }
                named_terms = {
                    row_terms
                    for row_terms in named_terms
                    if not any(row_terms < other for other in named_terms)
                }
                named_rows |= {start for start, terms in rows.items() if terms in named_terms}
                if named_terms and header not in mixed_headers:
                    other_rows |= {
                        start for start, terms in rows.items() if terms not in named_terms
                    }
            table_rows.named_starts[passage.chunk_id] = named_rows
            table_rows.other_starts[passage.chunk_id] = other_rows
        return table_rows

    def _within_budget(self, budget: int, texts: Mapping[str, str]) -> Mapping[str, str]:
        """The first texts that together have at most this many tokens."""
        assert self.embedder is not None, "asked where there is an embedder"
        selected: dict[str, str] = {}
        counts = self.embedder.count_tokens(list(texts.values()))
        for (key, text), count in zip(texts.items(), counts, strict=True):
            budget -= count
            if budget < 0:
                break
            selected[key] = text
        return selected

    def _windows_around(self, passage: Passage, sentence_index: int) -> list[Span]:
        """Every run of sentences that contains this one."""
        sentences = self._singles[passage.chunk_id]
        neighbours = sentences[max(0, sentence_index - 2) : sentence_index + 3]
        sentence = sentences[sentence_index]
        return [
            window
            for window in windows(neighbours)
            if window.start <= sentence.start and sentence.end <= window.end
        ]

    def _term_weights(self, terms: Collection[str]) -> Mapping[str, float]:
        sentence_count = sum(len(spans) for spans in self._singles.values())
        unseen = math.log(2 * (sentence_count + 1))
        return {
            term: max(
                _MIN_WEIGHT,
                math.log((sentence_count + 1) / (frequency + 0.5)) if frequency else unseen,
            )
            * (_DIGITS_WEIGHT if any(map(str.isdigit, term)) else 1.0)
            for term in terms
            for frequency in [self._term_counts[term]]
        }


def together(
    quotes: Sequence[QuoteCandidate], additional: Sequence[QuoteCandidate]
) -> list[QuoteCandidate]:
    """Both lists without overlap: at most `MAX_QUOTES`, with `additional` last."""
    new_quotes = [
        quote for quote in additional if not any(_overlap(quote, other) for other in quotes)
    ]
    first_quotes = quotes[: max(1, MAX_QUOTES - len(new_quotes))]
    return [*first_quotes, *new_quotes][:MAX_QUOTES]


def _select_disjoint(quotes: Iterable[QuoteCandidate]) -> list[QuoteCandidate]:
    """The best quotes without overlap; each further sentence must add enough coverage."""
    ranked = sorted(
        quotes,
        key=lambda quote: (
            WINDOW_PRICE * (len(quote.candidates) - 1) - quote.coverage,
            quote.end - quote.start,
            quote.passage.chunk_id,
            quote.start,
        ),
    )
    selected: list[QuoteCandidate] = []
    for quote in ranked:
        threshold = MIN_COVERAGE if not selected else _SHARE_OF_BEST * selected[0].coverage
        if quote.coverage >= max(MIN_COVERAGE, threshold) and not any(
            _overlap(quote, other) for other in selected
        ):
            selected.append(quote)
        if len(selected) == MAX_QUOTES:
            break
    return selected


def _best_coverage(readings: Sequence[Mapping[str, float]], terms: frozenset[str]) -> float:
    """The largest share of a reading's weight that these terms cover."""
    shares = [
        sum(weight for term, weight in weights.items() if term in terms) / sum(weights.values())
        for weights in readings
        if weights
    ]
    return max(shares, default=0.0)


def _overlap(quote: QuoteCandidate, other: QuoteCandidate) -> bool:
    """Whether two quotes share text; overlapping chunks are of one document."""
    if quote.passage.document_id != other.passage.document_id:
        return False
    first, second = quote.citation, other.citation
    return first.char_start < second.char_end and second.char_start < first.char_end
