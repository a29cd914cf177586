"""No address that is set apart from public servers is spoken to for somebody who named a URL."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import InvalidRequest
from footnote.ingestion.sources.reach import require_reachable_url, why_forbidden
from footnote.jobs.sources.fetching import Reach, fetch, post

# Every entry of the two registries of IANA (IPv4 of 2025, IPv6 of 2025), those within others too.
REGISTRY_V4 = (
    "0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12"
    " 192.0.0.0/24 192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32"
    " 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.88.99.2/32"
    " 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4"
    " 255.255.255.255/32"
).split()
REGISTRY_V6 = (
    "::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128"
    " 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28"
    " 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16"
    " fc00::/7 fe80::/10"
).split()
ELSEWHERE = (
    "224.0.0.0/4 ff00::/8"  # multicast
    " ::/96 fec0::/10"  # deprecated: IPv4-compatible, site-local
    " ::ffff:0:0:0/96"  # IPv4-translated, obsolete with RFC 2765
).split()
METADATA = (
    "169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254"
    " fd20:ce::254 fd00:42::42 fe80::a9fe:a9fe"
).split()
STANDING_FOR_V4 = ("::ffff:0:0/96", "64:ff9b::/96")

SPECIAL = [ip_network(text) for text in (*REGISTRY_V4, *REGISTRY_V6, *ELSEWHERE)]
ASSIGNED = IPv6Network("2000::/3")


def is_special(address: IPv4Address | IPv6Address) -> bool:
    """What the registries say, by the plainest of readings."""
    for network in STANDING_FOR_V4:
        if address in ip_network(network):
            address = IPv4Address(int(address) & 0xFFFFFFFF)
    if str(address) in METADATA or any(address in network for network in SPECIAL):
        return True
    return isinstance(address, IPv6Address) and address not in ASSIGNED


def corners(network: IPv4Network | IPv6Network) -> Iterator[IPv4Address | IPv6Address]:
    """Its first, last and middle addresses, and the neighbours on both sides."""
    first, last = int(network[0]), int(network[-1])
    for number in {first, first + 1, (first + last) // 2, last - 1, last, first - 1, last + 1}:
        if 0 <= number < 2**network.max_prefixlen:
            yield type(network[0])(number)


@pytest.mark.parametrize("network", SPECIAL, ids=str)
def test_nothing_within_a_special_range_is_spoken_to_and_its_neighbours_are(
    network: IPv4Network | IPv6Network,
) -> None:
    assert all(is_special(address) for address in (network[0], network[-1]))
    for address in corners(network):
        refused = bool(why_forbidden(str(address), allow_private=False))
        assert refused == is_special(address), address


@pytest.mark.parametrize("network", [each for each in SPECIAL if each.version == 4], ids=str)
@pytest.mark.parametrize("dress", STANDING_FOR_V4)
def test_an_ipv4_address_in_an_ipv6_one_is_judged_as_itself(
    network: IPv4Network, dress: str
) -> None:
    for address in corners(network):
        dressed = IPv6Address(int(IPv6Network(dress)[0]) | int(address))
        for allow_private in (False, True):
            plain = bool(why_forbidden(str(address), allow_private=allow_private))
            assert bool(why_forbidden(str(dressed), allow_private=allow_private)) == plain


@given(st.ip_addresses())
def test_any_address_is_judged_as_the_registries_say(address: IPv4Address | IPv6Address) -> None:
    assert bool(why_forbidden(str(address), allow_private=False)) == is_special(address)


@pytest.mark.parametrize("address", METADATA)
def test_where_clouds_keep_secrets_is_never_spoken_to(address: str) -> None:
    assert why_forbidden(address, allow_private=True)
    if ip_address(address).version == 4:
        assert why_forbidden(f"::ffff:{address}", allow_private=True)
        assert why_forbidden(f"64:ff9b::{address}", allow_private=True)


@pytest.mark.parametrize("address", ["192.0.0.192", "168.63.129.16", "[::7f00:1]", "[fec0::1]"])
async def test_what_is_fetched_and_what_is_told_of_events_ask_the_same_judge(address: str) -> None:
    url = f"http://{address}/latest"
    reach = Reach(allow_private=False, timeout_seconds=5, max_bytes=1)
    with pytest.raises(InvalidRequest, match="may not be reached"):
        await fetch(url, reach, {}, BytesIO())
    with pytest.raises(InvalidRequest, match="may not be reached"):
        await post(url, reach, {}, b"")
    with pytest.raises(InvalidRequest, match="may not be reached"):
        await require_reachable_url(url, allow_private=False, example=url)


@pytest.mark.parametrize(
    "address",
    [
        "::127.0.0.1",
        "::169.254.169.254",
        "64:ff9b:1::169.254.169.254",
        "64:ff9b:1::7f00:1",
        "2002:a9fe:a9fe::1",
        "2001:0:a9fe:a9fe::1",
        "::ffff:0:169.254.169.254",
        "fe80::1%eth0",
        "2606:4700:4700::1111%1",
        "::1%lo",
        "0x7f.1",
        "127.1",
        "2130706433",
        "not an address",
        "",
    ],
)
def test_no_tunnel_zone_or_shorthand_leads_anywhere(address: str) -> None:
    assert why_forbidden(address, allow_private=True)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.0.1", "100.64.0.1", "::1", "fd12::1"],
)
def test_ones_own_network_is_spoken_to_where_that_is_allowed(address: str) -> None:
    assert why_forbidden(address, allow_private=False)
    assert not why_forbidden(address, allow_private=True)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "64:ff9b::101:101"]
)
def test_public_servers_are_spoken_to(address: str) -> None:
    assert not why_forbidden(address, allow_private=False)
