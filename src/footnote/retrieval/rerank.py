"""Rerank the best evidence by a model that reads it together with the query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footnote.domain import Evidence, Passage, StageRecord
from footnote.errors import ModelUnavailable
from footnote.ports import Reranker

STAGE = "rerank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerank:
    """Reranks the head of a ranking by the scores of the reranker.

    Laws: no evidence is lost or added, the rest keeps its order after the head, and without the
    reranker nothing changes. Scores of the head and of the rest are not comparable; the head has a
    record of this stage.
    """

    reranker: Reranker
    depth: int = 3
    """Candidates it reads, as a multiple of `top_k`."""
    candidates: int | None = None
    """Candidates it reads whatever `top_k` is; None uses `depth`."""

    async def __call__(
        self, query: str, evidence: Sequence[Evidence], top_k: int
    ) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
        """Return the evidence in its new order, with a note if reranking failed.

        By falling score, ties by rising chunk number.
        """
        ranking = tuple(evidence)
        head = ranking[: self.depth * top_k if self.candidates is None else self.candidates]
        if not head:
            return ranking, ()
        try:
            scores = await self.reranker(query, [text_to_read(item.passage) for item in head])
        except ModelUnavailable as error:
            return ranking, (f"{STAGE}: {error}",)
        if len(scores) != len(head) or not all(map(math.isfinite, scores)):
            return ranking, (f"{STAGE}: {self.reranker.name} gave scores that cannot be used",)
        scored = zip(scores, head, strict=True)
        ordered = sorted(scored, key=lambda pair: (-pair[0], pair[1].passage.chunk_no))
        ranked = enumerate(ordered, start=1)
        return (
            *(self._placed(rank, score, item) for rank, (score, item) in ranked),
            *ranking[len(head) :],
        ), ()

    def _placed(self, rank: int, score: float, evidence: Evidence) -> Evidence:
        record = StageRecord(
            stage=STAGE,
            rank_before=evidence.rank,
            score_before=evidence.score,
            rank_after=rank,
            score_after=score,
            detail={"model": self.reranker.name},
        )
        explanation = (*evidence.explanation, record)
        return replace(evidence, rank=rank, score=score, explanation=explanation)


def text_to_read(passage: Passage) -> str:
    """The passage as the reranker reads it: title, headings and text, one per line."""
    parts = (passage.document_title, " > ".join(passage.heading_path), passage.text)
    return "\n".join(part for part in parts if part)
