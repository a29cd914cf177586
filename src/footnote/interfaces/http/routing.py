"""What routes share: they ignore nothing that is sent, and may answer the same problems."""

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
from footnote.validation.messages import shown
from footnote.validation.text import NamedTwice, members_once

_SHOWN_CHARACTERS = 60
"""Of the name of a field."""


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
                where=f"body.{part.field_name[:_SHOWN_CHARACTERS]}",
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
                    where=f"body.{part.field_name[:_SHOWN_CHARACTERS]}",
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
        sent, _ = parse_options_header(self.headers.get("content-type"))
        if self._form is not None or sent != b"multipart/form-data":
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
        except NamedTwice as error:
            raise Refused(
                422,
                f"{shown(error.name)} is there more than once in one object",
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

    For protocols of others, which may add parameters to an address.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """FastAPI's handler over a request that reads JSON exactly."""
        answer = super().get_route_handler()

        async def answer_exactly(request: Request) -> Response:
            self.check_query(request)
            return await answer(_ExactRequest(request.scope, request.receive))

        return answer_exactly

    def check_query(self, request: Request) -> None:
        """Look at the query before all else; here anything may stand in it."""


class ExactRoute(ExactBodyRoute):
    """A route that also refuses parameters of the query it does not know, or that come twice.

    Otherwise a misspelt filter would give everything.
    """

    def check_query(self, request: Request) -> None:
        """Raise RequestValidationError for what the route does not know or that comes twice."""
        names = [name for name, _ in request.query_params.multi_items()]
        _refuse_others("query", names, self._query_parameters)

    @cached_property
    def _query_parameters(self) -> Mapping[str, bool]:
        return dict(_query_parameters(self.dependant))


def refused_methods(routes: Sequence[BaseRoute]) -> Iterator[Route]:
    """Routes that refuse a method which a path without parameters does not take, though a route
    whose parameter fits the path does: `/v1/documents/deletions` is no document."""
    described = [each for each in routes if isinstance(each, APIRoute) and each.include_in_schema]
    fixed: defaultdict[str, set[str]] = defaultdict(set)
    for route in described:
        if not route.param_convertors:
            fixed[route.path].update(route.methods or ())
    for path, known in fixed.items():
        fitting = (each.methods or () for each in described if each.path_regex.match(path))
        if others := set[str]().union(*fitting) - known:
            yield Route(path, _refuse_method, methods=sorted(others), include_in_schema=False)


async def _refuse_method(_: Request) -> Response:
    raise HTTPException(405)


async def _check_form(request: Request) -> None:
    fields = request.scope["route"].dependant.body_params
    known = {each.alias: _takes_many(each.field_info.annotation) for each in fields}
    given = (await request.form()).multi_items()
    _refuse_others("body", [name for name, _ in given], known)
    texts = {each.alias for each in fields if not isinstance(each.field_info, File)}
    # FastAPI takes what is empty for what is absent.
    _refuse(
        "body",
        {name: "it must not be empty" for name, value in given if value == "" and name in texts},
    )


ExactForm = Depends(_check_form)
"""Refuses fields of a form that its route does not know, that come twice, or that are empty."""


def _reason_of(error: MultiPartException) -> str:
    cause = error.__cause__
    said = str(cause) if isinstance(cause, FormParserError) else ""
    return said if said.startswith("Maximum header ") else error.message


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
    """The names that a route takes from the query, and whether each may be repeated."""
    for parameter in dependant.query_params:
        yield parameter.alias, _takes_many(parameter.field_info.annotation)
    for each in dependant.dependencies:
        yield from _query_parameters(each)


def _takes_many(annotation: object) -> bool:
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return any(map(_takes_many, get_args(annotation)))
    return get_origin(annotation) in (list, tuple, set, frozenset)


def _refuse_others(place: str, names: Sequence[str], known: Mapping[str, bool]) -> None:
    """Raise RequestValidationError for unknown names, and for those that are there too often."""
    unknown = f"it is not known here; known are {', '.join(sorted(known)) or 'none'}"
    wrong = {
        name: "send it once, not twice" if name in known else unknown
        for name in names
        if not known.get(name) and (name not in known or names.count(name) > 1)
    }
    _refuse(place, wrong)


def _refuse(place: str, wrong: Mapping[str, str]) -> None:
    """Raise RequestValidationError for the named parts, if there are any."""
    if wrong:
        raise RequestValidationError(
            [
                {"type": "assertion_error", "loc": (place, name), "msg": message}
                for name, message in sorted(wrong.items())
            ]
        )
