"""Log people in at the identity provider of the settings, and out again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import structlog

from footnote.domain.audit import Act, AuditDraft, Outcome
from footnote.domain.credentials import Presented
from footnote.engine.installation import Engine
from footnote.errors import Forbidden, NotAuthenticated, NotFound
from footnote.security.login import OpenIdProvider, sealed, unsealed
from footnote.security.secrets import new_secret, read_secret
from footnote.store import sessions as stored

_SEALING = "login attempts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A person who logged in."""

    session: str = field(repr=False)
    """The session's secret, for the browser's cookie."""
    seconds: int
    """Maximum lifetime of the session, in seconds."""
    target: str
    """Where the person wanted to go."""


async def begin_login(engine: Engine, workspace: str | None, target: str) -> tuple[str, str]:
    """Return the provider's URL to redirect to, and the sealed login attempt for a cookie.

    Raises NotFound where nobody logs in here, InvalidRequest, and NotReady.
    """
    url, attempt = await _provider(engine).begin(workspace, target)
    return url, sealed(attempt, engine.credentials.pepper.derived(_SEALING))


async def finish_login(
    engine: Engine, sealed_attempt: str | None, response: Mapping[str, str], presented: Presented
) -> Login:
    """Create a session from the provider's response and the login attempt in the cookie.

    Raises NotAuthenticated, RateLimited after too many failures of the address or the credential,
    Forbidden for somebody without any role here, and NotReady.
    """
    async with engine.failed_credentials.watching(presented):
        return await _create_session(engine, sealed_attempt, response)


async def _create_session(
    engine: Engine, sealed_attempt: str | None, response: Mapping[str, str]
) -> Login:
    if sealed_attempt is None:
        raise NotAuthenticated("No login was begun here.", hint="Begin to log in once more.")
    provider, credentials = _provider(engine), engine.credentials
    attempt = unsealed(sealed_attempt, credentials.pepper.derived(_SEALING))
    claims = await provider.finish(attempt, response)
    caller = credentials.claims["login"].caller_of(claims, f"login:{provider.issuer}")
    name = attempt.workspace or caller.workspaces[0]
    opened = None
    if name in caller.workspaces:
        with suppress(NotFound):
            opened = await engine.enter(name, caller.identity)
    if opened is None:
        structlog.get_logger(__name__).warning(
            "somebody logged in who has no role", principal=caller.identity.principal.principal_id
        )
        raise Forbidden(
            f"{caller.identity.principal.principal_id} has no role here",
            hint="An administrator can grant one, the first by `footnote admin create`.",
        )
    secret, hours = new_secret("fs"), engine.settings.login_provider.session_hours
    session = claims.get("sid")
    async with opened.system_scope() as scope:
        await stored.add_session(
            scope,
            stored.NewSession(
                credential_id=secret.credential_id,
                secret_hash=credentials.pepper.hash_of(secret),
                principal=opened.principal.principal_id,
                groups=caller.identity.principal.groups,
                role=caller.identity.role,
                issuer=provider.issuer,
                subject=str(claims["sub"]),
                provider_session=session if isinstance(session, str) else None,
                lifetime=timedelta(hours=hours),
            ),
        )
    # Before the session is handed out, so that no login goes unlogged.
    await engine.audit.append(
        opened.workspace_id,
        AuditDraft(
            act_id=uuid4(),
            recorded_at=datetime.now(UTC),
            principal=opened.principal.principal_id,
            credential=f"session:{secret.credential_id}",
            act=Act.CHANGED,
            verb="log_in",
            outcome=Outcome.DONE,
            error=None,
            subject={},
            documents=(),
            passages=(),
        ),
    )
    return Login(session=secret.text, seconds=round(hours * 3600), target=attempt.target)


async def log_out(engine: Engine, session: str) -> None:
    """End a session. One that has ended already, or never was, is no error."""
    sent = read_secret("fs", session)
    if sent is None:
        return
    session_row = await stored.find_session(
        engine.database, sent.credential_id, timedelta(days=3650)
    )
    if session_row is None or not engine.credentials.pepper.matches(sent, session_row.secret_hash):
        return
    async with (await engine.workspace(session_row.workspace.name)).system_scope() as scope:
        await stored.end_session(scope, session_row.credential_id)


async def end_logins(engine: Engine, logout_token: str, presented: Presented) -> None:
    """End the sessions that the provider says have ended.

    Raises NotAuthenticated, RateLimited where too much failed that came from the same place, and
    NotReady.
    """
    provider = _provider(engine)
    async with engine.failed_credentials.watching(presented):
        ended = await provider.ended(logout_token)
    await stored.end_logins(engine.database, provider.issuer, ended.subject, ended.session)


def _provider(engine: Engine) -> OpenIdProvider:
    provider = engine.credentials.provider
    if provider is None:
        raise NotFound("nobody logs in here", hint="add login to FOOTNOTE_IDENTITY")
    return provider
