"""Relationships: what is named together, and how documents belong together, with where it shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from uuid import UUID

from footnote.domain.entities import EntityKind

SKETCH_SENTENCES = 64
"""Of a document: those with the least keys."""


class RelationshipKind(StrEnum):
    """How two things belong together; from the source of an edge to its target."""

    NAMED_TOGETHER = "named together"
    """Two entities stand in one sentence; it has no direction."""
    STATED = "stated"
    """A fact says something of one entity whose object is the other; `label` is its predicate."""
    NAMES = "names"
    """A document names an entity."""
    CITES = "cites"
    """A document gives the title or the file name of another."""
    REPLIES_TO = "replies to"
    """A mail answers another."""
    ATTACHED_TO = "attached to"
    """A document came with another, such as a file with a mail."""
    DUPLICATE_OF = "duplicate of"
    """Two documents have the same sentences; it has no direction."""
    VERSION_OF = "version of"
    """Two documents of one title have many of their sentences in common; it has no direction."""
    RESEMBLES = "resembles"
    """Two documents of other titles have many of their sentences in common; it has no direction."""
    SHARES_ENTITIES = "shares entities with"
    """Two documents name the same, the more telling the fewer name it; it has no direction."""
    CONTRADICTS = "contradicts"
    """Two documents give different values for one thing; it has no direction."""


class NodeKind(StrEnum):
    """What a node of the graph is."""

    ENTITY = "entity"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """An entity or a document."""

    node_id: UUID
    """Of the entity or the document."""
    kind: NodeKind
    name: str
    """Of the entity; the title of the document."""
    entity_kind: EntityKind | None = None
    """None for a document."""
    documents: int = 1
    """That name the entity, as far as they may be seen; 1 for a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEvidence:
    """Words that an edge rests on: `text[char_start:char_end] == quote`."""

    document_id: UUID
    document_title: str
    version: int
    char_start: int
    char_end: int
    """Half-open, in the canonical text of the version."""
    quote: str
    chunk_id: str | None = None
    """The chunk that the words begin in, None for those of a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """How two nodes belong together."""

    source_id: UUID
    target_id: UUID
    kind: RelationshipKind
    label: str = ""
    """What exactly is stated, in the words of the documents; empty but for `stated`."""
    weight: float
    """Above 0, comparable among edges of one kind: of `named together` the sum over sentences of
    1 ∕ (entities of the sentence - 1); of common sentences their share, 0…1; of shared entities
    the sum of 1 ∕ ln(documents that name them); of others how often it is found."""
    documents: int
    """That show it, as far as they may be seen."""
    evidence: tuple[GraphEvidence, ...]
    """At least one place, the most telling ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Some of what is related, the strongest first."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    complete: bool
    """Whether nothing was left out for want of room."""


class KeyRole(IntEnum):
    """What a key says of a document; the number is stored."""

    IS = 0
    """It is called so."""
    NAMES = 1
    """It has a document of this name in its text."""
    SAYS = 2
    """It has this sentence."""
    REPLIES_TO = 3
    """It answers the mail that is called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPair:
    """Two entities of a document that stand in the same sentences."""

    first: int
    second: int
    """Their numbers in the document, `first < second`."""
    weight: float
    """Sum over the sentences of 1 ∕ (entities in it - 1), as Newman (2001) weighs co-authors."""
    spans: tuple[tuple[int, int], ...]
    """Half-open offsets of sentences, the ones with the fewest other names first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKey:
    """Something by which a document is found to belong with others."""

    role: KeyRole
    text: str
    span: tuple[int, int]
    """Half-open offsets of where it shows in the text."""
