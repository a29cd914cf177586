"""Classify IP addresses: public servers, private networks, or never to be contacted.

The lists are kept here, so that the result does not depend on the version of Python: the IANA IPv4
and IPv6 Special-Purpose Address Registries, multicast, deprecated blocks, and the metadata
addresses of cloud providers.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

Belonging = Literal["public", "private", "never"]

_PRIVATE_V4 = tuple(
    map(
        IPv4Network,
        (
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier-grade NAT
            "127.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "198.18.0.0/15",  # benchmarking
        ),
    )
)
_PRIVATE_V6 = tuple(
    map(
        IPv6Network,
        (
            "::1/128",
            "fc00::/7",
            "fec0::/10",  # site-local, deprecated by RFC 3879
        ),
    )
)

_NEVER_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "100.100.100.200/32",  # metadata: Alibaba Cloud
            "168.63.129.16/32",  # the host of a machine at Azure, in public space
            "169.254.0.0/16",  # link-local, with the metadata services of most clouds
            "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is metadata at Oracle Cloud
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # relays of 6to4
            "192.175.48.0/24",  # AS112
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_NEVER_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, …
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
            "fd00:42::42/128",  # metadata: Scaleway
            "fd00:ec2::/32",  # metadata and more: Amazon
            "fd20:ce::254/128",  # metadata: Google Cloud
        ),
    )
)

_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that is assigned to public servers. The rest holds IPv4-compatible addresses (::/96), local
translation (64:ff9b:1::/48), discard-only (100::/64), the dummy prefix (100:0:0:1::/64), segment
identifiers (5f00::/16), link-local (fe80::/10) and multicast (ff00::/8), and else nothing."""

_V4_IN_V6 = tuple(
    map(
        IPv6Network,
        (
            "::ffff:0:0/96",  # IPv4-mapped
            "64:ff9b::/96",  # RFC 6052: how IPv4 is reached from networks without it
        ),
    )
)


def belonging_of(text: str) -> Belonging:
    """Classify an IP address: public, private, or never to be contacted.

    An IPv6 address that stands for an IPv4 one is classified as that. One with a zone is
    link-local; it and an invalid address are never to be contacted.
    """
    try:
        address = IPv6Address(text) if ":" in text else IPv4Address(text)
    except ValueError:
        return "never"
    if isinstance(address, IPv4Address):
        return _belonging_of_v4(address)
    if address.scope_id is not None:
        return "never"
    if any(address in network for network in _V4_IN_V6):
        return _belonging_of_v4(IPv4Address(int(address) & 0xFFFFFFFF))
    return _belonging_of_v6(address)


def _belonging_of_v6(address: IPv6Address) -> Belonging:
    if any(address in network for network in _NEVER_V6):
        return "never"
    if any(address in network for network in _PRIVATE_V6):
        return "private"
    return "public" if address in _GLOBAL_UNICAST else "never"


def _belonging_of_v4(address: IPv4Address) -> Belonging:
    if any(address in network for network in _NEVER_V4):
        return "never"
    return "private" if any(address in network for network in _PRIVATE_V4) else "public"
