"""JSON Web Tokens of an identity provider, verified (RFC 7519, as RFC 8725 advises)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnote.domain.credentials import SYMMETRIC
from footnote.errors import NotAuthenticated
from footnote.security.claims import Claims

if TYPE_CHECKING:
    from joserfc.jwk import OctKey

    from footnote.security.published_keys import PublicKey, PublishedKeys

MAX_CHARACTERS = 16 * 1024
_ACCEPTED = "Send one of the provider, and with the algorithm, that FOOTNOTE_TOKENS names."
ACCESS_TYPES = ("jwt", "at+jwt")
"""The `typ` values of tokens that grant access; a logout token, for example, does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """Which tokens are accepted."""

    issuer: str
    audience: str
    algorithms: Sequence[str]
    """The accepted algorithms; the kind of key that verifies follows from the algorithm."""
    leeway_seconds: int
    published: PublishedKeys | None = None
    """Public keys for the asymmetric algorithms."""
    shared_secret: OctKey | None = field(default=None, repr=False)
    """Key for the symmetric algorithms."""


async def verified_claims(
    token: str, rules: TokenRules, *, types: Sequence[str] = ACCESS_TYPES
) -> Claims:
    """Verify a token's signature, type, issuer, audience and expiry, and return its claims.

    Raises NotAuthenticated, and NotReady if the issuer's keys cannot be fetched.
    """
    # The library is large, so it is imported only where tokens are used.
    from joserfc import jws, jwt  # noqa: PLC0415
    from joserfc.errors import ExpiredTokenError, JoseError  # noqa: PLC0415
    from joserfc.jws import JWSRegistry  # noqa: PLC0415

    if len(token) > MAX_CHARACTERS:
        raise NotAuthenticated("The token is too long.", hint=_ACCEPTED)
    registry = JWSRegistry(algorithms=rules.algorithms, strict_check_header=False)
    registry.max_header_length = registry.max_payload_length = MAX_CHARACTERS
    try:
        header = jws.extract_compact(token.encode("ascii"), registry=registry).headers()
        algorithm, kind, key_id = (header.get(name) for name in ("alg", "typ", "kid"))
        if algorithm not in rules.algorithms or not isinstance(algorithm, str):
            raise NotAuthenticated(
                "The token is signed in a way that is not accepted here.", hint=_ACCEPTED
            )
        if (
            not isinstance(kind, str | None)
            or (kind or "jwt").lower().removeprefix("application/") not in types
        ):
            raise NotAuthenticated(
                "The token is of a kind that is not accepted here.", hint=_ACCEPTED
            )
        key = await _key(rules, algorithm, key_id if isinstance(key_id, str) else None)
        decoded = jwt.decode(token, key, algorithms=[algorithm], registry=registry)
        jwt.JWTClaimsRegistry(
            leeway=rules.leeway_seconds,
            iss={"essential": True, "value": rules.issuer},
            aud={"essential": True, "value": rules.audience},
            exp={"essential": True},
        ).validate(decoded.claims)
    except ExpiredTokenError as error:
        raise NotAuthenticated("The token has expired.", hint="Get a new one.") from error
    except (JoseError, ValueError) as error:
        raise NotAuthenticated(
            "The token is not one that is accepted here.", hint=_ACCEPTED
        ) from error
    return decoded.claims


async def _key(rules: TokenRules, algorithm: str, key_id: str | None) -> OctKey | PublicKey:
    """The key that may verify this algorithm; a public key is never used as a shared secret."""
    key: OctKey | PublicKey | None = None
    if algorithm in SYMMETRIC:
        key = rules.shared_secret
    elif rules.published is not None:
        key = await rules.published.key(key_id, algorithm)
    if key is None:
        raise NotAuthenticated(
            "The token is signed with a key that is not known here.", hint=_ACCEPTED
        )
    return key
