"""What strangers hand in as text or bytes, each with a law that holds for whatever they write."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hypothesis import strategies as st
from joserfc import jwt
from joserfc.jwk import OctKey
from pydantic import AwareDatetime, TypeAdapter

from footnote.domain import FILTER_FIELDS
from footnote.engine.events import cursor_from
from footnote.errors import InvalidRequest, NotAuthenticated
from footnote.filters import condition_from, condition_from_text, condition_to_json
from footnote.ingestion.receive import examine
from footnote.interfaces.http.streaming import _position
from footnote.security.tokens import TokenRules, verified_claims
from footnote.validation.cursors import read_cursor, write_cursor
from tests.ingestion.test_hostile import MARKS, SUFFIXES

_MAX_BYTES = 1000
_PLACE = TypeAdapter(tuple[AwareDatetime, UUID])
_BIGINT = 2**63
_SECRET = "a shared secret of at least thirty-two characters"
_RULES = TokenRules(
    issuer="https://issuer.example",
    audience="footnote",
    algorithms=("HS256",),
    leeway_seconds=0,
    shared_secret=OctKey.import_key(_SECRET),
)
_CLAIMS = {"iss": _RULES.issuer, "aud": _RULES.audience, "sub": "ann", "exp": 2**33}
_TOKEN = jwt.encode({"alg": "HS256"}, _CLAIMS, OctKey.import_key(_SECRET))


@dataclass(frozen=True, slots=True)
class Target:
    """Inputs, and the law: it raises AssertionError, or whatever else must not be raised."""

    inputs: st.SearchStrategy[Any]
    law: Callable[[Any], None]


def filter_is_read_or_refused(text: str) -> None:
    try:
        condition = condition_from_text(text)
    except InvalidRequest as error:
        if not error.hint:
            raise AssertionError("a refusal must say what to do") from error
        return
    assert condition_from(condition_to_json(condition)) == condition


def event_is_named_or_refused(text: str) -> None:
    try:
        cursor = cursor_from(text)
    except InvalidRequest:
        return
    assert 0 <= cursor.transaction_id < 2 * _BIGINT
    assert 0 <= cursor.event_no < _BIGINT


def answer_position_is_read_or_refused(text: str) -> None:
    try:
        _, position = _position(text)
    except InvalidRequest:
        return
    assert 0 <= position < _BIGINT


def place_in_a_listing_is_read_or_refused(text: str) -> None:
    try:
        place = read_cursor(_PLACE, text, "documents")
    except InvalidRequest:
        return
    written = write_cursor(_PLACE, place, "documents")
    assert read_cursor(_PLACE, written, "documents") == place


def file_is_typed_or_refused(given: tuple[bytes, bytes, str]) -> None:
    mark, content, suffix = given
    examined = examine(io.BytesIO(mark + content), f"a{suffix}", _MAX_BYTES)
    assert examined.byte_size == len(mark + content)
    assert (examined.media_type is None) == (examined.refusal is not None)
    if examined.refusal is not None:
        assert examined.refusal.cause
        assert examined.refusal.advice


def token_opens_only_unchanged(token: str) -> None:
    try:
        claims = asyncio.run(verified_claims(token, _RULES))
    except NotAuthenticated:
        return
    assert claims == _CLAIMS, "a token that nobody signed is believed"


def _json_like() -> st.SearchStrategy[str]:
    names = st.sampled_from([*FILTER_FIELDS, "and", "or", "not", "metadata.a", "eq", "in", "gte"])
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | names
    values = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(names | st.text(max_size=5), inner, max_size=4)
        ),
        max_leaves=12,
    )
    pieces = st.sampled_from(['{"', '":', "[", "]", "{", "}", ",", "1e999", "\\u0000", "null"])
    return values.map(json.dumps) | st.lists(names | pieces, max_size=20).map("".join)


def _tokens() -> st.SearchStrategy[str]:
    def segment(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    header, payload, signature = _TOKEN.split(".")
    algorithms: st.SearchStrategy[object] = st.sampled_from(
        ["none", "HS256", "hs256", "RS256", "", "HS512", None, 1, []]
    )
    headers = st.fixed_dictionaries(
        {"alg": algorithms},
        optional={
            "typ": st.sampled_from(["JWT", "at+jwt", "logout+jwt", None, 1]),
            "kid": st.text(max_size=5) | st.integers(),
            "crit": st.lists(st.text(max_size=4), max_size=2),
            "b64": st.booleans(),
        },
    ).map(segment)
    claims = st.dictionaries(
        st.sampled_from([*_CLAIMS, "nbf", "iat"]), st.integers() | st.text(max_size=9), max_size=5
    ).map(segment)
    parts = (headers | st.just(header), claims | st.just(payload), st.just(signature) | st.text())
    changed = st.tuples(st.integers(0, len(_TOKEN) - 1), st.characters()).map(
        lambda change: _TOKEN[: change[0]] + change[1] + _TOKEN[change[0] + 1 :]
    )
    return st.tuples(*parts).map(".".join) | changed | st.text(max_size=60)


_NUMBERS = st.integers(-1, 2**70).map(str) | st.text("0123456789٣²-_:. ", max_size=25)
TARGETS = {
    "filters": Target(_json_like() | st.text(max_size=80), filter_is_read_or_refused),
    "events": Target(
        st.tuples(_NUMBERS, st.sampled_from("-_:. /"), _NUMBERS).map("".join) | st.text(),
        event_is_named_or_refused,
    ),
    "answers": Target(
        st.tuples(st.uuids().map(str), st.sampled_from("-_:./"), _NUMBERS).map("".join)
        | st.text(max_size=60),
        answer_position_is_read_or_refused,
    ),
    "cursors": Target(
        st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode())
        | st.tuples(
            st.datetimes(timezones=st.timezones()).map(str) | st.text(max_size=30),
            st.uuids().map(str),
        )
        .map(json.dumps)
        .map(lambda text: base64.urlsafe_b64encode(text.encode()).decode())
        | st.text(max_size=60),
        place_in_a_listing_is_read_or_refused,
    ),
    "headers": Target(
        st.tuples(
            st.sampled_from(MARKS) | st.tuples(*[st.sampled_from(MARKS)] * 2).map(b"".join),
            st.binary(max_size=_MAX_BYTES),
            st.sampled_from(SUFFIXES) | st.text(max_size=8),
        ),
        file_is_typed_or_refused,
    ),
    "tokens": Target(_tokens(), token_opens_only_unchanged),
}
