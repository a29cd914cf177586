"""Lists of documents: how they are sorted, narrowed and kept as views; what is like what; and
what collections hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from footnote.domain.access import Grant, Visibility
from footnote.domain.documents import Document, DocumentClass, DocumentStatus
from footnote.domain.filters import FACET_FIELDS, FacetCount
from footnote.domain.json_form import json_form
from footnote.domain.search import Passage

LISTED_FACETS = ("status", *FACET_FIELDS)
"""What can be counted of a list, beside keys of metadata; documents that failed are in it too."""


class DocumentSort(StrEnum):
    """By what a list of documents is sorted; ties go by the id."""

    TITLE = "title"
    CREATED_AT = "created_at"
    BYTE_SIZE = "byte_size"
    PAGE_COUNT = "page_count"
    STATUS = "status"
    COLLECTION = "collection"


class SortOrder(StrEnum):
    """Which way a list is sorted."""

    ASCENDING = "asc"
    DESCENDING = "desc"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A page of documents, newest first unless another order was asked for."""

    documents: tuple[Document, ...]
    next_cursor: str | None
    """Hand it back, with the same order and filters, for the following page; None on the last."""
    total: int | None = None
    """How many meet all that narrows the list; None where no facets were asked for."""
    facets: Mapping[str, tuple[FacetCount, ...]] = field(default_factory=dict)
    """For each field, its commonest values among what meets all but the choice of that field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedView:
    """A way to look at the list of documents that a principal keeps under a name."""

    name: str
    query: str = ""
    """Words that each stand in the title or the file name."""
    collection: str | None = None
    status: DocumentStatus | None = None
    document_class: DocumentClass | None = None
    tag: str | None = None
    where: str | None = None
    """A filter as JSON text."""
    sort: DocumentSort = DocumentSort.CREATED_AT
    order: SortOrder = SortOrder.DESCENDING
    updated_at: datetime | None = None
    """When it was kept; None before it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """One of the versions that were received of a document."""

    version: int
    filename: str
    media_type: str
    byte_size: int
    content_sha256: str
    created_at: datetime
    published: bool
    """Whether it is the one that is searched and cited."""


@json_form(flat="document")
@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDocument:
    """A document that is about the same as another."""

    document: Document
    similarity: float
    """The cosine of its nearest passage to the mean of the other's passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePage:
    """Passages of a document in its order."""

    passages: tuple[Passage, ...]
    next_cursor: str | None
    """Hand it back to get the following page; None on the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    """A collection with counts of what the reader may see of it."""

    name: str
    documents: int
    """Attachments included."""
    documents_by_status: Mapping[DocumentStatus, int]
    documents_by_visibility: Mapping[Visibility, int]
    """How many of them who sees beside those they are shared with."""
    chunks: int
    bytes: int
    """Of the newest version of each document."""
    changed_at: datetime | None
    """When a document of it was last added or changed; None where there is none."""
    grants: tuple[Grant, ...]
    """Roles that were granted in it alone."""
