"""Statements that are held against sources, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID


class ClaimVerdict(StrEnum):
    """How sources stand to a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_SUPPORTED = "not_supported"
    """They say nothing of it, or too little."""


class DecidedBy(StrEnum):
    """What the verdict on a claim rests on."""

    VERBATIM = "verbatim"
    """The claim is whole sentences of a quote."""
    GUARDS = "guards"
    """An exact value of the claim is not in its quotes; such a claim is never supported."""
    JUDGE = "judge"
    """A model read the claim beside its quotes."""
    RULES = "rules"
    """No model read it: shared words and exact values decide."""
    NO_QUOTE = "no_quote"
    """Nothing in the sources speaks of it."""


class GuardKind(StrEnum):
    """What of a claim its quotes do not hold."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    IDENTIFIER = "identifier"
    LIMIT = "limit"
    """A number that is said as the least where the quotes have it as the most, or reversed."""


class QuoteRelation(StrEnum):
    """How a quote stands to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    NEAR = "near"
    """It speaks of the same and decides nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingSource:
    """A source to hold claims against: a text, a document, or one passage of a document."""

    text: str | None = None
    """One of `text`, `document_id` and `chunk_id` is given."""
    document_id: UUID | None = None
    chunk_id: str | None = None
    id: str | None = None
    """What results call it, distinct among the sources; without one its number, from 1."""
    title: str = ""
    """Of a text: what it is about, where its pronouns need it. Documents have their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """An exact value of a claim that its quotes do not hold."""

    kind: GuardKind
    text: str
    """As the claim has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimQuote:
    """The exact words of a source that speak of a claim.

    Law: `quote` is the text of its source from `char_start` to `char_end`.
    """

    source_id: str
    quote: str
    char_start: int
    """Offsets in the text as it was given, or in the document's canonical text."""
    char_end: int
    relation: QuoteRelation
    supported: float
    """How likely this quote alone carries the claim, 0…1."""
    contradicted: float
    """How likely it contradicts it, 0…1."""
    paragraph: int
    """From 1, in the text or on the page."""
    page: int | None = None
    document_id: UUID | None = None
    """None for a text that was given, as all below."""
    version: int | None = None
    chunk_id: str | None = None
    document_title: str | None = None
    filename: str | None = None
    heading_path: tuple[str, ...] = ()
    start_seconds: float | None = None
    """When its utterance begins, from the beginning of a recording."""
    end_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCheck:
    """A claim with its verdict. Law: the three probabilities sum to 1."""

    number: int
    """From 1, in the order of the statements."""
    text: str
    """As it was given."""
    char_start: int | None
    """Offsets in the answer that was given; None for a statement that was given by itself."""
    char_end: int | None
    verdict: ClaimVerdict
    probability: float
    """How likely the verdict is right, 0…1; for `NOT_SUPPORTED` that it is not carried."""
    supported: float
    contradicted: float
    neither: float
    decided_by: DecidedBy
    guards: tuple[Guard, ...] = ()
    quotes: tuple[ClaimQuote, ...] = ()
    """Those that decide first; empty where nothing in the sources speaks of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingCheck:
    """Claims held against sources."""

    claims: tuple[ClaimCheck, ...]
    """In the order in which they were given, none left out."""
    judge: str
    """What decided beside the guards: the name of a model, or `rules`."""
    degraded: tuple[str, ...] = ()
    """What could not be done, by name with the reason."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
