"""Prices of model usage: the operator's own, else those of genai-prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from footnote.domain import Usage
from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import UnsupportedSettings
from footnote.validation.messages import printable, wrong_value
from footnote.validation.text import duplicate_name

_MILLION = 1_000_000
_FREE = ("packaged:", "fastembed:", "testing:", "local")
"""Prefixes of the names of models that run on this machine, and of usage without a model."""


class Price(BaseModel):
    """The price of a model in US dollars; what is not given costs nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    input_per_million: float = Field(0.0, ge=0)
    """Per million tokens of input."""
    output_per_million: float = Field(0.0, ge=0)
    """Per million tokens of output."""
    per_request: float = Field(0.0, ge=0)
    per_unit: float = Field(0.0, ge=0)
    """A text, picture, second, page or byte: what its kind counts."""

    def of(self, note: UsageNote) -> float:
        """Return the cost of one usage in US dollars."""
        return (
            note.input_tokens * self.input_per_million / _MILLION
            + note.output_tokens * self.output_per_million / _MILLION
            + note.requests * self.per_request
            + note.units * self.per_unit
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of an installation."""

    own: Mapping[str, Price] = field(default_factory=dict)
    """By model, as `vendor:name`, or by kind of usage, for all its models."""

    def of(self, note: UsageNote) -> float | None:
        """Return the cost of one usage in US dollars; None if no price is known.

        >>> Prices().of(UsageNote(kind=UsageKind.EMBEDDING, model="packaged:minilm"))
        0.0
        """
        price = self.own.get(note.model) or self.own.get(note.kind)
        if price is not None:
            return price.of(note)
        if note.cost_usd is not None:
            return note.cost_usd
        if note.model.startswith(_FREE):
            return 0.0
        return _known_price(note)

    def usage_of(self, notes: Iterable[UsageNote]) -> Usage:
        """Return the sum of several usages; its cost is None if that of any is unknown."""
        return sum(
            (
                Usage(
                    requests=note.requests,
                    input_tokens=note.input_tokens,
                    output_tokens=note.output_tokens,
                    cost_usd=self.of(note),
                )
                for note in notes
            ),
            Usage(),
        )


def _known_price(note: UsageNote) -> float | None:
    """Return the cost by genai-prices, which an optional extra installs; None if not known."""
    if note.kind not in (UsageKind.EMBEDDING, UsageKind.GENERATION, UsageKind.VISION):
        return None
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415  # optional, and slow to import
    except ImportError:
        return None
    vendor, _, name = note.model.rpartition(":")
    used = Usage(input_tokens=note.input_tokens, output_tokens=note.output_tokens)
    try:
        return float(calc_price(used, name, provider_id=vendor or None).total_price)
    except (LookupError, ValueError):
        return None


_PRICES = TypeAdapter(dict[str, Price])


def prices_from(text: str | None) -> Prices:
    """Parse the prices setting, which is JSON. Raises UnsupportedSettings."""
    if text is None:
        return Prices()
    try:
        if (name := duplicate_name(text)) is None:
            return Prices(own=_PRICES.validate_json(text))
        wrong = f"{printable(name)} is there more than once in one object"
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        location = ".".join(map(str, first["loc"]))
        wrong = f"{location}: {wrong_value(first)}" if location else wrong_value(first)
    raise UnsupportedSettings(
        f"The setting prices cannot be used: {wrong}.",
        hint='Set FOOTNOTE_PRICES to JSON like {"openai:gpt-5": {"input_per_million": 1.25}}.',
    )
