"""Which network addresses may be spoken to on behalf of somebody who named a URL."""

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
    """The parts of an address that may be fetched, if its host may.

    Raises InvalidRequest, whose hint is like the example.
    """
    # The address as it may be said: whole, unless it may hold a password or is no text.
    plain = url.isprintable() and "@" not in url and 0 < len(url) <= _MOST_SHOWN
    hint, called = f"give one like {example}", (f"the address {url}" if plain else "the address")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidRequest(f"{called} cannot be read: its host is no name", hint=hint) from error
    try:
        port = parts.port
    except ValueError as error:
        raise InvalidRequest(
            f"{called} cannot be read: its port must be a number from 1 to 65535", hint=hint
        ) from error
    if parts.scheme not in WEB_SCHEMES:
        begins = f"begins with {parts.scheme}:" if parts.scheme else "has no https:// before it"
        raise InvalidRequest(
            f"{called} {begins}, and only https:// and http:// can be reached from here",
            hint=hint,
        )
    if not parts.hostname or port == 0:
        raise InvalidRequest(f"{called} names no host, or no port there is", hint=hint)
    if "%" in parts.hostname:
        raise InvalidRequest(
            f"{called} names a host with %, as zones of link-local addresses do", hint=hint
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidRequest(
            "the address holds a name or a password",
            hint="leave them out: addresses are stored and written to logs",
        )
    if not url.isprintable() or " " in url:
        raise InvalidRequest("the address holds a character that none may hold", hint=hint)
    return parts


_MOST_SHOWN = 200


def why_forbidden(text: str, *, allow_private: bool) -> str:
    """Why nothing is fetched from an IP address; empty when it may be.

    Those of this machine and of private networks may only if they are allowed, and what else is
    set apart from public servers never may.
    """
    belonging = belonging_of(text)
    if belonging == "never":
        return f"{text} is an address that is never fetched from"
    if belonging == "private" and not allow_private:
        return f"{text} is an address of this machine or of a private network"
    return ""


def require_reachable(host: str, addresses: Iterable[str], *, allow_private: bool) -> None:
    """Raise InvalidRequest unless every IP address of a host may be spoken to."""
    for address in addresses:
        if why := why_forbidden(address, allow_private=allow_private):
            raise InvalidRequest(
                f"{host} may not be reached: {why}",
                hint="give another address: no setting allows link-local, multicast, reserved "
                "and metadata ones"
                if belonging_of(address) == "never"
                else "give a public address, or set FOOTNOTE_ALLOW_PRIVATE_URLS=true if your own "
                "networks may be reached",
            )


def require_public_if_numeric(host: str, *, allow_private: bool) -> None:
    """The same of a host that is told without asking anybody: an IP address, or this machine's.

    Raises InvalidRequest. Names are looked up when they are spoken to.
    """
    if host == _THIS_MACHINE or host.endswith(f".{_THIS_MACHINE}"):
        host_addresses = ["127.0.0.1"]
    else:
        try:
            found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return
        host_addresses = [str(each[4][0]) for each in found]
    require_reachable(host, host_addresses, allow_private=allow_private)


async def addresses_of(host: str, port: int) -> tuple[str, ...]:
    """The IP addresses a name stands for now, at least one. Raises SourceUnreachable."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceUnreachable(f"the name {host} cannot be resolved") from error
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


_RESOLVING_SECONDS = 5.0
"""Nobody waits longer than this for the name of an address that is only to be kept."""


async def require_reachable_url(url: str, *, allow_private: bool, example: str) -> None:
    """Raise InvalidRequest, whose hint may be like the example, for an address of no use.

    A name that cannot be resolved may be one day. Whoever speaks to it later asks anew, since a
    name can lead elsewhere by then.
    """
    parts = checked_url(url, example=example)
    assert parts.hostname is not None, "checked"
    try:
        async with asyncio.timeout(_RESOLVING_SECONDS):
            addresses = await addresses_of(parts.hostname, parts.port or 443)
    except (SourceUnreachable, TimeoutError):
        return
    require_reachable(parts.hostname, addresses, allow_private=allow_private)
