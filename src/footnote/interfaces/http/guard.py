"""Which requests a server answers, how much of each it reads, and its security headers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope

from footnote.domain.limits import RateLimitStatus
from footnote.engine.rate_limits import LastRateLimit
from footnote.engine.services import LastPosition
from footnote.errors import UnsupportedSettings
from footnote.interfaces.http.problems import Refused, content_too_large
from footnote.interfaces.http.scope import LATEST_POSITION, POSITION_HEADER, RATE_LIMIT
from footnote.interfaces.http.web_app import WIDGET
from footnote.settings import Settings, listed

MAX_JSON_BYTES = 1024 * 1024
"""Largest body of a request that uploads nothing."""

_FORM_OVERHEAD_BYTES = 1024 * 1024 + 64 * 1024
"""The most that the fields and boundaries of an upload may take, without its file."""


MAX_HEADERS = 100
MAX_HEAD_BYTES = 32 * 1024
"""Of the request's line and headers. Browsers and proxies send a few thousand."""


_SENT_ONCE = ("Host", "Origin", *(f"Sec-Fetch-{name}" for name in ("Site", "Mode", "Dest", "User")))
"""Headers that say where a request comes from: of two, another server would use the other."""


HEAD_TOO_LARGE = Refused(
    431,
    f"The address and headers of the request have more than {MAX_HEAD_BYTES:,} bytes, or there "
    f"are more than {MAX_HEADERS} headers.",
    code="head-too-large",
    hint="Leave out what is not needed, such as the cookies of another site.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The names that the server answers to, and the sites whose pages may send requests."""

    only_local: bool
    """Whether this computer alone is served, since identities are not asked for."""
    hosts: frozenset[str] = frozenset()
    """Names and addresses of the server, beside those of this computer."""
    origins: frozenset[str] = frozenset()
    """Of other sites whose pages may ask."""
    own_origin: str = ""
    """Of the server's own pages, beside the name in the Host header."""

    def is_own(self, headers: Headers) -> bool:
        """Whether a request says that it comes from a page of this server."""
        origin, host = headers.get("origin", "").lower(), headers.get("host", "").lower()
        if not origin:
            return headers.get("sec-fetch-site", "").lower() == "same-origin"
        return origin in (self.own_origin, f"https://{host}", f"http://{host}")

    def foreign(self, scope: Scope) -> Refused | None:
        """Why a request for another host or of another site is refused, with identities."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        name = _host(f"//{host}")
        # Monitoring asks servers for their health by address.
        if not is_loopback(name) and name not in self.hosts and scope["path"] != "/health":
            return Refused(
                421,
                "The Host header names another server.",
                code="misdirected-request",
                hint="If it is this one, name it in FOOTNOTE_PUBLIC_URL or FOOTNOTE_ALLOWED_HOSTS.",
            )
        if origin is not None:
            if self.is_own(headers) or origin.lower() in self.origins:
                return None
            detail = "The Origin header names a site that may not ask."
        elif headers.get("sec-fetch-site", "").lower() == "cross-site" and not (
            scope["method"] in ("GET", "HEAD")
            and (headers.get("sec-fetch-mode") == "navigate" or scope["path"] == WIDGET)
        ):
            detail = "A page of another site asks."
        else:
            return None
        return Refused(
            403,
            detail,
            code="foreign-origin",
            hint="To let a site ask, name its origin in FOOTNOTE_CORS_ORIGINS.",
        )


def policy_from(settings: Settings) -> Policy:
    """What the settings allow. Raises UnsupportedSettings."""
    if not settings.identity_ways:
        return Policy(only_local=True)
    for name, value in (
        ("allowed_hosts", settings.allowed_hosts),
        ("cors_origins", settings.cors_origins),
    ):
        if "*" in listed(value):
            raise UnsupportedSettings(
                f"The setting {name} cannot be used: * would let in every site there is.",
                hint="Name each one, joined by commas.",
            )
    public = (settings.public_url or "").rstrip("/")
    hosts = (settings.listens_at[0], _host(public), *listed(settings.allowed_hosts))
    return Policy(
        only_local=False,
        hosts=frozenset(host.lower().strip("[]") for host in hosts if host),
        origins=frozenset(origin.lower().rstrip("/") for origin in listed(settings.cors_origins)),
        own_origin=public.lower(),
    )


def refusal(scope: Scope, policy: Policy) -> Refused | None:
    """Why a request is refused: its head could be read in two ways, or it comes from elsewhere.

    The `Host` header keeps out web pages whose name was rebound to this server, `Origin` those that
    post across sites, and `Sec-Fetch-Site` those that embed or load. A person may follow a link, as
    to a footnote: the page it stands on sees nothing of what it opens. Without
    identities, the peer's address keeps other computers out too, however the app is served.
    """
    refuse_origin = _not_local if policy.only_local else policy.foreign
    return _malformed_head(scope) or refuse_origin(scope)


_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    (
        "Content-Security-Policy",
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("Cache-Control", "no-store"),
)
"""Added to each answer that does not set them itself (OWASP REST Security)."""
_HSTS = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")


def security_headers(*, https: bool) -> tuple[tuple[str, str], ...]:
    """The security headers, with HSTS where the server is reached over TLS alone."""
    return (*_HEADERS, _HSTS) if https else _HEADERS


RATE_LIMIT_HEADERS = tuple(
    f"RateLimit-{name}" for name in ("Limit", "Remaining", "Reset", "Policy")
)
"""Their names are those of draft-ietf-httpapi-ratelimit-headers."""


def add_headers(headers: MutableHeaders, scope: Scope, *, https: bool) -> None:
    """Add the security headers to an answer, with its caller's rate limit and database position.

    The rate limit is there once the request was counted, and the position, where there are
    replicas, once its work is done. `https` is whether the server is reached over TLS alone.
    """
    last_limit, last_seen = scope.get(RATE_LIMIT), scope.get(LATEST_POSITION)
    if isinstance(last_limit, LastRateLimit):
        for name, value in _rate_limit_headers(last_limit.rate_limit):
            headers[name] = value
    if isinstance(last_seen, LastPosition) and last_seen.position is not None:
        headers[POSITION_HEADER] = str(last_seen.position)
    for name, value in security_headers(https=https):
        headers.setdefault(name, value)


def _rate_limit_headers(rate_limit: RateLimitStatus | None) -> Iterator[tuple[str, str]]:
    if rate_limit is None:
        return iter(())
    limit = rate_limit.limit
    values = (
        str(limit.burst),
        str(rate_limit.remaining),
        str(math.ceil(rate_limit.reset_seconds)),
        f"{limit.requests};w={limit.window_seconds:g};burst={limit.burst}",
    )
    return zip(RATE_LIMIT_HEADERS, values, strict=True)


def ends_twice(scope: Scope) -> bool:
    """Whether a body has a length and comes in chunks.

    What follows it may be a request to one reader and a part of it to another, so that no more is
    read of the connection (RFC 9112, section 6.1).
    """
    return {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}


def _malformed_head(scope: Scope) -> Refused | None:
    pairs = scope["headers"]
    target = scope.get("raw_path") or scope["path"].encode()
    head_bytes = len(target) + len(scope.get("query_string", b""))
    head_bytes += sum(len(name) + len(value) + len(": \r\n") for name, value in pairs)
    names = [name for name, _ in pairs]
    if len(pairs) > MAX_HEADERS or head_bytes > MAX_HEAD_BYTES:
        return HEAD_TOO_LARGE
    for name in _SENT_ONCE:
        if names.count(name.lower().encode()) > 1:
            return Refused(400, f"There is more than one {name} header.", hint="Send one.")
    if ends_twice(scope):
        return Refused(
            400, "The body has a length and comes in chunks.", hint="Say one of the two."
        )
    if not target.startswith(b"/"):
        return Refused(
            400, "The target of the request is no path.", hint="Ask for a path, as in /health."
        )
    return None


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this computer and cannot mean another."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _not_local(scope: Scope) -> Refused | None:
    headers = Headers(scope=scope)
    peer, origin = scope.get("client"), headers.get("origin")
    detail = ""
    if peer is not None and not is_loopback(peer[0]):
        detail = "The request comes from another computer."
    elif not is_loopback(_host(f"//{headers.get('host', '')}")):
        detail = "The Host header does not name this computer."
    elif origin is not None and not is_loopback(_host(origin)):
        detail = "The Origin header does not name this computer."
    elif headers.get("sec-fetch-site", "").lower() == "cross-site" and not _is_link_navigation(
        scope
    ):
        detail = "A page of another site asks."
    if not detail:
        return None
    hint = "Without FOOTNOTE_IDENTITY this computer alone is served; use 127.0.0.1."
    return Refused(403, detail, code="not-local", hint=hint)


_LINK_NAVIGATION = {
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "sec-fetch-user": "?1",
}


def _is_link_navigation(scope: Scope) -> bool:
    """Whether a person followed a link; browsers let no page set these headers."""
    headers = Headers(scope=scope)
    fetch_headers = {name: headers.get(name) for name in _LINK_NAVIGATION}
    return scope["method"] in ("GET", "HEAD") and fetch_headers == _LINK_NAVIGATION


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """How large a body may be that a route accepts."""

    upload_path: str
    max_file_bytes: int

    def limited(self, scope: Scope, receive: Receive) -> Receive:
        """What reads a body, and ends in a refusal once it is too long."""
        limit, refused = MAX_JSON_BYTES, content_too_large("request", MAX_JSON_BYTES)
        if scope["path"] == self.upload_path:
            limit = self.max_file_bytes + _FORM_OVERHEAD_BYTES
            refused = content_too_large("file", self.max_file_bytes)
        declared = Headers(scope=scope).get("content-length", "")
        read_bytes = int(declared) if declared.isdecimal() and int(declared) > limit else 0

        async def within_limit() -> Message:
            nonlocal read_bytes
            if read_bytes > limit:
                raise refused
            message = await receive()
            read_bytes += len(message.get("body", b""))
            if read_bytes > limit:
                raise refused
            return message

        return within_limit
