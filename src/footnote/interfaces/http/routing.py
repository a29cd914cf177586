"""What routes share: they refuse unknown input, and may answer the same problems."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.params import File
from fastapi.routing import APIRoute
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.routing import BaseRoute, Route

from footnote.interfaces.http.problems import ALWAYS, CUT_OFF, Refused
from footnote.validation.messages import printable
from footnote.validation.text import DuplicateName, members_once

_MAX_NAME_CHARACTERS = 60
"""How much of a field's name a message shows."""


class _Form(MultiPartParser):
    """Reads a form, and says which field is too long, and whether the end is missing."""

    _ended = False

    def on_end(self) -> None:
        """Note that the last boundary came."""
        self._ended = True

    async def parse(self) -> FormData:
        """The form. Raises MultiPartException, and Refused for a field that is too long."""
        form = await super().parse()
        if not self._ended:
            for file in self._files_to_close_on_error:
                file.close()
            raise MultiPartException(CUT_OFF)
        return form

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Take a piece of a part. Raises Refused."""
        part = self._current_part
        if part.file is None and len(part.data) + end - start > self.max_part_size:
            raise Refused(
                422,
                f"it is longer than the {self.max_part_size:,} bytes that a field may have",
                code="invalid-request",
                hint="Shorten it; what is to be found belongs into the file.",
                where=f"body.{part.field_name[:_MAX_NAME_CHARACTERS]}",
            )
        super().on_part_data(data, start, end)

    def on_part_end(self) -> None:
        """End a part. Raises Refused for a field that is no text."""
        part = self._current_part
        if part.file is None and self._charset == "utf-8":
            try:
                part.data.decode()
            except UnicodeDecodeError as error:
                raise Refused(
                    422,
                    f"it is not UTF-8: its byte {error.start + 1:,} is "
                    f"0x{part.data[error.start]:02X}",
                    code="invalid-request",
                    hint="Send fields in UTF-8.",
                    where=f"body.{part.field_name[:_MAX_NAME_CHARACTERS]}",
                ) from error
        super().on_part_end()


class _ExactRequest(Request):
    async def _get_form(
        self,
        *,
        max_files: float = 1000,
        max_fields: float = 1000,
        max_part_size: int = MultiPartParser.max_part_size,
    ) -> FormData:
        """The form. Raises HTTPException with what is wrong with it, and Refused."""
        media_type, _ = parse_options_header(self.headers.get("content-type"))
        if self._form is not None or media_type != b"multipart/form-data":
            return await super()._get_form(max_files=max_files, max_fields=max_fields)
        try:
            async with aclosing(self.stream()) as stream:
                self._form = await _Form(
                    self.headers,
                    stream,
                    max_files=max_files,
                    max_fields=max_fields,
                    max_part_size=max_part_size,
                ).parse()
        except MultiPartException as error:
            # Starlette calls it invalid, whatever the reason was.
            raise HTTPException(400, _reason_of(error)) from error
        return self._form

    async def json(self) -> object:
        """The body. Raises Refused where an object has a name twice, and json.JSONDecodeError."""
        try:
            return json.loads(await self.body(), object_pairs_hook=members_once)
        except DuplicateName as error:
            raise Refused(
                422,
                f"{printable(error.name)} is there more than once in one object",
                code="invalid-request",
                hint="Give each name once; the last would overrule the others.",
                where="body",
            ) from error
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise
        except ValueError as error:  # Python reads no number of thousands of digits.
            raise Refused(
                400,
                "The body has a number with too many digits.",
                hint="Send it as text, or rounded.",
            ) from error


class ExactBodyRoute(APIRoute):
    """A route that refuses a JSON body in which an object has a name twice.

    For protocols defined elsewhere, whose clients may add parameters to the query.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """FastAPI's handler over a request that reads JSON exactly."""
        handle = super().get_route_handler()

        async def answer_exactly(request: Request) -> Response:
            self.check_query(request)
            return await handle(_ExactRequest(request.scope, request.receive))

        return answer_exactly

    def check_query(self, request: Request) -> None:
        """Check the query before anything else; here every query is accepted."""


class ExactRoute(ExactBodyRoute):
    """A route that also refuses parameters of the query it does not know, or that come twice.

    Otherwise a misspelt filter would give everything.
    """

    def check_query(self, request: Request) -> None:
        """Raise RequestValidationError for what the route does not know or that comes twice."""
        names = [name for name, _ in request.query_params.multi_items()]
        _refuse_unknown("query", names, self._query_parameters)

    @cached_property
    def _query_parameters(self) -> Mapping[str, bool]:
        return dict(_query_parameters(self.dependant))


def refused_methods(routes: Sequence[BaseRoute]) -> Iterator[Route]:
    """Routes that refuse a method which a path without parameters does not take, though a route
    whose parameter fits the path does: `/v1/documents/deletions` is no document."""
    api_routes = [
        route for route in routes if isinstance(route, APIRoute) and route.include_in_schema
    ]
    methods_by_path: defaultdict[str, set[str]] = defaultdict(set)
    for route in api_routes:
        if not route.param_convertors:
            methods_by_path[route.path].update(route.methods or ())
    for path, allowed in methods_by_path.items():
        matching = (route.methods or () for route in api_routes if route.path_regex.match(path))
        if refused := set[str]().union(*matching) - allowed:
            yield Route(path, _refuse_method, methods=sorted(refused), include_in_schema=False)


async def _refuse_method(_: Request) -> Response:
    raise HTTPException(405)


async def _check_form(request: Request) -> None:
    parameters = request.scope["route"].dependant.body_params
    accepted = {
        parameter.alias: _takes_many(parameter.field_info.annotation) for parameter in parameters
    }
    fields = (await request.form()).multi_items()
    _refuse_unknown("body", [name for name, _ in fields], accepted)
    text_names = {
        parameter.alias for parameter in parameters if not isinstance(parameter.field_info, File)
    }
    # FastAPI treats an empty value as absent.
    _refuse(
        "body",
        {
            name: "it must not be empty"
            for name, value in fields
            if value == "" and name in text_names
        },
    )


ExactForm = Depends(_check_form)
"""Refuses fields of a form that its route does not know, that come twice, or that are empty."""


def _reason_of(error: MultiPartException) -> str:
    cause = error.__cause__
    reason = str(cause) if isinstance(cause, FormParserError) else ""
    return reason if reason.startswith("Maximum header ") else error.message


def operation_id(route: APIRoute) -> str:
    """The id of a route's operation in the description: the name of its function."""
    return route.name


def workspace_router(tag: str, route_class: type[APIRoute] = ExactRoute) -> APIRouter:
    """A router for routes inside a workspace."""
    return APIRouter(
        tags=[tag],
        route_class=route_class,
        responses=ALWAYS,
        generate_unique_id_function=operation_id,
    )


def _query_parameters(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """The query parameters of a route, and whether each may be repeated."""
    for parameter in dependant.query_params:
        yield parameter.alias, _takes_many(parameter.field_info.annotation)
    for dependency in dependant.dependencies:
        yield from _query_parameters(dependency)


def _takes_many(annotation: object) -> bool:
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return any(map(_takes_many, get_args(annotation)))
    return get_origin(annotation) in (list, tuple, set, frozenset)


def _refuse_unknown(location: str, names: Sequence[str], accepted: Mapping[str, bool]) -> None:
    """Raise RequestValidationError for unknown names, and for names that are repeated."""
    unknown = f"it is not known here; known are {', '.join(sorted(accepted)) or 'none'}"
    messages = {
        name: "send it once, not twice" if name in accepted else unknown
        for name in names
        if not accepted.get(name) and (name not in accepted or names.count(name) > 1)
    }
    _refuse(location, messages)


def _refuse(location: str, messages: Mapping[str, str]) -> None:
    """Raise RequestValidationError with the message of each name, if there are any."""
    if messages:
        raise RequestValidationError(
            [
                {"type": "assertion_error", "loc": (location, name), "msg": message}
                for name, message in sorted(messages.items())
            ]
        )
