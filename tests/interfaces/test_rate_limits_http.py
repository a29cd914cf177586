"""Each key may ask so often; answers say where it stands."""

from __future__ import annotations

import httpx

from footnote.domain import Right
from footnote.engine import WorkspaceEngine
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served
from tests.interfaces.test_keys_http import bearer
from tests.interfaces.test_refusals import assert_problem


def limited(settings: Settings, **more: object) -> Settings:
    """One request a minute, so that a test is too short for another; ten at once."""
    return settings_from(settings, {"identity": "keys", "requests_per_minute": 1, **more})


async def search(http: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    return await http.post("/v1/search", json={"query": "storm"}, headers=headers)


async def test_a_key_that_asks_too_often_is_told_when_to_come_again(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key, other = await workspace.create_key("ci"), await workspace.create_key("cd")
    async with served(limited(settings)) as http:
        answers = [await search(http, bearer(key)) for _ in range(11)]
        assert [each.status_code for each in answers] == [*[200] * 10, 429]
        remaining = [each.headers["RateLimit-Remaining"] for each in answers]
        assert remaining == [*"9876543210", "0"]
        first, refused = answers[0], answers[10]
        assert first.headers["RateLimit-Limit"] == "10"
        assert first.headers["RateLimit-Policy"] == "1;w=60;burst=10"
        assert 50 <= int(first.headers["RateLimit-Reset"]) <= 60
        assert "Retry-After" not in first.headers
        assert_problem(refused, 429, "rate-limited")
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert (await search(http, bearer(other))).headers["RateLimit-Remaining"] == "9"


async def test_two_servers_count_a_key_together(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key = await workspace.create_key("ci")
    async with served(limited(settings)) as one, served(limited(settings)) as another:
        answers = [await search(each, bearer(key)) for each in (one, another) * 6]
    assert [each.status_code for each in answers] == [*[200] * 10, 429, 429]


async def test_a_stream_that_comes_too_early_is_a_status(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key = await workspace.create_key("ci")
    async with served(limited(settings)) as http:
        for _ in range(9):
            assert (await search(http, bearer(key))).status_code == 200
        question = {"question": "What of storms?", "stream": True}
        for expected in (200, 429):
            answer = await http.post("/v1/answers", json=question, headers=bearer(key))
            assert answer.status_code == expected


async def test_who_is_refused_is_counted_and_too_many_are_not_entered(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key = await workspace.create_key("ci", rights=[Right.READ])
    async with served(limited(settings)) as http:
        for expected in (*[403] * 10, 429, 429):
            answer = await http.get("/v1/webhooks", headers=bearer(key))
            assert answer.status_code == expected
    entries = (await workspace.audit_entries()).entries
    assert [each.verb for each in entries].count("webhooks") == 10


async def test_without_a_limit_nothing_is_said(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key = await workspace.create_key("ci")
    unlimited = limited(settings, requests_per_minute=None)
    async with served(unlimited) as http:
        for _ in range(5):
            answer = await search(http, bearer(key))
            assert answer.status_code == 200
        assert "RateLimit-Limit" not in answer.headers
