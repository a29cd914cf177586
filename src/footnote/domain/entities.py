"""Persons, organisations, places and things that documents name, each with where it is named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.usage import ReadingUse


class EntityKind(StrEnum):
    """What is named."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    OTHER = "other"
    """Another thing with a name: a product, a work, an event, a law."""
    DATE = "date"
    AMOUNT = "amount"
    """Of money."""
    EMAIL = "email"
    PHONE = "phone"
    IBAN = "iban"
    VAT = "vat"
    """The number of a taxable person in the European Union, the United Kingdom or Switzerland."""
    ADDRESS = "address"
    IDENTIFIER = "identifier"
    """A number of a policy, a model, a file, a security …"""


NAMED_KINDS = (
    EntityKind.PERSON,
    EntityKind.ORGANISATION,
    EntityKind.PLACE,
    EntityKind.OTHER,
)
"""What has a name, where the rest has a form."""


class LinkReason(StrEnum):
    """Why names are taken for those of one entity."""

    SAME_NAME = "same name"
    DEFINED = "defined"
    """The document says so: `Silicon Valley Bank ("Bank")`."""
    ABBREVIATION = "abbreviation"
    """One is made of the first letters of the other."""
    SHORT_FORM = "short form"
    """One is the surname of a person, or the first words of an organisation, that the document
    names in full."""
    SIMILAR_NAME = "similar name"
    """They differ in how a word is written, and nothing speaks against it."""
    SAME_IDENTIFIER = "same identifier"
    """They have an e-mail address, a telephone number, an IBAN or the like in common."""
    SAME_ADDRESS = "same address"
    DECISION = "decision"
    """Somebody said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity:
    """What one document names, with every place where it does."""

    kind: EntityKind
    name: str
    """The fullest of its forms."""
    forms: tuple[str, ...]
    """In which it is written, the fullest first."""
    normals: tuple[str, ...]
    """The normal forms of its names, by which it is found in other documents, that of `name`
    first; at least one."""
    spans: tuple[tuple[int, int], ...]
    """Half-open offsets of its mentions, in order."""
    confidence: float
    """0…1: of its surest mention."""
    reasons: tuple[LinkReason, ...] = ()
    """Why mentions with other names are of the same."""
    belongings: tuple[tuple[EntityKind, str], ...] = ()
    """Kind and normal form of the identifiers that stand beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLink:
    """Why what two documents name is one entity."""

    reason: LinkReason
    confidence: float
    """0…1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySummary:
    """An entity, and how often documents that may be seen name it."""

    entity_id: UUID
    kind: EntityKind
    name: str
    """The one that most of these documents use, or the one that somebody gave it."""
    documents: int
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage:
    """Some of the entities, those that most documents name first."""

    entities: tuple[EntitySummary, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInDocument:
    """How one document names an entity, and why it is taken for this one."""

    document_id: UUID
    document_title: str
    name: str
    """The fullest form in the document."""
    forms: tuple[str, ...]
    """All forms in it, the fullest first."""
    mentions: int
    reasons: tuple[LinkReason, ...] = ()
    """Why the forms are of one entity; none where there is one form."""
    linked_by: LinkReason | None = None
    """Why it is the entity that other documents name; null for the first of them."""
    confidence: float
    """0…1: how sure the link is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An entity, and the documents that name it."""

    entity_id: UUID
    kind: EntityKind
    name: str
    given_name: bool = False
    """Whether somebody gave it the name."""
    documents: int
    mentions: int
    named_in: tuple[NamedInDocument, ...]
    """At most a hundred, those with most mentions first."""
    identifiers: tuple[EntitySummary, ...] = ()
    """E-mail addresses, telephone numbers and the like that stand beside its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMention:
    """One place where a document names an entity."""

    document_id: UUID
    document_title: str
    version: int
    chunk_id: str | None = None
    """The passage in which it begins; null where none has it."""
    char_start: int
    char_end: int
    """Half-open offsets in the document's canonical text."""
    quote: str
    before: str
    """What stands before it in its line, at most 80 characters."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionPage:
    """Some of the mentions of an entity, in the order of documents and places."""

    mentions: tuple[EntityMention, ...]
    next_cursor: str | None = None


class EntityAct(StrEnum):
    """What somebody decided of entities."""

    MERGE = "merge"
    SPLIT = "split"
    RENAME = "rename"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDecision:
    """What somebody decided of an entity; it holds for documents that come later, too."""

    decision_id: UUID
    act: EntityAct
    entity_id: UUID
    """Which was renamed, which took another in, or which lost names to a new one."""
    other_id: UUID | None = None
    """Which was taken in, or which came of a split."""
    name: str = ""
    """The name that was given."""
    decided_by: str
    decided_at: datetime
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFailure:
    """A document that could not be read for entities."""

    document_id: UUID
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityProgress:
    """How far the entities of a workspace are extracted."""

    enabled: bool
    """Whether the workspace extracts entities: its setting `entities`."""
    documents: int
    """Published documents whose entities are wanted."""
    done: int
    """Of these, how many were read by the extractor in use."""
    failed: int
    mentions: int
    running: bool
    """Whether a worker has or will have the rest in hand."""
    oldest_waiting: datetime | None = None
    """When the oldest document that waits was handed in; null where none does."""
    failures: tuple[EntityFailure, ...] = ()
    """The latest, at most ten."""
    model: ReadingUse | None = None
    """Null where no language model is configured."""
