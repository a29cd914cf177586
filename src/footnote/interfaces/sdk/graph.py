"""The graph of a workspace on a remote server."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain.entities import EntityKind
from footnote.domain.relationships import Graph
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content


async def graph(
    client: Remote,
    *,
    entity_id: UUID | None = None,
    document_id: UUID | None = None,
    kinds: Sequence[EntityKind] = (),
    limit: int = 50,
) -> Graph:
    """What is related: around an entity, around a document, or the whole of the workspace.

    Raises NotFound, and InvalidRequest for an entity and a document at once.
    """
    params: dict[str, str | int | Sequence[str | int]] = {
        "kind": [EntityKind(each).value for each in kinds],
        "limit": limit,
    }
    if entity_id is not None:
        params["entity_id"] = str(entity_id)
    if document_id is not None:
        params["document_id"] = str(document_id)
    return decoded(Graph, await client.transport.json("GET", "/v1/graph", Content(params=params)))
