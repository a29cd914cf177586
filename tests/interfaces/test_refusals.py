"""What the server refuses, and how it says so, with no engine needed."""

import json
import sys
from collections.abc import AsyncIterator

import httpx
import pytest
import structlog
from fastapi import FastAPI

from footnote.interfaces.http.guard import is_loopback, security_headers
from tests.interfaces.conftest import LOCAL, Library
from tests.interfaces.serving import served

SEARCH = {"query": "claim"}


def assert_problem(response: httpx.Response, status: int, code: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["type"] == f"urn:footnote:problem:{code}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert body["hint"]


async def test_health_is_503_with_the_reason_until_the_engine_is_open(
    closed: httpx.AsyncClient,
) -> None:
    response = await closed.get("/health")
    assert response.status_code == 503
    assert response.headers["retry-after"]
    assert response.json()["ready"] is False
    assert "starting" in response.json()["checks"][0]["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/search", SEARCH),
        ("POST", "/v1/answers", {"question": "claim?"}),
        ("POST", "/v1/context", {"chunk_id": "c"}),
        ("POST", "/search", {"query": "claim", "project_id": "p", "user_id": "u"}),
        ("POST", "/context", {"chunk_id": "c", "user_id": "u"}),
        ("GET", "/v1/documents", None),
        ("GET", "/stats", None),
    ],
)
async def test_other_routes_are_503_until_the_engine_is_open(
    closed: httpx.AsyncClient, method: str, path: str, body: object
) -> None:
    response = await closed.request(method, path, json=body)
    assert_problem(response, 503, "not-ready")
    assert response.headers["retry-after"]


async def test_an_unknown_route_and_a_wrong_method_are_problems(closed: httpx.AsyncClient) -> None:
    assert_problem(await closed.get("/v2/nothing"), 404, "no-such-route")
    wrong = await closed.get("/v1/search")
    assert_problem(wrong, 405, "method-not-allowed")
    assert wrong.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/documents", "GET, HEAD, POST"),
        ("/v1/conversations/5b0f7f5e-3c1d-4f64-8f0a-2d9f4c6f7a10", "DELETE, GET, HEAD, PATCH"),
        ("/v1/models", "DELETE, GET, HEAD, PUT"),
        ("/v1/webhooks/document-uploaded", "POST"),
        ("/health", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_is_told_all_right_ones(
    closed: httpx.AsyncClient, path: str, allowed: str
) -> None:
    answered = await closed.request("OPTIONS", path)
    assert answered.status_code == 405
    assert answered.headers["allow"] == allowed


async def test_a_fixed_path_is_not_taken_for_an_id_with_another_method(
    closed: httpx.AsyncClient,
) -> None:
    described = (await closed.get("/openapi.json")).json()["paths"]
    fixed = {path: set(methods) for path, methods in described.items() if "{" not in path}
    assert len(fixed) > 50
    for path, known in fixed.items():
        for method in {"get", "post", "put", "patch", "delete"} - known:
            if path.endswith("/chat/completions") or path.endswith("/openai/v1/models"):
                continue  # Their clients are told in another form.
            answered = await closed.request(method, path)
            assert answered.status_code == 405, (method, path)
            taken = {each.upper() for each in known} | ({"HEAD"} if "get" in known else set())
            assert set(answered.headers["allow"].split(", ")) == taken


async def test_there_is_no_page_that_would_load_from_the_network(closed: httpx.AsyncClient) -> None:
    assert_problem(await closed.get("/docs"), 404, "no-such-route")
    assert_problem(await closed.get("/redoc"), 404, "no-such-route")
    assert (await closed.get("/openapi.json")).status_code == 200


async def test_a_body_that_is_not_json_is_a_problem(closed: httpx.AsyncClient) -> None:
    headers = {"content-type": "application/json"}
    assert_problem(
        await closed.post("/v1/search", content=b"{", headers=headers), 400, "bad-request"
    )
    deep = await closed.post("/v1/search", content=b"[" * 50_000, headers=headers)
    assert_problem(deep, 400, "bad-request")
    assert "nested too deeply" in deep.json()["detail"]
    form = {"content-type": "multipart/form-data; boundary=x"}
    assert_problem(
        await closed.post("/v1/documents", content=b"junk", headers=form), 400, "bad-request"
    )


async def test_a_defect_of_ours_shows_nothing_of_its_inside(
    unopened: FastAPI, closed: httpx.AsyncClient
) -> None:
    @unopened.get("/broken")
    def broken() -> None:
        raise RuntimeError("secret inside")

    response = await closed.get("/broken")
    assert_problem(response, 500, "unexpected")
    assert "secret" not in response.text
    # The server closes the connection after it.
    assert response.headers["connection"] == "close"
    for name, value in security_headers(https=False):
        assert response.headers[name] == value


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.7", ""])
async def test_a_foreign_host_header_is_refused(closed: httpx.AsyncClient, host: str) -> None:
    assert_problem(await closed.get("/health", headers={"host": host}), 403, "not-local")


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "127.1.2.3:1", "[::1]:8080"])
async def test_the_names_of_this_computer_are_let_in(closed: httpx.AsyncClient, host: str) -> None:
    assert (await closed.get("/health", headers={"host": host})).status_code == 503


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.test"])
async def test_a_page_of_another_site_cannot_post(closed: httpx.AsyncClient, origin: str) -> None:
    response = await closed.post("/v1/search", json=SEARCH, headers={"origin": origin})
    assert_problem(response, 403, "not-local")
    assert "access-control-allow-origin" not in response.headers


async def test_a_page_of_this_computer_may_post(closed: httpx.AsyncClient) -> None:
    headers = {"origin": "http://localhost:3000"}
    assert_problem(await closed.post("/v1/search", json=SEARCH, headers=headers), 503, "not-ready")


async def test_another_computer_is_refused_however_the_app_is_served(unopened: FastAPI) -> None:
    transport = httpx.ASGITransport(unopened, client=("10.0.0.7", 40000))
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as client:
        assert_problem(await client.get("/health"), 403, "not-local")


async def test_an_upload_that_says_it_is_too_large_is_refused_unread(
    closed: httpx.AsyncClient,
) -> None:
    read: list[int] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield b"x"

    headers = {"content-type": "multipart/form-data; boundary=x", "content-length": "9000000"}
    response = await closed.post("/v1/documents", content=body(), headers=headers)
    assert_problem(response, 413, "content-too-large")
    assert not read


async def test_an_endless_upload_is_stopped_at_the_limit(closed: httpx.AsyncClient) -> None:
    pieces = 0
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'

    async def body() -> AsyncIterator[bytes]:
        nonlocal pieces
        yield head
        while True:
            pieces += 1
            yield b"x" * 65536

    headers = {"content-type": "multipart/form-data; boundary=x"}
    response = await closed.post("/v1/documents", content=body(), headers=headers)
    assert_problem(response, 413, "content-too-large")
    assert "1,000 bytes" in response.json()["detail"]
    assert pieces < 20


async def test_a_json_body_has_a_limit_of_its_own(closed: httpx.AsyncClient) -> None:
    body = json.dumps({"query": "x" * 2_000_000})
    headers = {"content-type": "application/json"}
    response = await closed.post("/v1/search", content=body, headers=headers)
    assert_problem(response, 413, "content-too-large")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", "192.168.1.2", ""])
def test_an_address_that_others_reach_is_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("path", "module", "package", "extra"),
    [
        ("/mcp", "mcp.server.streamable_http_manager", "mcp", "mcp"),
        ("/agui", "ag_ui.core", "ag-ui-protocol", "agui"),
    ],
    ids=["mcp", "agui"],
)
async def test_a_route_whose_package_is_not_installed_says_what_brings_it(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    module: str,
    package: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with structlog.testing.capture_logs() as logged:
        async with served(library.settings) as client:
            response = await client.post(path, json={})
            streamed = await client.get("/mcp")
    assert_problem(response, 501, "not-installed")
    assert response.json()["detail"] == f"{package} is not installed"
    assert response.json()["hint"] == f"in a clone of Footnote: pip install '.[{extra}]'"
    # Nothing failed, and who asks in another way is not sent to the one that does not work.
    assert [each for each in logged if each["event"] == "request failed"] == []
    assert streamed.status_code == (501 if path == "/mcp" else 405)
