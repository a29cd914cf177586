"""Lets a request in only once it is proved who asks, before a route is chosen or a body is read."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.domain.credentials import Presented
from footnote.errors import FootnoteError
from footnote.interfaces.http.chat_errors import in_their_shape
from footnote.interfaces.http.guard import Policy
from footnote.interfaces.http.lifecycle import Lifecycle
from footnote.interfaces.http.login import (
    BACKCHANNEL_PATH,
    CALLBACK_PATH,
    LOGIN_PATH,
    SESSION_COOKIE,
)
from footnote.interfaces.http.problems import Refused, problem_of
from footnote.interfaces.http.scope import CALLER

OPEN_PATHS = frozenset({"/health", LOGIN_PATH, CALLBACK_PATH, BACKCHANNEL_PATH})
"""What anybody may ask for: whether the server is ready, and how to log in."""

_CHAT = ("/openai/", "/v1/chat/")
"""Paths whose clients read errors in OpenAI's shape."""
_ONCE = ("Authorization", "Cookie", "X-User-Id", "X-User-Role")


@dataclass(frozen=True, slots=True)
class Authentication:
    """Finds out who asks, and refuses everybody else whatever the path: there is no side door.

    What it found lies in the scope of the request, where the routes take it from; a route that
    finds nothing there refuses too.
    """

    app: ASGIApp
    lifecycle: Lifecycle
    policy: Policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller, or answer it with a problem."""
        asked = scope["type"] == "http" and bool(self.lifecycle.settings.identity_ways)
        if asked and scope["path"] not in OPEN_PATHS:
            try:
                presented = _presented(scope)
                if presented.bearer is None and presented.session is not None:
                    self._require_own_page(scope)
                scope[CALLER] = await self.lifecycle.engine.caller(presented)
            except Refused as unclear:
                await unclear.response()(scope, receive, send)
                return
            except FootnoteError as error:
                refused = problem_of(error)
                chats = scope["path"].startswith(_CHAT)
                await (in_their_shape(refused) if chats else refused)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _require_own_page(self, scope: Scope) -> None:
        """Raise Refused where a browser's cookie might have been sent by another site's page.

        Whatever changes something must say that it comes from a page of ours (OWASP, Cross-Site
        Request Forgery Prevention: verifying the origin); `SameSite` alone trusts sister sites.
        """
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return
        if not self.policy.is_own(Headers(scope=scope)):
            raise Refused(
                403,
                "The request does not say that it comes from a page of this server.",
                code="foreign-origin",
                hint="Browsers send Origin with it; programs use a key or a token.",
            )


def _presented(scope: Scope) -> Presented:
    """What the request carries. Raises Refused for what two servers could read in two ways."""
    headers = Headers(scope=scope)
    for name in _ONCE:
        if len(headers.getlist(name)) > 1:
            raise Refused(400, f"There is more than one {name} header.", hint="Send one.")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    peer = scope.get("client")
    return Presented(
        bearer=token.strip() if scheme.lower() == "bearer" else None,
        session=cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE),
        peer=None if peer is None else peer[0],
        user_id=headers.get("x-user-id"),
        user_role=headers.get("x-user-role"),
    )
