"""Clusters: documents or chunks that are alike, found without naming what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

MIN_VISIBLE_MEMBERS = 3
"""Members of a cluster that one has to see for it to be there."""


class ClusterOf(StrEnum):
    """What is told apart."""

    DOCUMENTS = "documents"
    CHUNKS = "chunks"
    """Passages, each at its place in its document."""


class ClusterGranularity(StrEnum):
    """How finely documents or chunks are told apart."""

    COARSE = "coarse"
    """A few large clusters."""
    MIDDLE = "middle"
    FINE = "fine"
    """Many small ones, of three members on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredPassage:
    """A chunk of a cluster, where it stands in its document."""

    chunk_id: str
    version: int
    heading_path: tuple[str, ...]
    page: int | None
    """From 1; null for a document without pages."""
    paragraph: int
    """From 1."""
    char_start: int
    char_end: int
    """Half-open offsets in the document's canonical text."""
    quote: str
    """What stands between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredDocument:
    """A document of a cluster, or a chunk with its document."""

    document_id: UUID
    title: str
    collection: str
    distance: float
    """0…2: one less the cosine of its vector with the middle of the cluster's; smaller is more
    typical."""
    passage: ClusteredPassage | None = None
    """The chunk, in a cluster of chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Documents or chunks that lie together, as far as they may be seen."""

    cluster_id: UUID
    """Stays the same as long as most of its members stay together."""
    of: ClusterOf = ClusterOf.DOCUMENTS
    granularity: ClusterGranularity
    label: tuple[str, ...]
    """What its members have and others lack, the best first; perhaps nothing."""
    labelled_by: str
    """`terms`, or the language model that named it."""
    documents: int
    """Its documents, or those that its chunks are of."""
    chunks: int | None = None
    """Null of a cluster of documents."""
    representatives: tuple[ClusteredDocument, ...]
    """The most typical of its members."""
    parent_id: UUID | None = None
    """The cluster of the next coarser granularity that has most of its members."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPage:
    """Some of the clusters, the largest first."""

    of: ClusterOf = ClusterOf.DOCUMENTS
    granularity: ClusterGranularity
    clusters: tuple[Cluster, ...]
    outliers: int
    """Documents or chunks that belong to no cluster that may be seen."""
    unplaced: int
    """Those with a vector that were not looked at yet; of more than 20,000 chunks, of a sample."""
    next_cursor: str | None = None
    """Gives the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTerm:
    """A word or name that tells a cluster from the others."""

    term: str
    documents: int
    """Of the members of the cluster that were looked at, how many have it."""
    weight: float
    """Its class-based TF-IDF; comparable within one cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearCluster:
    """Another cluster of the same granularity."""

    cluster_id: UUID
    label: tuple[str, ...]
    documents: int
    chunks: int | None = None
    """Null of a cluster of documents."""
    distance: float
    """0…2: one less the cosine of their middles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDetail:
    """A cluster with its members."""

    cluster: Cluster
    members: tuple[ClusteredDocument, ...]
    """The most typical first."""
    terms: tuple[LabelTerm, ...]
    """The best first."""
    neighbours: tuple[NearCluster, ...]
    """The nearest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterProgress:
    """How far the documents or chunks that may be seen are told apart."""

    of: ClusterOf = ClusterOf.DOCUMENTS
    enabled: bool
    """Whether the workspace clusters them."""
    documents: int
    """That have a vector; of more than 20,000 chunks, those that have some in the sample."""
    done: int
    """Of these, how many belong to a cluster or are known as outliers, with all their chunks."""
    running: bool
    """Whether a worker has or will have the rest in hand."""
    oldest_waiting: datetime | None = None
    """When the oldest document that waits was handed in; null where none does."""
    clustered_at: datetime | None = None
    """When all clusters were last made anew; what came later joined them."""
    failure: str | None = None
    """Why they could not be made, the last time that was tried."""
