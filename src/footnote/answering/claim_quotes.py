"""Retrieve from passages the quotes to verify a claim against."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from footnote.answering.attribution import LEAST_COVERAGE, WINDOW_PRICE, Span, windows
from footnote.answering.cite import citation_of
from footnote.answering.claim_evidence import LANGUAGES
from footnote.answering.sentences import Candidate, candidates_of, cells_of
from footnote.domain import BlockKind, Citation, Evidence, Passage
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder

MOST_QUOTES = 3
"""Of one claim."""
QUOTE_CHARACTERS = 1_000
"""Of several sentences in one quote; a longer quote is one sentence."""
EMBEDDED_TOKENS = 6_000
"""Of all sentences of a check: a second or two on one core."""
WEAK = 0.5
"""Coverage below which the vectors are asked as well: words are few across languages, and where
something is put otherwise."""
NEAR = 0.25
"""Cosine from which a sentence may speak of the same. A true pair in two languages has 0.3 to 0.4
in the packaged lane, another sentence of the same text up to 0.15."""
NEAREST = 2
"""Sentences of a claim that are found by meaning."""
_STRONGEST = 12
"""Sentences whose surroundings are tried as quotes."""
_SHARE_OF_BEST = 0.2
"""Of the best quote's coverage, below which another one is of another matter. Figures weigh much in
it, so it is low: a source with another figure is what a claim must be held against."""
_DIGITS_WEIGHT = 2.0
_LEAST_WEIGHT = 0.2
_AROUND_CHARACTERS = 240
"""On each side of a quote, of the sentences beside it that a judge reads too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteCandidate:
    """A quote for a claim."""

    candidates: tuple[Candidate, ...]
    """The sentences or the row it consists of, in order."""
    coverage: float = 0.0
    """Weighted share of the claim's terms that it holds."""
    named: bool = False
    """Whether it is a row of a table that the claim names."""

    @property
    def passage(self) -> Passage:
        """Where it stands."""
        return self.candidates[0].evidence.passage

    @property
    def start(self) -> int:
        """Where it begins in the passage's text."""
        return self.candidates[0].start

    @property
    def end(self) -> int:
        """Where it ends there."""
        return self.candidates[-1].end

    @property
    def citation(self) -> Citation:
        """It, bound to its document."""
        return citation_of(self.passage, self.start, self.end, marker=1)

    @property
    def label(self) -> str:
        """Title and headings above it."""
        return " › ".join(filter(None, (self.passage.document_title, *self.passage.heading_path)))

    @property
    def surroundings(self) -> str:
        """The quote with what stands beside it in its paragraph; a table's row alone, spelled out.

        Another row or paragraph may be about something else: its figures say nothing of this one.
        """
        if self.candidates[0].kind is BlockKind.TABLE:
            return self.candidates[0].statement
        text = self.passage.text
        least, most = self._block
        first, last = max(least, self.start - _AROUND_CHARACTERS), self.end + _AROUND_CHARACTERS
        last = min(most, last)
        if first > least:
            first = min(self.start, text.find(" ", first, self.start) + 1 or self.start)
        if last < most:
            last = max(self.end, text.rfind(" ", self.end, last))
        return text[first:last]

    @property
    def _block(self) -> tuple[int, int]:
        """Where the paragraphs that it stands in begin and end in the passage's text."""
        passage = self.passage
        shift = passage.body_offset - passage.char_start
        spans = [(span.char_start + shift, span.char_end + shift) for span in passage.spans]
        touched = [each for each in spans if each[0] < self.end and self.start < each[1]]
        least = max(passage.body_offset, min((each[0] for each in touched), default=0))
        most = max((each[1] for each in touched), default=len(passage.text))
        return least, min(most, len(passage.text))

    @property
    def judged_text(self) -> str:
        """What a judge reads of it."""
        return f"{self.label}\n{self.surroundings}" if self.label else self.surroundings


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where rows of tables begin in each passage, by its chunk."""

    named: dict[str, set[int]] = field(default_factory=dict)
    others: dict[str, set[int]] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class QuoteRetriever:
    """Finds the quotes of claims in the passages of one check, each of which is read once."""

    analyzer: Analyzer
    embedder: Embedder | None = None
    degraded: list[str] = field(default_factory=list)
    """What could not be done while quotes were looked for."""
    _singles: dict[str, list[Span]] = field(default_factory=dict)
    _held: Counter[str] = field(default_factory=Counter)

    def read(self, passages: Iterable[Passage]) -> None:
        """Make passages known. Blocks: call it in a thread."""
        for passage in passages:
            if passage.chunk_id not in self._singles:
                evidence = Evidence(passage=passage, rank=1, score=0.0)
                spans = [
                    Span(
                        candidates=(each,),
                        terms=frozenset(self.analyzer.terms(each.statement, passage.language)),
                    )
                    for each in candidates_of([evidence])
                ]
                self._singles[passage.chunk_id] = spans
                self._held.update(chain.from_iterable(span.terms for span in spans))

    def retrieve_lexical(self, words: str, passages: Sequence[Passage]) -> list[QuoteCandidate]:
        """The quotes that share most of a claim's terms, best first, rare terms weighing most.

        Blocks: call it in a thread.
        """
        spoken = self.analyzer.language_of(words, LANGUAGES)
        wanted: dict[str | None, list[Mapping[str, float]]] = {}
        for language in {each.language for each in passages}:
            # Terms are also extracted in the claim's language, or its function words would count as
            # content.
            read = [self.analyzer.terms(words, each) for each in (language, spoken)]
            wanted[language] = [self._weighed(frozenset(terms)) for terms in read]
        rows = self._rows_of(words, spoken, passages)
        strong: list[tuple[float, int, int, Passage]] = []
        for order, passage in enumerate(passages):
            for at, span in enumerate(self._singles[passage.chunk_id]):
                share = _share(wanted[passage.language], span.terms)
                if share > 0 and span.start not in rows.others[passage.chunk_id]:
                    strong.append((-share, order, at, passage))
        strong.sort(key=lambda each: each[:3])
        tried: dict[tuple[str, int, int], QuoteCandidate] = {}
        for _, _, at, passage in strong[:_STRONGEST]:
            for run in self._around(passage, at):
                starts = {each.start for each in run.candidates}
                if starts & rows.others[passage.chunk_id]:
                    continue
                if len(run.candidates) > 1 and run.end - run.start > QUOTE_CHARACTERS:
                    continue
                share = _share(wanted[passage.language], run.terms)
                named = starts <= rows.named[passage.chunk_id]
                found = QuoteCandidate(candidates=run.candidates, coverage=share, named=named)
                tried[passage.chunk_id, run.start, run.end] = found
        return _apart(tried.values())

    async def retrieve_dense(
        self, claims: Mapping[int, str], passages: Sequence[Sequence[Passage]]
    ) -> dict[int, list[QuoteCandidate]]:
        """The sentences nearest in meaning for each of these claims, as far as any is near."""
        if self.embedder is None or not claims:
            return {}
        spans: dict[str, tuple[Passage, Span]] = {}
        for at, words in claims.items():
            spoken = self.analyzer.language_of(words, LANGUAGES)
            others = self._rows_of(words, spoken, passages[at]).others
            for passage in passages[at]:
                for span in self._singles[passage.chunk_id]:
                    if span.start in others[passage.chunk_id]:
                        continue
                    spans.setdefault(f"{passage.chunk_id}:{span.start}", (passage, span))
        texts = {key: span.candidates[0].embedded_text for key, (_, span) in spans.items()}
        chosen = await asyncio.to_thread(self._within, EMBEDDED_TOKENS, texts)
        if len(chosen) < len(spans):
            self.degraded.append(
                f"quotes: the meaning of {len(chosen)} of {len(spans)} sentences was compared"
            )
        if not chosen:
            return {}
        try:
            rows = await self.embedder.embed_documents([*chosen.values(), *claims.values()])
        except LaneUnavailable as unavailable:
            self.degraded.append(f"quotes: words alone, {unavailable}")
            return {}
        matrix = np.asarray(rows[: len(chosen)])
        keys = list(chosen)
        found: dict[int, list[QuoteCandidate]] = {}
        for row, at in zip(rows[len(chosen) :], claims, strict=True):
            own = {each.chunk_id for each in passages[at]}
            similarities = matrix @ row
            ranked = (int(each) for each in np.argsort(-similarities, kind="stable"))
            near = [
                each
                for each in ranked
                if similarities[each] >= NEAR and spans[keys[each]][0].chunk_id in own
            ]
            found[at] = [
                QuoteCandidate(candidates=spans[keys[each]][1].candidates)
                for each in near[:NEAREST]
            ]
        return found

    def _rows_of(self, words: str, spoken: str | None, passages: Sequence[Passage]) -> _Rows:
        """Split table rows into those that a claim names and those about something else.

        A claim about one row must not be supported by another. A row is identified by its first
        cell; if the claim names no row of a table, every row may support it. A table of two columns
        whose second is not all figures may list different properties of one thing, so none of its
        rows is excluded.
        """
        said: dict[str | None, frozenset[str]] = {}
        found = _Rows()
        for passage in passages:
            language = passage.language
            if language not in said:
                read = [self.analyzer.terms(words, each) for each in {language, spoken}]
                said[language] = frozenset(chain.from_iterable(read))
            tables: dict[tuple[str, ...], dict[int, frozenset[str]]] = {}
            mixed: set[tuple[str, ...]] = set()
            for span in self._singles[passage.chunk_id]:
                cells = cells_of(span.candidates[0])
                if cells and any(map(str.isalpha, cells[0].text)):
                    terms = frozenset(self.analyzer.terms(cells[0].text, language))
                    header = span.candidates[0].header
                    tables.setdefault(header, {})[span.start] = terms
                    if len(cells) < 3 and not any(map(str.isdigit, cells[-1].text)):
                        mixed.add(header)
            own: set[int] = set()
            others: set[int] = set()
            for header, rows in tables.items():
                named = {terms for terms in rows.values() if terms and terms <= said[language]}
                named = {each for each in named if not any(each < other for other in named)}
                own |= {start for start, terms in rows.items() if terms in named}
                if named and header not in mixed:
                    others |= {start for start, terms in rows.items() if terms not in named}
            found.named[passage.chunk_id] = own
            found.others[passage.chunk_id] = others
        return found

    def _within(self, most: int, texts: Mapping[str, str]) -> Mapping[str, str]:
        """The first of the texts, with so many tokens together at most."""
        assert self.embedder is not None, "asked where there is an embedder"
        chosen: dict[str, str] = {}
        counts = self.embedder.count_tokens(list(texts.values()))
        for (key, text), count in zip(texts.items(), counts, strict=True):
            most -= count
            if most < 0:
                break
            chosen[key] = text
        return chosen

    def _around(self, passage: Passage, at: int) -> list[Span]:
        """Every run of sentences that holds this one."""
        singles = self._singles[passage.chunk_id]
        near = singles[max(0, at - 2) : at + 3]
        own = singles[at]
        return [run for run in windows(near) if run.start <= own.start and own.end <= run.end]

    def _weighed(self, terms: Collection[str]) -> Mapping[str, float]:
        count = sum(len(each) for each in self._singles.values())
        unseen = math.log(2 * (count + 1))
        return {
            term: max(_LEAST_WEIGHT, math.log((count + 1) / (held + 0.5)) if held else unseen)
            * (_DIGITS_WEIGHT if any(map(str.isdigit, term)) else 1.0)
            for term in terms
            for held in [self._held[term]]
        }


def together(
    found: Sequence[QuoteCandidate], more: Sequence[QuoteCandidate]
) -> list[QuoteCandidate]:
    """Both, each stretch of text once, `MOST_QUOTES` at most, of which `more` has the last."""
    new = [each for each in more if not any(_overlap(each, other) for other in found)]
    kept = found[: max(1, MOST_QUOTES - len(new))]
    return [*kept, *new][:MOST_QUOTES]


def _apart(tried: Iterable[QuoteCandidate]) -> list[QuoteCandidate]:
    """The best quotes, of which no two overlap; a further sentence must win what it costs."""
    ranked = sorted(
        tried,
        key=lambda each: (
            WINDOW_PRICE * (len(each.candidates) - 1) - each.coverage,
            each.end - each.start,
            each.passage.chunk_id,
            each.start,
        ),
    )
    chosen: list[QuoteCandidate] = []
    for each in ranked:
        least = LEAST_COVERAGE if not chosen else _SHARE_OF_BEST * chosen[0].coverage
        if each.coverage >= max(LEAST_COVERAGE, least) and not any(
            _overlap(each, other) for other in chosen
        ):
            chosen.append(each)
        if len(chosen) == MOST_QUOTES:
            break
    return chosen


def _share(readings: Sequence[Mapping[str, float]], held: frozenset[str]) -> float:
    """The largest share of a reading's weight that is held."""
    shares = [
        sum(weight for term, weight in each.items() if term in held) / sum(each.values())
        for each in readings
        if each
    ]
    return max(shares, default=0.0)


def _overlap(one: QuoteCandidate, other: QuoteCandidate) -> bool:
    """Whether they share text; chunks that overlap are of one document."""
    if one.passage.document_id != other.passage.document_id:
        return False
    a, b = one.citation, other.citation
    return a.char_start < b.char_end and b.char_start < a.char_end
