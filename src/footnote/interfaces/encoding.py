"""Requests to the engine, encoded as the JSON bodies that a server takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from footnote.domain import PlanChanges, SearchFilters, SearchRequest, Turn
from footnote.domain.grounding import GroundingSource

JsonObject = dict[str, object]


def search_json(request: SearchRequest) -> JsonObject:
    """The body of a search."""
    where = request.filters.where
    body = asdict(replace(request, filters=replace(request.filters, where=None)))
    body["stages"] = body.pop("changes")
    body["filters"]["document_ids"] = [
        str(document_id) for document_id in request.filters.document_ids
    ]
    if where is not None:
        from footnote.filters import condition_to_json  # noqa: PLC0415  # seldom needed

        body["filters"]["where"] = condition_to_json(where)
    return body


def question_json(
    question: str,
    *,
    top_k: int | None,
    filters: SearchFilters | None,
    plan: str | None,
    changes: PlanChanges | None,
    conversation: Sequence[Turn] = (),
    model: str | None = None,
) -> JsonObject:
    """The body of a question."""
    body = search_json(
        SearchRequest(
            query=question,
            filters=filters or SearchFilters(),
            plan=plan,
            changes=changes or PlanChanges(),
            conversation=tuple(conversation),
        )
    )
    del body["query"], body["facets"]
    return {**body, "question": question, "top_k": top_k, "model": model}


def grounding_json(
    sources: Sequence[GroundingSource], *, statements: Sequence[str], answer: str | None
) -> JsonObject:
    """The body of a check of statements against sources."""
    source_bodies = [
        {
            **asdict(source),
            "document_id": None if source.document_id is None else str(source.document_id),
        }
        for source in sources
    ]
    return {"statements": list(statements), "answer": answer, "sources": source_bodies}
