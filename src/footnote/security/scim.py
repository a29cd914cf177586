"""Convert users and groups to and from SCIM 2.0 (RFC 7643), and apply a directory's changes.

Where the standard leaves a choice, known directories are followed: members may be removed by value,
unknown attributes are ignored, and a path filter without a match creates what it names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar
from uuid import UUID

from pydantic import ValidationError
from scim2_models import (
    Context,
    EnterpriseUser,
    Group,
    GroupMember,
    ListResponse,
    Meta,
    PatchOp,
    Resource,
    SCIMException,
    ScimPolicy,
    User,
)

from footnote.domain.people import PeopleQuery, UserGroup, WantedGroup, WantedUser
from footnote.domain.people import User as Person
from footnote.errors import InvalidRequest

Kind = TypeVar("Kind", bound=Resource)  # type: ignore[type-arg]  # of any extension
ScimObject = dict[str, object]

MAX_LISTED = 200
_POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
_OWN_ATTRIBUTES = {
    "schemas",
    "id",
    "meta",
    "userName",
    "externalId",
    "active",
    "groups",
    "password",
}
"""Attributes of a user that are stored in fields of their own, and the password, which is not
stored."""
_FILTER = re.compile(r'\s*([A-Za-z]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*', re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)")
_USER = User[EnterpriseUser]


def person_as_scim(person: Person, base_url: str) -> ScimObject:
    """A person as a directory reads them."""
    attributes = {
        **person.attributes,
        "id": str(person.user_id),
        "userName": person.user_name,
        "externalId": person.external_id,
        "active": person.active,
        "groups": [
            {"value": str(group_id), "$ref": f"{base_url}/Groups/{group_id}"}
            for group_id in person.group_ids
        ],
    }
    with _POLICY:
        resource = _USER.model_validate(attributes)
    resource.meta = Meta(
        resource_type="User",
        created=person.created_at,
        last_modified=person.updated_at,
        location=f"{base_url}/Users/{person.user_id}",
    )
    return _rendered(resource)


def group_as_scim(group: UserGroup, base_url: str) -> ScimObject:
    """A group as a directory reads it."""
    resource = Group(
        id=str(group.group_id),
        display_name=group.display_name,
        external_id=group.external_id,
        members=[
            GroupMember(value=str(member_id), ref=f"{base_url}/Users/{member_id}", type="User")
            for member_id in group.member_ids
        ],
        meta=Meta(
            resource_type="Group",
            created=group.created_at,
            last_modified=group.updated_at,
            location=f"{base_url}/Groups/{group.group_id}",
        ),
    )
    return _rendered(resource)


def _rendered(resource: Resource) -> ScimObject:  # type: ignore[type-arg]  # of any extension
    rendered: ScimObject = resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    return rendered


def listed_as_scim(total: int, start: int, resources: list[ScimObject], kind: str) -> ScimObject:
    """A page of resources as a directory reads it."""
    assert kind in ("User", "Group"), "there are no others"
    return {
        "schemas": [str(ListResponse.__schema__)],
        "totalResults": total,
        "startIndex": start,
        "itemsPerPage": len(resources),
        "Resources": resources,
    }


def parse_user(body: object) -> WantedUser:
    """Parse the SCIM user that a directory sends. Raises InvalidRequest."""
    return _wanted_user(_read(_USER, body))


def parse_group(body: object) -> WantedGroup:
    """Parse the SCIM group that a directory sends. Raises InvalidRequest."""
    return _wanted_group(_read(Group, body))


def patched_person(person: Person, operations: object) -> WantedUser:
    """The person after a directory's changes. Raises InvalidRequest."""
    return _wanted_user(_patched(_USER, person_as_scim(person, ""), operations))


def patched_group(group: UserGroup, operations: object) -> WantedGroup:
    """The group after a directory's changes. Raises InvalidRequest."""
    return _wanted_group(_patched(Group, group_as_scim(group, ""), operations))


def parse_query(
    text: str | None, names: Mapping[str, str], start: int, count: int | None
) -> PeopleQuery:
    """Parse a SCIM filter and page; `names` maps the attributes it may use, in lower case.

    Raises InvalidRequest for a filter other than one equality comparison.
    """
    criteria: dict[str, str] = {}
    if text is not None:
        match = _FILTER.fullmatch(text)
        if match is None or match[1].lower() not in names:
            raise InvalidRequest(
                "filter: it must compare one attribute by eq",
                hint=f"the attributes are {', '.join(names)}",
            )
        criteria[names[match[1].lower()]] = _ESCAPE.sub(r"\1", match[2][1:-1])
    limit = MAX_LISTED if count is None else max(0, min(count, MAX_LISTED))
    return PeopleQuery(**criteria, limit=limit, offset=max(start, 1) - 1)


def _read(kind: type[Kind], body: object) -> Kind:
    try:
        with _POLICY:
            resource: Kind = kind.model_validate(body, scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    except (ValidationError, SCIMException) as error:
        raise _not_understood(error) from error
    return resource


def _patched(kind: type[Kind], now: ScimObject, operations: object) -> Kind:
    try:
        with _POLICY:
            resource: Kind = kind.model_validate(now)
            change = PatchOp[kind].model_validate(  # type: ignore[valid-type]  # made as it is asked for
                operations, scim_ctx=Context.RESOURCE_PATCH_REQUEST
            )
            change.patch(resource)
    except (ValidationError, SCIMException) as error:
        raise _not_understood(error) from error
    return resource


def _not_understood(error: ValidationError | SCIMException) -> InvalidRequest:
    if isinstance(error, SCIMException):
        reason = str(error.detail)
    else:
        first = error.errors(include_url=False, include_input=False)[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return InvalidRequest(f"the resource is not understood: {reason}", hint="see RFC 7643")


def _wanted_user(resource: User) -> WantedUser:  # type: ignore[type-arg]  # of any extension
    if not resource.user_name:
        raise InvalidRequest("userName: it is missing", hint="give the person a name")
    members = resource.model_dump(exclude_none=True)
    return WantedUser(
        user_name=resource.user_name,
        external_id=resource.external_id,
        active=resource.active is not False,
        attributes={name: value for name, value in members.items() if name not in _OWN_ATTRIBUTES},
    )


def _wanted_group(resource: Group) -> WantedGroup:
    if not resource.display_name:
        raise InvalidRequest("displayName: it is missing", hint="give the group a name")
    try:
        members = tuple(UUID(str(member.value)) for member in resource.members or ())
    except ValueError as error:
        raise InvalidRequest(
            "members: one of them is no id of a user", hint="add the users before their groups"
        ) from error
    return WantedGroup(
        display_name=resource.display_name,
        external_id=resource.external_id,
        member_ids=tuple(dict.fromkeys(members)),
    )
