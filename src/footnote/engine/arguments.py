"""Refuses arguments of a type that no verb can work with."""

from __future__ import annotations

from types import UnionType

from footnote.domain import SearchFilters, SearchRequest
from footnote.errors import InvalidRequest


def require(kind: type | UnionType, wanted: str, **arguments: object) -> None:
    """Raise InvalidRequest unless every argument is of the kind."""
    for name, value in arguments.items():
        if not isinstance(value, kind):
            raise InvalidRequest(f"{name} cannot be {type(value).__name__}", hint=f"give {wanted}")


def require_request(request: SearchRequest) -> None:
    """Raise InvalidRequest unless the parts of a search are of their types."""
    require(SearchRequest, "a footnote.SearchRequest", request=request)
    require(str, "text", query=request.query)
    require(int, "a whole number", top_k=request.top_k)
    require(SearchFilters, "footnote.SearchFilters", filters=request.filters)
    filters = request.filters
    require(
        tuple | list,
        "several, in a tuple",
        collections=filters.collections,
        document_ids=filters.document_ids,
        source_types=filters.source_types,
        evidence_types=filters.evidence_types,
    )
