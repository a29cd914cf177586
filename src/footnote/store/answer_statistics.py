"""Count citations of documents, and read questions that were not answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain.answer_statistics import CitationReport, DocumentCitations
from footnote.domain.conversations import MessageAnswer
from footnote.ports import CiphertextLocation
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.documents import document_of
from footnote.store.messages import read_answer
from footnote.store.sealing import ANSWER
from footnote.store.statements import load_statements

_SQL = load_statements("answer_statistics")
_DOCUMENTS = load_statements("listing")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsPeriod:
    """A half-open period of time."""

    begin: datetime
    end: datetime
    """Exclusive end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that got no answer."""

    asker: str
    asked_at: datetime
    answer: MessageAnswer


async def citation_report(
    scope: WorkspaceScope,
    period: StatisticsPeriod,
    collections: Sequence[str] | None,
    limit: int,
) -> CitationReport:
    """Return the documents that all answers cite most, and those that none cites.

    Only documents visible to the principal of the scope, in these collections or in all.
    """
    bounds = {"begin": period.begin, "end": period.end}
    await scope.act_as(SYSTEM)
    cited = await scope.all(_SQL["cited"], bounds)
    await scope.act_as(scope.principal)
    parameters = {
        **bounds,
        "collections": None if collections is None else list(collections),
        "limit": limit,
        "document_ids": [row["document_id"] for row in cited],
        "citations": [row["citations"] for row in cited],
        "answers": [row["answers"] for row in cited],
        "last_cited": [row["last_cited_at"] for row in cited],
    }
    most_cited = await scope.all(_SQL["most_cited"], parameters)
    never_cited = await scope.all(_SQL["never_cited"], parameters)
    totals = await scope.single(_SQL["count_never_cited"], parameters)
    return CitationReport(
        since=period.begin.date(),
        until=period.end.date(),
        most_cited=tuple(_citations(scope, row, row) for row in most_cited),
        never_cited=tuple(_citations(scope, row, None) for row in never_cited),
        documents=totals["documents"],
        never_cited_count=totals["never_cited"],
    )


def _citations(scope: WorkspaceScope, row: DictRow, counts: DictRow | None) -> DocumentCitations:
    document = document_of(scope, row)
    return DocumentCitations(
        document_id=document.document_id,
        title=document.title,
        filename=document.filename,
        collection=document.collection,
        created_at=document.created_at,
        citations=0 if counts is None else counts["citations"],
        answers=0 if counts is None else counts["answers"],
        last_cited_at=None if counts is None else counts["last_cited_at"],
    )


async def unanswered_questions(
    scope: WorkspaceScope, period: StatisticsPeriod, limit: int
) -> tuple[Unanswered, ...]:
    """List the latest unanswered questions of a period, of all principals."""
    await scope.act_as(SYSTEM)
    rows = await scope.all(
        _SQL["unanswered"], {"begin": period.begin, "end": period.end, "limit": limit}
    )
    await scope.act_as(scope.principal)
    return tuple(
        Unanswered(
            asker=row["asker"],
            asked_at=row["created_at"],
            answer=read_answer(scope.sealing.plain_json(_place(row), row["answer"])),
        )
        for row in rows
    )


def _place(row: DictRow) -> CiphertextLocation:
    return ANSWER.of(row["asker"], row["conversation_id"], row["message_no"])


async def titles_of(
    scope: WorkspaceScope, document_ids: Sequence[UUID]
) -> dict[UUID, tuple[str, str]]:
    """Return title and file name of the documents that the principal may see."""
    rows = await scope.all(_DOCUMENTS["of_ids"], {"document_ids": list(document_ids)})
    documents = (document_of(scope, row) for row in rows)
    return {document.document_id: (document.title, document.filename) for document in documents}
