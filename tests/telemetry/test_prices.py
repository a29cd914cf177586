"""A use costs what the operator says, else what its provider says, else what is known."""

from __future__ import annotations

import pytest

from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import UnsupportedSettings
from footnote.telemetry.prices import Prices, prices_from

MILLION = UsageNote(
    kind=UsageKind.GENERATION,
    model="openai:gpt-4o-mini",
    input_tokens=1_000_000,
    output_tokens=1_000_000,
)


def test_a_known_model_costs_what_genai_prices_says() -> None:
    # https://platform.openai.com/docs/pricing: 0.15 and 0.60 a million, since July 2024.
    assert Prices().of(MILLION) == pytest.approx(0.75)


def test_what_the_operator_says_is_what_counts() -> None:
    own = prices_from('{"openai:gpt-4o-mini": {"input_per_million": 1, "per_request": 0.5}}')
    assert own.of(MILLION) == 1.5
    by_kind = prices_from('{"ocr": {"per_unit": 0.01}}')
    pages = UsageNote(kind=UsageKind.OCR, model="local", units=7)
    assert by_kind.of(pages) == pytest.approx(0.07)
    assert Prices().of(pages) == 0.0


def test_a_provider_that_says_what_it_costs_is_believed() -> None:
    told = UsageNote(kind=UsageKind.EMBEDDING, model="openai:odd", cost_usd=0.25)
    assert Prices().of(told) == 0.25


@pytest.mark.parametrize("model", ["openai:never-heard-of", "nobody:model", "cohere/rerank"])
def test_what_nobody_knows_has_no_price(model: str) -> None:
    for kind in (UsageKind.GENERATION, UsageKind.RERANKING):
        assert Prices().of(UsageNote(kind=kind, model=model, input_tokens=5)) is None


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"a": 1}', '{"a": {"per_request": -1}}', '{"a": {"per_page": 1}}'],
)
def test_prices_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UnsupportedSettings, match="prices"):
        prices_from(text)
