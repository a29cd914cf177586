"""What the engine is asked becomes the JSON that a server is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from footnote.domain import PlanChanges, SearchFilters, SearchRequest, Turn
from footnote.domain.grounding import GroundingSource

JsonObject = dict[str, object]


def search_json(request: SearchRequest) -> JsonObject:
    """The body of a search."""
    return {
        "query": request.query,
        "top_k": request.top_k,
        "filters": filters_json(request.filters),
        "plan": request.plan,
        "stages": asdict(request.changes),
        "facets": list(request.facets),
        "conversation": turns_json(request.conversation),
    }


def question_json(
    question: str,
    *,
    top_k: int | None,
    filters: SearchFilters | None,
    plan: str | None,
    changes: PlanChanges | None,
    conversation: Sequence[Turn],
) -> JsonObject:
    """The body of a question."""
    return {
        "question": question,
        "top_k": top_k,
        "filters": filters_json(filters or SearchFilters()),
        "plan": plan,
        "stages": asdict(changes or PlanChanges()),
        "conversation": turns_json(conversation),
    }


def filters_json(filters: SearchFilters) -> JsonObject:
    """What restricts a search."""
    where = None
    if filters.where is not None:
        from footnote.filters import condition_to_json  # noqa: PLC0415  # seldom needed

        where = condition_to_json(filters.where)
    return {
        "collections": list(filters.collections),
        "document_ids": [str(each) for each in filters.document_ids],
        "source_types": [each.value for each in filters.source_types],
        "evidence_types": [each.value for each in filters.evidence_types],
        "where": where,
        "min_similarity": filters.min_similarity,
    }


def turns_json(turns: Sequence[Turn]) -> list[JsonObject]:
    """What was said before."""
    return [{"role": turn.role, "text": turn.text} for turn in turns]


def grounding_json(
    sources: Sequence[GroundingSource], *, statements: Sequence[str], answer: str | None
) -> JsonObject:
    """The body of a check of statements against sources."""
    return {
        "statements": list(statements),
        "answer": answer,
        "sources": [
            {
                "id": each.id,
                "title": each.title,
                "text": each.text,
                "document_id": None if each.document_id is None else str(each.document_id),
                "chunk_id": each.chunk_id,
            }
            for each in sources
        ],
    }
