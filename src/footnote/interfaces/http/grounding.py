"""The route that holds statements against sources."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body
from fastapi.openapi.models import Example
from pydantic import Field

from footnote.domain.grounding import GroundingSource
from footnote.engine.grounding import (
    MAX_ANSWER_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    MAX_SOURCES,
    MAX_STATEMENT_CHARACTERS,
    MAX_STATEMENTS,
)
from footnote.interfaces import schemas
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


_POLICY = {
    "id": "policy",
    "title": "Marine policy POL-88213-X",
    "text": "A claim must be reported to the insurer within 14 days of the loss.",
}
_REQUESTS: dict[str, Example] = {
    "statements": Example(
        summary="Statements and a text",
        value={
            "statements": [
                "Claims have to be reported within fourteen days.",
                "Claims have to be reported within 30 days.",
            ],
            "sources": [_POLICY],
        },
    ),
    "answer": Example(
        summary="An answer and documents of the workspace",
        value={
            "answer": "A claim must be reported within 14 days [1]. The deductible is 2,500 euros.",
            "sources": [
                {"document_id": examples.DOCUMENT_ID},
                {"id": "clause", "chunk_id": examples.CHUNK_ID},
            ],
        },
    ),
}
_QUOTE: dict[str, object] = {
    "source_id": "policy",
    "quote": _POLICY["text"],
    "char_start": 0,
    "char_end": 67,
    "relation": "contradicts",
    "supported": 0.038,
    "contradicted": 0.87,
    "paragraph": 1,
    "page": None,
    "document_id": None,
    "version": None,
    "chunk_id": None,
    "document_title": None,
    "filename": None,
    "heading_path": [],
    "start_seconds": None,
    "end_seconds": None,
}
_CHECK: dict[str, object] = {
    "claims": [
        {
            "number": 1,
            "text": "Claims have to be reported within 30 days.",
            "char_start": None,
            "char_end": None,
            "verdict": "contradicted",
            "probability": 0.87,
            "supported": 0.038,
            "contradicted": 0.87,
            "neither": 0.092,
            "decided_by": "guards",
            "guards": [{"kind": "number", "text": "30"}],
            "quotes": [_QUOTE],
        }
    ],
    "judge": "rules",
    "degraded": [],
    "timings_ms": {"sources": 9.1, "check": 12.4},
}


@router.post(
    "/v1/grounding/check",
    summary="Check statements against sources",
    response_model=schemas.GroundingCheck,
    responses={
        200: examples.json_example("Each statement with its verdict and quotes", _CHECK),
        **ALWAYS,
        **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
    },
)
async def check_grounding(
    workspace: TheWorkspace,
    request: Annotated[GroundingRequest, Body(openapi_examples=_REQUESTS)],
) -> schemas.GroundingCheck:
    """Whether the sources support, contradict or do not carry each statement, with quotes.

    It needs no language model; `judge` says what decided.
    """
    sources = [GroundingSource(**each.model_dump()) for each in request.sources]
    check = await workspace.check_grounding(
        sources, statements=request.statements, answer=request.answer
    )
    return schemas.GroundingCheck.from_domain(check)
