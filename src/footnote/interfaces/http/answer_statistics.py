"""Routes of what answers cite, and of questions that were not answered."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from footnote.domain.answer_statistics import CitationReport, UnansweredReport
from footnote.engine.answer_statistics import MAX_LISTED, ExportForm
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.http.usage import FirstDay, LastDay
from footnote.validation.constrained_types import Name

router = workspace_router("answer statistics")

Limit = Annotated[int, Query(ge=1, le=MAX_LISTED, description="The most of each list.")]


@router.get("/v1/citations")
async def list_citations(
    workspace: TheWorkspace,
    *,
    since: FirstDay = None,
    until: LastDay = None,
    collection: Annotated[
        Name | None, Query(description="Of this one alone; of all you administer without it.")
    ] = None,
    limit: Limit = 50,
) -> CitationReport:
    """List the documents that answers cite most, and those that they never do."""
    return await workspace.citations(since=since, until=until, collection=collection, limit=limit)


@router.get("/v1/unanswered")
async def list_unanswered_questions(
    workspace: TheWorkspace,
    *,
    since: FirstDay = None,
    until: LastDay = None,
    limit: Limit = 100,
) -> UnansweredReport:
    """List what was asked in conversations and not answered, what was asked most first."""
    return await workspace.unanswered_questions(since=since, until=until, limit=limit)


@router.get(
    "/v1/unanswered/export",
    response_class=Response,
    responses={
        200: {
            "description": "Lines of a golden set, to be completed, or a table.",
            "content": {
                "application/jsonl": {
                    "schema": {"type": "string"},
                    "example": '{"id": "unanswered-1", "question": "Who audits?", '
                    '"kind": "unanswered", "answerable": true, "relevant": []}\n',
                },
                "text/csv": {
                    "schema": {"type": "string"},
                    "example": "question,asked,people,first_asked_at,last_asked_at,nearest\r\n",
                },
            },
        }
    },
)
async def export_unanswered_questions(
    workspace: TheWorkspace,
    *,
    form: Annotated[
        ExportForm, Query(alias="format", description="Lines of a golden set, or a table.")
    ] = "golden",
    since: FirstDay = None,
    until: LastDay = None,
) -> Response:
    """Export what was not answered, as lines of a golden set or as comma-separated values."""
    text = await workspace.export_unanswered(form, since=since, until=until)
    media_type, extension = {"golden": ("application/jsonl", "jsonl"), "csv": ("text/csv", "csv")}[
        form
    ]
    return Response(
        text,
        media_type=f"{media_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="unanswered.{extension}"'},
    )
