"""Map an identity provider's claims to a caller, with groups, role and workspaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from footnote.domain import Identity, Principal, Role
from footnote.domain.credentials import Caller
from footnote.domain.identity import DEFAULT_WORKSPACE, highest_role, is_no_person
from footnote.errors import NotAuthenticated
from footnote.validation.text import name_fault

Claims = Mapping[str, object]

NAMESPACE_END = ":"
"""Separates a provider's namespace from a principal or group name."""
MAX_GROUPS = 1000
"""Of one person; Entra ID puts no more than 200 into a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMapping:
    """Which claims say who somebody is.

    A name with dots leads into objects, as in Keycloak's `realm_access.roles`, unless a claim has
    that whole name, as in `https://example.com/groups`.
    """

    principal: str = "sub"
    groups: str = "groups"
    role: str | None = "role"
    workspace: str | None = None
    """None maps everyone to the default workspace."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Values of the role claim and groups to roles. Without a namespace, a role's own name in the
    role claim also grants it."""
    namespace: str = ""
    """Prefix for every principal and group of this provider; empty for the only or first one."""
    foreign: tuple[str, ...] = ()
    """Namespaces of other providers, for which this one cannot speak."""

    def caller_of(self, claims: Claims, credential: str) -> Caller:
        """Return the caller that the claims describe. Raises NotAuthenticated if they do not."""
        [*principals] = _texts(_claim(claims, self.principal))
        if len(principals) != 1:
            raise NotAuthenticated(
                f"The token does not say who asks: its claim {self.principal} is not one text.",
                hint="Set the claim that holds the principal, or have the provider add it.",
            )
        if self._is_foreign(principals[0]):
            raise NotAuthenticated(
                f"The token is of {principals[0]!r}, which is no name of a person here.",
                hint="Set the claim that holds the principal to another one.",
            )
        principal_id = self._qualified(principals[0])
        if fault := name_fault(principal_id):
            raise NotAuthenticated(
                f"The token's claim {self.principal} cannot be a name: {fault}.",
                hint="Have the provider correct it, or set the claim that holds the principal.",
            )
        group_names = _texts(_claim(claims, self.groups))[:MAX_GROUPS]
        groups = tuple(
            self._qualified(name)
            for name in group_names
            if name_fault(name) is None and not self._is_foreign(name)
        )
        role_names = () if self.role is None else _texts(_claim(claims, self.role))
        own_roles = (
            [] if self.namespace else [Role(name) for name in role_names if name in tuple(Role)]
        )
        mapped = [self.roles.get(name) for name in (*map(self._qualified, role_names), *groups)]
        return Caller(
            identity=Identity(
                principal=Principal(principal_id=principal_id, groups=groups, role=None),
                role=highest_role([*own_roles, *mapped]),
                credential=credential,
            ),
            workspaces=self._workspaces(claims),
        )

    def _qualified(self, name: str) -> str:
        return f"{self.namespace}{NAMESPACE_END}{name}" if self.namespace else name

    def _is_foreign(self, name: str) -> bool:
        """Whether a name is not this provider's to give: a service's, or another provider's."""
        if self.namespace:
            return False  # All its names have its own prefix.
        prefixes = tuple(f"{namespace}{NAMESPACE_END}" for namespace in self.foreign)
        return is_no_person(name) or name.casefold().startswith(prefixes)

    def _workspaces(self, claims: Claims) -> tuple[str, ...]:
        if self.workspace is None:
            return (DEFAULT_WORKSPACE,)
        workspaces = _texts(_claim(claims, self.workspace))
        if not workspaces:
            raise NotAuthenticated(
                f"The token names no workspace: its claim {self.workspace} is missing.",
                hint="Have the provider add the claim.",
            )
        return workspaces


def _claim(claims: Claims, name: str) -> object:
    if name in claims:
        return claims[name]
    value: object = claims
    for part in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def _texts(value: object) -> tuple[str, ...]:
    """Return a string, or the strings of a list, without repetitions; other values are ignored."""
    values: Iterable[object] = value if isinstance(value, list | tuple) else (value,)
    return tuple(dict.fromkeys(text for text in values if isinstance(text, str) and text))
