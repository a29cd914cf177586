"""The searchable side of a workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol
from uuid import UUID

from footnote.domain import FacetCount, Passage, Ranking, SearchFilters
from footnote.ports.models import Vector

PendingVector = asyncio.Future[Vector | None]
"""A query's vector that is being computed; None if that fails."""

TermsOf = Callable[[Sequence[str]], Sequence[str]]
"""From the languages a workspace is written in to the terms a query asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Settings of document-level routing before chunk retrieval."""

    threshold: int = 3
    """Documents in scope up to which all of them are searched."""
    documents: int = 5
    """Documents that are chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedDocument:
    """How promising a document is by its title, summary, sections and keywords."""

    rank: int
    """From 1, among the documents in scope."""
    score: float
    """The sum of its reciprocal ranks by vector and by words."""
    chosen: bool
    """Whether it is among the most promising documents."""
    similarity: float | None
    """Cosine of what it is about to the query."""
    bm25: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """The most promising documents."""

    in_scope: int
    """Documents that could be chosen."""
    documents: Mapping[int, RoutedDocument] = field(default_factory=dict)
    """By each recalled chunk number. Empty where all documents are searched; a missing chunk is of
    a document whose subject is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """The request for both recalls; either side may be absent."""

    terms_of: TermsOf | None = None
    """Gives the query's distinct terms once the languages of the workspace are known."""
    vector: Vector | None = None
    limit: int = 100
    filters: SearchFilters = field(default_factory=SearchFilters)
    phrases: tuple[str, ...] = ()
    """Chunks must hold each of these word sequences literally, case, accents and punctuation
    aside, in their text, a heading or their document's title. Where none does, they count as
    nothing more than their words, and a note says so."""
    exact_phrases: bool = False
    """Whether nothing is found where no chunk holds the phrases."""
    complete: bool = False
    """Whether every recalled chunk gets the scores of both recalls."""
    names_of: TermsOf | None = None
    """Gives the terms by which the query may name documents, which are then searched once more;
    None looks for none."""
    route: Routing | None = None
    """How to rank the documents in addition to the chunks; None does not."""
    excluded: tuple[str, ...] = ()
    """Chunks must hold none of these: words by their stem, anything longer literally."""

    @property
    def narrows(self) -> bool:
        """Whether chunks are left out that hold, or lack, certain words."""
        return bool(self.phrases or self.excluded)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlace:
    """The position of a document in its series."""

    rank: int
    """From 1, the requested one."""
    documents: int
    """Of the series, so many among what was recalled."""
    stated: str
    """By what it was ordered, such as a year and a quarter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMatch:
    """How well a table's row name matches the question."""

    match: float
    """0…1, of the best row."""
    name: str = ""
    """Its name; empty where none matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The results of both recalls."""

    dense: Ranking = ()
    """Scores are cosine similarities."""
    lexical: Ranking = ()
    """Scores are BM25."""
    matched_terms: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """For each chunk number of the lexical ranking, each matched term's share of its score."""
    similarities: Mapping[int, float] = field(default_factory=dict)
    """Cosine of each chunk of the dense ranking; of the lexical one as well if complete."""
    bm25: Mapping[int, float] = field(default_factory=dict)
    """BM25 of each chunk of the lexical ranking; of the dense one as well if complete."""
    idf: Mapping[str, float] = field(default_factory=dict)
    """The idf of every term that was asked for, over the live chunks of the workspace."""
    absent_terms: tuple[str, ...] = ()
    """Terms asked for that no visible chunk holds, whatever phrases and exclusions say."""
    languages: tuple[str, ...] = ()
    """What the workspace is written in, ISO 639-1, commonest first."""
    across: Ranking = ()
    """Chunks in other languages than the query's, by cosine."""
    notes: tuple[str, ...] = ()
    """What could not be done completely, a sentence each."""
    graph: Ranking = ()
    """By what the question names; scores are shares of a walk's visits. Empty if not asked for."""
    named: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """For each chunk of the graph's ranking, how often it says each name of the question."""
    routes: Routes | None = None
    """The documents' ranking; None if it was not asked for or the index knows none."""
    name_score_gaps: Mapping[int, float] = field(default_factory=dict)
    """For each recalled chunk number, how far the name match of its document is below the best
    one, in nats; empty if the query names no document."""
    series: Mapping[int, SeriesPlace] = field(default_factory=dict)
    """For each recalled chunk number whose document is one of a series, where it stands in it;
    empty where no question was for the newest or the oldest."""
    rows: Mapping[int, RowMatch] = field(default_factory=dict)
    """For each recalled table, its best row; empty where no figure is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedDocument:
    """What tells a chunk's document from others of its series."""

    document_id: UUID
    filename: str
    title: str
    document_date: date | None
    """The date that it bears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableText:
    """A chunk that is a table."""

    text: str
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedPassage:
    """A passage with its neighbours in one contiguous part of the document's text."""

    passage: Passage
    """The found chunk's passage; text, offsets, spans, pages and ordinal cover the stretch."""
    distances: Mapping[str, int]
    """Chunk id to distance from the found one, negative before it; the found one is left out."""
    after: str = ""
    """The text between the stretch and the chunk that it could go on with; empty without one."""


ExpandPassages = Callable[[Sequence[Passage]], Awaitable[Mapping[int, ExpandedPassage]]]
"""For the chunk numbers of passages, each widened as far as its section goes, within limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionName:
    """A span of a question that may name an entity."""

    start: int
    """Its first word, counted from 0."""
    end: int
    """The word after its last."""
    text: str
    keys: tuple[str, ...]
    """Under which documents that name it are found."""


NamesIn = Callable[[str], Sequence[QuestionName]]
"""Gives the spans of a question that may name an entity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntity:
    """An entity that a question names."""

    text: str
    """As the question writes it."""
    documents: int
    """Visible documents that name it so, 1 or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityGraph:
    """The entities that a question names, related ones, and the chunks that name either."""

    named: Mapping[UUID, NamedEntity] = field(default_factory=dict)
    pairs: Mapping[tuple[UUID, UUID], float] = field(default_factory=dict)
    """How strongly a named entity and another are related by sentences, above 0."""
    mentions: Mapping[tuple[UUID, int], int] = field(default_factory=dict)
    """How often an entity is named in the chunk of that number, 1 or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPostings:
    """The chunks that hold a term."""

    count: int
    first: tuple[int, ...]
    """The lowest of their numbers, as many as were asked for."""


class ReplicaLost(Exception):
    """A replica does not answer; ask the primary.

    No caller of the engine sees it, and no stage of a search goes on without what it asked for.
    """


class ConfigurationChanged(Exception):
    """The workspace's settings changed since the search was prepared; prepare it again.

    No caller of the engine sees it.
    """


class Index(Protocol):
    """The searchable side of a workspace, already bound to workspace and principal."""

    async def recall(self, request: RecallRequest, coming: PendingVector | None = None) -> Recalled:
        """Both recalls over what the principal may see.

        A vector in `coming` replaces that of the request; work that does not need it is done before
        it is ready. Raises ConfigurationChanged.
        """

    async def in_other_languages(
        self, vector: Vector, language: str, filters: SearchFilters, limit: int
    ) -> Ranking:
        """The nearest chunks of documents in another language than this one, by cosine.

        The language is one that `Analyzer.language_of` returns.
        """

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""

    async def documents_of(self, chunk_numbers: Sequence[int]) -> Mapping[int, DatedDocument]:
        """The document of each of these chunks that is published and visible."""

    async def tables(self, chunk_numbers: Sequence[int]) -> Mapping[int, TableText]:
        """Those of these chunks that are published and visible tables."""

    async def generation(self) -> int:
        """A number that rises with every change of documents a search could notice.

        Raises ConfigurationChanged.
        """

    @property
    def last_generation(self) -> int | None:
        """The number when this process last looked; None before it has."""

    async def holders(
        self, terms: Sequence[str], filters: SearchFilters, shown: int
    ) -> Mapping[str, TermPostings]:
        """The visible chunks that contain each term; terms without any are left out.

        Of each term, at most `shown` chunk numbers are returned.
        """

    async def entity_graph(
        self, names: Sequence[QuestionName], filters: SearchFilters
    ) -> EntityGraph:
        """The visible entities of these names, with related ones and their chunks."""

    async def vectors(self, chunk_numbers: Sequence[int]) -> Mapping[int, Vector]:
        """The vectors of these chunks, in the lane that is searched."""

    async def widened(
        self, passages: Sequence[Passage], window: int, across_headings: bool
    ) -> Mapping[int, ExpandedPassage]:
        """For each chunk number, its passage merged with up to `window` neighbours a side."""

    async def facets(
        self, fields: Sequence[str], filters: SearchFilters
    ) -> Mapping[str, tuple[FacetCount, ...]]:
        """For each field, its commonest values among the visible documents."""
