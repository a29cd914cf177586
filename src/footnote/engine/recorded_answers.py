"""Questions asked when a backup is made, and asked again of what was restored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain.backups import (
    AnswerComparison,
    AnswerDifference,
    RecordedAnswer,
    RecordedCitation,
)
from footnote.engine.installation import Engine
from footnote.engine.opening import open_engine
from footnote.errors import NoSuchWorkspace
from footnote.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What is asked, and of which workspace."""

    workspace: str
    questions: tuple[str, ...]


async def recorded_answers(settings: Settings, asked: Questions) -> tuple[RecordedAnswer, ...]:
    """What the installation answers now."""
    async with await open_engine(settings) as engine:
        return tuple(
            [
                RecordedAnswer(
                    workspace=asked.workspace,
                    question=question,
                    citations=await _citations(engine, asked.workspace, question),
                )
                for question in asked.questions
            ]
        )


async def compared_answers(
    engine: Engine, recorded: Sequence[RecordedAnswer], erased: Collection[UUID]
) -> AnswerComparison:
    """Ask again; what cites documents that were erased since is left out."""
    differences = []
    left_out = 0
    for each in recorded:
        if any(citation.document_id in erased for citation in each.citations):
            left_out += 1
            continue
        try:
            found = await _citations(engine, each.workspace, each.question)
        except NoSuchWorkspace:
            left_out += 1  # It was destroyed, or restored as it was before it was made.
            continue
        if found != each.citations:
            differences.append(
                AnswerDifference(
                    workspace=each.workspace,
                    question=each.question,
                    recorded=each.citations,
                    found=found,
                )
            )
    return AnswerComparison(
        asked=len(recorded) - left_out, erased=left_out, differences=tuple(differences)
    )


async def _citations(engine: Engine, workspace: str, question: str) -> tuple[RecordedCitation, ...]:
    answer = await (await engine.workspace(workspace)).ask(question)
    return tuple(
        RecordedCitation(
            document_id=each.document_id,
            char_start=each.char_start,
            char_end=each.char_end,
            quote=each.quote,
        )
        for each in answer.citations
    )
