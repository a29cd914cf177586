"""API keys over real HTTP: who gets in, who does not, and that there is no other way in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
import psycopg
import pytest
import structlog
from fastapi.routing import APIRoute
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from starlette.routing import Route

import footnote as sdk
from footnote.domain.credentials import NewApiKey
from footnote.engine import Engine, WorkspaceEngine, events
from footnote.errors import (
    Forbidden,
    InvalidRequest,
    NotAuthenticated,
    NotFound,
    UnsupportedSettings,
)
from footnote.interfaces.http import authentication, streaming
from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.web_app import is_public
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, footnote, served
from tests.interfaces.test_http import POLICY
from tests.interfaces.test_refusals import assert_problem


@dataclass(frozen=True, slots=True)
class Guarded:
    """A server that asks everybody who they are, and the workspace behind it."""

    settings: Settings
    http: httpx.AsyncClient
    workspace: WorkspaceEngine

    async def key(self, name: str = "ci", **wanted: Any) -> NewApiKey:
        return await self.workspace.create_key(name, **wanted)


@pytest.fixture
async def guarded(settings: Settings, workspace: WorkspaceEngine) -> AsyncIterator[Guarded]:
    within = settings_from(settings, {"identity": "keys,scim"})
    async with served(within) as http:
        yield Guarded(within, http, workspace)


def bearer(key: NewApiKey | str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key if isinstance(key, str) else key.secret}"}


OPEN = {"/health", "/v1/login", "/v1/login/callback", "/v1/login/backchannel"}
PARAMETERS = {
    "document_id": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
    "page": "1",
    "path": "x",
}


def every_route(settings: Settings) -> list[tuple[str, str]]:
    app = create_app(settings)
    found = []
    for route in app.router.routes:
        assert isinstance(route, Route | APIRoute), route
        found += [(method, route.path) for method in route.methods or {"GET", "POST"}]
    return found


async def test_every_route_asks_who_it_is(guarded: Guarded) -> None:
    routes = every_route(guarded.settings)
    assert {"/mcp", "/agui", "/openapi.json", "/v1/search", "/search", "/v1/events"} <= {
        path for _, path in routes
    }
    assert {"/openai/v1/chat/completions", "/v1/webhooks/document-uploaded", "/scim/v2/Users"} <= {
        path for _, path in routes
    }
    for method, template in routes:
        path = template.replace(":path}", "}")
        for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            path = path.replace(f"{{{name}}}", PARAMETERS.get(name, PARAMETERS["document_id"]))
        answer = await guarded.http.request(method, path)
        if is_public({"type": "http", "method": method, "path": path}):
            # The web app is the same for everybody, and asks for a credential itself.
            assert answer.status_code in {200, 404, 503}, (method, path)
            continue
        if path in OPEN:
            assert answer.status_code == 200 or path != "/health"
            continue
        assert answer.status_code == 401, (method, path)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


async def test_what_is_not_routed_asks_too(guarded: Guarded) -> None:
    address = str(guarded.http.base_url).rstrip("/")
    for path in (
        "/nowhere",
        "/documents/x/y",
        "/v1/documents/",
        "//health",
        "/health/",
        "/HEALTH",
        "/metrics",
    ):
        assert (await guarded.http.get(f"{address}{path}")).status_code == 401, path


async def test_health_says_no_more_than_whether_it_is_well(guarded: Guarded) -> None:
    reader = await guarded.key(rights=("read",))
    for headers in ({}, bearer("fn_0123456789abcdef_no"), bearer("x.y.z"), bearer(reader)):
        answer = await guarded.http.get("/health", headers=headers)
        assert (answer.status_code, answer.json()) == (200, {"ready": True, "checks": []})


async def test_health_tells_administrators_what_was_checked(guarded: Guarded) -> None:
    administrator = await guarded.key(rights=("read", "administer"))
    told = (await guarded.http.get("/health", headers=bearer(administrator))).json()
    assert told["ready"] is True
    assert {"database", "home"} <= {each["name"] for each in told["checks"]}
    assert all(each["detail"] for each in told["checks"])
    await guarded.workspace.revoke_key(administrator.key.key_id)
    told = (await guarded.http.get("/health", headers=bearer(administrator))).json()
    assert told == {"ready": True, "checks": []}


async def test_a_key_opens_its_workspace_with_its_rights(guarded: Guarded) -> None:
    reading, writing = await guarded.key(), await guarded.key("in", rights=("read", "write"))
    who = (await guarded.http.get("/v1/identity", headers=bearer(reading))).json()
    assert who == {
        "workspace": "default",
        "principal": "service:ci",
        "groups": [],
        "role": "reader",
        "collections": {},
        "rights": ["read"],
        "credential": f"key:{reading.key.key_id}",
    }
    files = {"file": ("policy.md", POLICY)}
    refused = await guarded.http.post("/v1/documents", files=files, headers=bearer(reading))
    assert_problem(refused, 403, "forbidden")
    taken = await guarded.http.post("/v1/documents", files=files, headers=bearer(writing))
    assert taken.status_code == 202
    path = f"/v1/documents/{taken.json()['document_id']}"
    assert (await guarded.http.get(path, headers=bearer(reading))).status_code == 200
    refused = await guarded.http.get("/v1/webhooks", headers=bearer(writing))
    assert_problem(refused, 403, "forbidden")


async def test_a_key_of_a_collection_sees_that_collection_alone(guarded: Guarded) -> None:
    for name, collection in (("a", "sales"), ("b", "board")):
        await guarded.workspace.receive(
            f"Note {name}.".encode(), f"{name}.txt", collection=collection
        )
    key = await guarded.key(collections=("sales",))
    found = (await guarded.http.get("/v1/documents", headers=bearer(key))).json()
    assert [each["filename"] for each in found["documents"]] == ["a.txt"]


async def test_a_key_opens_no_other_workspace_and_does_not_learn_of_it(
    guarded: Guarded, engine: Engine
) -> None:
    await engine.create_workspace("acme")
    key = await guarded.key(rights=("administer",))
    foreign, absent = [
        await guarded.http.get("/stats", headers={**bearer(key), "Footnote-Workspace": name})
        for name in ("acme", "none")
    ]
    assert_problem(foreign, 404, "not-found")
    assert foreign.text.replace("acme", "none") == absent.text
    chat = {"model": "footnote/acme", "messages": [{"role": "user", "content": "Hello?"}]}
    for path in ("/v1/chat/completions", "/openai/v1/chat/completions"):
        answer = await guarded.http.post(path, json=chat, headers=bearer(key))
        assert answer.status_code == 404
    linked = await guarded.http.get(
        "/v1/documents/1b4e28ba-2fa1-11d2-883f-0016d3cca427/pages/1.png?workspace=acme",
        headers=bearer(key),
    )
    assert_problem(linked, 404, "not-found")


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer fn_0123456789abcdef_" + "0" * 64,
        "Bearer fn_' OR 1=1 --_x",
        "Basic Zm46Zm4=",
        "Bearer \u00fc",
        "Bearer eyJhbGciOiJub25lIn0.e30.",
    ],
)
async def test_what_proves_nothing_is_refused(guarded: Guarded, given: str) -> None:
    answer = await guarded.http.get("/stats", headers=[(b"Authorization", given.encode("latin-1"))])
    assert_problem(answer, 401, "not-authenticated")
    assert "fn_" not in answer.text
    if "Bearer fn_" in given:
        assert "footnote keys create" in answer.json()["hint"]


async def test_the_secret_is_compared_and_not_the_id_alone(guarded: Guarded) -> None:
    one, other = await guarded.key("one"), await guarded.key("other")
    mixed = "_".join([*one.secret.split("_")[:2], other.secret.split("_")[2]])
    assert (await guarded.http.get("/stats", headers=bearer(mixed))).status_code == 401
    assert (await guarded.http.get("/stats", headers=bearer(one))).status_code == 200


async def test_two_credentials_are_one_too_many(guarded: Guarded) -> None:
    key = await guarded.key()
    pairs = [("Authorization", f"Bearer {key.secret}"), ("Authorization", "Bearer other")]
    assert_problem(await guarded.http.get("/stats", headers=pairs), 400, "bad-request")


async def test_a_revoked_and_an_expired_key_are_no_keys(
    guarded: Guarded, superuser: psycopg.Connection
) -> None:
    revoked, expired = await guarded.key("a"), await guarded.key("b", expires_in_days=1)
    assert (await guarded.http.get("/stats", headers=bearer(expired))).status_code == 200
    await guarded.workspace.revoke_key(revoked.key.key_id)
    superuser.execute(
        "UPDATE footnote.api_keys SET expires_at = now() WHERE credential_id = %s",
        [expired.key.key_id],
    )
    refusals = [
        await guarded.http.get("/stats", headers=bearer(each))
        for each in (revoked, expired, "fn_0123456789abcdef_" + "0" * 64)
    ]
    assert {each.status_code for each in refusals} == {401}
    assert len({each.text for each in refusals}) == 1


async def test_a_rotated_key_and_the_new_one_overlap(
    guarded: Guarded, superuser: psycopg.Connection
) -> None:
    old = await guarded.key(rights=("read", "write"), expires_in_days=30)
    new = await guarded.workspace.rotate_key(old.key.key_id, overlap_hours=2)
    assert (new.key.rights, new.key.principal) == (old.key.rights, old.key.principal)
    for each in (old, new):
        assert (await guarded.http.get("/stats", headers=bearer(each))).status_code == 200
    [was, now] = await guarded.workspace.keys()
    assert was.replaced_by == now.key_id
    assert was.expires_at is not None
    assert now.expires_at is not None
    assert (was.expires_at - was.created_at).total_seconds() < 3 * 3600
    assert (now.expires_at - now.created_at).days == 30
    with pytest.raises(NotFound, match="not replaced"):
        await guarded.workspace.rotate_key(old.key.key_id)
    at_once = await guarded.workspace.rotate_key(new.key.key_id, overlap_hours=0)
    assert (await guarded.http.get("/stats", headers=bearer(new))).status_code == 401
    assert (await guarded.http.get("/stats", headers=bearer(at_once))).status_code == 200


async def test_the_use_of_a_key_is_noted_once_a_minute(
    guarded: Guarded, superuser: psycopg.Connection
) -> None:
    key = await guarded.key()

    async def used() -> Any:
        await guarded.http.get("/stats", headers=bearer(key))
        [found] = await guarded.workspace.keys()
        return found.last_used_at

    first = await used()
    assert first is not None
    assert await used() == first
    superuser.execute("UPDATE footnote.api_keys SET last_used_at = last_used_at - interval '61 s'")
    assert await used() > first


async def test_no_secret_is_kept_or_logged(
    guarded: Guarded, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with structlog.testing.capture_logs() as events:
        key = await guarded.key()
        await guarded.http.get("/stats", headers=bearer(key))
        await guarded.http.get("/stats", headers=bearer(f"{key.secret[:-1]}x"))
    secret = key.secret.rpartition("_")[2]
    [row] = superuser.execute(
        "SELECT k::text FROM footnote.api_keys k WHERE credential_id = %s", [key.key.key_id]
    ).fetchall()
    assert secret not in row[0]
    assert secret not in caplog.text
    assert secret not in str(events)
    assert secret not in str(await guarded.workspace.keys())


async def test_an_administrator_makes_no_key_for_somebody_else(
    guarded: Guarded, engine: Engine
) -> None:
    key = await guarded.key("ops", rights=("read", "administer"))
    caller = await engine_of(guarded, key)
    with pytest.raises(Forbidden, match="not for 'anna'"):
        await caller.create_key("hers", principal="anna")
    with pytest.raises(Forbidden, match="to write"):
        await caller.create_key("more", rights=("write",))
    hers = await guarded.key("hers", principal="anna")
    with pytest.raises(Forbidden, match="not for 'anna'"):
        await caller.rotate_key(hers.key.key_id)
    with pytest.raises(Forbidden, match="not with legal"):
        await caller.create_key("wider", groups=("legal",))
    of_legal = await guarded.key("of-legal", groups=("legal",))
    with pytest.raises(Forbidden, match="not with legal"):
        await caller.rotate_key(of_legal.key.key_id)
    assert (await caller.create_key("less")).key.principal == "service:less"


async def test_a_key_of_a_collection_is_nobody_else(guarded: Guarded) -> None:
    """Not a service of the same name either, which may see private documents."""
    wide = await guarded.key("writer", rights=("read", "write"))
    files = {"file": ("policy.md", POLICY)}
    taken = await guarded.http.post(
        "/v1/documents", files=files, data={"visibility": "private"}, headers=bearer(wide)
    )
    narrow = await guarded.key("writer", collections=("hr",))
    assert narrow.key.principal.startswith("service:writer ")
    path = f"/v1/documents/{taken.json()['document_id']}"
    assert (await guarded.http.get(path, headers=bearer(wide))).status_code == 200
    assert (await guarded.http.get(path, headers=bearer(narrow))).status_code == 404
    reader = await guarded.key("reader")
    shown = await guarded.http.get(f"{path}/access", headers=bearer(reader))
    assert shown.status_code == 404
    with pytest.raises(InvalidRequest):
        await guarded.key("link 0123456789abcdef")


async def test_a_credential_is_no_operator_of_the_installation(guarded: Guarded) -> None:
    key = await guarded.key("ci", rights=("read", "write", "administer"))
    env = environment(guarded.settings, FOOTNOTE_IDENTITY="keys", FOOTNOTE_API_KEY=key.secret)
    for words in (
        ("workspace", "list"),
        ("workspace", "create", "more"),
        ("workspace", "destroy", "default", "--yes"),
        ("encryption", "status"),
        ("encryption", "export-keys", "keys.json"),
        ("encryption", "import-keys", "keys.json"),
    ):
        ended = await footnote(env, *words)
        assert ended.code == 4, words
        assert "FOOTNOTE_API_KEY" in ended.err
    ended = await footnote(
        env | {"FOOTNOTE_API_KEY": key.secret[:-64] + "0" * 64}, "documents", "list"
    )
    unknown = await footnote(env | {"FOOTNOTE_API_KEY": "of nobody"}, "documents", "list")
    assert ended.code == unknown.code == 4
    assert "a credential was refused" not in ended.err + unknown.err, "its user is told already"
    unasked = {name: value for name, value in env.items() if name != "FOOTNOTE_IDENTITY"}
    ended = await footnote(unasked, "--no-server", "documents", "list")
    assert ended.code == 2, ended.out
    assert "FOOTNOTE_IDENTITY" in ended.err


@pytest.mark.parametrize("name", ["allowed_hosts", "cors_origins"])
def test_a_server_that_lets_every_site_in_is_refused(settings: Settings, name: str) -> None:
    with pytest.raises(UnsupportedSettings, match=name):
        create_app(settings_from(settings, {"identity": "keys", name: "*"}))


async def engine_of(guarded: Guarded, key: NewApiKey) -> WorkspaceEngine:
    engine = guarded.workspace.engine
    assert isinstance(engine, Engine)
    return await engine.enter(None, key.key.identity)


async def test_a_stream_ends_with_its_key(
    settings: Settings, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "AGAIN_SECONDS", 0.0)
    key, other = await workspace.create_key("a"), await workspace.create_key("b")
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(events, "PAUSES", (0.05,))
    within = settings_from(settings, {"identity": "keys"})
    async with (
        served(within) as http,
        http.stream("GET", "/v1/events", headers=bearer(key)) as ending,
        http.stream("GET", "/v1/events", headers=bearer(other)) as lasting,
    ):
        lines, others = ending.aiter_lines(), lasting.aiter_lines()
        assert (await anext(lines)).startswith("retry")
        await workspace.revoke_key(key.key.key_id)
        async with asyncio.timeout(600):  # else it would go on for ever
            assert [line async for line in lines if line.startswith("event")] == []
        for _ in range(4):
            await anext(others)


async def test_the_project_routes_believe_no_other_user(guarded: Guarded) -> None:
    key = await guarded.key()
    body = {"query": "premium", "project_id": "default", "user_id": "anna"}
    answer = await guarded.http.post("/search", json=body, headers=bearer(key))
    assert_problem(answer, 403, "forbidden")
    context = {"chunk_id": "x", "user_id": "anna"}
    answer = await guarded.http.post("/context", json=context, headers=bearer(key))
    assert_problem(answer, 403, "forbidden")
    own = {**body, "user_id": "service:ci"}
    assert (await guarded.http.post("/search", json=own, headers=bearer(key))).status_code == 200


async def test_mcp_asks_the_same(guarded: Guarded) -> None:
    key = await guarded.key()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert (await guarded.http.post("/mcp", json=message)).status_code == 401
    address = f"{guarded.http.base_url}/mcp".replace("//mcp", "/mcp")
    async with (
        httpx2.AsyncClient(headers=bearer(key), timeout=600) as http,
        streamable_http_client(address, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert "search_documents" in names
        saved = await session.call_tool("create_document", {"title": "t", "content": "c"})
        assert saved.is_error


async def test_the_client_sends_its_key(guarded: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    key, base_url = await guarded.key(), str(guarded.http.base_url)
    async with sdk.AsyncClient(base_url, api_key=key.secret) as client:
        assert (await client.stats()).documents == 0
        with pytest.raises(Forbidden):
            await client.receive(b"x", "x.txt")
    async with sdk.AsyncClient(base_url) as client:
        with pytest.raises(NotAuthenticated):
            await client.stats()
    monkeypatch.setenv("FOOTNOTE_API_KEY", key.secret)
    async with sdk.AsyncClient(base_url) as client:
        assert (await client.stats()).documents == 0


async def test_commands_make_and_use_keys(guarded: Guarded) -> None:
    env = environment(guarded.settings, FOOTNOTE_IDENTITY="keys")
    made = await footnote(env, "keys", "create", "reports", "--scope", "read")
    assert made.code == 0, made.err
    key = made.out.strip()
    assert (await guarded.http.get("/stats", headers=bearer(key))).status_code == 200
    listed = await footnote(env, "keys", "list")
    assert "service:reports" in listed.out
    assert key not in listed.out
    key_id = key.split("_")[1]
    rotated = await footnote(env, "keys", "rotate", key_id, "--overlap-hours", "1")
    assert rotated.code == 0, rotated.err
    assert (await footnote(env, "keys", "revoke", key_id)).out == f"Revoked the key {key_id}.\n"
    assert (await guarded.http.get("/stats", headers=bearer(key))).status_code == 401

    logged = await footnote(env, "login", stdin=rotated.out.encode())
    assert "service:reports" in logged.err, logged.err
    kept = guarded.settings.home / "login.token"
    assert kept.stat().st_mode & 0o777 == 0o600
    refused = await footnote(env, "keys", "list")
    assert refused.code == 4
    assert "may not be used to administer" in refused.err
    assert (await footnote(env, "documents", "list")).code == 0
    assert (await footnote(env, "logout")).code == 0
    assert (await footnote(env, "keys", "list")).code == 0
    bad = await footnote(env, "login", stdin=b"fn_nonsense")
    assert bad.code == 4
    assert not kept.exists()


async def test_pages_of_other_sites_are_let_in_as_the_settings_say(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    key = await workspace.create_key("ci")
    within = settings_from(
        settings,
        {
            "identity": "keys",
            "public_url": "https://footnote.example.com",
            "cors_origins": "https://app.example.com",
        },
    )
    async with served(within) as http:
        host = {"Host": "footnote.example.com"}
        asking = {
            "Origin": "https://app.example.com",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,footnote-workspace",
        }
        allowed = await http.options("/v1/search", headers={**host, **asking})
        assert allowed.status_code == 200
        assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        assert "Access-Control-Allow-Credentials" not in allowed.headers
        own = {**host, **bearer(key)}
        answer = await http.get("/stats", headers={**own, "Origin": "https://app.example.com"})
        assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        exposed = answer.headers["Access-Control-Expose-Headers"]
        for name in ("Footnote-Question-Id", "Footnote-Reply-Id", "Traceresponse", "Location"):
            assert name in exposed
        for origin in ("https://evil.example", "null", "https://app.example.com.evil.example"):
            assert_problem(
                await http.get("/stats", headers={**own, "Origin": origin}), 403, "foreign-origin"
            )
        elsewhere = await http.get("/stats", headers={**own, "Host": "evil.example"})
        assert_problem(elsewhere, 421, "misdirected-request")
        assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer.headers["X-Frame-Options"] == "DENY"
