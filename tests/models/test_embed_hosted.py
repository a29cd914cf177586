"""A served embedder gives vectors, or says in a sentence why not; over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import LaneMismatch, LaneUnavailable, UnsupportedSettings
from footnote.models.counting import beginning, estimate_tokens
from footnote.models.embed_hosted import HostedEmbedder, HostedLimits, plan_requests
from footnote.models.embed_vendor import other_client
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, open_hosted
from footnote.models.served import model_keys_from

from .embedding_server import DIMENSIONS, embedded_texts, embedding_server, embeds, texts_of
from .openai_server import (
    BROKEN,
    MALFORMED,
    NOT_OURS,
    SLOW,
    Asked,
    OpenAiServer,
    Reply,
    fails,
    unreachable_url,
)

KEY = "sk-very-secret-0123456789"
TEXTS = [f"clause {number} of the lease" for number in range(10)]


def _keys(url: str | None, name: str, key: str) -> dict[str, str]:
    return {url or name.partition(":")[0]: key}


@asynccontextmanager
async def embedder_at(
    url: str | None,
    name: str = f"compatible:served#{DIMENSIONS}",
    *,
    api_key: str | None = KEY,
    limits: HostedLimits | None = None,
    max_tokens: int | None = None,
    query_prompt: str = "",
    document_prompt: str = "",
) -> AsyncIterator[HostedEmbedder]:
    choices = EmbedderChoices(
        models_folder=Path("unused"),
        keys=model_keys_from(None if api_key is None else json.dumps(_keys(url, name, api_key))),
        max_tokens=max_tokens,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        limits=limits or HostedLimits(),
    )
    spelled = name if url is None else f"{name}@{url}"
    embedder = await open_hosted(parse_spec(spelled), choices)
    try:
        yield embedder
    finally:
        await embedder.close()


async def failure(
    *replies: Reply, limits: HostedLimits | None = None
) -> tuple[LaneUnavailable, OpenAiServer]:
    """What a call for documents that fails raises."""
    with embedding_server(*replies) as server:
        async with embedder_at(server.url, limits=limits) as embedder:
            with pytest.raises(LaneUnavailable) as caught:
                await embedder.embed_documents(["one"])
    assert caught.value.hint
    assert KEY not in f"{caught.value}{caught.value.hint}{caught.value.__cause__}"
    return caught.value, server


async def test_texts_become_unit_vectors_in_their_order() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url, limits=HostedLimits(batch_texts=3)) as embedder:
            vectors = await embedder.embed_documents(TEXTS)
            alone = [await embedder.embed_query(text) for text in TEXTS]
    assert vectors.shape == (10, DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors, np.stack(alone), atol=1e-6)
    assert sorted(len(texts_of(each)) for each in server.asked[:4]) == [1, 3, 3, 3]
    assert {each.headers["authorization"] for each in server.asked} == {f"Bearer {KEY}"}


async def test_a_request_has_no_more_tokens_than_a_batch_may() -> None:
    with embedding_server() as server:
        limits = HostedLimits(batch_tokens=12)
        async with embedder_at(server.url, limits=limits) as embedder:
            await embedder.embed_documents(TEXTS)
    assert len(server.asked) == 5  # Five tokens each.


async def test_no_texts_ask_nothing() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url) as embedder:
            assert (await embedder.embed_documents([])).shape == (0, DIMENSIONS)
    assert server.asked == []


async def test_blank_texts_and_broken_ones_are_sent_as_something_readable() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url) as embedder:
            await embedder.embed_documents(["", " \n", "half \ud800 pair"])
    assert texts_of(server.asked[0]) == [".", ".", "half ? pair"]


async def test_a_text_is_cut_at_the_models_window() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url, max_tokens=5) as embedder:
            await embedder.embed_documents(["one two three four five six seven"])
            assert embedder.max_tokens == 5
    assert embedded_texts([server]) == ["one two three four five"]


async def test_queries_and_documents_are_told_apart_by_their_prompts() -> None:
    with embedding_server() as server:
        async with embedder_at(
            server.url, query_prompt="query: ", document_prompt="passage: "
        ) as prompted:
            await prompted.embed_documents(["rent"])
            await prompted.embed_query("rent")
        async with embedder_at(server.url) as plain:
            assert plain.lane.revision != prompted.lane.revision
    assert embedded_texts([server]) == ["passage: rent", "query: rent"]


# --- what can heal ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(fails(429), id="busy"),
        pytest.param(fails(500), id="failed"),
        pytest.param(fails(503), id="unavailable"),
        pytest.param(BROKEN, id="cut off"),
        pytest.param(MALFORMED, id="half an answer"),
    ],
)
async def test_what_can_heal_is_asked_again(reply: Reply) -> None:
    with embedding_server(reply) as server:
        async with embedder_at(server.url) as embedder:
            assert (await embedder.embed_documents(["one"])).shape == (1, DIMENSIONS)
            assert embedder.usage.retries == 1
    assert len(server.asked) == 2


async def test_the_pause_a_service_asks_for_is_kept_by_every_request() -> None:
    moments: list[float] = []

    def busy_once(asked: Asked) -> Reply:
        moments.append(time.monotonic())
        if len(moments) == 1:
            refused = fails(429)
            return Reply(status=429, body=refused.body, headers={"retry-after-ms": "300"})
        return embeds(asked)

    with OpenAiServer(respond=busy_once) as server:
        limits = HostedLimits(batch_texts=1, concurrency=1)
        async with embedder_at(server.url, limits=limits) as embedder:
            await embedder.embed_documents(TEXTS[:3])
    assert len(moments) == 4
    assert moments[1] - moments[0] >= 0.29


async def test_a_pause_that_is_too_long_is_left_to_the_queue() -> None:
    error, server = await failure(fails(429, retry_after="3600"))
    assert error.retryable
    assert "too often" in str(error)
    assert len(server.asked) == 1


async def test_a_query_does_not_wait_for_a_pause_that_outlasts_it() -> None:
    with embedding_server(fails(429, retry_after="60")) as server:
        limits = HostedLimits(longest_pause_seconds=1)
        async with embedder_at(server.url, limits=limits) as embedder:
            with pytest.raises(LaneUnavailable):
                await embedder.embed_documents(["one"])
            with pytest.raises(LaneUnavailable, match="asks for a pause") as caught:
                await embedder.embed_query("one")
    assert caught.value.retryable
    assert len(server.asked) == 1


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    under_way, most = set[int](), [0]

    def slowly(asked: Asked) -> Reply:
        under_way.add(id(asked))
        most[0] = max(most[0], len(under_way))
        reply = embeds(asked)
        under_way.discard(id(asked))
        return reply

    with OpenAiServer(respond=slowly) as server:
        limits = HostedLimits(batch_texts=1, concurrency=2)
        async with embedder_at(server.url, limits=limits) as embedder:
            await embedder.embed_documents(TEXTS)
    assert most[0] <= 2
    assert len(server.asked) == 10


async def test_attempts_come_to_an_end() -> None:
    error, server = await failure(*[fails(500)] * 3, limits=HostedLimits(attempts=3))
    assert error.retryable
    assert "HTTP 500" in str(error)
    assert len(server.asked) == 3


async def test_a_service_that_does_not_answer_is_given_up() -> None:
    limits = HostedLimits(attempts=1, timeout_seconds=0.2)
    error, _ = await failure(SLOW, limits=limits)
    assert error.retryable
    assert "0.2 s" in str(error)


async def test_a_query_is_given_up_sooner_than_a_document() -> None:
    with embedding_server(SLOW) as server:
        limits = HostedLimits(query_timeout_seconds=0.2)
        async with embedder_at(server.url, limits=limits) as embedder:
            with pytest.raises(LaneUnavailable, match=r"query within 0\.2 s"):
                await embedder.embed_query("one")


async def test_an_absent_server_may_come_back() -> None:
    limits = HostedLimits(attempts=1)
    async with embedder_at(unreachable_url(), limits=limits) as embedder:
        with pytest.raises(LaneUnavailable, match="cannot be reached") as caught:
            await embedder.embed_documents(["one"])
    assert caught.value.retryable


async def test_texts_the_service_finds_too_long_are_divided_and_then_shortened() -> None:
    def strict(asked: Asked) -> Reply:
        if sum(map(len, texts_of(asked))) > 40:
            return fails(400, code="context_length_exceeded", message="maximum context length")
        return embeds(asked)

    texts = ["a " * 15, "b " * 15, "c " * 40]
    with OpenAiServer(respond=strict) as server:
        async with embedder_at(server.url) as embedder:
            vectors = await embedder.embed_documents(texts)
            whole = await embedder.embed_documents([texts[0].strip()])
    np.testing.assert_allclose(vectors[0], whole[0], atol=1e-6)
    assert embedded_texts([server])[-2] == "c " * 20


# --- what cannot ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        pytest.param(fails(401, message=f"bad key {KEY}"), "refused the key", id="wrong key"),
        pytest.param(fails(404), "not known", id="no such model"),
        pytest.param(fails(400), "refused the request", id="refused"),
        pytest.param(fails(429, code="insufficient_quota"), "paid", id="unpaid"),
        pytest.param(NOT_OURS, "nothing usable", id="another service"),
    ],
)
async def test_what_cannot_heal_is_not_asked_again(reply: Reply, says: str) -> None:
    error, server = await failure(reply)
    assert says in str(error)
    assert not error.retryable
    assert len(server.asked) == 1


@pytest.mark.parametrize("dimensions", [DIMENSIONS - 1, DIMENSIONS // 2])
async def test_vectors_that_are_too_short_are_of_another_lane(dimensions: int) -> None:
    with embedding_server(then=lambda asked: embeds(asked, dimensions)) as server:
        async with embedder_at(server.url) as embedder:
            with pytest.raises(LaneMismatch, match=f"{dimensions} dimensions") as caught:
                await embedder.embed_documents(["one"])
    assert caught.value.hint


async def test_vectors_without_a_direction_are_refused() -> None:
    def nothing(asked: Asked) -> Reply:
        reply = embeds(asked)
        return Reply(body=reply.body.replace(reply.body, _zeros(asked)))

    with OpenAiServer(respond=nothing) as server:
        async with embedder_at(server.url) as embedder:
            with pytest.raises(LaneUnavailable, match="cannot be used"):
                await embedder.embed_documents(["one"])


def _zeros(asked: Asked) -> bytes:
    numbers = ",".join(["0.0"] * DIMENSIONS)
    data = ",".join(
        f'{{"object":"embedding","index":{index},"embedding":[{numbers}]}}'
        for index in range(len(texts_of(asked)))
    )
    return f'{{"object":"list","model":"m","data":[{data}]}}'.encode()


async def test_fewer_vectors_than_texts_are_refused() -> None:
    def fewer(asked: Asked) -> Reply:
        payload = {**asked.payload, "input": texts_of(asked)[:1]}
        return embeds(Asked(path=asked.path, headers=asked.headers, payload=payload))

    with OpenAiServer(respond=fewer) as server:
        async with embedder_at(server.url) as embedder:
            with pytest.raises(LaneUnavailable, match="cannot be used"):
                await embedder.embed_documents(["one", "two"])


async def test_one_failure_stops_the_other_requests() -> None:
    with embedding_server(*[fails(400)] * 40) as server:
        limits = HostedLimits(batch_texts=1, concurrency=1)
        async with embedder_at(server.url, limits=limits) as embedder:
            with pytest.raises(LaneUnavailable):
                await embedder.embed_documents(TEXTS)
            await asyncio.sleep(0)
    assert len(server.asked) <= 2


async def test_the_key_is_in_no_log_and_no_name(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with embedding_server(fails(401, message=f"Incorrect API key: {KEY}")) as server:
        async with embedder_at(server.url) as embedder:
            with pytest.raises(LaneUnavailable) as caught:
                await embedder.embed_documents(["one"])
            assert KEY not in repr(embedder)
            assert KEY not in embedder.lane.fingerprint
    assert KEY not in caplog.text
    assert caught.value.__cause__ is None


# --- dimensions and cost ----------------------------------------------------------------------


async def test_dimensions_nobody_tells_are_asked_for_once() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url, "compatible:served") as embedder:
            assert embedder.lane.dimensions == DIMENSIONS
            assert embedder.lane.provider == "compatible"
    assert len(server.asked) == 1


async def test_a_service_that_finds_the_shortest_text_too_long_is_of_no_use() -> None:
    too_long = fails(400, code="context_length_exceeded", message="maximum context length")
    with (
        embedding_server(then=lambda _: too_long) as server,
        pytest.raises(LaneUnavailable, match="compatible:served"),
    ):
        async with embedder_at(server.url, "compatible:served"):
            pass


async def test_shortened_vectors_are_the_beginnings_at_unit_length() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url, "compatible:served") as whole:
            full = await whole.embed_documents(TEXTS)
        async with embedder_at(server.url, "compatible:served#8") as embedder:
            short = await embedder.embed_documents(TEXTS)
            assert embedder.lane.fingerprint != whole.lane.fingerprint
    expected = full[:, :8] / np.linalg.norm(full[:, :8], axis=1, keepdims=True)
    np.testing.assert_allclose(short, expected, atol=1e-6)


async def test_openai_is_asked_for_the_dimensions_and_copies_are_not() -> None:
    with embedding_server() as server:
        for name in ("openai:text-embedding-3-small#8", "compatible:served#8"):
            async with embedder_at(server.url, name) as embedder:
                await embedder.embed_query("rent")
    assert [each.payload.get("dimensions") for each in server.asked] == [8, None]


async def test_more_dimensions_than_an_index_holds_are_refused() -> None:
    with pytest.raises(UnsupportedSettings, match="4,001"):
        parse_spec("compatible:wide#4001")
    with (
        embedding_server(then=lambda asked: embeds(asked, 4096)) as server,
        pytest.raises(UnsupportedSettings, match=r"4,096.*1 to 4,000") as caught,
    ):
        async with embedder_at(server.url, "compatible:wide"):
            pass
    assert caught.value.hint
    assert "#1024" in caught.value.hint


async def test_tokens_and_cost_are_counted() -> None:
    with embedding_server(then=lambda asked: embeds(asked, 1536)) as server:
        async with embedder_at(server.url, "openai:text-embedding-3-small") as embedder:
            await embedder.embed_documents(TEXTS)
            await embedder.embed_query("clause")
            usage = embedder.usage
    assert (usage.requests, usage.texts, usage.tokens) == (2, 11, 51)
    assert Decimal(0) < usage.cost < Decimal("0.001")


async def test_a_price_nobody_knows_costs_nothing() -> None:
    with embedding_server() as server:
        async with embedder_at(server.url) as embedder:
            await embedder.embed_documents(["one two"])
    assert embedder.usage.tokens == 2
    assert embedder.usage.cost == 0


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "openai:", "nothing", "openai:x#y", ":x", "minilm#64", "e5#64"]
)
def test_a_name_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        parse_spec(name)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "url", "key"),
    [
        ("openai:text-embedding-3-small", None, None),
        ("compatible:served", None, KEY),
        ("compatible:served", "ftp://example.com", KEY),
        ("compatible:served", "http://user:word@example.com/v1", KEY),
        ("openai:text-embedding-3-small", None, "two words"),
        ("cohere:embed-v4", "http://127.0.0.1:9/v1", KEY),
        ("nobody:model", None, KEY),
    ],
)
async def test_settings_that_cannot_work_are_refused_without_repeating_them(
    name: str, url: str | None, key: str | None
) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        async with embedder_at(url, name, api_key=key):
            pass
    said = f"{caught.value}{caught.value.hint}"
    assert KEY not in said
    assert "word@" not in said


@pytest.mark.parametrize(
    ("name", "key", "said", "hint"),
    [
        ("nobody:model", None, "the vendor 'nobody' is not known", "FOOTNOTE_EMBEDDING_MODELS"),
        ("anthropic:model", KEY, "'anthropic' has no embedding models", "another vendor"),
        (
            *("deepseek:model", None, "DEEPSEEK_API_KEY is not set"),
            "set FOOTNOTE_MODEL_KEYS or DEEPSEEK_API_KEY",
        ),
        ("ollama:model", KEY, "OLLAMA_BASE_URL is not set", "set OLLAMA_BASE_URL"),
        (
            "sentence-transformers:model",
            KEY,
            "takes no key",
            "take its key out of FOOTNOTE_MODEL_KEYS",
        ),
    ],
)
async def test_what_is_wrong_with_a_vendor_is_said_with_the_setting(
    name: str, key: str | None, said: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("DEEPSEEK_API_KEY", "OLLAMA_BASE_URL", "PYDANTIC_AI_GATEWAY_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    vendor, _, model = name.partition(":")
    with pytest.raises(UnsupportedSettings, match=said) as caught:
        other_client(vendor, model, key)
    assert name in str(caught.value)
    assert hint in str(caught.value.hint)
    assert caught.value.__cause__ is None


async def test_the_key_of_a_vendor_is_sent_to_no_address() -> None:
    with embedding_server() as server:
        spelled = f"openai:text-embedding-3-small#{DIMENSIONS}@{server.url}"
        choices = EmbedderChoices(
            models_folder=Path("unused"), keys=model_keys_from(f'{{"openai": "{KEY}"}}')
        )
        embedder = await open_hosted(parse_spec(spelled), choices)
        await embedder.embed_query("rent")
        await embedder.close()
    assert KEY not in str(server.asked[0].headers)


async def test_a_vendor_whose_library_is_missing_says_what_to_install() -> None:
    if importlib.util.find_spec("voyageai") is not None:
        pytest.skip("voyageai is installed")
    with pytest.raises(LaneUnavailable, match="library") as caught:
        async with embedder_at(None, "voyage:voyage-3.5"):
            pass
    assert caught.value.hint == "pip install 'pydantic-ai-slim[voyageai]'"


# --- laws -------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 60)), st.integers(1, 9), st.integers(1, 100))
def test_requests_cover_all_texts_in_order_within_both_limits(
    counts: list[int], texts: int, tokens: int
) -> None:
    runs = plan_requests(counts, texts, tokens)
    assert [place for first, end in runs for place in range(first, end)] == [*range(len(counts))]
    for first, end in runs:
        assert 0 < end - first <= texts
        assert sum(counts[first:end]) <= tokens or end - first == 1


@given(st.text(), st.integers(0, 20))
def test_the_beginning_of_a_text_has_no_more_tokens_than_wanted(text: str, tokens: int) -> None:
    cut = beginning(text, tokens)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= tokens
    if estimate_tokens(text) <= tokens:
        assert cut == text
