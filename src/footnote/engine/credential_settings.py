"""Build the verifiers of credentials from the settings; contradictory settings are refused."""

from __future__ import annotations

import ssl
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

import httpx

from footnote.domain.credentials import ASYMMETRIC, SYMMETRIC
from footnote.domain.identity import RESERVED_PREFIXES, SERVICE
from footnote.engine.authentication import Credentials
from footnote.errors import UnsupportedSettings
from footnote.security.claims import ClaimMapping
from footnote.security.delegation import Delegation
from footnote.security.gateway import Gateway, networks_from
from footnote.security.secrets import FILE, Pepper, pepper_from
from footnote.security.tokens import TokenRules
from footnote.settings import BackendOptions, ClaimsRead, Settings, TrustedGateway, listed

if TYPE_CHECKING:
    from joserfc.jwk import OctKey

    from footnote.security.login import OpenIdProvider

_SHORTEST_SECRET = 32
_LEEWAY_SECONDS = 30
"""Allowed clock skew of a token issuer, in seconds."""
_KEYS_SECONDS = 300.0
"""Cache lifetime of an issuer's keys, in seconds; an unknown key is fetched at once."""


def credentials_from(settings: Settings) -> Credentials:
    """Build the verifiers. Raises UnsupportedSettings for contradictory settings."""
    ways = settings.identity_ways
    http = httpx.AsyncClient(follow_redirects=False, verify=_tls_context(), trust_env=False)
    if "gateway" in ways and not ways & {"keys", "tokens"}:
        raise UnsupportedSettings(
            "The setting identity cannot be gateway alone: the tokens behind it are verified too.",
            hint="Set FOOTNOTE_IDENTITY=gateway,tokens or gateway,keys.",
        )
    return Credentials(
        ways=ways,
        home=settings.home,
        known_pepper=_known_pepper(settings),
        http=http,
        tokens=_token_rules(settings, http) if "tokens" in ways else None,
        claims={way: _claims(settings, way) for way in ("tokens", "login")},
        roles=ClaimsRead.model_validate_json(settings.claims).roles,
        gateway=_gateway(settings) if "gateway" in ways else None,
        delegation=_delegation(settings, http),
        provider=_provider(settings, http) if "login" in ways else None,
        idle=timedelta(minutes=settings.login_provider.idle_minutes),
    )


def _known_pepper(settings: Settings) -> Pepper | None:
    """Return the pepper if there is one, so that an invalid one fails at start."""
    secret = settings.identity_secret
    if secret is not None:
        return pepper_from(secret.get_secret_value(), settings.home)
    path = settings.home / FILE
    exists = settings.identity_ways and (path.exists() or path.is_symlink())
    return pepper_from(None, settings.home) if exists else None


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the TLS context of trusted certificates, created once per process."""
    return httpx.create_ssl_context(trust_env=False)


def _claims(settings: Settings, way: str) -> ClaimMapping:
    """Return the claim mapping of a method, `tokens` or `login`.

    Raises UnsupportedSettings where namespaces are reserved, or two providers would name the same
    people.
    """
    tokens, login = settings.accepted_tokens, settings.login_provider
    namespaces = {"tokens": tokens.namespace, "login": login.namespace}
    if settings.identity_ways >= set(namespaces):
        one_provider = tokens.issuer == login.issuer
        one_namespace = tokens.namespace == login.namespace
        if one_provider and not one_namespace:
            raise UnsupportedSettings(
                "Tokens and logins are of one provider and in two namespaces.",
                hint="Give FOOTNOTE_TOKENS and FOOTNOTE_LOGIN the same namespace.",
            )
        if one_namespace and not one_provider:
            raise UnsupportedSettings(
                "Tokens and logins are of two providers, which could name each other's people.",
                hint="Give FOOTNOTE_TOKENS or FOOTNOTE_LOGIN a namespace, such as partners.",
            )
    for name in namespaces.values():
        if f"{name}:" in (*RESERVED_PREFIXES, SERVICE):
            raise UnsupportedSettings(
                f"No provider can have the namespace {name!r}: access lists use it otherwise.",
                hint="Give FOOTNOTE_TOKENS or FOOTNOTE_LOGIN another namespace.",
            )
    claims = ClaimsRead.model_validate_json(settings.claims)
    return ClaimMapping(
        principal=claims.principal,
        groups=claims.groups,
        role=claims.role,
        workspace=claims.workspace,
        roles=claims.roles,
        namespace=namespaces[way],
        foreign=tuple(sorted({*namespaces.values()} - {"", namespaces[way]})),
    )


def _provider(settings: Settings, http: httpx.AsyncClient) -> OpenIdProvider:
    from footnote.security.login import OpenIdProvider  # noqa: PLC0415  # as in `tokens`

    secret, login = settings.login_client_secret, settings.login_provider
    if login.issuer is None or login.client_id is None or settings.public_url is None:
        raise UnsupportedSettings(
            "People log in, and the settings do not say where, as which client, or to which "
            "address they come back.",
            hint="Set issuer and client_id of FOOTNOTE_LOGIN, and FOOTNOTE_PUBLIC_URL.",
        )
    public = settings.public_url.rstrip("/")
    if not public.startswith("https://"):
        raise UnsupportedSettings(
            "People log in, and public_url has no TLS: browsers would not keep the cookie.",
            hint="Set FOOTNOTE_PUBLIC_URL to the https:// address of the proxy before the server.",
        )
    return OpenIdProvider(
        issuer=login.issuer,
        client_id=login.client_id,
        client_secret=None if secret is None else secret.get_secret_value(),
        redirect_uri=f"{public}/v1/login/callback",
        scopes=login.scopes,
        algorithms=[algorithm for algorithm in listed(login.algorithms) if algorithm in ASYMMETRIC],
        leeway_seconds=_LEEWAY_SECONDS,
        keys_seconds=_KEYS_SECONDS,
        http=http,
    )


def _token_rules(settings: Settings, http: httpx.AsyncClient) -> TokenRules:
    from footnote.security.published_keys import PublishedKeys  # noqa: PLC0415  # as in `tokens`

    tokens = settings.accepted_tokens
    algorithms = listed(tokens.algorithms)
    if tokens.issuer is None or tokens.audience is None:
        raise UnsupportedSettings(
            "Tokens are accepted, and nothing says whose or for whom.",
            hint="Set issuer and audience of FOOTNOTE_TOKENS.",
        )
    secret, url = settings.token_secret, tokens.jwks_url
    if (secret is None or not {*algorithms} & {*SYMMETRIC}) and (
        url is None or not {*algorithms} & {*ASYMMETRIC}
    ):
        raise UnsupportedSettings(
            "Tokens are accepted, and no key verifies any of their algorithms.",
            hint="Set jwks_url of FOOTNOTE_TOKENS, or FOOTNOTE_TOKEN_SECRET and its algorithms.",
        )
    return TokenRules(
        issuer=tokens.issuer,
        audience=tokens.audience,
        algorithms=algorithms,
        leeway_seconds=_LEEWAY_SECONDS,
        published=None
        if url is None
        else PublishedKeys(url=url, http=http, lifetime_seconds=_KEYS_SECONDS),
        shared_secret=None if secret is None else _shared_secret(secret.get_secret_value()),
    )


def _shared_secret(secret: str) -> OctKey:
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
            hint="Set jwks_url of FOOTNOTE_TOKENS to where the issuer publishes its keys.",
        ) from error


def _gateway(settings: Settings) -> Gateway:
    trusted = TrustedGateway.model_validate_json(settings.gateway)
    addresses = networks_from(trusted.addresses, "gateway")
    if not addresses:
        raise UnsupportedSettings(
            "A gateway is trusted, and nothing says where it is.",
            hint="Set addresses of FOOTNOTE_GATEWAY to those of your proxies.",
        )
    return Gateway(addresses=addresses, roles=trusted.roles)


def _delegation(settings: Settings, http: httpx.AsyncClient) -> Delegation | None:
    if settings.backend_url is None:
        return None
    if not settings.identity_ways:
        raise UnsupportedSettings(
            "A backend is to decide what callers see, and nobody is asked who they are.",
            hint="Set FOOTNOTE_IDENTITY, for example to gateway,tokens, or unset "
            "FOOTNOTE_BACKEND_URL.",
        )
    options = BackendOptions.model_validate_json(settings.backend_options)
    return Delegation(
        url=settings.backend_url,
        paths=options.paths,
        http=http,
        remember_seconds=options.remember_seconds,
    )
