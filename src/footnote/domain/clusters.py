"""Clusters: documents that are alike, found without anybody naming what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

LEAST_SEEN = 3
"""Documents of a cluster that one has to see for it to be there."""


class ClusterGranularity(StrEnum):
    """How finely documents are told apart."""

    COARSE = "coarse"
    """A few large clusters."""
    MIDDLE = "middle"
    FINE = "fine"
    """Many small ones, of three documents on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredDocument:
    """A document of a cluster."""

    document_id: UUID
    title: str
    collection: str
    distance: float
    """0…2: one less the cosine of its vector with the middle of the cluster's; smaller is more
    typical."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Documents that lie together, as far as they may be seen."""

    cluster_id: UUID
    """Stays the same as long as most of its documents stay together."""
    granularity: ClusterGranularity
    label: tuple[str, ...]
    """What its documents have and others lack, the best first; perhaps nothing."""
    labelled_by: str
    """`terms`, or the language model that named it."""
    documents: int
    representatives: tuple[ClusteredDocument, ...]
    """The most typical of its documents."""
    parent_id: UUID | None = None
    """The cluster of the next coarser granularity that has most of its documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPage:
    """Some of the clusters, the largest first."""

    granularity: ClusterGranularity
    clusters: tuple[Cluster, ...]
    outliers: int
    """Documents that belong to no cluster that may be seen."""
    unplaced: int
    """Documents with a vector that were not looked at yet."""
    next_cursor: str | None = None
    """Gives the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTerm:
    """A word or name that tells a cluster from the others."""

    term: str
    documents: int
    """Of the cluster that were looked at, how many have it."""
    weight: float
    """Its class-based TF-IDF; comparable within one cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearCluster:
    """Another cluster of the same granularity."""

    cluster_id: UUID
    label: tuple[str, ...]
    documents: int
    distance: float
    """0…2: one less the cosine of their middles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDetail:
    """A cluster with its documents."""

    cluster: Cluster
    members: tuple[ClusteredDocument, ...]
    """The most typical first."""
    terms: tuple[LabelTerm, ...]
    """The best first."""
    neighbours: tuple[NearCluster, ...]
    """The nearest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterProgress:
    """How far the documents that may be seen are told apart."""

    enabled: bool
    """Whether the workspace clusters its documents."""
    documents: int
    """That have a vector."""
    done: int
    """Of these, how many belong to a cluster or are known as outliers."""
    running: bool
    """Whether a worker has or will have the rest in hand."""
    oldest_waiting: datetime | None = None
    """When the oldest document that waits was handed in; null where none does."""
    clustered_at: datetime | None = None
    """When all clusters were last made anew; what came later joined them."""
    failure: str | None = None
    """Why they could not be made, the last time that was tried."""
