"""Searches, has the findings graded, and searches again in other words when they are too few."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from footnote.domain import Evidence, StageRecord
from footnote.errors import FootnoteError
from footnote.retrieval.grading import Grade, Grading, Rewrite

Retrieve = Callable[[str], Awaitable[tuple[Evidence, ...]]]
"""Searches for a wording, best first."""

STAGE = "grade"
MAX_CYCLES = 2
RELEVANCE: dict[Grading, float] = {"relevant": 1.0, "unknown": 0.5, "irrelevant": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What the loop found, and how."""

    evidence: tuple[Evidence, ...]
    """All that any wording found, ranks from 1."""
    searched: tuple[str, ...]
    """The wordings that were searched, the question first."""
    degraded: tuple[str, ...] = ()
    """What could not be done, each beginning with the stage's name."""


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
    """Rewritings at most, 0…2; 0 grades alone."""
    enough: int = 2
    """Relevant passages that make another cycle needless."""

    async def __call__(self, question: str, retrieve: Retrieve) -> Corrected:
        """The evidence for the question, what was relevant first.

        What the first search raises is raised; a later one that fails ends the loop, and so
        does a model that does, with what was found until then.
        """
        searched = [question]
        standing, notes = await self._graded(question, 1, await retrieve(question), ())
        for cycle in range(2, min(self.max_cycles, MAX_CYCLES) + 2):
            relevant = sum(each.grading == "relevant" for each in standing)
            if notes or relevant >= self.enough:
                break
            wording, notes = await self.rewrite(question, searched, relevant, len(standing))
            if wording is None:
                break
            try:
                found = await retrieve(wording)
            except FootnoteError as error:
                notes = (f"retry: {error}",)
                break
            searched.append(wording)
            standing, notes = await self._graded(question, cycle, found, standing)
        return Corrected(
            evidence=tuple(each.evidence for each in standing),
            searched=tuple(searched),
            degraded=notes,
        )

    async def _graded(
        self, question: str, cycle: int, found: Sequence[Evidence], standing: Sequence[_Standing]
    ) -> tuple[tuple[_Standing, ...], tuple[str, ...]]:
        """What stood before with what is new in `found`, in order, each with its record."""
        known = {each.evidence.passage.chunk_no for each in standing}
        new = [
            (rank, evidence)
            for rank, evidence in enumerate(found, start=1)
            if evidence.passage.chunk_no not in known
        ]
        gradings, notes = await self.grade(question, [_text(evidence) for _, evidence in new])
        judged = [
            _Standing(evidence=evidence, grading=grading, cycle=cycle, place=rank)
            for (rank, evidence), grading in zip(new, gradings, strict=True)
        ]
        ordered = sorted(
            [*standing, *judged],
            key=lambda each: (-RELEVANCE[each.grading], each.cycle, each.place),
        )
        return tuple(each.recorded(rank, cycle) for rank, each in enumerate(ordered, 1)), notes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Evidence with its grading, and where it was found."""

    evidence: Evidence
    grading: Grading
    cycle: int
    place: int

    def recorded(self, rank: int, cycle: int) -> _Standing:
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
                "found_at_rank": self.place,
            },
        )
        explanation = (*self.evidence.explanation, record)
        return replace(self, evidence=replace(self.evidence, rank=rank, explanation=explanation))


def _text(evidence: Evidence) -> str:
    """What the model is shown of a passage: where it stands, and what it says."""
    passage = evidence.passage
    return "\n".join([" › ".join([passage.document_title, *passage.heading_path]), passage.text])
