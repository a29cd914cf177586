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
from footnote.interfaces.sdk.verbs import Remote, verb


@verb("GET", "/v1/clusters")
async def clusters(
    client: Remote,
    *,
    of: ClusterOf = ClusterOf.DOCUMENTS,
    granularity: ClusterGranularity = ClusterGranularity.MIDDLE,
    limit: int = 50,
    cursor: str | None = None,
) -> ClusterPage:
    """A page of clusters of documents or chunks, the largest first."""


@verb("GET", "/v1/clusters/{cluster_id}")
async def cluster(client: Remote, cluster_id: UUID, *, limit: int = 50) -> ClusterDetail:
    """A cluster with its most typical documents or chunks. Raises NotFound."""


@verb("GET", "/v1/clusters/progress")
async def cluster_progress(
    client: Remote, *, of: ClusterOf = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """How far the documents, or chunks, of the workspace are told apart."""
