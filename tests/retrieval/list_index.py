"""An index over a list of texts, any of whose parts can be made to fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log1p
from uuid import NAMESPACE_URL, UUID, uuid5

from footnote.domain import FacetCount, Hit, Passage, Ranking, SearchFilters
from footnote.errors import StoreUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import HashEmbedder
from footnote.ports import (
    DatedDocument,
    EntityGraph,
    ExpandedPassage,
    NamedEntity,
    PendingVector,
    QuestionName,
    Recalled,
    RecallRequest,
    TableText,
    TermPostings,
    Vector,
)

from .evidence import passage_of

ANALYZER = TextAnalyzer()


@dataclass(frozen=True, slots=True)
class ListIndex:
    """Searches by shared words and by hashed vectors; every text is a document of its own."""

    texts: tuple[str, ...]
    failing: frozenset[str] = frozenset()
    """Names of methods, or `dense`, `lexical`, `graph`, `series` and `rows`."""
    names: tuple[str, ...] = ()
    """Of the documents, where they have any."""

    async def recall(self, request: RecallRequest, coming: PendingVector | None = None) -> Recalled:
        """Both recalls, completed whether or not that was asked for."""
        if coming is not None:
            request = replace(request, vector=await coming)
        if request.vector is not None:
            self._check("dense")
        terms = []
        if request.terms_of is not None:
            self._check("lexical")
            terms = list(request.terms_of(["en"]))
        held = [set(ANALYZER.terms(text, "en")) for text in self.texts]
        holders = {term: sum(term in each for each in held) for term in terms}
        shares = {
            number: {term: 1.0 / holders[term] for term in terms if term in each}
            for number, each in enumerate(held)
        }
        lexical = {number: sum(each.values()) for number, each in shares.items() if each}
        dense: dict[int, float] = {}
        if request.vector is not None:
            similarities = HashEmbedder().encode(self.texts) @ request.vector
            dense = dict(enumerate(map(float, similarities)))
        return Recalled(
            dense=_ranked(dense, request.limit),
            lexical=_ranked(lexical, request.limit),
            matched_terms={number: shares[number] for number in lexical},
            similarities=dense,
            bm25=lexical,
            idf={term: log1p(1 / (holders[term] + 1)) for term in terms},
            absent_terms=tuple(term for term in terms if not holders[term]),
            languages=("en",),
        )

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """A passage for each number."""
        return {
            number: passage_of(self.texts[number], number=number, document=number)
            for number in chunk_numbers
        }

    async def documents_of(self, chunk_numbers: Sequence[int]) -> Mapping[int, DatedDocument]:
        """Each text's own, by its name."""
        self._check("series")
        return {
            number: DatedDocument(
                document_id=UUID(int=number),
                filename=f"{self.names[number]}.txt",
                title=self.names[number],
                document_date=None,
            )
            for number in chunk_numbers
            if self.names
        }

    async def tables(self, chunk_numbers: Sequence[int]) -> Mapping[int, TableText]:
        """The texts that begin as rows do."""
        self._check("rows")
        return {
            number: TableText(text=self.texts[number], language="en")
            for number in chunk_numbers
            if self.texts[number].startswith("|")
        }

    async def generation(self) -> int:
        """It never changes."""
        return 1

    @property
    def last_generation(self) -> int | None:
        """It was never looked at."""
        return None

    async def holders(
        self, terms: Sequence[str], filters: SearchFilters, shown: int
    ) -> Mapping[str, TermPostings]:
        """The texts that hold each term."""
        self._check("holders")
        held = [set(ANALYZER.terms(text, "en")) for text in self.texts]
        found = {term: [no for no, each in enumerate(held) if term in each] for term in terms}
        return {
            term: TermPostings(count=len(numbers), first=tuple(numbers[:shown]))
            for term, numbers in found.items()
            if numbers
        }

    async def in_other_languages(
        self, vector: Vector, language: str, filters: SearchFilters, limit: int
    ) -> Ranking:
        """All texts are in English."""
        self._check("languages")
        return ()

    async def entity_graph(
        self, names: Sequence[QuestionName], filters: SearchFilters
    ) -> EntityGraph:
        """Every word of a name is an entity, which is named where it stands."""
        self._check("graph")
        said = {word for each in names for word in each.text.split()}
        holders = {
            word: [number for number, text in enumerate(self.texts) if word in text]
            for word in said
        }
        ids = {word: uuid5(NAMESPACE_URL, word) for word in said if holders[word]}
        return EntityGraph(
            named={ids[w]: NamedEntity(text=w, documents=len(holders[w])) for w in ids},
            mentions={(ids[word], number): 1 for word in ids for number in holders[word]},
        )

    async def vectors(self, chunk_numbers: Sequence[int]) -> Mapping[int, Vector]:
        """The texts' vectors."""
        self._check("vectors")
        return {number: HashEmbedder().encode([self.texts[number]])[0] for number in chunk_numbers}

    async def widened(
        self, passages: Sequence[Passage], window: int, across_headings: bool
    ) -> Mapping[int, ExpandedPassage]:
        """No text has a neighbour."""
        self._check("widened")
        return {each.chunk_no: ExpandedPassage(passage=each, distances={}) for each in passages}

    async def facets(
        self, fields: Sequence[str], filters: SearchFilters
    ) -> Mapping[str, tuple[FacetCount, ...]]:
        """One value for each field."""
        self._check("facets")
        return {name: (FacetCount(value="x", documents=len(self.texts)),) for name in fields}

    def _check(self, part: str) -> None:
        if part in self.failing:
            raise StoreUnavailable(f"{part} is away")


def _ranked(scores: Mapping[int, float], limit: int) -> Ranking:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(chunk_no=number, score=score) for number, score in ordered[:limit])
