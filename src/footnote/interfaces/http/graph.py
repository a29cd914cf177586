"""The route of the graph: entities and documents, and how they are related."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from footnote.domain.entities import EntityKind
from footnote.domain.relationships import Graph
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.knowledge.graph_formats import MEDIA_TYPES, GraphFormat, serialised

router = workspace_router("graph")


_FORMATS = {
    MEDIA_TYPES[GraphFormat.GRAPHML]: {"schema": {"type": "string"}},
    MEDIA_TYPES[GraphFormat.JSON_LD]: {"schema": {"type": "object"}},
}


@router.get(
    "/v1/graph",
    response_model=Graph,
    responses={**problem_responses("not-found"), 200: {"content": _FORMATS}},
)
async def get_graph(
    workspace: TheWorkspace,
    *,
    entity_id: Annotated[UUID | None, Query(description="What stands around this entity.")] = None,
    document_id: Annotated[
        UUID | None, Query(description="What stands around this document.")
    ] = None,
    kind: Annotated[tuple[EntityKind, ...], Query(description="Only of these kinds.")] = (),
    limit: Annotated[int, Query(ge=1, le=500, description="The most entities.")] = 50,
    format_: Annotated[
        GraphFormat | None,
        Query(alias="format", description="Written so; as all answers are where none is named."),
    ] = None,
) -> Graph | Response:
    """Show how entities and documents are related, each edge with the words that it rests on."""
    graph = await workspace.graph(
        entity_id=entity_id, document_id=document_id, kinds=kind, limit=limit
    )
    if format_ is None:
        return graph
    return Response(serialised(graph, format_), media_type=MEDIA_TYPES[format_])
