"""What restricts a search, applied before the top k."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from footnote.domain.documents import BlockKind, MetadataValue, SourceType


class Operator(StrEnum):
    """How a comparison compares a field with its value."""

    EQUALS = "eq"
    DIFFERS = "ne"
    LESS = "lt"
    AT_MOST = "lte"
    GREATER = "gt"
    AT_LEAST = "gte"
    ONE_OF = "in"
    CONTAINS = "contains"
    """A text contains it, case ignored; a list holds it."""
    EXISTS = "exists"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """One field of a document beside a value.

    Comparisons with True and with 1 differ, although Python calls the two equal: what a
    condition selected is remembered under the condition.
    """

    field: str
    """A name of `FILTER_FIELDS`, or `metadata.KEY`."""
    operator: Operator
    value: MetadataValue | tuple[MetadataValue, ...]
    """A tuple for `ONE_OF` alone."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        truths = tuple(isinstance(value, bool) for value in values)
        return self.field, self.operator, self.value, truths


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """Every one of the conditions; true when there is none."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """At least one of the conditions; false when there is none."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The opposite of a condition."""

    condition: Condition


Condition = Comparison | AllOf | AnyOf | Not

FILTER_FIELDS: tuple[str, ...] = (
    "author",
    "class",
    "collection",
    "created_at",
    "date",
    "document_id",
    "external_id",
    "filename",
    "keywords",
    "language",
    "media_type",
    "page_count",
    "parent_id",
    "sender",
    "size",
    "source_type",
    "tags",
    "title",
    "updated_at",
)
"""Fields of a document that a condition may name, beside `metadata.KEY`.

`author` and `sender` are what the file or its message says of itself, `date` is any date that
is mentioned in the text, `keywords` are those that were found for it, `size` is in bytes.
"""

FACET_FIELDS: tuple[str, ...] = (
    "author",
    "class",
    "collection",
    "keywords",
    "language",
    "media_type",
    "sender",
    "source_type",
    "tags",
)
"""Fields whose values can be counted, beside `metadata.KEY`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What restricts a search; every part that is given must hold."""

    collections: tuple[str, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    source_types: tuple[SourceType, ...] = ()
    evidence_types: tuple[BlockKind, ...] = ()
    """Kinds of chunk."""
    where: Condition | None = None
    min_similarity: float | None = None
    """Cosine to the query, -1…1, that evidence must reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetCount:
    """How many documents within the filters have a value."""

    value: str
    documents: int
