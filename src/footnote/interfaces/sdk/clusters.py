"""The clusters of a workspace's documents on a remote server."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.clusters import (
    ClusterDetail,
    ClusterGranularity,
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
    granularity: ClusterGranularity = ClusterGranularity.MIDDLE,
    limit: int = 50,
    cursor: str | None = None,
) -> ClusterPage:
    """A page of clusters, the largest first."""
    params: dict[str, str | int] = {
        "granularity": ClusterGranularity(granularity).value,
        "limit": limit,
    }
    if cursor is not None:
        params["cursor"] = cursor
    found = await client.transport.json("GET", _CLUSTERS, Content(params=params))
    return decoded(ClusterPage, found)


async def cluster(client: Remote, cluster_id: UUID, *, limit: int = 50) -> ClusterDetail:
    """A cluster with its most typical documents. Raises NotFound."""
    content = Content(params={"limit": limit})
    found = await client.transport.json("GET", f"{_CLUSTERS}/{cluster_id}", content)
    return decoded(ClusterDetail, found)


async def cluster_progress(client: Remote) -> ClusterProgress:
    """How far the documents of the workspace are told apart."""
    return decoded(ClusterProgress, await client.transport.json("GET", f"{_CLUSTERS}/progress"))
