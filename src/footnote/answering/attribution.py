"""Bind each marker of a model's statement to the words of the source that support it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from footnote.answering.addresses import addresses_in
from footnote.answering.cite import Footnotes
from footnote.answering.sentences import Candidate, candidates_of
from footnote.domain import BlockKind, Citation, Evidence
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder, Vectors

MIN_COVERAGE = 0.15
"""Below this share of a statement's terms its source is taken to speak of something else, unless
the vectors say otherwise. Of 300 statements made of XQuAD's answers in English, 11 % are quoted
from a paragraph at random at 0.1, 4 % at 0.15; at 0.2 true ones lose their source in German (2 %).
A model that paraphrases shares fewer terms than these do."""
MIN_SIMILARITY = 0.4
"""Minimum cosine of a source that shares no words with the statement."""
LONGEST_WINDOW = 3
"""Sentences in one quote."""
WINDOW_PRICE = 0.04
"""Coverage that each further sentence must add to a quote."""
SECOND_QUOTE_GAIN = 0.25
"""Share of a statement's terms that a second quote of the same source must add."""
_DIGITS_WEIGHT = 2.0
_MIN_WEIGHT = 0.2
_SHORTEST_QUOTATION_WORDS = 4

_QUOTATION = re.compile(r"[“„«\"]([^“”„«»\"]{12,600})[”“»\"]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Span:
    """Adjacent statements of a passage, as one quote."""

    candidates: tuple[Candidate, ...]
    terms: frozenset[str]

    @property
    def start(self) -> int:
        """Where the quote begins in the passage's text."""
        return self.candidates[0].start

    @property
    def end(self) -> int:
        """Where the quote ends in the passage's text."""
        return self.candidates[-1].end


@dataclass(slots=True)
class Attribution:
    """Finds the quotes that support a statement, in the sources that it cites.

    Terms decide: the span of a source with most of the statement's terms, rare terms and figures
    weighing most (after the post-hoc citing of Gao et al., EMNLP 2023, "Enabling large language
    models to generate text with citations"). Where a source shares no words with the statement, as
    across languages, vectors decide, if there is an embedder.
    """

    evidence: Sequence[Evidence]
    analyzer: Analyzer
    embedder: Embedder | None = None
    shown_numbers: Collection[int] | None = None
    """The source numbers in the model's prompt; None for all."""
    footnotes: Footnotes = field(default_factory=Footnotes)
    """Footnotes of every requested quote, whether its statement is shown or not."""
    _spans: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    _vectors: dict[int, Vectors | None] = field(default_factory=dict)
    _weights: Mapping[str, float] | None = None
    _unseen: float = 1.0

    async def quotes(self, number: int, clause: str) -> list[Citation]:
        """The citations of a clause in source `number`, best first: none, one or two.

        None if there is no such source, if nothing in it is about the clause, or if the clause
        quotes four words or more that it does not contain.
        """
        if not 1 <= number <= len(self.evidence):
            return []
        if self.shown_numbers is not None and number not in self.shown_numbers:
            return []
        passage = self.evidence[number - 1].passage
        quotation_spans = self._quotation_spans(number, clause)
        if quotation_spans is None:
            return []
        spans = quotation_spans or await self._supporting_spans(number, clause)
        return [self.footnotes.citation(passage, start, end) for start, end in spans]

    def addresses(self, numbers: Collection[int]) -> frozenset[str]:
        """All addresses in these sources, except in suspicious ones."""
        cited = [self.evidence[number - 1] for number in sorted(numbers)]
        trusted_texts = [item.passage.text for item in cited if not item.suspicious]
        return frozenset(chain.from_iterable(map(addresses_in, trusted_texts)))

    def _quotation_spans(self, number: int, clause: str) -> list[tuple[int, int]] | None:
        """The spans of the sentences that the clause quotes; None if a quotation is made up."""
        passage = self.evidence[number - 1].passage
        spans = []
        for match in _QUOTATION.finditer(clause):
            words = _WORD.findall(match[1])
            if len(words) < _SHORTEST_QUOTATION_WORDS:
                continue
            pattern = re.compile(r"\W{1,9}".join(map(re.escape, words)), re.IGNORECASE)
            # The text before the body is a repeated table header.
            occurrence = pattern.search(passage.text, passage.body_offset)
            if occurrence is None:
                return None
            spans.append(self._sentences_around(number, *occurrence.span()))
        return list(dict.fromkeys(spans))

    def _sentences_around(self, number: int, start: int, end: int) -> tuple[int, int]:
        sentences = [
            sentence for sentence in self._spans_of(number) if len(sentence.candidates) == 1
        ]
        overlapping = [
            sentence for sentence in sentences if sentence.start < end and start < sentence.end
        ]
        if not overlapping:
            return start, end
        first = min(start, *(sentence.start for sentence in overlapping))
        return first, max(end, *(sentence.end for sentence in overlapping))

    async def _supporting_spans(self, number: int, clause: str) -> list[tuple[int, int]]:
        spans = self._spans_of(number)
        if not spans:
            return []
        language = self.evidence[number - 1].passage.language
        term_weights = self._term_weights(frozenset(self.analyzer.terms(clause, language)))
        coverages = [_weighted_coverage(term_weights, span.terms) for span in spans]
        penalties = [WINDOW_PRICE * (len(span.candidates) - 1) for span in spans]
        best = max(
            range(len(spans)), key=lambda index: (coverages[index] - penalties[index], -index)
        )
        if coverages[best] < MIN_COVERAGE:
            nearest = await self._nearest_sentence(number, clause)
            return [] if nearest is None else [nearest]
        selected = [spans[best]]
        uncovered = {
            term: 0.0 if term in spans[best].terms else term_weights[term] for term in term_weights
        }
        total = sum(term_weights.values())
        second = max(
            spans, key=lambda span: sum(uncovered[term] for term in uncovered.keys() & span.terms)
        )
        gain = sum(uncovered[term] for term in uncovered.keys() & second.terms) / total
        is_disjoint = second.end <= spans[best].start or spans[best].end <= second.start
        if gain >= SECOND_QUOTE_GAIN and is_disjoint:
            selected.append(second)
        return [(span.start, span.end) for span in selected]

    async def _nearest_sentence(self, number: int, clause: str) -> tuple[int, int] | None:
        """The sentence with the nearest vector, if it is near enough."""
        spans = [span for span in self._spans_of(number) if len(span.candidates) == 1]
        if self.embedder is None or not spans:
            return None
        try:
            if number not in self._vectors:
                texts = [span.candidates[0].embedded_text for span in spans]
                self._vectors[number] = await self.embedder.embed_documents(texts)
            vectors = self._vectors[number]
            clause_vector = (await self.embedder.embed_documents([clause]))[0]
        except LaneUnavailable:
            self._vectors[number] = vectors = None
        if vectors is None:
            return None
        similarities = vectors @ clause_vector
        best = int(np.argmax(similarities))
        is_near = float(similarities[best]) >= MIN_SIMILARITY
        return (spans[best].start, spans[best].end) if is_near else None

    def _spans_of(self, number: int) -> tuple[Span, ...]:
        if number not in self._spans:
            item = self.evidence[number - 1]
            sentences = [
                Span(
                    candidates=(candidate,),
                    terms=frozenset(
                        self.analyzer.terms(candidate.statement, item.passage.language)
                    ),
                )
                for candidate in candidates_of([item])
            ]
            self._spans[number] = tuple(windows(sentences))
        return self._spans[number]

    def _term_weights(self, terms: frozenset[str]) -> Mapping[str, float]:
        """The weight of each term: high for terms in few statements of the sources, and for
        numbers."""
        if self._weights is None:
            numbers = range(1, len(self.evidence) + 1)
            sentences = [
                span
                for number in numbers
                for span in self._spans_of(number)
                if len(span.candidates) == 1
            ]
            term_counts = Counter(chain.from_iterable(span.terms for span in sentences))
            self._weights = {
                term: max(_MIN_WEIGHT, math.log((len(sentences) + 1) / (count + 0.5)))
                for term, count in term_counts.items()
            }
            self._unseen = math.log(2 * (len(sentences) + 1))
        return {
            term: self._weights.get(term, self._unseen)
            * (_DIGITS_WEIGHT if any(map(str.isdigit, term)) else 1.0)
            for term in terms
        }


def windows(singles: Sequence[Span]) -> list[Span]:
    """Every run of one to three adjacent statements in a paragraph."""
    spans: list[Span] = []
    for first in range(len(singles)):
        window = singles[first]
        spans.append(window)
        for following in singles[first + 1 : first + LONGEST_WINDOW]:
            if not _follows(window, following):
                break
            window = Span(window.candidates + following.candidates, window.terms | following.terms)
            spans.append(window)
    return spans


def _follows(run: Span, next_span: Span) -> bool:
    previous, following = run.candidates[-1], next_span.candidates[0]
    text = following.evidence.passage.text[previous.end : following.start]
    return not text.strip() and "\n" not in text and following.kind is not BlockKind.TABLE


def _weighted_coverage(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weights[term] for term in weights.keys() & terms) / total if total else 0.0
