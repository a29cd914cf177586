"""Rerankers over HTTP ask as their API wants, and say plainly why they cannot answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import pytest

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.rerank_http import APIS, ApiName, HttpReranker, http_reranker
from footnote.models.rerank_transport import MAX_ANSWER_BYTES, posted_to

from .rerank_server import KEY, Reply, RerankServer, answer_of, rerank_server

TEXTS = ["the rent is due", "penguins"]
NOON = "Fri, 21 Nov 2025 12:00:00 GMT"
KINDS: list[ApiName] = ["cohere", "jina", "voyage", "tei"]


@pytest.fixture
async def server() -> AsyncIterator[RerankServer]:
    async with rerank_server() as running:
        yield running


@pytest.fixture
async def reranker(server: RerankServer) -> AsyncIterator[HttpReranker]:
    chosen = asking(server, "cohere")
    yield chosen
    await chosen.close()


def asking(server: RerankServer, kind: ApiName, *, timeout_seconds: float = 60) -> HttpReranker:
    return http_reranker(
        kind, model="", url=server.url, api_key=KEY, timeout_seconds=timeout_seconds
    )


async def failure(reranker: HttpReranker) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as raised:
        await reranker("rent", TEXTS)
    assert reranker.name in str(raised.value)
    assert raised.value.hint
    return raised.value


@pytest.mark.parametrize(
    ("kind", "path", "model"),
    [
        ("cohere", "/v2/rerank", "rerank-v3.5"),
        ("jina", "/v1/rerank", "jina-reranker-v2-base-multilingual"),
        ("voyage", "/v1/rerank", "rerank-2.5"),
        ("tei", "/rerank", None),
    ],
)
async def test_a_host_alone_is_asked_where_its_api_lives(
    server: RerankServer, kind: ApiName, path: str, model: str | None
) -> None:
    reranker = asking(server, kind)
    await reranker("rent", TEXTS)
    await reranker.close()
    [request] = server.received
    assert (request.path, request.body.get("model")) == (path, model)
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_whole_address_is_asked_as_it_stands(server: RerankServer) -> None:
    server.key = None
    url = f"{server.url}/models/a/rerank?v=1"
    reranker = http_reranker("cohere", model="own", url=url, api_key=None, timeout_seconds=60)
    await reranker("rent", TEXTS)
    await reranker.close()
    [request] = server.received
    assert request.path == "/models/a/rerank?v=1"
    assert "authorization" not in request.headers
    assert reranker.name == "cohere:own"


async def test_texts_go_in_batches_the_service_takes(server: RerankServer) -> None:
    reranker = asking(server, "tei")
    await reranker("rent", TEXTS * 40)
    await reranker.close()
    assert [len(list(request.body["texts"])) for request in server.received] == [32, 32, 16]  # type: ignore[call-overload]  # JSON


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (301, "address in FOOTNOTE_RERANKER"),
        (400, "model in FOOTNOTE_RERANKER"),
        (401, "FOOTNOTE_MODEL_KEYS"),
        (403, "FOOTNOTE_MODEL_KEYS"),
        (404, "address in FOOTNOTE_RERANKER"),
        (422, "model in FOOTNOTE_RERANKER"),
        (429, "later"),
        (500, "well"),
        (503, "later"),
    ],
)
async def test_an_error_is_told_with_its_status_and_what_to_do(
    server: RerankServer, reranker: HttpReranker, status: int, hint: str
) -> None:
    told = Reply(status=status, headers={"retry-after": "0"}, body=KEY.encode())
    server.replies.extend([told, told])
    error = await failure(reranker)
    assert f"answered {status}" in str(error)
    assert hint in (error.hint or "")


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "0"},
        {"retry-after": NOON, "date": NOON},
        {"retry-after": NOON, "date": "Fri, 21 Nov 2025 12:00:01 GMT"},
    ],
    ids=["seconds", "date", "past"],
)
async def test_a_busy_service_is_asked_once_more(
    server: RerankServer, reranker: HttpReranker, status: int, headers: dict[str, str]
) -> None:
    server.replies.append(Reply(status=status, headers=headers))
    near, far = await reranker("rent", TEXTS)
    assert near > far
    assert len(server.received) == 2


async def test_a_busy_service_is_not_asked_a_third_time(
    server: RerankServer, reranker: HttpReranker
) -> None:
    server.replies.extend([Reply(status=429, headers={"retry-after": "0"})] * 2)
    await failure(reranker)
    assert len(server.received) == 2


@pytest.mark.parametrize(
    "headers",
    [{"retry-after": "3600"}, {"retry-after": "Fri, 21 Nov 2025 13:00:00 GMT", "date": NOON}],
    ids=["seconds", "date"],
)
async def test_a_pause_longer_than_the_time_out_is_not_begun(
    server: RerankServer, reranker: HttpReranker, headers: dict[str, str]
) -> None:
    server.replies.append(Reply(status=429, headers=headers))
    assert "answered 429" in str(await failure(reranker))
    assert len(server.received) == 1


@pytest.mark.parametrize("value", ["soon", "Fri, 21 Nov 2025 13:00:00 GMT"])
async def test_a_pause_that_cannot_be_read_is_a_short_one(
    server: RerankServer, reranker: HttpReranker, value: str
) -> None:
    server.replies.append(Reply(status=503, headers={"retry-after": value}))
    assert len(await reranker("rent", TEXTS)) == 2


async def test_a_service_that_dawdles_is_given_up(server: RerankServer) -> None:
    server.replies.append(Reply(held=True))
    reranker = asking(server, "jina", timeout_seconds=0.2)
    assert "did not answer within 0.2 s" in str(await failure(reranker))
    await reranker.close()


async def test_after_a_time_out_the_next_call_is_answered(server: RerankServer) -> None:
    server.replies.append(Reply(held=True))
    reranker = asking(server, "cohere")
    first = asyncio.create_task(reranker("rent", TEXTS))
    await server.arrived.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(await reranker("rent", TEXTS)) == 2
    await reranker.close()


async def test_a_body_that_is_cut_off_is_no_answer(
    server: RerankServer, reranker: HttpReranker
) -> None:
    whole = json.dumps(answer_of("cohere", [(0, 0.9), (1, 0.1)])).encode()
    server.replies.append(Reply(body=whole, cut_off=True))
    assert "broke off" in str(await failure(reranker))


async def test_a_huge_body_is_not_read_to_its_end(
    server: RerankServer, reranker: HttpReranker
) -> None:
    server.replies.append(Reply(body=b" " * (MAX_ANSWER_BYTES + 1)))
    assert f"more than {MAX_ANSWER_BYTES} bytes" in str(await failure(reranker))


async def test_nobody_listening_is_told_as_such() -> None:
    async with rerank_server() as gone:
        pass
    reranker = asking(gone, "voyage", timeout_seconds=10)
    assert "cannot be reached" in str(await failure(reranker))
    await reranker.close()


WRONG = [
    pytest.param(b"", id="empty"),
    pytest.param(b"<html>", id="not JSON"),
    pytest.param(b"{}", id="no results"),
    pytest.param([(0, 0.9)], id="one is missing"),
    pytest.param([(0, 0.9), (0, 0.8)], id="one twice"),
    pytest.param([(0, 0.9), (1, 0.8), (1, 0.7)], id="one too many"),
    pytest.param([(0, 0.9), (2, 0.8)], id="one that was not sent"),
    pytest.param([(0, 0.9), (-1, 0.8)], id="a negative index"),
    pytest.param([(0, 0.9), (True, 0.8)], id="an index that is a truth value"),
    pytest.param([(0, 0.9), (1, float("nan"))], id="not a number"),
    pytest.param([(0, 0.9), (1, float("inf"))], id="infinite"),
    pytest.param([(0, 0.9), (1, "0.8")], id="a score in quotes"),
    pytest.param([(0, 0.9), (1, None)], id="no score"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", WRONG)
async def test_an_answer_that_is_not_a_score_for_each_text_is_none(
    server: RerankServer, kind: ApiName, answer: bytes | list[tuple[int, float]]
) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer_of(kind, answer)).encode()
    server.replies.append(Reply(body=body))
    reranker = asking(server, kind)
    assert "cannot be used" in str(await failure(reranker))
    await reranker.close()


async def test_a_redirect_takes_neither_texts_nor_key_elsewhere(
    server: RerankServer, reranker: HttpReranker
) -> None:
    async with rerank_server() as other:
        server.replies.append(Reply(status=307, headers={"location": f"{other.url}/v2/rerank"}))
        await failure(reranker)
        assert other.received == []


async def test_the_key_is_in_no_log_error_or_representation(
    server: RerankServer, reranker: HttpReranker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.replies.extend([Reply(status=401, body=KEY.encode()), Reply(body=KEY.encode())])
    errors = [await failure(reranker), await failure(reranker)]
    await reranker("rent", TEXTS)
    said = [repr(reranker), repr(reranker.endpoint), caplog.text]
    said += [f"{error} {error.hint} {error.__cause__!r}" for error in errors]
    assert not any(KEY in each for each in said)


def test_a_host_without_path_gets_the_usual_one() -> None:
    assert posted_to("http://tei:8081", "/rerank") == "http://tei:8081/rerank"
    assert posted_to("http://tei:8081/", "/rerank") == "http://tei:8081/rerank"
    assert posted_to("http://tei/x/", "/rerank") == "http://tei/x/"


def test_only_a_service_of_ones_own_needs_an_address() -> None:
    with pytest.raises(UnsupportedSettings, match="has no address"):
        http_reranker("tei", model="", url=None, api_key=None, timeout_seconds=1)
    for kind in ("cohere", "jina", "voyage"):
        made = http_reranker(kind, model="", url=None, api_key="k", timeout_seconds=1)
        assert made.endpoint.url == f"{APIS[kind].service}{APIS[kind].path}"
        assert made.endpoint.url.startswith("https://")
