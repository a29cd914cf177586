"""Kinds of values that say who may ask, with what is checked of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field

from footnote.domain import Role
from footnote.domain.credentials import ASYMMETRIC, SYMMETRIC
from footnote.settings.kinds import listed

IDENTITY_WAYS = ("keys", "tokens", "gateway", "login", "scim")
"""How callers may prove who they are."""


def _checked_ways(text: str) -> str:
    unknown = [way for way in listed(text) if way not in IDENTITY_WAYS]
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r}; name some of {', '.join(IDENTITY_WAYS)}")
    return text


IdentityWays = Annotated[str, AfterValidator(_checked_ways)]


def _checked_namespace(text: str) -> str:
    if not re.fullmatch("([a-z][a-z0-9-]{0,30})?", text):
        raise ValueError(
            "it must be at most 31 small letters, digits and hyphens that begin with a letter, "
            "such as partners"
        )
    return text


_Namespace = Annotated[str, AfterValidator(_checked_namespace)]


def _checked_algorithms(text: str) -> str:
    allowed = (*ASYMMETRIC, *SYMMETRIC)
    unknown = [algorithm for algorithm in listed(text) if algorithm not in allowed]
    if unknown or not listed(text):
        wrong = f"there is no {unknown[0]!r}" if unknown else "it is empty"
        raise ValueError(f"{wrong}; name some of {', '.join(allowed)}")
    return text


_ALGORITHMS = "RS256,ES256,Ed25519"
_Algorithms = Annotated[str, AfterValidator(_checked_algorithms)]


def _checked_networks(text: str) -> str:
    """Addresses and networks, joined by commas. Raises ValueError."""
    for network in listed(text):
        try:
            ip_network(network)
        except ValueError:
            try:
                suggestion = f", write {ip_network(network, strict=False)}"
            except ValueError:
                suggestion = ""
            raise ValueError(
                f"{network!r} is no address and no network{suggestion}; list them as in "
                "10.0.0.7,10.1.0.0/16"
            ) from None
    return text


Networks = Annotated[str, AfterValidator(_checked_networks)]


def _checked_web_address(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("it must be an address such as https://documents.example.com")
    return url


WebAddress = Annotated[str, AfterValidator(_checked_web_address)]


_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#@\s,*]+/?", re.IGNORECASE)


def _checked_origins(text: str) -> str:
    """Origins, joined by commas. Raises ValueError."""
    for origin in listed(text):
        # The reader of the setting rejects *.
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{origin!r} is no origin; list them as in https://app.example.com,"
                "https://www.example.com:8443"
            )
    return text


Origins = Annotated[str, AfterValidator(_checked_origins)]


def _checked_provider(url: str) -> str:
    """An address whose answers are believed: with TLS, or within this computer or network."""
    host = urlsplit(_checked_web_address(url)).hostname or ""
    if urlsplit(url).scheme == "http" and not _is_local(host):
        raise ValueError(
            "it must begin with https://, since whoever answers in its place could sign for "
            "anybody; http:// is for this computer and private networks"
        )
    return url


_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".svc")


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)


_Provider = Annotated[str, AfterValidator(_checked_provider)]


class AcceptedTokens(BaseModel, extra="forbid", frozen=True):
    """Whose tokens are accepted, and what verifies them."""

    issuer: str | None = None
    audience: str | None = None
    jwks_url: _Provider | None = None
    algorithms: _Algorithms = _ALGORITHMS
    namespace: _Namespace = ""


class LoginProvider(BaseModel, extra="forbid", frozen=True):
    """The OpenID provider at which people log in, and how long a login is good."""

    issuer: _Provider | None = None
    client_id: str | None = None
    scopes: str = "openid profile email"
    algorithms: _Algorithms = _ALGORITHMS
    namespace: _Namespace = ""
    session_hours: Annotated[float, Field(gt=0, le=720)] = 12.0
    idle_minutes: Annotated[float, Field(gt=0, le=43_200)] = 120.0


class ClaimsRead(BaseModel, extra="forbid", frozen=True):
    """Which claims say who somebody is, and which roles their values stand for."""

    principal: str = "sub"
    groups: str = "groups"
    role: str | None = "role"
    workspace: str | None = None
    roles: Mapping[str, Role] = {}


class TrustedGateway(BaseModel, extra="forbid", frozen=True):
    """Whose headers are believed, and which roles the values of X-User-Role stand for."""

    addresses: Networks = ""
    roles: Mapping[str, Role] = {}


def _path(text: str) -> str:
    if not text.startswith("/") or "{id}" not in text:
        raise ValueError("it must be a path with {id}")
    return text


class BackendOptions(BaseModel, extra="forbid", frozen=True):
    """What a backend that decides about collections is asked, and how long its yes holds."""

    paths: Mapping[str, Annotated[str, AfterValidator(_path)]] = {
        "customer": "/api/customer/projects/{id}",
        "auditor": "/api/auditor/projects/{id}",
    }
    remember_seconds: Annotated[float, Field(ge=0, le=3600)] = 30.0
