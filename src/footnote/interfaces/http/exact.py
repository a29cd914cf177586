"""Routes that refuse what would be passed over or overruled in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from types import UnionType
from typing import Union, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import NamedTwice
from footnote.validation import text
from footnote.validation.text import members_once


class ExactBodyRoute(APIRoute):
    """A route whose JSON body names each member once.

    For what others call by a protocol of their own, which may add parameters to an address.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """FastAPI's handler over a request that reads JSON exactly."""
        answer = super().get_route_handler()

        async def answer_exactly(request: Request) -> Response:
            return await answer(_ExactRequest(request.scope, request.receive))

        return answer_exactly


class ExactRoute(ExactBodyRoute):
    """A route that also takes no parameter of the query which it does not know.

    A misspelt filter that were passed over would give everything.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """The handler, behind a look at the query."""
        answer = super().get_route_handler()
        known = dict(_parameters(self.dependant))

        async def check_and_answer(request: Request) -> Response:
            _check([name for name, _ in request.query_params.multi_items()], known)
            return await answer(request)

        return check_and_answer


class _ExactRequest(Request):
    async def json(self) -> object:
        """The body, each name of an object once. Raises NamedTwice and json.JSONDecodeError."""
        try:
            return json.loads(await self.body(), object_pairs_hook=members_once)
        except text.NamedTwice as error:
            raise NamedTwice(error.name) from error


def _parameters(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """What a route takes from the query, and whether it may be repeated."""
    for parameter in dependant.query_params:
        yield parameter.alias, _takes_many(parameter.field_info.annotation)
    for each in dependant.dependencies:
        yield from _parameters(each)


def _takes_many(annotation: object) -> bool:
    if get_origin(annotation) in (Union, UnionType):
        return any(map(_takes_many, get_args(annotation)))
    return get_origin(annotation) in (list, tuple, set, frozenset)


def _check(names: list[str], known: dict[str, bool]) -> None:
    """Raise InvalidRequest for a name that is not known, and for one there more than once."""
    for name in names:
        if name not in known:
            takes = ", ".join(sorted(known))
            raise InvalidRequest(
                f"query.{name}: there is no such parameter",
                hint=f"this route takes {takes}" if takes else "this route takes none",
            )
        if not known[name] and names.count(name) > 1:
            raise InvalidRequest(
                f"query.{name}: it is there {names.count(name)} times", hint="give it once"
            )
