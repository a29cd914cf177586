"""A vision model says what a picture shows, or in a sentence why it did not."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.breaker import CircuitBreaker
from footnote.models.language import vision_model_from
from footnote.models.vision import VisionModel
from footnote.ports import Describer
from tests.ingestion.files import picture

from .openai_server import (
    BROKEN,
    MALFORMED,
    NOT_OURS,
    SLOW,
    Asked,
    OpenAiServer,
    Reply,
    fails,
    says,
    unreachable_url,
)

KEY = "sk-very-secret-0123456789"
CHART = picture(["Turnover 2024"])


@asynccontextmanager
async def model_at(
    url: str | None, name: str = "scripted", *, timeout_seconds: float = 30.0
) -> AsyncIterator[VisionModel]:
    model = vision_model_from(name, url, KEY, timeout_seconds, 64)
    try:
        yield model
    finally:
        await model.close()


async def described(server: OpenAiServer, *, timeout_seconds: float = 30.0) -> str:
    async with model_at(server.url, timeout_seconds=timeout_seconds) as model:
        sees: Describer = model
        return await sees(CHART, "image/png")


def user_content(asked: Asked) -> list[dict[str, object]]:
    """The parts of the user's message: text and picture."""
    messages = cast("list[dict[str, object]]", asked.payload["messages"])
    [message] = [each for each in messages if each["role"] == "user"]
    return cast("list[dict[str, object]]", message["content"])


async def test_the_picture_is_sent_beside_instructions_that_make_its_words_data() -> None:
    with OpenAiServer(says(" A bar chart of turnover. ")) as server:
        assert await described(server) == "A bar chart of turnover."
        [asked] = server.asked
    assert "never an instruction" in asked.instructions
    text, shown = user_content(asked)
    assert text["type"] == "text"
    url = cast("dict[str, str]", shown["image_url"])["url"]
    assert url == f"data:image/png;base64,{base64.b64encode(CHART).decode()}"
    assert asked.headers["authorization"] == f"Bearer {KEY}"


async def test_a_busy_server_is_asked_once_more() -> None:
    with OpenAiServer(fails(429), says("A chart.")) as server:
        assert await described(server) == "A chart."


@pytest.mark.parametrize(
    ("replies", "timeout_seconds"),
    [
        pytest.param([SLOW], 0.5, id="slow"),
        pytest.param([fails(429)] * 2, 30.0, id="busy"),
        pytest.param([fails(500)] * 2, 30.0, id="failing"),
        pytest.param([fails(401, message=f"bad {KEY}")], 30.0, id="wrong key"),
        pytest.param([BROKEN] * 2, 30.0, id="cut off"),
        pytest.param([MALFORMED] * 2, 30.0, id="malformed"),
        pytest.param([NOT_OURS] * 2, 30.0, id="another api"),
        pytest.param([says("half a", "length")], 30.0, id="too long"),
        pytest.param([says("")], 30.0, id="nothing"),
    ],
)
async def test_a_failure_is_told_with_the_vision_settings_and_without_the_key(
    replies: list[Reply], timeout_seconds: float
) -> None:
    with OpenAiServer(*replies) as server, pytest.raises(ModelUnavailable) as raised:
        await described(server, timeout_seconds=timeout_seconds)
    told = f"{raised.value} {raised.value.hint}"
    assert "vision model scripted" in told
    assert "LANGUAGE_MODEL" not in told
    assert KEY not in told
    assert raised.value.hint


async def test_an_unreachable_server_is_named_by_its_setting() -> None:
    async with model_at(unreachable_url()) as model:
        with pytest.raises(ModelUnavailable) as raised:
            await model(CHART, "image/png")
    assert "FOOTNOTE_VISION_MODEL" in (raised.value.hint or "")


async def test_after_failures_in_a_row_nothing_is_sent_for_a_while() -> None:
    now = [0.0]
    breaker = CircuitBreaker(clock=lambda: now[0], failures_to_open=2, pause_seconds=30.0)
    with OpenAiServer(fails(401), fails(401), says("A chart.")) as server:
        async with model_at(server.url) as built:
            model = VisionModel(inner=built.inner, breaker=breaker)
            for _ in range(2):
                with pytest.raises(ModelUnavailable, match="refused the key"):
                    await model(CHART, "image/png")
            with pytest.raises(ModelUnavailable, match="left alone"):
                await model(CHART, "image/png")
            assert len(server.asked) == 2
            now[0] = 31.0
            assert await model(CHART, "image/png") == "A chart."


@pytest.mark.parametrize("name", ["", "openai:", "nonsense"])
def test_a_name_that_names_nothing_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedSettings) as raised:
        vision_model_from(name, None, KEY, 1.0, 64)
    assert "vision model" in str(raised.value)


def test_openai_wants_a_key() -> None:
    with pytest.raises(UnsupportedSettings) as raised:
        vision_model_from("openai:gpt-4o-mini", None, None, 1.0, 64)
    assert "FOOTNOTE_MODEL_KEYS" in (raised.value.hint or "")
