"""Authentication: verify what a request presents by the methods that the settings enable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import httpx

from footnote.domain import Identity, Principal, Role
from footnote.domain.credentials import Caller, Presented
from footnote.engine.failed_credentials import CredentialRefused
from footnote.errors import Forbidden, NotAuthenticated
from footnote.security.claims import ClaimMapping
from footnote.security.delegation import Delegation
from footnote.security.gateway import Gateway
from footnote.security.secrets import LINK, HandedOut, Pepper, pepper_from, read_secret
from footnote.security.tokens import TokenRules, verified_claims
from footnote.store.api_keys import StoredKey, find_key, touch_key
from footnote.store.database import Database
from footnote.store.sessions import StoredSession, find_session, touch_session
from footnote.store.share_links import StoredLink, find_link, touch_link

if TYPE_CHECKING:
    from footnote.security.login import OpenIdProvider

Stored = TypeVar("Stored", StoredKey, StoredSession, StoredLink)
_NO_SESSION = "Nobody is logged in."
_LOG_IN = "Log in: /v1/login"
_NO_KEY = "The API key is not valid."
_NEW_KEY = "Send one that is neither expired nor revoked: footnote keys list, footnote keys create"
NO_LINK = "The link is not valid."
"""The messages above are the same for an unknown, wrong, expired or revoked credential."""
NEW_LINK = "Ask whoever shared it for a new one."


@dataclass(slots=True, kw_only=True)
class Credentials:
    """The verifiers of an installation's credentials, and their settings."""

    ways: frozenset[str]
    """The enabled methods of authentication; empty where there is no authentication."""
    home: Path
    http: httpx.AsyncClient
    """To the identity provider."""
    tokens: TokenRules | None
    claims: Mapping[str, ClaimMapping]
    """How claims map to principals, by method: `tokens` and `login`."""
    roles: Mapping[str, Role]
    """The role that each group confers."""
    gateway: Gateway | None
    delegation: Delegation | None
    """The backend that decides who sees which collection; None where grants alone do."""
    provider: OpenIdProvider | None
    """The OpenID provider of logins; None where logins are off."""
    idle: timedelta
    """Idle timeout of a session."""
    known_pepper: Pepper | None
    """Key of the hashes of secrets; None until it is read from its file."""

    @property
    def pepper(self) -> Pepper:
        """The key of the hashes of secrets; its file is created at first use."""
        if self.known_pepper is None:
            self.known_pepper = pepper_from(None, self.home)
        return self.known_pepper

    async def caller(self, presented: Presented, database: Database) -> Caller:
        """Authenticate a request. Raises NotAuthenticated, and NotReady if a provider is down."""
        if (presented.bearer or "").startswith(f"{LINK}_"):
            # Gateway and backend do not know who has a link: the link alone grants access.
            return await self._link_caller(presented.bearer or "", database)
        proved = replace(await self._authenticated(presented, database), presented=presented)
        if self.gateway is not None and self.gateway.speaks(presented):
            return self.gateway.caller(proved, presented)
        # Identity headers of an untrusted sender are not passed to the backend.
        forwarded = replace(
            presented, user_id=proved.identity.principal.principal_id, user_role=None
        )
        return replace(proved, presented=forwarded)

    async def admitted(self, caller: Caller, collections: Sequence[str]) -> Identity:
        """Return the caller with its role in these collections only, if the backend admits it.

        Administrators, and all callers where no backend is configured, stay unchanged. Raises
        Forbidden for a collection that the backend denies or does not know.
        """
        identity, presented = caller.identity, caller.presented
        if self.delegation is None or presented is None or identity.role is Role.ADMIN:
            return identity
        names = tuple(dict.fromkeys(collections))
        for name in names:
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
            collections=tuple((name, role) for name in names),
        )

    async def _authenticated(self, presented: Presented, database: Database) -> Caller:
        bearer = presented.bearer
        if bearer is None and presented.session is not None and self.provider is not None:
            return await self._session_caller(presented.session, database)
        if bearer is None:
            raise NotAuthenticated(
                "The request does not say who asks.",
                hint="Send a key or a token: Authorization: Bearer …",
            )
        if bearer.startswith("fn_"):
            if "keys" not in self.ways:
                raise NotAuthenticated(_NO_KEY, hint=_NEW_KEY)
            return await self._key_caller(bearer, database)
        if self.tokens is None:
            raise NotAuthenticated("No tokens are accepted here.", hint="Send an API key.")
        claims = await verified_claims(bearer, self.tokens)
        return self.claims["tokens"].caller_of(claims, f"token:{self.tokens.issuer}")

    async def _key_caller(self, key: str, database: Database) -> Caller:
        secret = read_secret("fn", key)
        found = None if secret is None else await find_key(database, secret.credential_id)
        stored_key = self._valid(secret, found, _NO_KEY, _NEW_KEY)
        if stored_key.touch:
            await touch_key(database, stored_key)
        return Caller(identity=stored_key.key.identity, workspaces=(stored_key.workspace.name,))

    async def _session_caller(self, cookie: str, database: Database) -> Caller:
        secret = read_secret("fs", cookie)
        found = None
        if secret is not None:
            found = await find_session(database, secret.credential_id, self.idle)
        stored_session = self._valid(secret, found, _NO_SESSION, _LOG_IN)
        if stored_session.touch:
            await touch_session(database, stored_session)
        principal = Principal(
            principal_id=stored_session.principal, groups=stored_session.groups, role=None
        )
        identity = Identity(
            principal=principal,
            role=stored_session.role,
            credential=f"session:{stored_session.credential_id}",
        )
        return Caller(identity=identity, workspaces=(stored_session.workspace.name,))

    async def _link_caller(self, token: str, database: Database) -> Caller:
        secret = read_secret(LINK, token)
        found = None if secret is None else await find_link(database, secret.credential_id)
        stored_link = self._valid(secret, found, NO_LINK, NEW_LINK)
        if stored_link.touch:
            await touch_link(database, stored_link)
        return Caller(
            identity=stored_link.link.identity,
            workspaces=() if stored_link.link.collection is None else (stored_link.workspace.name,),
            link_id=stored_link.link.link_id,
        )

    def _valid(
        self, secret: HandedOut | None, stored: Stored | None, message: str, hint: str
    ) -> Stored:
        """Return the stored credential if the secret is its own, and it is in force.

        Raises NotAuthenticated with this message and hint, which are the same for every reason; the
        reason is for the audit log of its workspace.
        """
        if secret is None or stored is None:
            raise NotAuthenticated(message, hint=hint)
        is_own = self.pepper.matches(secret, stored.secret_hash)
        if is_own and stored.valid:
            return stored
        kind = {"fn": "key", "fs": "session", LINK: "link"}[secret.kind]
        raise CredentialRefused(
            message,
            hint=hint,
            workspace_id=stored.workspace.workspace_id,
            credential=f"{kind}:{secret.credential_id}",
            reason="expired or revoked" if is_own else "wrong secret",
        )

    async def close(self) -> None:
        """Close the HTTP connections."""
        await self.http.aclose()
