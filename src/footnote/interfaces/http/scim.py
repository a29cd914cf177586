"""SCIM 2.0 (RFC 7644): a directory keeps the people and groups of a workspace up to date."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from footnote.errors import Conflict, FootnoteError, InvalidRequest
from footnote.interfaces.failures import with_hint
from footnote.interfaces.http.problems import answer_with_problem
from footnote.interfaces.http.routing import ExactBodyRoute
from footnote.interfaces.http.scope import TheSettings, TheWorkspace
from footnote.security import scim
from footnote.settings import Settings

PREFIX = "/scim/v2"
MEDIA_TYPE = "application/scim+json"
_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
_TYPES = {Conflict: "uniqueness", InvalidRequest: "invalidValue"}
_USERS, _GROUPS = f"{PREFIX}/Users", f"{PREFIX}/Groups"


class ScimResponse(JSONResponse):
    """An answer that directories read."""

    media_type = MEDIA_TYPE


class ScimRoute(ExactBodyRoute):
    """A route whose refusals are errors as directories read them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """The handler, with its errors put in that shape."""
        answer = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await answer(request)
            except (FootnoteError, RequestValidationError) as error:
                refused = await answer_with_problem(request, error)
                # Their clients know no 422.
                status = 400 if refused.status_code == 422 else refused.status_code
                said: dict[str, object] = {
                    "schemas": [_ERROR],
                    "status": str(status),
                    "detail": with_hint(refused.problem.detail, refused.problem.hint),
                }
                kind = next(
                    (each for known, each in _TYPES.items() if isinstance(error, known)), None
                )
                if kind is not None:
                    said["scimType"] = kind
                return ScimResponse(said, status)

        return answer_or_explain


# Its shapes are those of the standard, and so no part of the described API.
router = APIRouter(
    tags=["identity"],
    route_class=ScimRoute,
    default_response_class=ScimResponse,
    include_in_schema=False,
)

Filter = Annotated[str | None, Query(max_length=1000)]
Start = Annotated[int, Query(alias="startIndex")]
Count = Annotated[int | None, Query()]


async def _body(request: Request) -> object:
    try:
        found: object = await request.json()
    except ValueError as error:
        raise InvalidRequest("the body is no JSON", hint="see RFC 7644") from error
    return found


def _base(settings: Settings, request: Request) -> str:
    return (settings.public_url or str(request.base_url)).rstrip("/") + PREFIX


@router.get(f"{PREFIX}/ServiceProviderConfig")
async def service_provider_config(_: TheWorkspace) -> ScimResponse:
    """What of the standard is there."""
    return ScimResponse(
        {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": {"supported": True},
            "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
            "filter": {"supported": True, "maxResults": scim.MOST_LISTED},
            "changePassword": {"supported": False},
            "sort": {"supported": False},
            "etag": {"supported": False},
            "authenticationSchemes": [
                {
                    "type": "oauthbearertoken",
                    "name": "Bearer",
                    "description": "An API key with the right administer.",
                }
            ],
        }
    )


@router.get(_USERS)
async def list_users(
    *,
    request: Request,
    workspace: TheWorkspace,
    settings: TheSettings,
    filter: Filter = None,  # noqa: A002  # as the standard names it
    start: Start = 1,
    count: Count = None,
) -> ScimResponse:
    """A page of the people."""
    base = _base(settings, request)
    names = {"username": "name", "externalid": "external_id"}
    sought = scim.sought_from(filter, names, start, count)
    total, found = await workspace.users(sought)
    shown = [scim.person_as_scim(each, base) for each in found]
    return ScimResponse(scim.listed_as_scim(total, sought.offset + 1, shown, "User"))


@router.post(_USERS)
async def add_user(
    request: Request, workspace: TheWorkspace, settings: TheSettings
) -> ScimResponse:
    """Add a person."""
    base = _base(settings, request)
    made = await workspace.add_user(scim.wanted_person(await _body(request)))
    headers = {"Location": f"{base}/Users/{made.user_id}"}
    return ScimResponse(scim.person_as_scim(made, base), 201, headers)


@router.get(f"{_USERS}/{{user_id}}")
async def show_user(
    request: Request, workspace: TheWorkspace, settings: TheSettings, user_id: UUID
) -> ScimResponse:
    """Show a person."""
    base = _base(settings, request)
    return ScimResponse(scim.person_as_scim(await workspace.user(user_id), base))


@router.put(f"{_USERS}/{{user_id}}")
async def replace_user(
    request: Request, workspace: TheWorkspace, settings: TheSettings, user_id: UUID
) -> ScimResponse:
    """Replace a person."""
    base = _base(settings, request)
    wanted = scim.wanted_person(await _body(request))
    return ScimResponse(scim.person_as_scim(await workspace.change_user(user_id, wanted), base))


@router.patch(f"{_USERS}/{{user_id}}")
async def patch_user(
    request: Request, workspace: TheWorkspace, settings: TheSettings, user_id: UUID
) -> ScimResponse:
    """Change a person."""
    base = _base(settings, request)
    wanted = scim.patched_person(await workspace.user(user_id), await _body(request))
    return ScimResponse(scim.person_as_scim(await workspace.change_user(user_id, wanted), base))


@router.delete(f"{_USERS}/{{user_id}}", status_code=204)
async def remove_user(workspace: TheWorkspace, user_id: UUID) -> Response:
    """Forget a person."""
    await workspace.remove_user(user_id)
    return Response(status_code=204)


@router.get(_GROUPS)
async def list_groups(
    *,
    request: Request,
    workspace: TheWorkspace,
    settings: TheSettings,
    filter: Filter = None,  # noqa: A002  # as the standard names it
    start: Start = 1,
    count: Count = None,
) -> ScimResponse:
    """A page of the groups."""
    base = _base(settings, request)
    names = {"displayname": "name", "externalid": "external_id"}
    sought = scim.sought_from(filter, names, start, count)
    total, found = await workspace.user_groups(sought)
    shown = [scim.group_as_scim(each, base) for each in found]
    return ScimResponse(scim.listed_as_scim(total, sought.offset + 1, shown, "Group"))


@router.post(_GROUPS)
async def add_group(
    request: Request, workspace: TheWorkspace, settings: TheSettings
) -> ScimResponse:
    """Add a group."""
    base = _base(settings, request)
    made = await workspace.add_user_group(scim.wanted_group(await _body(request)))
    headers = {"Location": f"{base}/Groups/{made.group_id}"}
    return ScimResponse(scim.group_as_scim(made, base), 201, headers)


@router.get(f"{_GROUPS}/{{group_id}}")
async def show_group(
    request: Request, workspace: TheWorkspace, settings: TheSettings, group_id: UUID
) -> ScimResponse:
    """Show a group."""
    base = _base(settings, request)
    return ScimResponse(scim.group_as_scim(await workspace.user_group(group_id), base))


@router.put(f"{_GROUPS}/{{group_id}}")
async def replace_group(
    request: Request, workspace: TheWorkspace, settings: TheSettings, group_id: UUID
) -> ScimResponse:
    """Replace a group."""
    base = _base(settings, request)
    wanted = scim.wanted_group(await _body(request))
    changed = await workspace.change_user_group(group_id, wanted)
    return ScimResponse(scim.group_as_scim(changed, base))


@router.patch(f"{_GROUPS}/{{group_id}}")
async def patch_group(
    request: Request, workspace: TheWorkspace, settings: TheSettings, group_id: UUID
) -> ScimResponse:
    """Change a group."""
    base = _base(settings, request)
    wanted = scim.patched_group(await workspace.user_group(group_id), await _body(request))
    changed = await workspace.change_user_group(group_id, wanted)
    return ScimResponse(scim.group_as_scim(changed, base))


@router.delete(f"{_GROUPS}/{{group_id}}", status_code=204)
async def remove_group(workspace: TheWorkspace, group_id: UUID) -> Response:
    """Forget a group."""
    await workspace.remove_user_group(group_id)
    return Response(status_code=204)
