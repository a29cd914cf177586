"""Lets in only requests from this computer, and only as much body as is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.interfaces.http.problems import ContentTooLarge, problem

MAX_JSON_BYTES = 1024 * 1024
"""Largest body of a request that uploads nothing."""

_FORM_OVERHEAD_BYTES = 1024 * 1024 + 64 * 1024
"""What the fields and boundaries of an upload may take beside its file."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this computer and cannot mean another."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class LoopbackOnly:
    """Refuses what may come from elsewhere, as long as there are no identities.

    The peer's address keeps other computers out however the app is served, the `Host` header
    web pages whose name was rebound to this computer, `Origin` web pages that post across sites.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or answer it with a problem."""
        refusal = _refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self.app(scope, receive, send)
        else:
            response = problem(403, "not-local", refusal, hint=_NOT_LOCAL)
            await response(scope, receive, send)


_NOT_LOCAL = "Until Footnote knows identities it serves this computer only; use 127.0.0.1."


def _refusal(scope: Scope) -> str | None:
    headers = Headers(scope=scope)
    peer, origin = scope.get("client"), headers.get("origin")
    if peer is not None and not is_loopback(peer[0]):
        return "The request comes from another computer."
    if not is_loopback(_host(f"//{headers.get('host', '')}")):
        return "The Host header does not name this computer."
    if origin is not None and not is_loopback(_host(origin)):
        return "The Origin header does not name this computer."
    return None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """Stops reading a body once it is larger than its route accepts."""

    app: ASGIApp
    upload_path: str
    max_file_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a body that ends in ContentTooLarge when it is too long."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit, refusal = self._limit(scope["path"])
        declared = Headers(scope=scope).get("content-length", "")
        read_bytes = int(declared) if declared.isdecimal() and int(declared) > limit else 0

        async def limited() -> Message:
            nonlocal read_bytes
            if read_bytes > limit:
                raise refusal
            message = await receive()
            read_bytes += len(message.get("body", b""))
            if read_bytes > limit:
                raise refusal
            return message

        await self.app(scope, limited, send)

    def _limit(self, path: str) -> tuple[int, ContentTooLarge]:
        if path == self.upload_path:
            limit = self.max_file_bytes + _FORM_OVERHEAD_BYTES
            return limit, ContentTooLarge("file", self.max_file_bytes)
        return MAX_JSON_BYTES, ContentTooLarge("request", MAX_JSON_BYTES)
