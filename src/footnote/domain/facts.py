"""Statements that were extracted from documents, each with the words that it was taken from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.usage import ReadingUse


class FactKind(StrEnum):
    """What a fact was taken from."""

    CELL = "cell"
    """A cell of a table, under its row and its column."""
    PROPERTY = "property"
    """A line such as `Deductible: 500 EUR`."""
    DEFINITION = "definition"
    """A sentence that says what a term means."""
    STATEMENT = "statement"
    """A plain sentence of subject, verb and object."""


class FactStatus(StrEnum):
    """What became of a fact."""

    PROPOSED = "proposed"
    """It was extracted, and nobody has looked at it."""
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    """Someone found it wrong: it is neither recalled nor compared with others."""
    SUPERSEDED = "superseded"
    """It stood in the version before, and not in the one that is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A fact as an extractor found it in the canonical text of a version."""

    kind: FactKind
    subject: str
    predicate: str
    object: str
    """As it is written."""
    statement: str
    """The whole as one line, as it is shown and found by its words."""
    embedded: tuple[str, ...]
    """What its vector is the mean of: the statement; of a cell its row and the heads of columns,
    which it shares with other cells."""
    spans: tuple[tuple[int, int], ...]
    """Half-open offsets of its words in the canonical text, at least one; the object's first."""
    quoted: tuple[int, int]
    """Half-open offsets of what says it in one piece: a sentence, a line, a row up to the cell."""
    confidence: float
    """0…1: how likely it says what the document says."""
    value: str | None = None
    """The object as a decimal number, its scale applied; None where it is none."""
    unit: str = ""
    """Of the value: a currency's code, `%`, or as it is written."""
    qualifiers: Mapping[str, str] = field(default_factory=dict)
    """What else it holds under, such as `section` or `scale`."""
    valid_from: date | None = None
    valid_to: date | None = None
    """First and last day that it speaks of; None where it names none."""
    negated: bool = False
    """Whether the words deny it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSource:
    """Where a fact stands in a document."""

    document_id: UUID
    version: int
    document_title: str
    filename: str
    chunk_id: str
    """The passage in which its words begin."""
    heading_path: tuple[str, ...]
    page: int | None
    """From 1; null for a document without pages."""
    paragraph: int
    """From 1."""
    char_start: int
    char_end: int
    """Half-open offsets in the document's canonical text, of all its words together."""
    quote: str
    """What says it: a sentence, a line, or a row of a table from its label to the cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement with the words that it was taken from, in each document that has it."""

    fact_id: UUID
    document_id: UUID
    kind: FactKind
    status: FactStatus
    subject: str
    predicate: str
    object: str
    """As it is written."""
    statement: str
    """The whole as one line."""
    value: str | None = None
    """The object as a decimal number, its scale applied; null where it is none."""
    unit: str = ""
    """Of the value: a currency's code, `%`, or as it is written."""
    qualifiers: Mapping[str, str] = field(default_factory=dict)
    """What else it holds under, such as `section` or `scale`."""
    valid_from: date | None = None
    valid_to: date | None = None
    """First and last day that it speaks of; null where it names none."""
    negated: bool = False
    """Whether the words deny it."""
    subject_entity_id: UUID | None = None
    """The entity that its document calls so, where the workspace extracts entities."""
    object_entity_id: UUID | None = None
    confidence: float
    """0…1: how likely it says what the document says."""
    extractor: str
    """What found it, with its version."""
    extracted_at: datetime
    decided_by: str | None = None
    """Who confirmed or rejected it."""
    sources: tuple[FactSource, ...]
    """The fact's own place first, then those of facts that say the same, as far as they may be
    seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    """Some of the facts, in the order of their documents."""

    facts: tuple[Fact, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledFact:
    """A fact that was found for a query."""

    fact: Fact
    score: float
    """Of both rankings together; comparable within one response."""
    dense_rank: int | None = None
    """From 1, in the ranking by meaning."""
    lexical_rank: int | None = None
    """From 1, in the ranking by words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactConflict:
    """Facts of one subject, predicate and period that do not agree."""

    subject: str
    predicate: str
    valid_from: date | None
    valid_to: date | None
    facts: tuple[Fact, ...]
    """One for each value that is said, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactConflictPage:
    """Some of the claims that documents do not agree about."""

    conflicts: tuple[FactConflict, ...]
    next_cursor: str | None = None
    """Hand it back for the next page; null on the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFact:
    """A fact whose value is another one in the version that is published."""

    before: Fact
    after: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChanges:
    """How the facts of a document's published version differ from those of the one before."""

    document_id: UUID
    version: int | None
    """Whose facts were extracted last; null before the first."""
    changed: tuple[ChangedFact, ...] = ()
    added: tuple[Fact, ...] = ()
    removed: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFailure:
    """A document whose facts could not be extracted."""

    document_id: UUID
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProgress:
    """How far the facts of a workspace are extracted."""

    enabled: bool
    """Whether the workspace extracts facts: its setting `facts`."""
    documents: int
    """Published documents whose facts are wanted."""
    done: int
    """Of these, how many were read by the extractor in use."""
    failed: int
    facts: int
    running: bool
    """Whether a worker has or will have the rest in hand."""
    oldest_waiting: datetime | None = None
    """When the oldest document that waits was handed in; null where none does."""
    failures: tuple[FactFailure, ...] = ()
    """The latest, at most ten."""
    model: ReadingUse | None = None
    """Null where no language model is configured."""
