"""The route that holds statements against sources."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.engine.grounding import (
    MAX_ANSWER_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    MAX_SOURCES,
    MAX_STATEMENT_CHARACTERS,
    MAX_STATEMENTS,
)
from footnote.interfaces.http import examples
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace

router = APIRouter(tags=["grounding"], route_class=ExactRoute)


class Source(Request):
    """A source: exactly one of `text`, `document_id` and `chunk_id`."""

    id: str | None = Field(None, description="What the result calls it; its number if null.")
    title: str = Field("", description="Of a text: what it is about.")
    text: str | None = Field(
        None, description=f"All texts together have {MAX_SOURCE_CHARACTERS:,} characters at most."
    )
    document_id: UUID | None = Field(None, description="An indexed document of the workspace.")
    chunk_id: str | None = Field(None, description="One passage of it, as a search names it.")


class GroundingRequest(Request):
    """Statements, or an answer that is split into its statements, and what to hold them against."""

    statements: tuple[str, ...] = Field(
        (),
        description=f"{MAX_STATEMENTS} at most, of {MAX_STATEMENT_CHARACTERS:,} characters.",
    )
    answer: str | None = Field(
        None, description=f"In place of statements; {MAX_ANSWER_CHARACTERS:,} characters at most."
    )
    sources: tuple[Source, ...] = Field(description=f"1 to {MAX_SOURCES}.")


@router.post(
    "/v1/grounding/check",
    summary="Check statements against sources",
    response_model=GroundingCheck,
    responses={
        200: {"description": "Each statement with its verdict and quotes"},
        **ALWAYS,
        **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
    },
)
async def check_grounding(
    workspace: TheWorkspace,
    request: GroundingRequest,
) -> GroundingCheck:
    """Whether the sources support, contradict or do not carry each statement, with quotes.

    It needs no language model; `judge` says what decided.
    """
    sources = [GroundingSource(**each.model_dump()) for each in request.sources]
    return await workspace.check_grounding(
        sources, statements=request.statements, answer=request.answer
    )
