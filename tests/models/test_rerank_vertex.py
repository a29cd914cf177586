"""Google's ranking API, with a given token and with one from a key file."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.google_token import ApplicationDefaultToken
from footnote.models.rerank_transport import Token, fixed_token
from footnote.models.rerank_vertex import SERVICE, VertexReranker, vertex_reranker

from .rerank_server import KEY, Reply, RerankServer, answer_of, rerank_server
from .token_server import token_server

TEXTS = ["the rent is due", "penguins"]


@pytest.fixture
async def server() -> AsyncIterator[RerankServer]:
    async with rerank_server() as running:
        yield running


def asking(server: RerankServer, token: Token | None = None) -> VertexReranker:
    return vertex_reranker(
        project="acme-1",
        token=token or fixed_token(KEY),
        timeout_seconds=60,
        url=server.url,
    )


async def test_records_are_ranked_in_the_project_that_pays(server: RerankServer) -> None:
    reranker = asking(server)
    near, far = await reranker("rent", TEXTS)
    await reranker.close()
    assert near > far == 0.0
    [request] = server.received
    assert request.path == (
        "/v1/projects/acme-1/locations/global/rankingConfigs/default_ranking_config:rank"
    )
    assert request.headers["x-goog-user-project"] == "acme-1"
    assert request.body["model"] == "semantic-ranker-default-004"
    assert request.body["records"] == [
        {"id": "0", "content": TEXTS[0]},
        {"id": "1", "content": TEXTS[1]},
    ]


async def test_a_call_has_at_most_two_hundred_records(server: RerankServer) -> None:
    reranker = asking(server)
    assert len(await reranker("rent", ["rent"] * 450)) == 450
    await reranker.close()
    assert len(server.received) == 3


@pytest.mark.parametrize(
    "placed", [[(0, 0.9)], [(0, 0.9), (0, 0.8)], [(0, 0.9), (7, 0.8)], [(0, 0.9), ("x", 0.8)]]
)
async def test_an_answer_that_lacks_a_record_is_none(
    server: RerankServer, placed: list[tuple[int, float]]
) -> None:
    server.replies.append(Reply(body=json.dumps(answer_of("vertex", placed)).encode()))
    reranker = asking(server)
    with pytest.raises(ModelUnavailable, match=r"vertex:semantic.*cannot be used"):
        await reranker("rent", TEXTS)
    await reranker.close()


async def test_a_refusal_points_to_project_and_role(server: RerankServer) -> None:
    server.replies.append(Reply(status=403))
    reranker = asking(server)
    with pytest.raises(ModelUnavailable, match="answered 403") as raised:
        await reranker("rent", TEXTS)
    await reranker.close()
    assert "FOOTNOTE_GOOGLE_PROJECT" in (raised.value.hint or "")


def test_google_is_asked_unless_told_otherwise() -> None:
    token = fixed_token(KEY)
    made = vertex_reranker(project="a/b", token=token, timeout_seconds=1, location="eu")
    assert made.endpoint.url.startswith(f"{SERVICE}/v1/projects/a%2Fb/locations/eu/rankingConfigs/")


def test_without_a_project_there_is_nobody_to_pay() -> None:
    token = fixed_token(KEY)
    with pytest.raises(UnsupportedSettings, match="no project"):
        vertex_reranker(project="", token=token, timeout_seconds=1)


async def test_a_key_file_gives_the_token_and_gives_it_once(
    server: RerankServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with token_server(KEY) as issuer:
        monkeypatch.setenv(
            "GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, issuer.address))
        )
        reranker = asking(server, ApplicationDefaultToken())
        await reranker("rent", TEXTS)
        await reranker("rent", TEXTS)
        await reranker.close()
        assert issuer.issued == 1
    assert {each.headers["authorization"] for each in server.received} == {f"Bearer {KEY}"}


async def test_credentials_that_are_missing_or_refused_make_it_unavailable(
    server: RerankServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    reranker = asking(server, ApplicationDefaultToken())
    with pytest.raises(ModelUnavailable, match="gave no access token"):
        await reranker("rent", TEXTS)
    with token_server(None) as issuer:
        monkeypatch.setenv(
            "GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, issuer.address))
        )
        with pytest.raises(ModelUnavailable, match="gave no access token") as raised:
            await reranker("rent", TEXTS)
    await reranker.close()
    assert "GOOGLE_APPLICATION_CREDENTIALS" in (raised.value.hint or "")
    assert server.received == []


async def test_without_google_auth_it_names_the_extra_to_install(
    server: RerankServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None is what makes Python refuse an import.
    monkeypatch.setitem(sys.modules, "google.auth.transport.requests", None)
    reranker = asking(server, ApplicationDefaultToken())
    with pytest.raises(ModelUnavailable, match="google-auth, which is not installed") as raised:
        await reranker("rent", TEXTS)
    await reranker.close()
    assert "pip install '.[vertex]'" in (raised.value.hint or "")


def key_file(folder: Path, issuer: str) -> Path:
    """A service account's key, as Google hands it out, for an issuer of our own."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    written = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    content = {
        "type": "service_account",
        "project_id": "acme-1",
        "private_key_id": "1",
        "private_key": written.decode(),
        "client_email": "reader@acme-1.example",
        "client_id": "1",
        "token_uri": issuer,
    }
    path = folder / "key.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
