"""What credentials are verified with, as the settings say; what contradicts itself is refused."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

import httpx
from pydantic import TypeAdapter

from footnote.domain import Role
from footnote.domain.identity import RESERVED_PREFIXES, SERVICE
from footnote.engine.authentication import Credentials
from footnote.errors import UnsupportedSettings
from footnote.security.claims import ClaimMapping
from footnote.security.delegation import Delegation
from footnote.security.gateway import Gateway, networks_from
from footnote.security.tokens import ASYMMETRIC, SYMMETRIC, TokenRules
from footnote.settings import Settings, TokenClaims, listed

if TYPE_CHECKING:
    from joserfc.jwk import OctKey

    from footnote.security.login import OpenIdProvider

_SHORTEST_SECRET = 32
_ROLES = TypeAdapter(dict[str, Role])
_PATHS = TypeAdapter(dict[str, str])
_LEEWAY_SECONDS = 30
"""How far the clock of an issuer may be off."""
_KEYS_SECONDS = 300.0
"""How long the keys of an issuer are kept; an unknown one has them fetched at once."""


def credentials_from(settings: Settings) -> Credentials:
    """What the settings say. Raises UnsupportedSettings for what contradicts itself."""
    ways = settings.identity_ways
    http = httpx.AsyncClient(follow_redirects=False, verify=_trusted(), trust_env=False)
    if "gateway" in ways and not ways & {"keys", "tokens"}:
        raise UnsupportedSettings(
            "The setting identity cannot be gateway alone: the tokens behind it are verified too.",
            hint="Set FOOTNOTE_IDENTITY=gateway,tokens or gateway,keys.",
        )
    return Credentials(
        ways=ways,
        home=settings.home,
        identity_secret=settings.identity_secret,
        http=http,
        tokens=_token_rules(settings, http) if "tokens" in ways else None,
        claims={way: _claims(settings, way) for way in ("tokens", "login")},
        roles=_roles("token_roles", settings.token_roles),
        gateway=_gateway(settings) if "gateway" in ways else None,
        delegation=_delegation(settings, http),
        provider=_provider(settings, http) if "login" in ways else None,
        idle=timedelta(minutes=settings.login_idle_minutes),
    )


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that others are held to, read once for all engines of a process."""
    return httpx.create_ssl_context(trust_env=False)


def _claims(settings: Settings, way: str) -> ClaimMapping:
    """How what the provider of this way says is understood.

    Raises UnsupportedSettings where two providers would name the same people.
    """
    namespaces = {"tokens": settings.token_namespace, "login": settings.login_namespace}
    if settings.identity_ways >= set(namespaces):
        one_provider = settings.token_issuer == settings.login_issuer
        one_namespace = settings.token_namespace == settings.login_namespace
        if one_provider and not one_namespace:
            raise UnsupportedSettings(
                "Tokens and logins are of one provider and in two namespaces.",
                hint="Give FOOTNOTE_TOKEN_NAMESPACE and FOOTNOTE_LOGIN_NAMESPACE the same value.",
            )
        if one_namespace and not one_provider:
            raise UnsupportedSettings(
                "Tokens and logins are of two providers, which could name each other's people.",
                hint="Set FOOTNOTE_TOKEN_NAMESPACE or FOOTNOTE_LOGIN_NAMESPACE, such as partners.",
            )
    for name in namespaces.values():
        if f"{name}:" in (*RESERVED_PREFIXES, SERVICE):
            raise UnsupportedSettings(
                f"No provider can have the namespace {name!r}: access lists use it otherwise.",
                hint="Set FOOTNOTE_TOKEN_NAMESPACE or FOOTNOTE_LOGIN_NAMESPACE to another one.",
            )
    claims = TokenClaims.model_validate_json(settings.token_claims)
    return ClaimMapping(
        principal=claims.principal,
        groups=claims.groups,
        role=claims.role,
        workspace=claims.workspace,
        roles=_roles("token_roles", settings.token_roles),
        namespace=namespaces[way],
        foreign=tuple(sorted({*namespaces.values()} - {"", namespaces[way]})),
    )


def _provider(settings: Settings, http: httpx.AsyncClient) -> OpenIdProvider:
    from footnote.security.login import OpenIdProvider  # noqa: PLC0415  # as in `tokens`

    secret, issuer, client_id = (
        settings.login_client_secret,
        settings.login_issuer,
        settings.login_client_id,
    )
    if issuer is None or client_id is None or settings.public_url is None:
        raise UnsupportedSettings(
            "People log in, and the settings do not say where, as which client, or to which "
            "address they come back.",
            hint="Set FOOTNOTE_LOGIN_ISSUER, FOOTNOTE_LOGIN_CLIENT_ID and FOOTNOTE_PUBLIC_URL.",
        )
    public = settings.public_url.rstrip("/")
    if not public.startswith("https://"):
        raise UnsupportedSettings(
            "People log in, and public_url has no TLS: browsers would not keep the cookie.",
            hint="Set FOOTNOTE_PUBLIC_URL to the https:// address of the proxy before the server.",
        )
    return OpenIdProvider(
        issuer=issuer,
        client_id=client_id,
        client_secret=None if secret is None else secret.get_secret_value(),
        redirect_uri=f"{public}/v1/login/callback",
        scopes=settings.login_scopes,
        algorithms=[each for each in _algorithms(settings) if each in ASYMMETRIC],
        leeway_seconds=_LEEWAY_SECONDS,
        keys_seconds=_KEYS_SECONDS,
        http=http,
    )


def _algorithms(settings: Settings) -> tuple[str, ...]:
    algorithms = listed(settings.token_algorithms)
    unknown = [each for each in algorithms if each not in (*SYMMETRIC, *ASYMMETRIC)]
    if unknown:
        raise UnsupportedSettings(
            f"The setting token_algorithms cannot be used: there is no {unknown[0]!r}.",
            hint=f"Name some of {', '.join((*ASYMMETRIC, *SYMMETRIC))}.",
        )
    return algorithms


def _token_rules(settings: Settings, http: httpx.AsyncClient) -> TokenRules:
    from footnote.security.published_keys import PublishedKeys  # noqa: PLC0415  # as in `tokens`

    algorithms = _algorithms(settings)
    if settings.token_issuer is None or settings.token_audience is None:
        raise UnsupportedSettings(
            "Tokens are accepted, and nothing says whose or for whom.",
            hint="Set FOOTNOTE_TOKEN_ISSUER and FOOTNOTE_TOKEN_AUDIENCE.",
        )
    secret, url = settings.token_secret, settings.token_jwks_url
    if (secret is None or not {*algorithms} & {*SYMMETRIC}) and (
        url is None or not {*algorithms} & {*ASYMMETRIC}
    ):
        raise UnsupportedSettings(
            "Tokens are accepted, and no key verifies any of token_algorithms.",
            hint="Set FOOTNOTE_TOKEN_JWKS_URL, or FOOTNOTE_TOKEN_SECRET and its algorithms.",
        )
    return TokenRules(
        issuer=settings.token_issuer,
        audience=settings.token_audience,
        algorithms=algorithms,
        leeway_seconds=_LEEWAY_SECONDS,
        published=None
        if url is None
        else PublishedKeys(url=url, http=http, lifetime_seconds=_KEYS_SECONDS),
        shared_secret=None if secret is None else _shared(secret.get_secret_value()),
    )


def _shared(secret: str) -> OctKey:
    from joserfc.jwk import OctKey  # noqa: PLC0415  # as in `tokens`

    if len(secret) < _SHORTEST_SECRET:
        raise UnsupportedSettings(
            f"The setting token_secret has fewer than {_SHORTEST_SECRET} characters.",
            hint="Make one with: openssl rand -hex 32",
        )
    try:
        return OctKey.import_key(secret)
    except ValueError as error:  # what the library takes for a public key
        raise UnsupportedSettings(
            "The setting token_secret is a public key, which everybody may know.",
            hint="Set FOOTNOTE_TOKEN_JWKS_URL to where the issuer publishes its keys.",
        ) from error


def _gateway(settings: Settings) -> Gateway:
    addresses = networks_from(settings.gateway_addresses)
    if not addresses:
        raise UnsupportedSettings(
            "A gateway is trusted, and nothing says where it is.",
            hint="Set FOOTNOTE_GATEWAY_ADDRESSES to the addresses of your proxies.",
        )
    return Gateway(addresses=addresses, roles=_roles("gateway_roles", settings.gateway_roles))


def _delegation(settings: Settings, http: httpx.AsyncClient) -> Delegation | None:
    if settings.backend_url is None:
        return None
    if not settings.identity_ways:
        raise UnsupportedSettings(
            "A backend is to decide what callers see, and nobody is asked who they are.",
            hint="Set FOOTNOTE_IDENTITY, for example to gateway,tokens.",
        )
    try:
        paths = _PATHS.validate_python(json.loads(settings.backend_paths))
    except (ValueError, RecursionError) as error:
        raise UnsupportedSettings(
            "The setting backend_paths cannot be used: it must be a JSON object of paths.",
            hint='Give one like {"customer": "/api/customer/projects/{id}"}.',
        ) from error
    for path in paths.values():
        if not path.startswith("/") or "{id}" not in path:
            raise UnsupportedSettings(
                f"The setting backend_paths cannot be used: {path!r} is no path with {{id}}.",
                hint='Give one like {"customer": "/api/customer/projects/{id}"}.',
            )
    return Delegation(
        url=settings.backend_url,
        paths=paths,
        http=http,
        remember_seconds=settings.backend_remember_seconds,
    )


def _roles(name: str, text: str) -> Mapping[str, Role]:
    try:
        return _ROLES.validate_python(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise UnsupportedSettings(
            f"The setting {name} cannot be used: it must be a JSON object of roles.",
            hint='Give one like {"finance": "writer"}.',
        ) from error
