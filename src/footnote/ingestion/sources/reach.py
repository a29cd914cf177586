"""Which network addresses may be spoken to on behalf of somebody who named a URL."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from footnote.errors import InvalidRequest

Address = IPv4Address | IPv6Address

_NEVER = (
    ip_network("169.254.0.0/16"),  # link-local: where clouds tell machines their secrets
    ip_network("fe80::/10"),
    ip_network("fd00:ec2::/32"),  # the same of one cloud, over IPv6
    ip_network("100.100.100.200/32"),  # and of another
    ip_network("0.0.0.0/8"),
    ip_network("::/128"),
)
_TRANSLATED = ip_network("64:ff9b::/96")  # RFC 6052: an IPv4 address in its last 32 bits


def checked_url(url: str, *, example: str = "https://example.com/report.pdf") -> SplitResult:
    """The parts of an address that may be fetched, if its host may.

    Raises InvalidRequest, whose hint is like the example.
    """
    hint = f"give one like {example}"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequest(f"the address cannot be read: {error}", hint=hint) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise InvalidRequest("the address is not one of the web", hint=hint)
    if parts.username is not None or parts.password is not None:
        raise InvalidRequest(
            "the address holds a name or a password",
            hint="leave them out: addresses are stored and written to logs",
        )
    if not url.isprintable() or " " in url:
        raise InvalidRequest("the address holds a character that none may hold", hint=hint)
    return parts


def why_forbidden(text: str, *, allow_private: bool) -> str:
    """Why nothing is fetched from an IP address; empty when it may be.

    Link-local, multicast and unspecified addresses never may; those of this machine and of
    private networks only if they are allowed.
    """
    if is_never_fetched(text):
        return f"{text} is an address that is never fetched from"
    if not _address(text).is_global and not allow_private:
        return f"{text} is an address of this machine or of a private network"
    return ""


def is_never_fetched(text: str) -> bool:
    """Whether no setting allows to fetch from an IP address."""
    address = _address(text)
    return address.is_multicast or any(address in network for network in _NEVER)


def _address(text: str) -> Address:
    return _embedded(ip_address(text.partition("%")[0]))


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.teredo is not None:
        return address.teredo[1]
    return address.ipv4_mapped or address.sixtofour or address
