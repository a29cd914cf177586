"""Refine candidates: collapse near duplicates, rerank, and diversify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Evidence
from footnote.ports import Vector
from footnote.retrieval.diversify import MARGIN, diversity_by_name
from footnote.retrieval.duplicates import THRESHOLD, collapse_near_duplicates
from footnote.retrieval.journal import RecordedSearch
from footnote.retrieval.rerank import STAGE as RERANK
from footnote.retrieval.rerank import Rerank


@dataclass(frozen=True, slots=True, kw_only=True)
class Refine:
    """Refines candidates in fused order to at most `top_k` in their final order."""

    rerank: Rerank | None = None
    duplicate_overlap: float = THRESHOLD
    min_per_document: int = 2
    margin: float = MARGIN
    mmr_diversity: float = 0.3

    async def __call__(
        self,
        question: str,
        candidates: Sequence[Evidence],
        search: RecordedSearch,
    ) -> tuple[Evidence, ...]:
        """Return the refined evidence for the question."""
        with search.journal.timed("duplicates"):
            evidence = collapse_near_duplicates(candidates, self.duplicate_overlap)
        if search.plan.rerank and self.rerank is None:
            search.journal.note("rerank: no reranker is configured")
        elif search.plan.rerank and self.rerank is not None:
            with search.journal.timed("rerank"):
                evidence, notes = await self.rerank(question, evidence, search.top_k)
            search.journal.note(*notes)
            # Drops what was not reranked, whose scores are not comparable.
            evidence = (
                tuple(item for item in evidence if item.explanation[-1].stage == RERANK) or evidence
            )
        with search.journal.timed("diversify"):
            diversify = diversity_by_name(
                search.plan.diversity,
                min_per_document=self.min_per_document,
                diversity=self.mmr_diversity,
                margin=self.margin,
            )
            vectors: Mapping[int, Vector] = {}
            if diversify.needs_vectors:
                numbers = [item.passage.chunk_no for item in evidence]
                with search.journal.attempt("diversify"):
                    vectors = await search.index.vectors(numbers)
            return diversify(evidence, search.top_k, vectors)
