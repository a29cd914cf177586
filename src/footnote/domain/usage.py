"""What models and stores were used for, by whom and about what, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from uuid import UUID

from footnote.domain.json_form import json_form


class UsageKind(StrEnum):
    """What was used; each kind counts its units."""

    EMBEDDING = "embedding"
    """Units: texts that were embedded."""
    RERANKING = "reranking"
    """Units: texts that were read beside a query."""
    GENERATION = "generation"
    """Units: replies of a language model."""
    VISION = "vision"
    """Units: pictures that were described."""
    SPEECH = "speech"
    """Units: seconds of recordings."""
    OCR = "ocr"
    """Units: pages read from pixels."""
    STORAGE = "storage"
    """Units: bytes of files that were stored."""
    INGESTION = "ingestion"
    """Units: chunks that were published; a request is a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageNote:
    """One use of a model, as the model's adapter sees it."""

    kind: UsageKind
    model: str
    """`vendor:name`, `packaged:name`, or `local` for what is no model."""
    requests: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    units: float = 1.0
    cost_usd: float | None = None
    """As the provider's library says; None where it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageAbout:
    """What a use was about."""

    principal: str
    """Who asked, or handed the document in."""
    conversation_id: UUID | None = None
    document_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """What was used in a day, of one kind and model."""

    day: date
    kind: UsageKind
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    units: float
    cost_usd: float
    """Of what has a price."""
    unpriced_requests: int
    """Requests whose price is not known; `cost_usd` is too small by theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonUsageRow:
    """What somebody used in a day, of all kinds and models together."""

    day: date
    principal: str
    """Who asked, or handed the document in; `*` for what nobody in particular asked for."""
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """Of what has a price."""
    unpriced_requests: int
    """Requests whose price is not known; `cost_usd` is too small by theirs."""


class Measure(StrEnum):
    """What a budget limits."""

    COST_USD = "cost_usd"
    TOKENS = "tokens"
    """Of embedding and language models, in and out."""
    DOCUMENTS = "documents"
    """That were ingested, each version once."""
    CHUNKS = "chunks"
    BYTES = "bytes"
    """Of files that were stored."""


class Period(StrEnum):
    """Over which time a budget holds, in UTC."""

    DAY = "day"
    MONTH = "month"
    TOTAL = "total"


class BudgetState(StrEnum):
    """How far a budget is used."""

    WITHIN = "within"
    WARNED = "warned"
    EXCEEDED = "exceeded"
    """Searches, answers and uploads are refused until the period ends or the budget is raised."""


@json_form(computed=("state",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most of something that a workspace may use in a period."""

    measure: Measure
    period: Period
    most: float
    warn_share: float
    """From this share of it on, a warning is logged and its state says so."""
    used: float
    """In the period so far."""

    @property
    def state(self) -> BudgetState:
        """How far it is used."""
        if self.used >= self.most:
            return BudgetState.EXCEEDED
        warned = self.used >= self.most * self.warn_share
        return BudgetState.WARNED if warned else BudgetState.WITHIN


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingUse:
    """What having a language model read documents has used, and about what is still to come."""

    model: str
    enabled: bool
    """Whether it reads: `model` is the setting `facts` or `entities`."""
    input_tokens: int
    """So far, of the versions that are published."""
    output_tokens: int
    cost_usd: float | None
    """Null where the price of the model is not known."""
    left_out: int
    """Facts or names that it gave and that do not stand in the text."""
    remaining_input_tokens: int
    """About, for what it has not read; with `enabled` false for what it would read."""
    remaining_output_tokens: int
    remaining_cost_usd: float | None
