"""SCIM 2.0 (RFC 7644): a directory keeps the people and groups of a workspace up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from footnote.domain.people import PeopleQuery
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, FootnoteError, InvalidRequest
from footnote.interfaces.failures import with_hint
from footnote.interfaces.http.problems import answer_with_problem
from footnote.interfaces.http.routing import ExactBodyRoute
from footnote.interfaces.http.scope import TheSettings, TheWorkspace
from footnote.security import scim
from footnote.settings import Settings
from footnote.validation.text import json_fault

PREFIX = "/scim/v2"
MEDIA_TYPE = "application/scim+json"
_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
_TYPES = {Conflict: "uniqueness", InvalidRequest: "invalidValue"}
Stored = TypeVar("Stored")
Requested = TypeVar("Requested")


class ScimResponse(JSONResponse):
    """An answer that directories read."""

    media_type = MEDIA_TYPE


class ScimRoute(ExactBodyRoute):
    """A route whose refusals are errors as directories read them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """The handler, with its errors put in that shape."""
        handle = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await handle(request)
            except (FootnoteError, RequestValidationError) as error:
                refused = await answer_with_problem(request, error)
                # Their clients know no 422.
                status = 400 if refused.status_code == 422 else refused.status_code
                body: dict[str, object] = {
                    "schemas": [_ERROR],
                    "status": str(status),
                    "detail": with_hint(refused.problem.detail, refused.problem.hint),
                }
                scim_type = next(
                    (
                        name
                        for error_class, name in _TYPES.items()
                        if isinstance(error, error_class)
                    ),
                    None,
                )
                if scim_type is not None:
                    body["scimType"] = scim_type
                return ScimResponse(body, status)

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
        body: object = await request.json()
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the body: {json_fault(error)}", hint="see RFC 7644") from error
    return body


def _base(settings: Settings, request: Request) -> str:
    return (settings.public_url or str(request.base_url)).rstrip("/") + PREFIX


@router.get(f"{PREFIX}/ServiceProviderConfig")
async def service_provider_config(_: TheWorkspace) -> ScimResponse:
    """The parts of the standard that are supported."""
    return ScimResponse(
        {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": {"supported": True},
            "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
            "filter": {"supported": True, "maxResults": scim.MAX_LISTED},
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resource(Generic[Stored, Requested]):
    """People, or groups: directories treat them alike."""

    name: str
    attributes: Mapping[str, str]
    """The attributes that a filter may name, in lower case, and the field each one searches."""
    identity: Callable[[Stored], UUID]
    to_scim: Callable[[Stored, str], dict[str, object]]
    from_scim: Callable[[object], Requested]
    patch: Callable[[Stored, object], Requested]
    page: Callable[[WorkspaceEngine, PeopleQuery], Awaitable[tuple[int, tuple[Stored, ...]]]]
    get: Callable[[WorkspaceEngine, UUID], Awaitable[Stored]]
    add: Callable[[WorkspaceEngine, Requested], Awaitable[Stored]]
    change: Callable[[WorkspaceEngine, UUID, Requested], Awaitable[Stored]]
    remove: Callable[[WorkspaceEngine, UUID], Awaitable[None]]


def _serve(kind: _Resource[Stored, Requested]) -> None:
    """Add the routes of one kind of resource."""
    path = f"{PREFIX}/{kind.name}s"

    @router.get(path)
    async def list_resources(
        *,
        request: Request,
        workspace: TheWorkspace,
        settings: TheSettings,
        filter: Filter = None,  # noqa: A002  # as the standard names it
        start: Start = 1,
        count: Count = None,
    ) -> ScimResponse:
        base = _base(settings, request)
        query = scim.parse_query(filter, kind.attributes, start, count)
        total, records = await kind.page(workspace, query)
        resources = [kind.to_scim(record, base) for record in records]
        return ScimResponse(scim.listed_as_scim(total, query.offset + 1, resources, kind.name))

    @router.post(path)
    async def add_resource(
        request: Request, workspace: TheWorkspace, settings: TheSettings
    ) -> ScimResponse:
        base = _base(settings, request)
        created = await kind.add(workspace, kind.from_scim(await _body(request)))
        headers = {"Location": f"{base}/{kind.name}s/{kind.identity(created)}"}
        return ScimResponse(kind.to_scim(created, base), 201, headers)

    @router.get(f"{path}/{{resource_id}}")
    async def show_resource(
        request: Request, workspace: TheWorkspace, settings: TheSettings, resource_id: UUID
    ) -> ScimResponse:
        record = await kind.get(workspace, resource_id)
        return ScimResponse(kind.to_scim(record, _base(settings, request)))

    @router.put(f"{path}/{{resource_id}}")
    async def replace_resource(
        request: Request, workspace: TheWorkspace, settings: TheSettings, resource_id: UUID
    ) -> ScimResponse:
        changed = await kind.change(workspace, resource_id, kind.from_scim(await _body(request)))
        return ScimResponse(kind.to_scim(changed, _base(settings, request)))

    @router.patch(f"{path}/{{resource_id}}")
    async def patch_resource(
        request: Request, workspace: TheWorkspace, settings: TheSettings, resource_id: UUID
    ) -> ScimResponse:
        requested = kind.patch(await kind.get(workspace, resource_id), await _body(request))
        changed = await kind.change(workspace, resource_id, requested)
        return ScimResponse(kind.to_scim(changed, _base(settings, request)))

    @router.delete(f"{path}/{{resource_id}}", status_code=204)
    async def remove_resource(workspace: TheWorkspace, resource_id: UUID) -> Response:
        await kind.remove(workspace, resource_id)
        return Response(status_code=204)


_serve(
    _Resource(
        name="User",
        attributes={"username": "name", "externalid": "external_id"},
        identity=lambda user: user.user_id,
        to_scim=scim.person_as_scim,
        from_scim=scim.parse_user,
        patch=scim.patched_person,
        page=lambda workspace, query: workspace.users(query),
        get=lambda workspace, user_id: workspace.user(user_id),
        add=lambda workspace, requested: workspace.add_user(requested),
        change=lambda workspace, user_id, requested: workspace.change_user(user_id, requested),
        remove=lambda workspace, user_id: workspace.remove_user(user_id),
    )
)
_serve(
    _Resource(
        name="Group",
        attributes={"displayname": "name", "externalid": "external_id"},
        identity=lambda group: group.group_id,
        to_scim=scim.group_as_scim,
        from_scim=scim.parse_group,
        patch=scim.patched_group,
        page=lambda workspace, query: workspace.user_groups(query),
        get=lambda workspace, group_id: workspace.user_group(group_id),
        add=lambda workspace, requested: workspace.add_user_group(requested),
        change=lambda workspace, group_id, requested: workspace.change_user_group(
            group_id, requested
        ),
        remove=lambda workspace, group_id: workspace.remove_user_group(group_id),
    )
)
