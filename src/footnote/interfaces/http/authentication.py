"""Lets a request in only once it is proved who asks, before a route is chosen or a body is read."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.domain.credentials import Presented
from footnote.errors import FootnoteError, NotAuthenticated, RateLimited
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
from footnote.interfaces.http.web_app import is_public

HEALTH_PATH = "/health"
OPEN_PATHS = frozenset({HEALTH_PATH, LOGIN_PATH, CALLBACK_PATH, BACKCHANNEL_PATH})
"""What anybody may ask for: whether the server is ready, and how to log in."""

AGAIN_SECONDS = 60.0
"""How often the credential of an answer is verified again while it is streamed."""
_CHAT = ("/openai/", "/v1/chat/")
"""Paths whose clients read errors in OpenAI's shape."""
_SENT_ONCE = ("Authorization", "Cookie", "X-User-Id", "X-User-Role")


@dataclass(frozen=True, slots=True)
class Authentication:
    """Identifies the caller of each request, and refuses requests without one, whatever the path.

    The caller is put in the scope of the request, where the routes read it; a route that finds
    none there refuses too.
    """

    app: ASGIApp
    lifecycle: Lifecycle
    policy: Policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller, or answer it with a problem."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS or is_public(scope):
            if scope["type"] == "http" and scope["path"] == HEALTH_PATH:
                await self._identify(scope)
            await self.app(scope, receive, send)
            return
        try:
            presented = _presented(scope)
            if presented.bearer is None and presented.session is not None:
                self._require_own_page(scope)
            scope[CALLER] = await self.lifecycle.engine.caller(presented)
        except Refused as refusal:
            await refusal.response()(scope, receive, send)
            return
        except FootnoteError as error:
            refused = problem_of(error)
            is_chat = scope["path"].startswith(_CHAT)
            await (in_their_shape(refused) if is_chat else refused)(scope, receive, send)
            return
        exchange = _AuthenticatedExchange(self.lifecycle, presented, receive, send)
        await self.app(scope, exchange.receive, exchange.send)

    async def _identify(self, scope: Scope) -> None:
        """Put the caller in the scope if the request proves one; refuse nothing."""
        try:
            presented = _presented(scope)
            if presented.bearer is not None or presented.session is not None:
                scope[CALLER] = await self.lifecycle.engine.caller(presented)
        except (Refused, FootnoteError):
            pass  # Anybody may ask for the health.

    def _require_own_page(self, scope: Scope) -> None:
        """Raise Refused where a browser's cookie might have been sent by another site's page.

        A request that changes something must name a page of this server as its origin (OWASP,
        Cross-Site Request Forgery Prevention: verifying the origin); `SameSite` alone trusts
        sister sites.
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


@dataclass(slots=True)
class _AuthenticatedExchange:
    """An exchange whose answer ends when its credential does, however long it is streamed."""

    lifecycle: Lifecycle
    presented: Presented
    receive_next: Receive
    send_on: Send
    verified_at: float = field(default_factory=time.monotonic)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    body_read: bool = False
    """Whether the body of the request has been read."""

    async def send(self, message: Message) -> None:
        """Send a part of the answer; the last one where the credential is good no more."""
        if self.ended.is_set():
            return
        now = time.monotonic()
        if message.get("more_body") and now - self.verified_at >= AGAIN_SECONDS:
            self.verified_at = now
            try:
                await self.lifecycle.engine.caller(self.presented)
            except RateLimited:
                pass  # It is verified again later.
            except NotAuthenticated:
                self.ended.set()
                message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self.send_on(message)

    async def receive(self) -> Message:
        """The next part of the request; after its body, a disconnect once the credential ends."""
        if not self.body_read:
            message = await self.receive_next()
            self.body_read = not message.get("more_body", False)
            return message
        receiving = asyncio.ensure_future(self.receive_next())
        ending = asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait((receiving, ending), return_when=asyncio.FIRST_COMPLETED)
            return receiving.result() if receiving.done() else {"type": "http.disconnect"}
        finally:
            receiving.cancel()
            ending.cancel()


def _presented(scope: Scope) -> Presented:
    """What the request carries. Raises Refused for what two servers could read in two ways."""
    headers = Headers(scope=scope)
    for name in _SENT_ONCE:
        if len(headers.getlist(name)) > 1:
            raise Refused(400, f"There is more than one {name} header.", hint="Send one.")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    peer = scope.get("client")
    return Presented(
        bearer=(token.strip() or None) if scheme.lower() == "bearer" else None,
        session=cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE),
        peer=None if peer is None else peer[0],
        forwarded=", ".join(headers.getlist("x-forwarded-for")) or None,
        user_id=headers.get("x-user-id"),
        user_role=headers.get("x-user-role"),
    )
