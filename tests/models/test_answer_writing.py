"""An answer is written piece by piece by the first model that begins one."""

from __future__ import annotations

import json
import logging
import re
import sys
from contextlib import aclosing
from dataclasses import replace

import pytest

from footnote.domain import Usage
from footnote.errors import InvalidRequest, ModelUnavailable, UnsupportedSettings
from footnote.models.answer_models import AnswerModelChoices, AnswerModels, models_from
from footnote.models.served import model_keys_from
from footnote.ports import Writer, WrittenText
from tests.wire import (
    SLOW,
    Reply,
    WireServer,
    cut_off,
    endless,
    fails,
    falls_silent,
    says,
    unreachable_origin,
)

from .answering import BEDROCK, EXTRAS, GOOGLE, KEY, anywhere, choices_at, models_at

OPENAI = "openai:gpt-4o-mini"
ANTHROPIC = "anthropic:claude-haiku-4-5"
SERVED = "compatible:qwen3"
NAMES = [OPENAI, ANTHROPIC, "ollama:llama3.2", SERVED]


async def pieces(server: WireServer, *names: str, **more: float) -> list[WrittenText]:
    async with models_at(server, *names, **more) as models:
        writer: Writer | None = models.writer()
        assert writer is not None
        return [piece async for piece in writer("Be brief.", "What is the deadline?")]


async def text(server: WireServer, *names: str, **more: float) -> str:
    return "".join(piece.text for piece in await pieces(server, *names, **more))


async def failure(server: WireServer, *names: str, **more: float) -> tuple[str, str]:
    """The sentence and the advice of a call that fails."""
    with pytest.raises(ModelUnavailable) as caught:
        await pieces(server, *(names or (SERVED,)), **more)
    assert caught.value.hint
    assert caught.value.retryable
    return str(caught.value), caught.value.hint


# --- what is asked, and what is written -------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, *EXTRAS])
async def test_every_wire_is_streamed(wire_server: WireServer, name: str) -> None:
    wire_server.script(says("\n ", "The first", " of", " May."))
    written = await pieces(wire_server, name)
    assert [piece.text for piece in written] == ["The first", " of", " May.", ""]
    [asked] = wire_server.asked
    assert asked.streamed
    assert asked.model == name.partition(":")[2]
    assert asked.instructions == "Be brief."
    assert asked.prompt == "What is the deadline?"
    if name == GOOGLE:
        assert asked.payload["generationConfig"] == {
            "maxOutputTokens": 64,
            "responseModalities": ["TEXT"],
        }
    else:
        limit = "max_completion_tokens" if name == OPENAI else "max_tokens"
        assert asked.payload[limit] == 64
    assert KEY in str(asked.headers)


@pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])
async def test_a_piece_is_given_before_the_next_one_is_written(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(says("The first", " of May.", waits_after=1))
    async with models_at(wire_server, name) as models:
        writer = models.writer()
        assert writer is not None
        async with aclosing(writer("", "When?")) as written:
            assert (await anext(written)).text == "The first"
            wire_server.release()
            assert (await anext(written)).text == " of May."


async def test_the_last_piece_has_the_usage_and_the_cost_where_it_is_known(
    wire_server: WireServer,
) -> None:
    wire_server.script(*(Reply(pieces=("May.",), input_tokens=1000, output_tokens=100),) * 3)
    known = (await pieces(wire_server, OPENAI))[-1]
    assert known == WrittenText(
        usage=Usage(requests=1, input_tokens=1000, output_tokens=100, cost_usd=0.00021),
        model=OPENAI,
    )
    claude = (await pieces(wire_server, ANTHROPIC))[-1].usage
    assert claude is not None
    assert claude.cost_usd == pytest.approx(0.0015)
    served = (await pieces(wire_server, SERVED))[-1].usage
    assert served == Usage(requests=1, input_tokens=1000, output_tokens=100, cost_usd=None)


async def test_a_server_that_tells_no_usage_is_charged_nothing_known(
    wire_server: WireServer,
) -> None:
    wire_server.script(Reply(pieces=("May.",), tells_usage=False))
    assert (await pieces(wire_server, OPENAI))[-1].usage == Usage(requests=1)


async def test_what_a_model_thinks_is_not_what_it_says(wire_server: WireServer) -> None:
    wire_server.script(says("<think>", "May or June?", "</think>", "\n\nMay."))
    assert await text(wire_server, SERVED) == "May."


async def test_text_that_has_no_encoding_is_sent_with_marks(wire_server: WireServer) -> None:
    wire_server.script(says("yes"))
    async with models_at(wire_server, SERVED) as models:
        writer = models.writer()
        assert writer is not None
        assert [piece async for piece in writer("Be \ud800 brief.", "Straße 🙂 \udfff")]
    assert wire_server.asked[0].prompt == "Straße 🙂 ?"


# --- the end of the call ----------------------------------------------------------------------


@pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])
async def test_closing_the_generator_closes_the_connection(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(endless())
    async with models_at(wire_server, name) as models:
        writer = models.writer()
        assert writer is not None
        written = writer("", "Tell me everything.")
        assert (await anext(written)).text
        assert not wire_server.asked[0].left.is_set()
        await written.aclose()
        assert await wire_server.asked[0].was_left()


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_busy_or_failing_server_is_asked_once_more(
    wire_server: WireServer, status: int
) -> None:
    wire_server.script(fails(status), says("yes"))
    assert await text(wire_server, OPENAI) == "yes"
    assert len(wire_server.asked) == 2


@pytest.mark.parametrize(
    ("status", "sentence", "requests"),
    [
        (400, "refused the request (HTTP 400)", 1),
        (401, "refused the key (HTTP 401)", 1),
        (404, "is not known at its URL (HTTP 404)", 1),
        (429, "is asked too often (HTTP 429)", 2),
        (500, "failed at its server (HTTP 500)", 2),
    ],
)
@pytest.mark.parametrize("name", [SERVED, ANTHROPIC])
async def test_a_refusal_is_told_by_what_can_be_done_about_it(
    wire_server: WireServer, name: str, status: int, sentence: str, requests: int
) -> None:
    wire_server.script(fails(status), fails(status), says("too late"))
    told, _ = await failure(wire_server, name)
    assert told == f"the answer model {name} {sentence}"
    assert len(wire_server.asked) == requests


async def test_the_next_model_is_asked_when_one_fails(wire_server: WireServer) -> None:
    wire_server.script(fails(401), says("May."))
    written = await pieces(wire_server, OPENAI, ANTHROPIC)
    assert [asked.wire for asked in wire_server.asked] == ["openai", "anthropic"]
    assert written[0].text == "May."
    assert written[-1].model == ANTHROPIC


@pytest.mark.parametrize(
    "reply",
    [says(""), says(" \n"), says("", finish="filtered"), cut_off(), fails(401)],
    ids=["nothing", "blank", "filtered", "cut off", "refused"],
)
async def test_a_model_that_wrote_nothing_leaves_the_answer_to_the_next(
    wire_server: WireServer, reply: Reply
) -> None:
    wire_server.script(reply, says("May."))
    assert await text(wire_server, OPENAI, SERVED) == "May."


async def test_a_model_that_does_not_begin_in_time_leaves_the_answer_to_the_next(
    wire_server: WireServer,
) -> None:
    wire_server.script(SLOW, says("May."))
    assert await text(wire_server, OPENAI, ANTHROPIC, first_token_seconds=0.3) == "May."
    assert await wire_server.asked[0].was_left()


async def test_when_all_fail_each_is_told(wire_server: WireServer) -> None:
    wire_server.script(fails(401), fails(404))
    told, hint = await failure(wire_server, OPENAI, ANTHROPIC)
    assert told == (
        f"the answer model {OPENAI} refused the key (HTTP 401); "
        f"the answer model {ANTHROPIC} is not known at its URL (HTTP 404)"
    )
    assert hint == "check FOOTNOTE_MODEL_KEYS"


@pytest.mark.parametrize("name", [OPENAI, ANTHROPIC])
async def test_a_failure_amid_the_text_ends_it(wire_server: WireServer, name: str) -> None:
    wire_server.script(cut_off("The first", " of"), says("not asked"))
    async with models_at(wire_server, name, SERVED) as models:
        writer = models.writer()
        assert writer is not None
        written = writer("", "When?")
        assert [(await anext(written)).text for _ in range(2)] == ["The first", " of"]
        with pytest.raises(ModelUnavailable, match="broke off amid its answer"):
            await anext(written)
    assert len(wire_server.asked) == 1


async def test_a_model_that_falls_silent_is_given_up(wire_server: WireServer) -> None:
    wire_server.script(falls_silent("The first"))
    told, hint = await failure(wire_server, timeout_seconds=0.5)
    assert told == f"the answer model {SERVED} did not finish its answer in time"
    assert "set `answer` in FOOTNOTE_TIMEOUTS to more" in hint
    assert await wire_server.asked[0].was_left()


async def test_an_answer_that_was_cut_off_at_its_limit_is_none(wire_server: WireServer) -> None:
    wire_server.script(says("The first of", finish="length"))
    told, hint = await failure(wire_server)
    assert told == f"the answer model {SERVED} was cut off at 64 tokens"
    assert hint.startswith("set `tokens` in FOOTNOTE_ANSWER_LIMITS to more than ")


async def test_a_pause_longer_than_the_time_left_is_not_waited_for(
    wire_server: WireServer,
) -> None:
    wire_server.script(fails(429, retry_after="100"), says("too late"))
    told, _ = await failure(wire_server)
    assert told.endswith("is asked too often (HTTP 429)")
    assert len(wire_server.asked) == 1


async def test_an_absent_server_is_named_with_advice() -> None:
    choices = chosen(f"served@{unreachable_origin()}/v1")
    writer = AnswerModels(choices).writer()
    assert writer is not None
    with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
        [piece async for piece in writer("", "When?")]
    assert (
        caught.value.hint
        == "see that it is running, and check the address in FOOTNOTE_ANSWER_MODELS"
    )


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_a_key_that_a_server_repeats_is_neither_told_nor_logged(
    wire_server: WireServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    refusal = fails(status, code=KEY, message=f"wrong key {KEY}")
    wire_server.script(refusal, refusal)
    with pytest.raises(ModelUnavailable) as caught:
        await pieces(wire_server, SERVED)
    told = f"{caught.value} {caught.value.hint} {caught.value!r} {caught.getrepr()}"
    assert "very-secret" not in told
    assert "very-secret" not in caplog.text


def chosen(spelled: str, key: str | None = None) -> AnswerModelChoices:
    """The models of a setting, with a key for the vendor of the first."""
    models = models_from(spelled)
    keys = None if key is None else json.dumps({models[0].vendor: key})
    return AnswerModelChoices(models=models, keys=model_keys_from(keys), why_forbidden=anywhere)


# --- chains and settings ----------------------------------------------------------------------


def test_names_are_joined_by_commas() -> None:
    found = models_from(" openai:gpt-4o , ollama:llama3.2:3b,, openai:gpt-4o")
    assert [each.name for each in found] == ["openai:gpt-4o", "ollama:llama3.2:3b"]


def test_without_names_there_is_no_writer_and_no_agent() -> None:
    models = AnswerModels(AnswerModelChoices(why_forbidden=anywhere))
    assert models.writer() is None
    assert models.agent() is None


def test_a_part_of_the_chain_can_be_chosen_and_nothing_else(wire_server: WireServer) -> None:
    models = AnswerModels(choices_at(wire_server, *NAMES))
    writer = models.writer([ANTHROPIC, OPENAI])
    assert writer is not None
    assert writer.name == f"{ANTHROPIC}, {OPENAI}"
    assert models.writer([]) is None
    with pytest.raises(InvalidRequest, match="no answer model is called openai:gpt-5"):
        models.writer(["openai:gpt-5"])


def test_the_context_is_what_is_known_of_the_smallest(wire_server: WireServer) -> None:
    choices = choices_at(wire_server, OPENAI, ANTHROPIC, SERVED)
    models = AnswerModels(choices)
    sizes = {
        name: writer.context_tokens
        for name in models.names
        if (writer := models.writer([name])) is not None
    }
    assert sizes == {OPENAI: 128_000, ANTHROPIC: 200_000, SERVED: 8192}
    whole = models.writer()
    assert whole is not None
    assert whole.context_tokens == 8192
    said = AnswerModels(replace(choices, context_tokens=32_000)).writer()
    assert said is not None
    assert said.context_tokens == 32_000


@pytest.mark.parametrize(
    "name",
    ["openai:", "gpt", "compatible:gpt", "openai:gpt-4o@ftp://host", "openai:gpt-4o"],
    ids=["no model", "no vendor", "no address", "no address of the web", "no key"],
)
def test_what_cannot_work_is_refused_before_anything_is_asked(name: str) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        AnswerModels(chosen(name))
    assert caught.value.hint


def test_a_broken_object_of_keys_is_refused_without_repeating_it() -> None:
    with pytest.raises(UnsupportedSettings, match="FOOTNOTE_MODEL_KEYS") as caught:
        model_keys_from('{"openai": "very-secret')
    assert "very-secret" not in f"{caught.value}{caught.value.hint}"
    assert "very-secret" not in repr(chosen(OPENAI, "very-secret"))


@pytest.mark.parametrize(
    ("vendor", "library", "extra"),
    [
        ("cohere", "cohere", "cohere"),
        ("google", "google.genai", "google"),
        ("google-cloud", "google.genai", "google"),
        ("mistral", "mistralai", "mistral"),
        ("bedrock", "boto3", "bedrock"),
    ],
)
def test_a_vendor_whose_library_is_missing_is_named_with_what_to_install(
    vendor: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (library, f"{library}.client"):
        monkeypatch.setitem(sys.modules, each, None)
    # What another test has loaded would do without it.
    ours = re.compile(r"pydantic_ai\.(providers|models)\.(google|mistral|bedrock|cohere)")
    for each in [each for each in sys.modules if ours.match(each)]:
        monkeypatch.delitem(sys.modules, each)
    choices = chosen(f"{vendor}:model")
    with pytest.raises(ModelUnavailable, match="library that is not installed") as caught:
        AnswerModels(choices)
    assert caught.value.hint == f"pip install 'pydantic-ai-slim[{extra}]'"


def test_a_vendor_that_nobody_knows_is_named_with_those_that_are() -> None:
    for name in ("bogus:x", "bogus:x@http://127.0.0.1:9"):
        choices = chosen(name, "very-secret")
        with pytest.raises(UnsupportedSettings, match="vendor 'bogus' is not known") as caught:
            AnswerModels(choices)
        hint = caught.value.hint or ""
        for way in ("openai:MODEL", "ollama:MODEL", "anthropic:MODEL", "compatible:MODEL@ADDRESS"):
            assert way in hint
        assert "very-secret" not in str(caught.value)


def test_a_vendor_that_was_renamed_is_named_as_it_is_now() -> None:
    choices = chosen("google-gla:gemini-2.5-flash")
    with pytest.raises(UnsupportedSettings, match="'google-gla' is not known") as caught:
        AnswerModels(choices)
    assert caught.value.hint == f"set FOOTNOTE_ANSWER_MODELS to {GOOGLE}, as it is called now"


@pytest.mark.parametrize(
    ("name", "lacks", "hint"),
    [
        (ANTHROPIC, "a key", "set FOOTNOTE_MODEL_KEYS or ANTHROPIC_API_KEY"),
        ("deepseek:r", "a key", "set FOOTNOTE_MODEL_KEYS or DEEPSEEK_API_KEY"),
        ("azure:gpt", "AZURE_OPENAI_ENDPOINT", "set AZURE_OPENAI_ENDPOINT"),
        (BEDROCK, "a region", "set AWS_DEFAULT_REGION, such as eu-central-1"),
    ],
)
def test_what_a_vendor_lacks_is_named_with_where_to_set_it(
    name: str, lacks: str, hint: str, no_variables: None
) -> None:
    choices = chosen(name)
    with pytest.raises(UnsupportedSettings) as caught:
        AnswerModels(choices)
    assert str(caught.value) == f"the answer model {name} needs {lacks}"
    assert caught.value.hint == hint


def test_a_vendors_own_refusal_is_told_with_where_it_looks(
    monkeypatch: pytest.MonkeyPatch, no_variables: None
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "there-is-none")
    choices = chosen(BEDROCK, KEY)
    with pytest.raises(UnsupportedSettings, match="ends with ProfileNotFound") as caught:
        AnswerModels(choices)
    assert "AWS_PROFILE" in (caught.value.hint or "")


async def test_a_model_whose_library_refuses_to_ask_is_passed_over(
    wire_server: WireServer, monkeypatch: pytest.MonkeyPatch, no_variables: None
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    models = AnswerModels(choices_at(wire_server, BEDROCK, SERVED))
    wire_server.script(says("May."))
    writer, alone = models.writer(), models.writer([BEDROCK])
    assert writer is not None
    assert alone is not None
    assert "".join([piece.text async for piece in writer("Be brief.", "When?")]) == "May."
    with pytest.raises(ModelUnavailable, match="ends with InvalidEndpoint") as caught:
        await anext(alone("Be brief.", "When?"))
    assert "AWS_ACCESS_KEY_ID" in (caught.value.hint or "")
    await models.close()
