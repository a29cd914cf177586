"""Claims become a principal with groups, a role and workspaces, and nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.domain import Identity, Principal, Right, Role
from footnote.domain.credentials import Caller, Presented
from footnote.errors import NotAuthenticated, UnsupportedSettings
from footnote.security.claims import ClaimMapping
from footnote.security.gateway import Gateway, networks_from

MAPPING = ClaimMapping(
    groups="realm_access.roles",
    workspace="tenant",
    roles={"finance": Role.WRITER, "it": Role.ADMIN},
)


def caller(mapping: ClaimMapping = MAPPING, **claims: Any) -> Caller:
    return mapping.caller_of({"sub": "ann", "tenant": "acme", **claims}, "token:x")


def test_nested_groups_and_their_roles() -> None:
    found = caller(realm_access={"roles": ["finance", "staff", "finance"]})
    assert found.identity.principal == Principal(
        principal_id="ann", groups=("finance", "staff"), role=None
    )
    assert found.identity.role is Role.WRITER
    assert found.workspaces == ("acme",)
    assert caller(realm_access={"roles": ["finance", "it"]}).identity.role is Role.ADMIN


def test_a_claim_whose_whole_name_has_dots_comes_first() -> None:
    mapping = ClaimMapping(groups="https://example.com/groups")
    found = mapping.caller_of({"sub": "ann", "https://example.com/groups": "a"}, "x")
    assert found.identity.principal.groups == ("a",)


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("reader", Role.READER),
        (["reader", "admin"], Role.ADMIN),
        ("finance", Role.WRITER),
        ("Admin", None),
        ("root", None),
        ({"admin": True}, None),
        (True, None),
        (None, None),
    ],
)
def test_a_role_is_one_of_ours_or_one_that_is_mapped(said: object, role: Role | None) -> None:
    assert caller(role=said).identity.role is role


@pytest.mark.parametrize("sub", [None, "", 7, ["a", "b"], {}, []])
def test_who_it_is_must_be_one_text(sub: object) -> None:
    with pytest.raises(NotAuthenticated):
        caller(sub=sub)


@pytest.mark.parametrize("tenant", [None, "", [], 7])
def test_a_token_without_a_workspace_opens_none(tenant: object) -> None:
    with pytest.raises(NotAuthenticated):
        caller(tenant=tenant)
    assert ClaimMapping().caller_of({"sub": "ann"}, "x").workspaces == ("default",)


PARTNERS = ClaimMapping(namespace="partners", roles={"partners:it": Role.WRITER, "it": Role.ADMIN})
OWN = ClaimMapping(foreign=("partners",), roles={"it": Role.ADMIN})


def test_two_providers_never_name_the_same_person() -> None:
    said = {"sub": "ann", "groups": ["it", "crew"], "role": "admin"}
    theirs = PARTNERS.caller_of(said, "x").identity
    own = OWN.caller_of(said, "x").identity
    assert theirs.principal.principal_id == "partners:ann"
    assert theirs.principal.groups == ("partners:it", "partners:crew")
    assert theirs.role is Role.WRITER  # what it calls an administrator is none here
    assert (own.principal.principal_id, own.principal.groups) == ("ann", ("it", "crew"))
    assert not set(own.principal.access_names) & set(theirs.principal.access_names)


@pytest.mark.parametrize("sub", ["partners:ann", "PARTNERS:ann", "Partners:"])
def test_a_provider_cannot_speak_for_the_people_of_another(sub: str) -> None:
    with pytest.raises(NotAuthenticated):
        OWN.caller_of({"sub": sub}, "x")
    found = OWN.caller_of({"sub": "ann", "groups": [sub, "service:x", "crew"]}, "x")
    assert found.identity.principal.groups == ("crew",)


@pytest.mark.parametrize("sub", ["service:kong", "Service:kong", "LOCAL", "local"])
def test_no_provider_speaks_for_a_key_or_the_operator(sub: str) -> None:
    with pytest.raises(NotAuthenticated):
        OWN.caller_of({"sub": sub}, "x")
    assert PARTNERS.caller_of({"sub": sub}, "x").identity.principal.principal_id == (
        f"partners:{sub}"
    )


@pytest.mark.parametrize("sub", ["ann ", "an\u200bn", "\u202eann", "ann\u00a0lee", "Mu\u0308ller"])
def test_what_only_looks_like_a_name_is_nobodys(sub: str) -> None:
    with pytest.raises(NotAuthenticated, match="cannot be a name"):
        caller(sub=sub)
    found = caller(realm_access={"roles": [sub, "staff"]})
    assert found.identity.principal.groups == ("staff",)
    key = proved(Role.ADMIN, "key:1")
    with pytest.raises(NotAuthenticated, match="cannot be one"):
        GATEWAY.caller(key, through(user=sub, role="reader"))


GATEWAY = Gateway(addresses=networks_from("10.1.0.0/16, ::1"), roles={"auditor": Role.READER})


def through(
    peer: str | None = "10.1.2.3", user: str | None = "ann", role: str | None = "writer"
) -> Presented:
    return Presented(bearer="t", peer=peer, user_id=user, user_role=role)


def proved(role: Role | None = None, credential: str = "token:x", **more: Any) -> Caller:
    principal = Principal(principal_id="ann", groups=("finance",), role=None)
    identity = Identity(principal=principal, role=role, credential=credential, **more)
    return Caller(identity=identity, workspaces=("acme",))


@pytest.mark.parametrize(
    ("peer", "speaks"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("::1", True),
        ("10.2.0.1", False),
        ("127.0.0.1", False),
        ("unix:", False),
        (None, False),
    ],
)
def test_only_listed_proxies_are_believed(peer: str | None, speaks: bool) -> None:
    assert GATEWAY.speaks(through(peer)) is speaks


def test_without_the_headers_a_proxy_says_nothing() -> None:
    assert not GATEWAY.speaks(through(user=None, role=None))


@pytest.mark.parametrize(("user", "role"), [("ann", None), (None, "reader"), ("", "reader")])
def test_half_of_the_headers_is_refused(user: str | None, role: str | None) -> None:
    with pytest.raises(NotAuthenticated):
        GATEWAY.caller(proved(), through(user=user, role=role))


def test_the_role_is_the_proxys_and_never_more_than_the_tokens() -> None:
    assert GATEWAY.caller(proved(), through(role="auditor")).identity.role is Role.READER
    assert GATEWAY.caller(proved(), through(role="admin")).identity.role is Role.ADMIN
    low = GATEWAY.caller(proved(Role.READER), through(role="admin")).identity
    assert low.role is Role.READER
    assert low.principal.groups == ("finance",)
    with pytest.raises(NotAuthenticated):
        GATEWAY.caller(proved(), through(role="root"))


def test_a_persons_token_stands_for_that_person_alone() -> None:
    with pytest.raises(NotAuthenticated):
        GATEWAY.caller(proved(Role.ADMIN), through(user="bob"))


def test_only_a_key_that_administers_stands_for_anybody() -> None:
    key = proved(Role.ADMIN, "key:1")
    found = GATEWAY.caller(key, through(user="bob", role="reader")).identity
    assert (found.principal.principal_id, found.principal.groups) == ("bob", ())
    assert found.role is Role.READER
    narrow = proved(Role.ADMIN, "key:1", rights=frozenset({Right.READ}))
    for each in (proved(Role.WRITER, "key:1"), narrow):
        with pytest.raises(NotAuthenticated):
            GATEWAY.caller(each, through(user="bob"))


def test_a_credential_of_collections_stays_in_them() -> None:
    limited = proved(None, "key:1", collections=(("hr", Role.READER),))
    found = GATEWAY.caller(limited, through(role="admin")).identity
    assert (found.role, found.collections) == (None, (("hr", Role.READER),))


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(UnsupportedSettings):
        networks_from("10.0.0.0/8, kong")


@pytest.mark.parametrize("name", ["service:ingest", "local"])
def test_no_provider_names_a_service_or_the_operator(name: str) -> None:
    with pytest.raises(NotAuthenticated, match="no name of a person"):
        ClaimMapping().caller_of({"sub": name}, "x")
