"""Who asks: what a request presents is verified in the ways that the settings name."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from pydantic import SecretStr, TypeAdapter, ValidationError

from footnote.domain import Identity, Principal, Role
from footnote.domain.credentials import Caller, Presented
from footnote.domain.identity import RESERVED_PREFIXES, SERVICE
from footnote.engine.failed_credentials import CredentialRefused
from footnote.errors import Forbidden, NotAuthenticated, UnsupportedSettings
from footnote.security.claims import ClaimMapping
from footnote.security.delegation import Delegation
from footnote.security.gateway import Gateway, networks_from
from footnote.security.secrets import LINK, HandedOut, Pepper, pepper_from, read_secret
from footnote.security.tokens import ASYMMETRIC, SYMMETRIC, TokenRules, verified_claims
from footnote.settings import Settings, TokenClaims, listed
from footnote.store.api_keys import KeptKey, find_key, touch_key
from footnote.store.database import Database
from footnote.store.sessions import KeptSession, find_session, touch_session
from footnote.store.share_links import KeptLink, find_link, touch_link

if TYPE_CHECKING:
    from joserfc.jwk import OctKey

    from footnote.security.login import OpenIdProvider

Kept = KeptKey | KeptSession | KeptLink
_SHORTEST_SECRET = 32
_ROLES = TypeAdapter(dict[str, Role])
_PATHS = TypeAdapter(dict[str, str])
_LEEWAY_SECONDS = 30
"""How far the clock of an issuer may be off."""
_KEYS_SECONDS = 300.0
"""How long the keys of an issuer are kept; an unknown one has them fetched at once."""
_NO_SESSION = "Nobody is logged in."
_LOG_IN = "Log in: /v1/login"
_NO_KEY = "The API key is not valid."
NO_LINK = "The link is not valid."
"""Each the same for one that is unknown, wrong, expired or revoked."""


@dataclass(slots=True, kw_only=True)
class Credentials:
    """What an installation verifies credentials with."""

    ways: frozenset[str]
    """Those of the settings that are accepted; empty where nobody is asked who they are."""
    home: Path
    identity_secret: SecretStr | None
    http: httpx.AsyncClient
    """To the identity provider."""
    tokens: TokenRules | None
    claims: Mapping[str, ClaimMapping]
    """How what a provider says is understood, by way: `tokens` and `login`."""
    roles: Mapping[str, Role]
    """What groups stand for."""
    gateway: Gateway | None
    delegation: Delegation | None
    """The backend that decides who sees which collection; None where grants alone do."""
    provider: OpenIdProvider | None
    """Where people log in."""
    idle: timedelta
    """After which a session that nobody uses is over."""
    _pepper: Pepper | None = None

    @property
    def pepper(self) -> Pepper:
        """What hashes are keyed with; its file is made when it is first needed."""
        if self._pepper is None:
            secret = self.identity_secret
            configured = None if secret is None else secret.get_secret_value()
            self._pepper = pepper_from(configured, self.home)
        return self._pepper

    async def caller(self, presented: Presented, database: Database) -> Caller:
        """Who asks. Raises NotAuthenticated, and NotReady where a provider cannot be asked."""
        if (presented.bearer or "").startswith(f"{LINK}_"):
            # No proxy and no backend knows who has a link: it alone says what it opens.
            return await self._guest(presented.bearer or "", database)
        proved = replace(await self._proved(presented, database), presented=presented)
        if self.gateway is not None and self.gateway.speaks(presented):
            return self.gateway.caller(proved, presented)
        # Nobody else's word for who asks reaches the backend.
        own = replace(presented, user_id=proved.identity.principal.principal_id, user_role=None)
        return replace(proved, presented=own)

    async def admitted(self, caller: Caller, collections: Sequence[str]) -> Identity:
        """The caller as the backend has it: with its role in these collections and no others.

        Administrators, and everybody where no backend decides, stay as they are. Raises Forbidden
        for a collection that the backend does not let the caller into, or does not know.
        """
        identity, presented = caller.identity, caller.presented
        if self.delegation is None or presented is None or identity.role is Role.ADMIN:
            return identity
        named = tuple(dict.fromkeys(collections))
        for name in named:
            if not await self.delegation.admits(presented, name):
                raise Forbidden(
                    f"the backend does not let {identity.principal.principal_id} into the "
                    f"collection {name!r}, or does not answer",
                    hint="ask for a collection that you may see",
                )
        role = identity.role or Role.READER
        return replace(
            identity,
            role=None,
            collections=tuple((name, role) for name in dict.fromkeys(collections)),
        )

    async def _proved(self, presented: Presented, database: Database) -> Caller:
        bearer = presented.bearer
        if bearer is None and presented.session is not None and self.provider is not None:
            return await self._person(presented.session, database)
        if bearer is None:
            raise NotAuthenticated(
                "The request does not say who asks.",
                hint="Send a key or a token: Authorization: Bearer …",
            )
        if bearer.startswith("fn_"):
            if "keys" not in self.ways:
                raise NotAuthenticated(_NO_KEY)
            return await self._holder(bearer, database)
        if self.tokens is None:
            raise NotAuthenticated("No tokens are accepted here.", hint="Send an API key.")
        claims = await verified_claims(bearer, self.tokens)
        return self.claims["tokens"].caller_of(claims, f"token:{self.tokens.issuer}")

    async def _holder(self, key: str, database: Database) -> Caller:
        sent = read_secret("fn", key)
        kept = None if sent is None else await find_key(database, sent.credential_id)
        if sent is None or kept is None:
            raise NotAuthenticated(_NO_KEY)
        if reason := self._fault(sent, kept):
            raise _refused(sent, kept, reason, _NO_KEY)
        if kept.touch:
            await touch_key(database, kept)
        return Caller(identity=kept.key.identity, workspaces=(kept.workspace.name,))

    async def _person(self, cookie: str, database: Database) -> Caller:
        sent = read_secret("fs", cookie)
        kept = None
        if sent is not None:
            kept = await find_session(database, sent.credential_id, self.idle)
        if sent is None or kept is None:
            raise NotAuthenticated(_NO_SESSION, hint=_LOG_IN)
        if reason := self._fault(sent, kept):
            raise _refused(sent, kept, reason, _NO_SESSION, hint=_LOG_IN)
        if kept.touch:
            await touch_session(database, kept)
        principal = Principal(principal_id=kept.principal, groups=kept.groups, role=None)
        identity = Identity(
            principal=principal, role=kept.role, credential=f"session:{kept.credential_id}"
        )
        return Caller(identity=identity, workspaces=(kept.workspace.name,))

    async def _guest(self, token: str, database: Database) -> Caller:
        sent = read_secret(LINK, token)
        kept = None if sent is None else await find_link(database, sent.credential_id)
        if sent is None or kept is None:
            raise NotAuthenticated(NO_LINK)
        if reason := self._fault(sent, kept):
            raise _refused(sent, kept, reason, NO_LINK)
        if kept.touch:
            await touch_link(database, kept)
        return Caller(
            identity=kept.link.identity,
            workspaces=() if kept.link.collection is None else (kept.workspace.name,),
            link_id=kept.link.link_id,
        )

    def _fault(self, sent: HandedOut, kept: Kept) -> str | None:
        """Why what was sent is not good, for the audit log; None where it is."""
        if not self.pepper.matches(sent, kept.secret_hash):
            return "wrong secret"
        return None if kept.valid else "expired or revoked"

    async def close(self) -> None:
        """Let go of the connections."""
        await self.http.aclose()


def _refused(
    sent: HandedOut, kept: Kept, reason: str, message: str, *, hint: str | None = None
) -> CredentialRefused:
    kind = {"fn": "key", "fs": "session", LINK: "link"}[sent.kind]
    return CredentialRefused(
        message,
        hint=hint,
        workspace_id=kept.workspace.workspace_id,
        credential=f"{kind}:{sent.credential_id}",
        reason=reason,
    )


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
    except (ValueError, ValidationError) as error:
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
    except (ValueError, ValidationError) as error:
        raise UnsupportedSettings(
            f"The setting {name} cannot be used: it must be a JSON object of roles.",
            hint='Give one like {"finance": "writer"}.',
        ) from error
