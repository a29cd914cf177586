"""Authenticate callers by a trusted gateway's headers, from its address and with a valid token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from footnote.domain import Principal, Right, Role
from footnote.domain.credentials import Caller, Presented
from footnote.domain.identity import is_no_person
from footnote.errors import NotAuthenticated, UnsupportedSettings
from footnote.validation.text import name_fault

Network = IPv4Network | IPv6Network


def networks_from(text: str, setting: str = "gateway") -> tuple[Network, ...]:
    """Parse a list of addresses and networks, comma-separated. Raises UnsupportedSettings."""
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UnsupportedSettings(
            f"The setting {setting} cannot be used: {error}.",
            hint="List addresses and networks, as in 10.0.0.7,10.1.0.0/16.",
        ) from error


def network_of(presented: Presented, proxies: Sequence[Network]) -> Network | None:
    """Return the network that a request comes from, such that different callers likely differ.

    An IPv4 address, or the /64 that a customer is assigned in IPv6 (RFC 6177). Listed proxies are
    trusted for the client address: the last address in X-Forwarded-For that is not one of them.
    None for a loopback address, behind which an unlisted proxy may run, and for an invalid address.
    """
    hops = [hop.strip() for hop in (presented.forwarded or "").split(",") if hop.strip()]
    address = _address(presented.peer)
    while address is not None and hops and any(address in network for network in proxies):
        address = _address(hops.pop())
    if address is None or address.is_loopback:
        return None
    return ip_network((address, 32 if address.version == 4 else 64), strict=False)


def _address(text: str | None) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address((text or "").strip("[]"))
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The gateways whose headers are trusted, and the mapping of their roles."""

    addresses: tuple[Network, ...]
    roles: Mapping[str, Role]
    """Values of X-User-Role to roles; a role's own name also stands for it."""

    def speaks(self, presented: Presented) -> bool:
        """Return whether a listed gateway identifies the caller; others' headers are ignored.

        Only together with a bearer token: headers beside a session cookie come from the browser.
        """
        says_nothing = (presented.user_id, presented.user_role) == (None, None)
        if presented.bearer is None or presented.peer is None or says_nothing:
            return False
        peer = _address(presented.peer)
        return peer is not None and any(peer in network for network in self.addresses)

    def caller(self, proved: Caller, presented: Presented) -> Caller:
        """Return the caller that the gateway names, as far as the verified token allows.

        A person's token must belong to the named person. An API key with the admin role and the
        right to administer is the gateway's own, and may act for any person. The role is the
        gateway's, limited to the token's role if it has one. Raises NotAuthenticated.
        """
        proved_identity = proved.identity
        if not presented.user_id or not presented.user_role:
            raise NotAuthenticated(
                "The gateway names no user, or no role.",
                hint="Have it send both: X-User-Id, X-User-Role.",
            )
        stands_for_all = proved_identity.credential.startswith("key:") and (
            proved_identity.role is Role.ADMIN and Right.ADMINISTER in proved_identity.rights
        )
        if not stands_for_all and presented.user_id != proved_identity.principal.principal_id:
            raise NotAuthenticated(
                "The gateway names another user than the token.",
                hint="Have it send the user of the token, or a key that administers.",
            )
        if (
            is_no_person(presented.user_id)
            and presented.user_id != proved_identity.principal.principal_id
        ):
            raise NotAuthenticated(
                "The gateway names no person.",
                hint="Have X-User-Id name a person: no service, no group.",
            )
        if fault := name_fault(presented.user_id):
            raise NotAuthenticated(
                f"The gateway names a user that cannot be one: {fault}.",
                hint="Have it correct X-User-Id.",
            )
        named_role = self._role(presented.user_role)
        role: Role | None = named_role
        groups = () if stands_for_all else proved_identity.principal.groups
        if proved_identity.collections:
            role = None  # The token is for some collections; a role would apply to all.
        elif proved_identity.role is not None:
            role = min(named_role, proved_identity.role, key=tuple(Role).index)
        principal = Principal(principal_id=presented.user_id, groups=groups, role=None)
        identity = replace(
            proved_identity,
            principal=principal,
            role=role,
            credential=f"gateway {proved_identity.credential}",
        )
        return replace(proved, identity=identity)

    def _role(self, name: str) -> Role:
        role = self.roles.get(name) or next((role for role in Role if role.value == name), None)
        if role is None:
            raise NotAuthenticated(
                "The gateway's role is not known here.",
                hint="Name it in the roles of FOOTNOTE_GATEWAY.",
            )
        return role
