"""A token opens nothing unless the right issuer signed it, for us, now, in an accepted way."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from footnote.errors import NotAuthenticated, NotReady
from footnote.security.published_keys import FLOOR_SECONDS, PublishedKeys
from footnote.security.tokens import TokenRules, verified_claims
from tests.security.provider import Provider

SECRET = "a shared secret of at least thirty-two characters"


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def rules(issuer: Provider, clock: Clock) -> AsyncIterator[TokenRules]:
    async with httpx.AsyncClient(trust_env=False) as http:
        yield TokenRules(
            issuer=issuer.url,
            audience="footnote",
            algorithms=("RS256", "ES256"),
            leeway_seconds=10,
            published=PublishedKeys(
                url=f"{issuer.url}/jwks", http=http, lifetime_seconds=300, clock=clock
            ),
        )


async def test_a_token_of_the_issuer_says_who_it_is_about(
    issuer: Provider, rules: TokenRules
) -> None:
    assert (await verified_claims(issuer.signed({"sub": "bob"}), rules))["sub"] == "bob"
    issuer.new_key(ECKey)
    with pytest.raises(NotAuthenticated):  # within the floor it is not fetched again
        await verified_claims(issuer.signed(), rules)


YEAR = 365 * 86_400
"""Longer than a run of the tests takes, which begins with their collection."""


def past(seconds: int) -> int:
    """So long before the tests were collected; after, where it is negative."""
    return int(time.time()) - seconds


@pytest.mark.parametrize(
    ("claims", "without"),
    [
        ({"iss": "https://evil.example"}, ()),
        ({"iss": ["http://127.0.0.1"]}, ()),
        ({}, ("iss",)),
        ({"aud": "another"}, ()),
        ({"aud": []}, ()),
        ({}, ("aud",)),
        ({"exp": past(11)}, ()),
        ({"exp": "later"}, ()),
        ({}, ("exp",)),
        ({"nbf": past(-YEAR)}, ()),
        ({"iat": past(-YEAR)}, ()),
    ],
    ids=lambda wrong: ", ".join(wrong) if isinstance(wrong, dict) else "without " + "".join(wrong),
)
async def test_a_token_that_is_wrong_in_one_thing_opens_nothing(
    issuer: Provider, rules: TokenRules, claims: dict[str, Any], without: tuple[str, ...]
) -> None:
    with pytest.raises(NotAuthenticated):
        await verified_claims(issuer.signed(claims, without=without), rules)


async def test_clocks_may_differ_a_little(issuer: Provider, rules: TokenRules) -> None:
    generous = replace(rules, leeway_seconds=YEAR)
    assert await verified_claims(issuer.signed({"exp": past(11)}), generous)


async def test_one_of_several_audiences_is_enough(issuer: Provider, rules: TokenRules) -> None:
    assert await verified_claims(issuer.signed({"aud": ["other", "footnote"]}), rules)


async def test_an_unsigned_token_opens_nothing(issuer: Provider, rules: TokenRules) -> None:
    _, claims, signature = issuer.signed().split(".")
    for header in ("eyJhbGciOiJub25lIn0", "eyJhbGciOiJOb25lIiwidHlwIjoiSldUIn0"):
        for end in ("", signature):
            with pytest.raises(NotAuthenticated):
                await verified_claims(f"{header}.{claims}.{end}", rules)


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


async def test_a_public_key_is_no_shared_secret(issuer: Provider, rules: TokenRules) -> None:
    public = issuer.keys[0].as_pem(private=False)
    # By hand: the library itself refuses to sign with a public key.
    header = {"alg": "HS256", "kid": issuer.keys[0].kid}
    start = f"{encoded(json.dumps(header).encode())}.{issuer.signed().split('.')[1]}"
    forged = f"{start}.{encoded(hmac.digest(public, start.encode(), 'sha256'))}"
    both = replace(rules, algorithms=("RS256", "HS256"), shared_secret=OctKey.import_key(SECRET))
    for each in (rules, both, replace(rules, algorithms=("RS256", "HS256"))):
        with pytest.raises(NotAuthenticated):
            await verified_claims(forged, each)
    shared = issuer.signed(key=OctKey.import_key(SECRET))
    assert await verified_claims(shared, both)
    with pytest.raises(NotAuthenticated):
        await verified_claims(shared, rules)


async def test_a_symmetric_key_that_is_published_verifies_nothing(
    issuer: Provider, rules: TokenRules
) -> None:
    key = OctKey.import_key(SECRET, {"kid": "public"})
    issuer.also_published = [key.as_dict(private=True)]
    both = replace(rules, algorithms=("RS256", "HS256"))
    with pytest.raises(NotAuthenticated):
        await verified_claims(issuer.signed(key=key), both)


async def test_the_algorithm_is_one_of_the_list(issuer: Provider, rules: TokenRules) -> None:
    key = issuer.keys[0]
    for algorithm in ("RS512", "PS256"):
        token = jwt.encode(
            {"alg": algorithm, "kid": key.kid},
            {"iss": issuer.url, "aud": "footnote", "exp": past(-60)},
            key,
            algorithms=[algorithm],
        )
        with pytest.raises(NotAuthenticated):
            await verified_claims(token, rules)


async def test_a_key_of_somebody_else_under_a_known_id_opens_nothing(
    issuer: Provider, rules: TokenRules
) -> None:
    stranger = RSAKey.generate_key(2048, {"kid": issuer.keys[0].kid or ""})
    with pytest.raises(NotAuthenticated):
        await verified_claims(issuer.signed(key=stranger), rules)


@pytest.mark.parametrize("header", [{"jku": "http://evil.example/jwks"}, {"typ": "logout+jwt"}])
async def test_a_header_leads_nowhere(
    issuer: Provider, rules: TokenRules, header: dict[str, Any]
) -> None:
    stranger = RSAKey.generate_key(2048, {"kid": "other"})
    own = header.get("typ") is not None
    with pytest.raises(NotAuthenticated):
        await verified_claims(issuer.signed(key=None if own else stranger, header=header), rules)


@pytest.mark.parametrize(
    "token", ["", ".", "a.b.c", "fn_x", "\u00fc.\u00fc.\u00fc", "x" * 20_000, "e30.e30."]
)
async def test_what_is_no_token_opens_nothing(rules: TokenRules, token: str) -> None:
    with pytest.raises(NotAuthenticated):
        await verified_claims(token, rules)


async def test_keys_are_fetched_once_and_again_when_they_are_old(
    issuer: Provider, rules: TokenRules, clock: Clock
) -> None:
    for _ in range(5):
        await verified_claims(issuer.signed(), rules)
    assert issuer.fetches_of_keys == 1
    clock.now += 301
    await verified_claims(issuer.signed(), rules)
    assert issuer.fetches_of_keys == 2


async def test_a_new_key_is_fetched_at_once_but_invented_ones_do_not_make_us_ask(
    issuer: Provider, rules: TokenRules, clock: Clock
) -> None:
    await verified_claims(issuer.signed(), rules)
    clock.now += FLOOR_SECONDS + 1
    old = issuer.signed()
    issuer.new_key(ECKey)
    assert await verified_claims(issuer.signed(), rules)
    assert issuer.fetches_of_keys == 2
    with pytest.raises(NotAuthenticated):
        await verified_claims(old, rules)  # its key was withdrawn
    for number in range(20):
        with pytest.raises(NotAuthenticated):
            await verified_claims(issuer.signed(header={"kid": f"invented {number}"}), rules)
    assert issuer.fetches_of_keys == 2


async def test_while_the_issuer_is_down_its_known_keys_stay_good(
    issuer: Provider, rules: TokenRules, clock: Clock
) -> None:
    await verified_claims(issuer.signed(), rules)
    issuer.failing = True
    clock.now += 10_000
    assert await verified_claims(issuer.signed(), rules)


async def test_without_any_keys_the_answer_is_to_come_again(
    issuer: Provider, rules: TokenRules, clock: Clock
) -> None:
    issuer.failing = True
    for _ in range(3):
        with pytest.raises(NotReady) as caught:
            await verified_claims(issuer.signed(), rules)
        assert issuer.url not in str(caught.value)
    assert issuer.fetches_of_keys == 1
    issuer.failing = False
    clock.now += FLOOR_SECONDS + 1
    assert await verified_claims(issuer.signed(), rules)
