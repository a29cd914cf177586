"""Search, grade the evidence, and search again with a rewritten question if too little is
relevant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from footnote.domain import Evidence, StageRecord
from footnote.errors import FootnoteError
from footnote.retrieval.grading import Grade, Grading, Rewrite

Retrieve = Callable[[str], Awaitable[tuple[Evidence, ...]]]
"""Returns the evidence for a wording, best first."""

STAGE = "grade"
MAX_CYCLES = 2
RELEVANCE: dict[Grading, float] = {"relevant": 1.0, "unknown": 0.5, "irrelevant": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The result of the corrective loop."""

    evidence: tuple[Evidence, ...]
    """All evidence that any wording found, ranks from 1."""
    searched: tuple[str, ...]
    """The wordings that were searched, the question first."""
    degraded: tuple[str, ...] = ()
    """Notes on what failed, each beginning with the stage's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectiveLoop:
    """Grade → rewrite → retry (Yan et al., CRAG, 2024), with evidence that never vanishes.

    Order: by grading (relevant, unknown, irrelevant), then by the cycle that found it, then by
    its rank there. The last record of stage `grade` holds all three: `relevance`, `found_in_cycle`
    and `found_at_rank`. Scores stay those of the search.
    """

    grade: Grade
    rewrite: Rewrite
    max_cycles: int = MAX_CYCLES
    """Most rewrites, 0…2; with 0 the evidence is only graded."""
    enough: int = 2
    """Relevant passages from which no further cycle runs."""

    async def __call__(self, question: str, retrieve: Retrieve) -> Corrected:
        """Return the evidence for the question, relevant passages first.

        Raises what the first search raises. A later search or a model that fails ends the loop with
        what was found until then.
        """
        searched = [question]
        graded, notes = await self._grade_new(question, 1, await retrieve(question), ())
        for cycle in range(2, min(self.max_cycles, MAX_CYCLES) + 2):
            relevant = sum(item.grading == "relevant" for item in graded)
            if notes or relevant >= self.enough:
                break
            wording, notes = await self.rewrite(question, searched, relevant, len(graded))
            if wording is None:
                break
            try:
                retrieved = await retrieve(wording)
            except FootnoteError as error:
                notes = (f"retry: {error}",)
                break
            searched.append(wording)
            graded, notes = await self._grade_new(question, cycle, retrieved, graded)
        return Corrected(
            evidence=tuple(item.evidence for item in graded),
            searched=tuple(searched),
            degraded=notes,
        )

    async def _grade_new(
        self,
        question: str,
        cycle: int,
        retrieved: Sequence[Evidence],
        earlier: Sequence[_GradedEvidence],
    ) -> tuple[tuple[_GradedEvidence, ...], tuple[str, ...]]:
        """Grade what is new in `retrieved`, and merge it into the earlier evidence, with a record
        for each."""
        existing = {item.evidence.passage.chunk_no for item in earlier}
        new = [
            (rank, evidence)
            for rank, evidence in enumerate(retrieved, start=1)
            if evidence.passage.chunk_no not in existing
        ]
        gradings, notes = await self.grade(question, [_text(evidence) for _, evidence in new])
        graded = [
            _GradedEvidence(evidence=evidence, grading=grading, cycle=cycle, found_rank=rank)
            for (rank, evidence), grading in zip(new, gradings, strict=True)
        ]
        ordered = sorted(
            [*earlier, *graded],
            key=lambda item: (-RELEVANCE[item.grading], item.cycle, item.found_rank),
        )
        return tuple(item.recorded(rank, cycle) for rank, item in enumerate(ordered, 1)), notes


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradedEvidence:
    """Evidence with its grading, and where it was found."""

    evidence: Evidence
    grading: Grading
    cycle: int
    found_rank: int

    def recorded(self, rank: int, cycle: int) -> _GradedEvidence:
        record = StageRecord(
            stage=STAGE,
            rank_before=self.evidence.rank,
            rank_after=rank,
            score_before=self.evidence.score,
            score_after=self.evidence.score,
            detail={
                "grading": self.grading,
                "relevance": RELEVANCE[self.grading],
                "cycle": cycle,
                "found_in_cycle": self.cycle,
                "found_at_rank": self.found_rank,
            },
        )
        explanation = (*self.evidence.explanation, record)
        return replace(self, evidence=replace(self.evidence, rank=rank, explanation=explanation))


def _text(evidence: Evidence) -> str:
    """The passage as the model sees it: its heading path and its text."""
    passage = evidence.passage
    return "\n".join([" › ".join([passage.document_title, *passage.heading_path]), passage.text])
