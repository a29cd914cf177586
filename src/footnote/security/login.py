"""How a person logs in at an OpenID provider: authorization code with PKCE, and logging out.

OpenID Connect Core 1.0, RFC 7636 (PKCE), RFC 9207 (issuer in the answer), Back-Channel Logout 1.0.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import httpx
from pydantic import TypeAdapter, ValidationError

from footnote.errors import InvalidRequest, NotAuthenticated, NotReady
from footnote.security.claims import Claims
from footnote.security.tokens import TokenRules, verified_claims

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client

ATTEMPT_SECONDS = 600
"""Time within which a login must be completed."""
_LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
_LOGOUT_AGE_SECONDS = 300
_SEALED = {"alg": "dir", "enc": "A256GCM"}
_BEGIN_AGAIN = "Begin to log in once more."
_PROVIDER_SETTINGS = "Check the issuer of FOOTNOTE_LOGIN, and that it is an OpenID provider."
_NEW_LOGOUT = "Send a new token, as OpenID Connect Back-Channel Logout 1.0 describes it."


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAttempt:
    """State of a login, stored encrypted in the browser while it is at the provider."""

    state: str
    nonce: str
    verifier: str
    workspace: str | None
    target: str
    """Path to redirect to after the login."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedLogin:
    """The login that a back-channel logout token ends, by subject, session or both."""

    subject: str | None
    session: str | None


@dataclass(slots=True, kw_only=True)
class OpenIdProvider:
    """One OpenID provider, of which this server is a client (relying party)."""

    issuer: str
    client_id: str
    client_secret: str | None = field(repr=False)
    redirect_uri: str
    scopes: str
    algorithms: Sequence[str]
    leeway_seconds: int
    keys_seconds: float
    http: httpx.AsyncClient
    _metadata: Mapping[str, object] | None = None
    _rules: TokenRules | None = None

    async def begin(self, workspace: str | None, target: str) -> tuple[str, LoginAttempt]:
        """Return the authorization URL, and the login state to store. Raises NotReady."""
        attempt = LoginAttempt(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            workspace=workspace,
            target=local_target(target),
        )
        async with self._client() as client:
            url, _ = client.create_authorization_url(
                await self._endpoint("authorization_endpoint"),
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
        return str(url), attempt

    async def finish(self, attempt: LoginAttempt, answered: Mapping[str, str]) -> Claims:
        """Exchange the authorization code for the ID token, and return its verified claims.

        Raises NotAuthenticated, and NotReady if the provider cannot be reached.
        """
        from authlib.integrations.base_client import OAuthError  # noqa: PLC0415  # large

        if not hmac.compare_digest(answered.get("state", "").encode(), attempt.state.encode()):
            raise NotAuthenticated("The login was begun elsewhere.", hint=_BEGIN_AGAIN)
        if answered.get("iss", self.issuer) != self.issuer:
            raise NotAuthenticated("Another provider answered.", hint=_BEGIN_AGAIN)
        if "code" not in answered:
            raise NotAuthenticated("The provider did not let you in.", hint=_BEGIN_AGAIN)
        try:
            async with self._client() as client:
                tokens = await client.fetch_token(
                    await self._endpoint("token_endpoint"),
                    code=answered["code"],
                    code_verifier=attempt.verifier,
                )
        except OAuthError as error:
            raise NotAuthenticated("The provider refused the code.", hint=_BEGIN_AGAIN) from error
        except httpx.HTTPError as error:
            raise NotReady("The identity provider cannot be asked.", hint=_BEGIN_AGAIN) from error
        id_token = tokens.get("id_token")
        if not isinstance(id_token, str):
            raise NotAuthenticated(
                "The provider does not say who you are.", hint=_PROVIDER_SETTINGS
            )
        claims = await verified_claims(id_token, await self._token_rules(), types=("jwt",))
        nonce, party = claims.get("nonce"), claims.get("azp", self.client_id)
        if not isinstance(nonce, str) or not hmac.compare_digest(
            nonce.encode(), attempt.nonce.encode()
        ):
            raise NotAuthenticated("The token is of another login.", hint=_BEGIN_AGAIN)
        if party != self.client_id:
            raise NotAuthenticated("The token is for another client.", hint=_BEGIN_AGAIN)
        return claims

    async def ended(self, logout_token: str) -> EndedLogin:
        """Verify a back-channel logout token. Raises NotAuthenticated and NotReady."""
        claims = await verified_claims(
            logout_token, await self._token_rules(), types=("logout+jwt", "jwt")
        )
        events, issued = claims.get("events"), claims.get("iat")
        subject, session = claims.get("sub"), claims.get("sid")
        is_recent = isinstance(issued, int) and time.time() - issued < _LOGOUT_AGE_SECONDS
        says_so = isinstance(events, Mapping) and _LOGOUT_EVENT in events
        # A nonce would make an ID token of it, which anybody who logged in has.
        if not says_so or not is_recent or "nonce" in claims or "jti" not in claims:
            raise NotAuthenticated("That is no logout token.", hint=_NEW_LOGOUT)
        ended = EndedLogin(
            subject=subject if isinstance(subject, str) else None,
            session=session if isinstance(session, str) else None,
        )
        if ended == EndedLogin(subject=None, session=None):
            raise NotAuthenticated("The logout token names nobody.", hint=_NEW_LOGOUT)
        return ended

    def _client(self) -> AsyncOAuth2Client:
        from authlib.integrations.httpx_client import AsyncOAuth2Client  # noqa: PLC0415  # as above

        return AsyncOAuth2Client(
            self.client_id,
            self.client_secret,
            scope=self.scopes,
            redirect_uri=self.redirect_uri,
            code_challenge_method="S256",
            token_endpoint_auth_method="none"
            if self.client_secret is None
            else "client_secret_basic",
            follow_redirects=False,
            trust_env=False,
        )

    async def _endpoint(self, name: str) -> str:
        if self._metadata is None:
            address = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
            from footnote.security.published_keys import fetch_object  # noqa: PLC0415  # as above

            metadata = await fetch_object(self.http, address)
            if metadata.get("issuer") != self.issuer:
                raise NotReady(
                    "The identity provider names another issuer than the settings.",
                    hint=_PROVIDER_SETTINGS,
                )
            self._metadata = metadata
        endpoint = self._metadata.get(name)
        if not isinstance(endpoint, str):
            raise NotReady(f"The identity provider names no {name}.", hint=_PROVIDER_SETTINGS)
        return endpoint

    async def _token_rules(self) -> TokenRules:
        if self._rules is None:
            from footnote.security.published_keys import PublishedKeys  # noqa: PLC0415  # as above

            self._rules = TokenRules(
                issuer=self.issuer,
                audience=self.client_id,
                algorithms=self.algorithms,
                leeway_seconds=self.leeway_seconds,
                published=PublishedKeys(
                    url=await self._endpoint("jwks_uri"),
                    http=self.http,
                    lifetime_seconds=self.keys_seconds,
                ),
            )
        return self._rules


def local_target(target: str) -> str:
    """Return the target if it is a path on this server, else raise InvalidRequest."""
    is_plain = target.isascii() and target.isprintable() and "\\" not in target
    if not is_plain or not target.startswith("/") or target.startswith("//"):
        raise InvalidRequest("query.next: it is no path of this server", hint="give one like /")
    return target


_ATTEMPT = TypeAdapter(LoginAttempt)


def sealed(attempt: LoginAttempt, key: bytes) -> str:
    """Encrypt a login state for the browser, which can neither read nor change it."""
    from joserfc import jwt  # noqa: PLC0415  # as above
    from joserfc.jwe import JWERegistry  # noqa: PLC0415
    from joserfc.jwk import OctKey  # noqa: PLC0415

    claims = {**asdict(attempt), "exp": int(time.time()) + ATTEMPT_SECONDS}
    return jwt.encode(_SEALED, claims, OctKey.import_key(key), registry=JWERegistry())


def unsealed(text: str, key: bytes) -> LoginAttempt:
    """Decrypt what `sealed` encrypted. Raises NotAuthenticated if it is invalid or expired."""
    from joserfc import jwt  # noqa: PLC0415  # as above
    from joserfc.errors import JoseError  # noqa: PLC0415
    from joserfc.jwe import JWERegistry  # noqa: PLC0415
    from joserfc.jwk import OctKey  # noqa: PLC0415

    try:
        decoded = jwt.decode(text, OctKey.import_key(key), registry=JWERegistry())
        claims = dict(decoded.claims)
        expires = claims.pop("exp", 0)
        attempt = _ATTEMPT.validate_python(claims)
    except (JoseError, ValidationError, ValueError) as error:
        raise NotAuthenticated("No login was begun here.", hint=_BEGIN_AGAIN) from error
    if not isinstance(expires, int) or expires < time.time():
        raise NotAuthenticated("The login took too long.", hint=_BEGIN_AGAIN)
    return attempt
