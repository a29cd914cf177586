"""A language model answers, or says in a sentence why it did not and what to do."""

from __future__ import annotations

import inspect
import logging
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic_ai.providers import infer_provider_class

from footnote.errors import LaneUnavailable, ModelUnavailable, UnsupportedSettings
from footnote.models.answer_models import AnswerModelChoices, AnswerModels, models_from
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, open_hosted
from footnote.models.language import language_model_from
from footnote.models.writing import WritingModel
from footnote.ports import LanguageModel
from footnote.validation.served_names import VENDORS

from .openai_server import (
    BROKEN,
    MALFORMED,
    NOT_OURS,
    SLOW,
    OpenAiServer,
    Reply,
    fails,
    says,
    unreachable_url,
)

KEY = "sk-very-secret-0123456789"


@asynccontextmanager
async def model_at(
    url: str | None,
    name: str = "scripted",
    *,
    api_key: str | None = KEY,
    timeout_seconds: float = 30.0,
) -> AsyncIterator[WritingModel]:
    model = language_model_from(name, url, api_key, timeout_seconds, 64)
    try:
        yield model
    finally:
        await model.close()


async def asked(server: OpenAiServer, *, timeout_seconds: float = 30.0) -> str:
    async with model_at(server.url, timeout_seconds=timeout_seconds) as model:
        return await model("Be brief.", "What is the deadline?")


async def failure(*replies: Reply, timeout_seconds: float = 30.0) -> tuple[str, str, int]:
    """The sentence and the advice of a call that fails, and the requests it took."""
    with OpenAiServer(*replies) as server:
        with pytest.raises(ModelUnavailable) as caught:
            await asked(server, timeout_seconds=timeout_seconds)
        assert caught.value.hint
        return str(caught.value), caught.value.hint, len(server.asked)


# --- what is asked, and what is answered ------------------------------------------------------


async def test_the_answer_comes_without_the_space_around_it() -> None:
    with OpenAiServer(says("\n  The first of May. \n")) as server:
        assert await asked(server) == "The first of May."


async def test_instructions_and_prompt_are_sent_apart_and_the_answer_is_bounded() -> None:
    with OpenAiServer(says("yes")) as server:
        await asked(server)
        [request] = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.instructions == "Be brief."
    assert request.prompt == "What is the deadline?"
    assert request.payload["model"] == "scripted"
    assert request.payload["max_tokens"] == 64
    assert request.payload["temperature"] == 0.0


@pytest.mark.parametrize(
    ("name", "model", "limit"),
    [
        ("openai:gpt-4o-mini", "gpt-4o-mini", "max_completion_tokens"),
        ("ollama:llama3.2:3b", "llama3.2:3b", "max_tokens"),
        ("qwen/qwen3", "qwen/qwen3", "max_tokens"),
        ("compatible:qwen/qwen3:4b", "qwen/qwen3:4b", "max_tokens"),
        ("compatible:anthropic:claude", "anthropic:claude", "max_tokens"),
    ],
)
async def test_a_name_says_which_model_and_which_dialect(name: str, model: str, limit: str) -> None:
    with OpenAiServer(says("yes")) as server:
        async with model_at(server.url, name) as written:
            port: LanguageModel = written
            assert await port("Be brief.", "Well?") == "yes"
            assert port.name == name
        [request] = server.asked
    assert request.payload["model"] == model
    assert request.payload[limit] == 64


async def test_an_address_that_speaks_another_vendors_words_is_told() -> None:
    with OpenAiServer(says("yes")) as server:
        async with model_at(server.url, "anthropic:claude") as model:
            with pytest.raises(ModelUnavailable, match="gave nothing usable") as caught:
                await model("", "Well?")
    assert "FOOTNOTE_LANGUAGE_MODEL speaks the API of its kind" in (caught.value.hint or "")


async def test_a_model_that_reasons_is_given_no_temperature() -> None:
    with OpenAiServer(says("yes")) as server:
        async with model_at(server.url, "openai:o3-mini") as model:
            await model("", "Well?")
        assert "temperature" not in server.asked[0].payload


async def test_what_a_model_thinks_is_not_what_it_says() -> None:
    with OpenAiServer(says("<think>May or June?</think>\n\nMay.")) as server:
        assert await asked(server) == "May."


async def test_text_that_has_no_encoding_is_sent_with_marks() -> None:
    with OpenAiServer(says("yes")) as server:
        async with model_at(server.url) as model:
            await model("Be \ud800 brief.", "Straße 🙂 \udfff")
        assert server.asked[0].prompt == "Straße 🙂 ?"


async def test_one_model_answers_many_at_once() -> None:
    with OpenAiServer(respond=lambda request: says(request.prompt.upper())) as server:
        async with model_at(server.url) as model:
            assert [await model("", text) for text in ("a", "b", "c")] == ["A", "B", "C"]


# --- keys -------------------------------------------------------------------------------------


async def test_the_key_is_sent() -> None:
    with OpenAiServer(says("yes")) as server:
        await asked(server)
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("name", ["openai:gpt-4o-mini", "ollama:llama3.2", "scripted"])
async def test_a_key_of_the_environment_is_sent_to_nobody(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(variable, "sk-of-the-environment")
    with OpenAiServer(says("yes")) as server:
        async with model_at(server.url, name, api_key=None) as model:
            await model("", "Well?")
        assert "sk-of-the-environment" not in str(server.asked)


async def test_a_url_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAiServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        async with model_at(None, "openai:gpt-4o-mini") as model:
            assert model.model.base_url == "https://api.openai.com/v1/"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 500])
async def test_a_key_that_a_server_repeats_is_neither_told_nor_logged(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    refusal = fails(status, code=KEY, message=f"wrong key {KEY}")
    with OpenAiServer(refusal, refusal) as server, pytest.raises(ModelUnavailable) as caught:
        await asked(server)
    told = f"{caught.value} {caught.value.hint} {caught.value!r} {caught.getrepr()}"
    assert "very-secret" not in told
    assert "very-secret" not in caplog.text


def test_a_model_does_not_show_its_key() -> None:
    model = language_model_from("scripted", "http://127.0.0.1:9/v1", KEY, 1.0, 64)
    assert "very-secret" not in repr(model)


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_busy_or_failing_server_is_asked_once_more(status: int) -> None:
    with OpenAiServer(fails(status), says("yes")) as server:
        assert await asked(server) == "yes"
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "sentence", "requests"),
    [
        (400, "the language model scripted refused the request (HTTP 400)", 1),
        (401, "the language model scripted refused the key (HTTP 401)", 1),
        (404, "the language model scripted is not known at its URL (HTTP 404)", 1),
        (429, "the language model scripted is asked too often (HTTP 429)", 2),
        (500, "the language model scripted failed at its server (HTTP 500)", 2),
    ],
)
async def test_a_refusal_is_told_by_what_can_be_done_about_it(
    status: int, sentence: str, requests: int
) -> None:
    refusal = fails(status)
    told, _, count = await failure(refusal, refusal, refusal)
    assert told == sentence
    assert count == requests


@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [
        (429, "insufficient_quota", "wants to be paid (HTTP 429)"),
        (400, "context_length_exceeded", "found the prompt too long (HTTP 400)"),
    ],
)
async def test_a_refusal_that_time_does_not_mend_is_not_tried_again(
    status: int, code: str, sentence: str
) -> None:
    told, _, count = await failure(fails(status, code=code), says("yes"))
    assert told == f"the language model scripted {sentence}"
    assert count == 1


async def test_a_server_that_wants_a_longer_pause_than_there_is_time_is_not_waited_for() -> None:
    told, _, count = await failure(fails(429, retry_after="100"), says("yes"))
    assert told == "the language model scripted is asked too often (HTTP 429)"
    assert count == 1


async def test_a_slow_server_is_given_up() -> None:
    told, hint, _ = await failure(SLOW, timeout_seconds=0.2)
    assert told == "the language model scripted did not answer within 0.2 s"
    assert hint == (
        "set `search` in FOOTNOTE_TIMEOUTS to more than 0.4 seconds, or configure a faster model"
    )


async def test_an_absent_server_is_named_with_advice() -> None:
    async with model_at(unreachable_url()) as model:
        with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
            await model("", "Well?")
    assert (
        caught.value.hint
        == "see that it is running, and check the address in FOOTNOTE_LANGUAGE_MODEL"
    )
    assert caught.value.retryable


async def test_an_answer_that_was_cut_off_is_none() -> None:
    told, hint, _ = await failure(says("The first of", "length"))
    assert told == "the language model scripted was cut off at 64 tokens"
    assert hint == "set `tokens` in FOOTNOTE_ANSWER_LIMITS to more than 64"


async def test_an_answer_that_was_filtered_is_none() -> None:
    told, _, _ = await failure(says("The first of", "content_filter"))
    assert told == "the language model scripted declined to answer"


@pytest.mark.parametrize("text", ["", " \n\t", None, "<think>only thoughts</think>"])
async def test_an_empty_answer_is_none(text: str | None) -> None:
    told, _, _ = await failure(says(text))
    assert told == "the language model scripted wrote nothing"


@pytest.mark.parametrize(
    "reply",
    [MALFORMED, NOT_OURS, Reply(body=b"hello"), Reply(body=b""), Reply(body=b'{"choices": []}')],
    ids=["half", "foreign", "prose", "nothing", "no-choice"],
)
async def test_an_answer_in_another_shape_is_none(reply: Reply) -> None:
    told, hint, _ = await failure(reply)
    assert told.startswith("the language model scripted gave nothing usable")
    assert hint == "check that the address in FOOTNOTE_LANGUAGE_MODEL speaks the API of its kind"


async def test_a_connection_that_breaks_is_told() -> None:
    told, _, _ = await failure(BROKEN)
    assert told.startswith("the language model scripted cannot be reached")


# --- settings that cannot work ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "url", "key"),
    [
        ("", None, None),
        (" ", "http://127.0.0.1:9/v1", None),
        ("gpt-4o-mini", None, KEY),
        ("openai:", None, KEY),
        ("ollama:", "http://127.0.0.1:9/v1", None),
        ("openai:gpt-4o-mini", None, None),
        ("nobody:model", None, KEY),
        ("compatible:x", None, KEY),
    ],
)
def test_settings_that_cannot_work_are_told_before_the_first_call(
    name: str, url: str | None, key: str | None
) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        language_model_from(name, url, key, 1.0, 64)
    assert caught.value.hint


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("writing", "embed_vendor"):
        monkeypatch.delitem(sys.modules, f"footnote.models.{name}", raising=False)
        monkeypatch.delattr(f"footnote.models.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    monkeypatch.setitem(sys.modules, "pydantic_ai.embeddings", None)


@pytest.mark.usefixtures("without_the_extra")
async def test_without_the_extra_it_says_what_to_install() -> None:
    install = "in a clone of Footnote: pip install '.[models]'"
    for name, url in (("scripted", "http://127.0.0.1:9/v1"), ("anthropic:claude", None)):
        with pytest.raises(ModelUnavailable, match="not installed") as caught:
            language_model_from(name, url, KEY, 1.0, 64)
        assert caught.value.hint == install
    with pytest.raises(LaneUnavailable, match="not installed") as missing:
        await open_hosted(parse_spec("cohere:embed-v4.0"), EmbedderChoices(models_folder=Path()))
    assert missing.value.hint == install


@pytest.mark.usefixtures("without_the_extra")
async def test_a_vendor_that_nobody_knows_is_told_without_the_extra_too() -> None:
    with pytest.raises(UnsupportedSettings, match="vendor 'opnai' is not known"):
        language_model_from("opnai:gpt-5", None, KEY, 1.0, 64)
    with pytest.raises(UnsupportedSettings, match="'google-gla' is not known"):
        AnswerModels(
            AnswerModelChoices(models=models_from("google-gla:gemini"), why_forbidden=lambda _: "")
        )
    with pytest.raises(UnsupportedSettings, match="vendor 'opnai' is not known"):
        await open_hosted(parse_spec("opnai:small"), EmbedderChoices(models_folder=Path()))


def test_the_library_knows_the_vendors_that_settings_may_name() -> None:
    # By name: to ask it of each would import the libraries of all.
    assert set(re.findall(r"'([a-z-]+)'", inspect.getsource(infer_provider_class))) == VENDORS


def test_without_a_vendors_library_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    # What another test has loaded would do without it.
    for name in [each for each in sys.modules if each.startswith("pydantic_ai.")]:
        if "anthropic" in name:
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModelUnavailable) as caught:
        language_model_from("anthropic:claude-haiku-4-5", None, KEY, 1.0, 64)
    assert caught.value.hint == "pip install 'pydantic-ai-slim[anthropic]'"
