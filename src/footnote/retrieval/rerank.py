"""Orders the best evidence anew by a model that reads it beside the query."""

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
    """Lets the reranker read the head of a ranking and orders that by its scores.

    Laws: no evidence is lost or added, what the reranker did not read keeps its order behind
    what it read, and without the reranker nothing changes. Scores of the head and of what
    stands behind it are not comparable; a record of this stage tells them apart.
    """

    reranker: Reranker
    depth: int = 3
    """How many times `top_k` it reads."""
    candidates: int | None = None
    """How many it reads whatever `top_k` is; None leaves it to `depth`."""

    async def __call__(
        self, query: str, evidence: Sequence[Evidence], top_k: int
    ) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
        """The evidence in its new order, and why it is the given one where it is.

        By falling score, ties by rising chunk number.
        """
        given = tuple(evidence)
        head = given[: self.depth * top_k if self.candidates is None else self.candidates]
        if not head:
            return given, ()
        try:
            scores = await self.reranker(query, [text_to_read(each.passage) for each in head])
        except ModelUnavailable as error:
            return given, (f"{STAGE}: {error}",)
        if len(scores) != len(head) or not all(map(math.isfinite, scores)):
            return given, (f"{STAGE}: {self.reranker.name} gave scores that cannot be used",)
        read = zip(scores, head, strict=True)
        ordered = sorted(read, key=lambda pair: (-pair[0], pair[1].passage.chunk_no))
        places = enumerate(ordered, start=1)
        return (
            *(self._placed(rank, score, each) for rank, (score, each) in places),
            *given[len(head) :],
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
    """What a reranker is shown: the title, the headings and the text, a line each."""
    parts = (passage.document_title, " > ".join(passage.heading_path), passage.text)
    return "\n".join(part for part in parts if part)
