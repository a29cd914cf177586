"""Tokens and a gateway's headers over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from footnote.domain import Role
from footnote.engine import Engine
from footnote.engine.credential_settings import credentials_from
from footnote.errors import UnsupportedSettings
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served
from tests.interfaces.test_refusals import assert_problem
from tests.security.provider import Provider, provider


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as served_provider:
        yield served_provider


def tokens_of(issuer: Provider) -> dict[str, str]:
    return {
        "issuer": issuer.url,
        "audience": "footnote",
        "jwks_url": f"{issuer.url}/jwks",
    }


def accepting(
    settings: Settings,
    issuer: Provider,
    *,
    namespace: str = "",
    claims: dict[str, str] | None = None,
    **more: object,
) -> Settings:
    return settings_from(
        settings,
        {
            "identity": "tokens",
            "tokens": {**tokens_of(issuer), "namespace": namespace},
            "claims": {"roles": {"finance": "writer"}, **(claims or {})},
            **more,
        },
    )


def bearer(token: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", **headers}


async def who(http: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    return await http.get("/v1/identity", headers=headers)


async def test_a_token_opens_the_workspaces_it_names(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    for name in ("acme", "bolt", "core"):
        await engine.create_workspace(name)
    async with served(accepting(settings, issuer, claims={"workspace": "tenant"})) as http:
        token = issuer.signed({"tenant": ["acme", "bolt"], "groups": ["finance", "staff"]})
        found = (await who(http, bearer(token))).json()
        assert (found["workspace"], found["principal"], found["role"]) == ("acme", "ann", "writer")
        assert found["groups"] == ["finance", "staff"]
        assert found["credential"] == f"token:{issuer.url}"
        other = bearer(token, **{"Footnote-Workspace": "bolt"})
        assert (await who(http, other)).json()["workspace"] == "bolt"
        refused = await who(http, bearer(token, **{"Footnote-Workspace": "core"}))
        absent = await who(http, bearer(token, **{"Footnote-Workspace": "nope"}))
        assert_problem(refused, 404, "not-found")
        assert refused.text.replace("core", "nope") == absent.text
        assert (await who(http, bearer(issuer.signed()))).status_code == 401
        expired = issuer.signed({"tenant": "acme", "exp": 1})
        assert_problem(await who(http, bearer(expired)), 401, "not-authenticated")


async def test_people_of_two_providers_are_told_apart(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    await (await engine.workspace()).grant_role("ann", Role.ADMIN)
    both: dict[str, Any] = {
        "identity": "tokens,login",
        "login": {"issuer": "https://people.example.com", "client_id": "footnote"},
        "public_url": "https://footnote.example.com",
    }
    with pytest.raises(UnsupportedSettings, match="each other's people"):
        credentials_from(accepting(settings, issuer, **both))
    within = accepting(settings, issuer, namespace="partners", **both)
    async with served(within) as http:
        # The ann who logs in is an administrator; this one is another and has no role.
        assert_problem(await who(http, bearer(issuer.signed())), 404, "not-found")
        await (await engine.workspace()).grant_role("partners:ann", Role.READER)
        found = (await who(http, bearer(issuer.signed()))).json()
        assert (found["principal"], found["role"]) == ("partners:ann", "reader")


@pytest.mark.parametrize("namespace", ["group", "service", "link"])
def test_a_namespace_of_access_lists_is_no_providers(
    settings: Settings, issuer: Provider, namespace: str
) -> None:
    with pytest.raises(UnsupportedSettings, match="namespace"):
        credentials_from(accepting(settings, issuer, namespace=namespace))


def test_one_provider_has_one_namespace(settings: Settings, issuer: Provider) -> None:
    within = accepting(
        settings,
        issuer,
        identity="tokens,login",
        login={"issuer": issuer.url, "client_id": "footnote"},
        public_url="https://footnote.example.com",
        namespace="partners",
    )
    with pytest.raises(UnsupportedSettings, match="one provider"):
        credentials_from(within)


async def test_somebody_without_a_role_sees_what_was_granted_and_nothing_else(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    workspace = await engine.workspace()
    async with served(accepting(settings, issuer)) as http:
        assert_problem(await who(http, bearer(issuer.signed())), 404, "not-found")
        await workspace.grant_role("ann", Role.READER, collection="sales")
        found = (await who(http, bearer(issuer.signed()))).json()
        assert (found["role"], found["collections"]) == (None, {"sales": "reader"})


@pytest.mark.parametrize("sub", ["*", "group:finance", "workspace:members", "collection:hr"])
async def test_nobody_is_a_name_of_access_lists(
    settings: Settings, engine: Engine, issuer: Provider, sub: str
) -> None:
    async with served(accepting(settings, issuer)) as http:
        answer = await who(http, bearer(issuer.signed({"sub": sub, "role": "reader"})))
        assert answer.status_code == 422
        assert "nobody may act as" in answer.text


async def test_keys_are_refused_where_tokens_alone_are_taken(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    key = await (await engine.workspace()).create_key("ci")
    async with served(accepting(settings, issuer)) as http:
        assert (await who(http, bearer(key.secret))).status_code == 401
    async with served(accepting(settings, issuer, identity="tokens, keys")) as http:
        assert (await who(http, bearer(key.secret))).status_code == 200
        token = issuer.signed({"role": "reader"})
        assert (await who(http, bearer(token))).status_code == 200


async def test_a_listed_proxy_says_who_asks_and_the_token_is_verified_still(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    key = await (await engine.workspace()).create_key("kong", rights=("administer", "read"))
    ann = {"X-User-Id": "ann", "X-User-Role": "auditor"}
    within = accepting(
        settings,
        issuer,
        identity="gateway,tokens,keys",
        gateway={"addresses": "127.0.0.1", "roles": {"auditor": "reader"}},
    )
    async with served(within) as http:
        found = (await who(http, bearer(issuer.signed(), **ann))).json()
        assert (found["principal"], found["role"]) == ("ann", "reader")
        assert found["credential"].startswith("gateway ")
        assert_problem(await who(http, ann), 401, "not-authenticated")
        forged = bearer(issuer.signed({"exp": 1}), **ann)
        assert_problem(await who(http, forged), 401, "not-authenticated")
        bob = bearer(issuer.signed(), **{**ann, "X-User-Id": "bob"})
        assert_problem(await who(http, bob), 401, "not-authenticated")
        for_bob = bearer(key.secret, **{**ann, "X-User-Id": "bob"})
        assert (await who(http, for_bob)).json()["principal"] == "bob"
        body = {"query": "premium", "project_id": "default", "user_id": "bob"}
        assert (await http.post("/search", json=body, headers=for_bob)).status_code == 200
        body["user_id"] = "ann"
        assert_problem(await http.post("/search", json=body, headers=for_bob), 403, "forbidden")


async def test_the_headers_of_anybody_else_count_for_nothing(
    settings: Settings, engine: Engine, issuer: Provider
) -> None:
    admin = {"X-User-Id": "root", "X-User-Role": "admin"}
    outside = {"addresses": "10.0.0.0/8"}
    within = accepting(settings, issuer, identity="gateway,tokens", gateway=outside)
    async with served(within) as http:
        token = issuer.signed({"role": "reader"})
        found = (await who(http, bearer(token, **admin))).json()
        assert (found["principal"], found["role"]) == ("ann", "reader")
        assert found["credential"].startswith("token:")
        assert_problem(await who(http, admin), 401, "not-authenticated")


@pytest.mark.parametrize(
    "wrong",
    [
        {"identity": "gateway"},
        {"identity": "tokens"},
        {"identity": "tokens", "tokens": {"issuer": "x", "audience": "y"}},
        {"identity": "gateway,keys"},
        {"identity": "passwords"},
        {"identity": "keys", "claims": {"roles": {"a": "king"}}},
        {
            "identity": "tokens",
            "tokens": {"issuer": "x", "audience": "y", "algorithms": "HS256"},
            "token_secret": "short",
        },
        {
            "identity": "tokens",
            "tokens": {
                "issuer": "x",
                "audience": "y",
                "jwks_url": "http://127.0.0.1:1/",
                "algorithms": "none",
            },
        },
    ],
    ids=str,
)
async def test_settings_that_contradict_themselves_end_the_start(
    settings: Settings, wrong: dict[str, object]
) -> None:
    with pytest.raises(UnsupportedSettings):
        credentials_from(settings_from(settings, wrong))
