"""Google's Check Grounding API as judge, over a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.judge_vertex import FACT_CHARACTERS, VertexJudge, vertex_judge
from footnote.models.judges import judge_from
from footnote.models.rerank_transport import fixed_token

from .rerank_server import KEY, Reply, RerankServer, rerank_server


@pytest.fixture
async def server() -> AsyncIterator[RerankServer]:
    async with rerank_server() as running:
        yield running


def asking(server: RerankServer) -> VertexJudge:
    return vertex_judge(
        project="acme-1",
        token=fixed_token(KEY),
        timeout_seconds=60,
        url=server.url,
    )


def checked(support: float | None) -> Reply:
    """What the API answers."""
    answer: dict[str, object] = {
        "citedChunks": [{"chunkText": "The rent is due.", "source": "0"}],
        "claims": [
            {
                "startPos": 0,
                "endPos": 12,
                "claimText": "The rent is due.",
                "citationIndices": [0],
                "groundingCheckRequired": True,
            }
        ],
    }
    if support is not None:
        answer["supportScore"] = support
    return Reply(body=json.dumps(answer).encode())


async def test_a_statement_is_checked_against_its_quotes(server: RerankServer) -> None:
    server.replies.append(checked(0.93))
    judge = asking(server)
    assert await judge(["The rent is due."], ["The rent is due on the third."]) == [0.93]
    await judge.close()
    [request] = server.received
    assert request.path == (
        "/v1/projects/acme-1/locations/global/groundingConfigs/default_grounding_config:check"
    )
    assert request.headers["x-goog-user-project"] == "acme-1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "answerCandidate": "The rent is due.",
        "facts": [{"factText": "The rent is due on the third."}],
        "groundingSpec": {"citationThreshold": 0.6},
    }


async def test_every_statement_is_a_call_of_its_own(server: RerankServer) -> None:
    server.replies.extend(checked(0.5) for _ in range(6))
    judge = asking(server)
    assert await judge(["a statement"] * 6, ["a quote"] * 6) == [0.5] * 6
    await judge.close()
    assert len(server.received) == 6


async def test_no_statement_is_no_call(server: RerankServer) -> None:
    judge = asking(server)
    assert await judge([], []) == []
    assert server.received == []


async def test_a_fact_keeps_to_the_limit_of_the_api(server: RerankServer) -> None:
    server.replies.append(checked(0.0))
    judge = asking(server)
    assert await judge(["a"], ["b" * 50_000]) == [0.0]
    await judge.close()
    [request] = server.received
    assert request.body["facts"] == [{"factText": "b" * FACT_CHARACTERS}]


@pytest.mark.parametrize(
    "reply",
    [checked(None), checked(1.5), checked(float("nan")), Reply(body=b"[]"), Reply(body=b"<html>")],
    ids=["no score", "beyond one", "not a number", "no object", "no JSON"],
)
async def test_an_answer_without_a_score_is_none(server: RerankServer, reply: Reply) -> None:
    server.replies.append(reply)
    judge = asking(server)
    with pytest.raises(ModelUnavailable, match="cannot be used"):
        await judge(["a"], ["b"])
    await judge.close()


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (403, "FOOTNOTE_GOOGLE_PROJECT"),
        (404, "FOOTNOTE_GOOGLE_PROJECT"),
        (400, "FOOTNOTE_GOOGLE_PROJECT"),
        (500, "the service is well"),
    ],
)
async def test_a_refusal_says_what_to_check(server: RerankServer, status: int, advice: str) -> None:
    server.replies.append(Reply(status=status))
    judge = asking(server)
    with pytest.raises(
        ModelUnavailable, match=f"vertex:check-grounding answered {status}"
    ) as raised:
        await judge(["a"], ["b"])
    await judge.close()
    assert advice in (raised.value.hint or "")


async def test_a_quota_that_is_spent_is_asked_once_more(server: RerankServer) -> None:
    server.replies.extend([Reply(status=429, headers={"retry-after": "0"}), checked(0.4)])
    judge = asking(server)
    assert await judge(["a"], ["b"]) == [0.4]
    await judge.close()


def test_without_a_project_there_is_nobody_to_pay() -> None:
    with pytest.raises(UnsupportedSettings, match="no project") as raised:
        judge_from(kind="vertex", api_key=KEY)
    assert "FOOTNOTE_GOOGLE_PROJECT" in (raised.value.hint or "")


async def test_settings_name_google_as_judge(server: RerankServer) -> None:
    server.replies.append(checked(0.8))
    judge = judge_from(
        kind="vertex", project="acme-1", api_key=KEY, url=server.url, timeout_seconds=60
    )
    assert judge is not None
    assert await judge(["a"], ["b"]) == [0.8]
    await judge.close()
