"""Check which network addresses may be contacted for a URL given by a caller (against SSRF)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from footnote.errors import InvalidRequest, SourceUnreachable
from footnote.ingestion.sources.special_addresses import belonging_of

WEB_SCHEMES = ("https", "http")
_THIS_MACHINE = "localhost"


def checked_url(url: str, *, example: str = "https://example.com/report.pdf") -> SplitResult:
    """Parse and check a URL to fetch, without checking whether its host may be reached.

    Raises InvalidRequest, whose hint gives the example.
    """
    # Errors repeat the address unless it may hold a password, is not printable or is too long.
    may_show = url.isprintable() and "@" not in url and 0 < len(url) <= _MAX_SHOWN_CHARACTERS
    hint, subject = (
        f"give one like {example}",
        (f"the address {url}" if may_show else "the address"),
    )
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidRequest(f"{subject} cannot be read: its host is no name", hint=hint) from error
    try:
        port = parts.port
    except ValueError as error:
        raise InvalidRequest(
            f"{subject} cannot be read: its port must be a number from 1 to 65535", hint=hint
        ) from error
    if parts.scheme not in WEB_SCHEMES:
        problem = f"begins with {parts.scheme}:" if parts.scheme else "has no https:// before it"
        raise InvalidRequest(
            f"{subject} {problem}, and only https:// and http:// can be reached from here",
            hint=hint,
        )
    if not parts.hostname or port == 0:
        raise InvalidRequest(f"{subject} names no host, or no port there is", hint=hint)
    if "%" in parts.hostname:
        raise InvalidRequest(
            f"{subject} names a host with %, as zones of link-local addresses do", hint=hint
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidRequest(
            "the address holds a name or a password",
            hint="leave them out: addresses are stored and written to logs",
        )
    if not url.isprintable() or " " in url:
        raise InvalidRequest("the address holds a character that none may hold", hint=hint)
    return parts


_MAX_SHOWN_CHARACTERS = 200


def why_forbidden(text: str, *, allow_private: bool) -> str:
    """Return why an IP address may not be contacted; empty if it may be.

    Loopback and private addresses need `allow_private`; other special-purpose addresses are never
    allowed.
    """
    belonging = belonging_of(text)
    if belonging == "never":
        return f"{text} is an address that is never fetched from"
    if belonging == "private" and not allow_private:
        return f"{text} is an address of this machine or of a private network"
    return ""


def require_reachable(host: str, addresses: Iterable[str], *, allow_private: bool) -> None:
    """Raise InvalidRequest unless every IP address of a host may be contacted."""
    for address in addresses:
        if reason := why_forbidden(address, allow_private=allow_private):
            raise InvalidRequest(
                f"{host} may not be reached: {reason}",
                hint="give another address: no setting allows link-local, multicast, reserved "
                "and metadata ones"
                if belonging_of(address) == "never"
                else "give a public address, or set FOOTNOTE_ALLOW_PRIVATE_URLS=true if your own "
                "networks may be reached",
            )


def require_public_if_numeric(host: str, *, allow_private: bool) -> None:
    """Apply `require_reachable` to a host that needs no DNS look-up: an IP address, or localhost.

    Raises InvalidRequest. Other names are resolved when they are contacted.
    """
    if host == _THIS_MACHINE or host.endswith(f".{_THIS_MACHINE}"):
        host_addresses = ["127.0.0.1"]
    else:
        try:
            records = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return
        host_addresses = [str(record[4][0]) for record in records]
    require_reachable(host, host_addresses, allow_private=allow_private)


async def addresses_of(host: str, port: int) -> tuple[str, ...]:
    """Resolve a host name to its current IP addresses, at least one. Raises SourceUnreachable."""
    loop = asyncio.get_running_loop()
    try:
        records = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceUnreachable(f"the name {host} cannot be resolved") from error
    return tuple(dict.fromkeys(str(record[4][0]) for record in records))


_RESOLVING_SECONDS = 5.0
"""Time limit for resolving the host of a URL that is only to be stored."""


async def require_reachable_url(url: str, *, allow_private: bool, example: str) -> None:
    """Raise InvalidRequest for a URL that may not be fetched; the hint may give the example.

    A name that cannot be resolved yet is accepted. Callers check again when they connect, since a
    name may resolve to another address by then.
    """
    parts = checked_url(url, example=example)
    assert parts.hostname is not None, "checked"
    try:
        async with asyncio.timeout(_RESOLVING_SECONDS):
            addresses = await addresses_of(parts.hostname, parts.port or 443)
    except (SourceUnreachable, TimeoutError):
        return
    require_reachable(parts.hostname, addresses, allow_private=allow_private)
