"""A map of documents: a place for each on a plane, near to what it is like, and the areas of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from footnote.domain.documents import DocumentClass, DocumentStatus, Progress

MAX_MAPPED = 10_000
"""Documents of one map; of more, those that were published last are on it."""


class MapColour(StrEnum):
    """What the colours of a drawn map tell apart."""

    COLLECTION = "collection"
    CLASS = "class"
    AREA = "area"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """A document on the map."""

    document_id: UUID
    title: str
    collection: str
    document_class: DocumentClass
    status: DocumentStatus
    """Of a document of which a new version is being indexed, the old one is on the map."""
    tags: tuple[str, ...]
    x: float
    """From -1 on the left to 1."""
    y: float
    """From -1 at the bottom to 1."""
    area: int
    """The number of its area."""
    cluster_id: UUID | None = None
    """Its cluster, where clusters were asked for; null for an outlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCluster:
    """A cluster with documents on the map."""

    cluster_id: UUID
    label: tuple[str, ...]
    """What its documents have and others lack, the best first; perhaps nothing."""
    documents: int
    """How many points of the map belong to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapArea:
    """Documents that lie together."""

    area: int
    """0 for the largest."""
    label: tuple[str, ...]
    """The words that its documents have and others lack, the best first; perhaps none."""
    x: float
    """Its middle, as the documents in it have it."""
    y: float
    documents: int
    """How many points of the map lie in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMap:
    """The documents that meet some filters, where they lie among all that one may see."""

    points: tuple[MapPoint, ...]
    """The latest published first."""
    areas: tuple[MapArea, ...]
    """Those with points, the largest first."""
    total: int
    """Documents that meet the filters; those that are not on the map are counted below."""
    unplaced: int
    """Of these, how many have no vector: they wait, failed, or have no text."""
    left_out: int
    """Of these, how many were more than a map has."""
    clusters: tuple[MapCluster, ...] = ()
    """Those with points, the largest first, where clusters were asked for."""
    progress: Progress | None = None
    """How far the map has come, where it was not finished in time: it has no points yet. Ask
    again."""
