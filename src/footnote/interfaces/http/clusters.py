"""Routes of clusters: documents or chunks that are alike, listed and looked into."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from footnote.domain.clusters import (
    ClusterDetail,
    ClusterGranularity,
    ClusterOf,
    ClusterPage,
    ClusterProgress,
)
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace

router = workspace_router("clusters")

Of = Annotated[ClusterOf, Query(description="What is told apart.")]
Limit = Annotated[int, Query(ge=1, le=200, description="The most of them.")]


@router.get("/v1/clusters")
async def list_clusters(
    workspace: TheWorkspace,
    *,
    of: Of = ClusterOf.DOCUMENTS,
    granularity: Annotated[
        ClusterGranularity, Query(description="How finely they are told apart.")
    ] = ClusterGranularity.MIDDLE,
    limit: Limit = 50,
    cursor: Annotated[
        str | None, Query(max_length=1000, description="`next_cursor` of the page before.")
    ] = None,
) -> ClusterPage:
    """List clusters of documents or chunks that are alike, the largest first."""
    return await workspace.clusters(of=of, granularity=granularity, limit=limit, cursor=cursor)


@router.get("/v1/clusters/progress")
async def get_cluster_progress(
    workspace: TheWorkspace, *, of: Of = ClusterOf.DOCUMENTS
) -> ClusterProgress:
    """Say how far the documents, or chunks, of the workspace are told apart."""
    return await workspace.cluster_progress(of=of)


@router.get("/v1/clusters/{cluster_id}", responses=problem_responses("not-found"))
async def get_cluster(
    workspace: TheWorkspace, cluster_id: UUID, *, limit: Limit = 50
) -> ClusterDetail:
    """Show a cluster with its most typical documents or chunks, its terms and what lies near."""
    return await workspace.cluster(cluster_id, limit=limit)
