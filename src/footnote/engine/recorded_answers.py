"""Record answers when a backup is made, and compare them with those of the restored data."""

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
    """The questions to ask, and the workspace that they go to."""

    workspace: str
    questions: tuple[str, ...]


async def recorded_answers(settings: Settings, questions: Questions) -> tuple[RecordedAnswer, ...]:
    """Ask the questions of the running installation and return its answers."""
    async with await open_engine(settings) as engine:
        return tuple(
            [
                RecordedAnswer(
                    workspace=questions.workspace,
                    question=question,
                    citations=await _citations(engine, questions.workspace, question),
                )
                for question in questions.questions
            ]
        )


async def compared_answers(
    engine: Engine, recorded: Sequence[RecordedAnswer], erased: Collection[UUID]
) -> AnswerComparison:
    """Ask the recorded questions again and return the differences.

    Answers that cite a document erased since, and those of absent workspaces, are left out.
    """
    differences = []
    left_out = 0
    for answer in recorded:
        if any(citation.document_id in erased for citation in answer.citations):
            left_out += 1
            continue
        try:
            citations = await _citations(engine, answer.workspace, answer.question)
        except NoSuchWorkspace:
            left_out += 1  # It was destroyed, or did not exist yet at the restored time.
            continue
        if citations != answer.citations:
            differences.append(
                AnswerDifference(
                    workspace=answer.workspace,
                    question=answer.question,
                    recorded=answer.citations,
                    found=citations,
                )
            )
    return AnswerComparison(
        asked=len(recorded) - left_out, erased=left_out, differences=tuple(differences)
    )


async def _citations(engine: Engine, workspace: str, question: str) -> tuple[RecordedCitation, ...]:
    answer = await (await engine.workspace(workspace)).ask(question)
    return tuple(
        RecordedCitation(
            document_id=citation.document_id,
            char_start=citation.char_start,
            char_end=citation.char_end,
            quote=citation.quote,
        )
        for citation in answer.citations
    )
