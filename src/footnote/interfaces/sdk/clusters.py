"""The clusters of a workspace's documents on a remote server."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.clusters import (
    ClusterDetail,
    ClusterGranularity,
    ClusterOf,
    ClusterPage,
    ClusterProgress,
)
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content

_CLUSTERS = "/v1/clusters"


async def clusters(
    client: Remote,
    *,
    of: ClusterOf = ClusterOf.DOCUMENTS,
    granularity: ClusterGranularity = ClusterGranularity.MIDDLE,
    limit: int = 50,
    cursor: str | None = None,
) -> ClusterPage:
    """A page of clusters of documents or chunks, the largest first."""
    params: dict[str, str | int] = {
        "of": ClusterOf(of).value,
        "granularity": ClusterGranularity(granularity).value,
        "limit": limit,
    }
    if cursor is not None:
        params["cursor"] = cursor
    found = await client.transport.json("GET", _CLUSTERS, Content(params=params))
    return decoded(ClusterPage, found)


async def cluster(client: Remote, cluster_id: UUID, *, limit: int = 50) -> ClusterDetail:
    """A cluster with its most typical documents or chunks. Raises NotFound."""
    content = Content(params={"limit": limit})
    found = await client.transport.json("GET", f"{_CLUSTERS}/{cluster_id}", content)
    return decoded(ClusterDetail, found)


async def cluster_progress(
    client: Remote, *, of: ClusterOf = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """How far the documents, or chunks, of the workspace are told apart."""
    content = Content(params={"of": ClusterOf(of).value})
    found = await client.transport.json("GET", f"{_CLUSTERS}/progress", content)
    return decoded(ClusterProgress, found)
