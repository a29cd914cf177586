"""Verbs of a remote server, defined by their signature and their route alone."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from functools import cache, wraps
from types import MethodType
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_type_hints,
    overload,
)
from urllib.parse import quote
from uuid import uuid4

from pydantic_core import to_jsonable_python

from footnote.bridge import Bridged, blocking, blocking_iterator
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.transport import Content, Repeat, Transport
from footnote.validation.arguments import checks

Verb = TypeVar("Verb", bound=Callable[..., object])
P = ParamSpec("P")
R = TypeVar("R")


class Remote(Protocol):
    """A client of a server."""

    transport: Transport
    """The connection to it."""

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        ...


class RemoteVerb(Generic[P, R]):
    """A verb that checks its arguments; on a bridged client it waits for its result."""

    def __init__(
        self, verb: Callable[Concatenate[Remote, P], Coroutine[object, object, R]]
    ) -> None:
        self._verb = checks(verb)
        self._twin = blocking(self._verb)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[Remote, P], Coroutine[object, object, R]]: ...
    @overload
    def __get__(
        self, instance: Remote, owner: type
    ) -> Callable[P, Coroutine[object, object, R]]: ...
    @overload
    def __get__(self, instance: Bridged[Remote], owner: type) -> Callable[P, R]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


class RemoteStream(Generic[P, R]):
    """A verb that yields results; on a bridged client it is an iterator."""

    def __init__(self, verb: Callable[Concatenate[Remote, P], AsyncGenerator[R]]) -> None:
        self._verb = checks(verb)
        self._twin = blocking_iterator(self._verb)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[Remote, P], AsyncGenerator[R]]: ...
    @overload
    def __get__(self, instance: Remote, owner: type) -> Callable[P, AsyncGenerator[R]]: ...
    @overload
    def __get__(self, instance: Bridged[Remote], owner: type) -> Callable[P, Iterator[R]]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


def _bound(
    verb: Callable[..., object], twin: Callable[..., object], instance: object, owner: type
) -> object:
    of_owner = twin if getattr(owner, "waits", False) else verb
    return of_owner if instance is None else MethodType(of_owner, instance)


def verb(
    method: str,
    path: str,
    member: str = "",
    *,
    repeat: Repeat = Repeat.LOST,
    names: Mapping[str, str] | None = None,
) -> Callable[[Verb], Verb]:
    """Have a function without a body ask a route, and give what its annotation says.

    Arguments that the path names go there, and `idempotency_key` into its header, a new one if
    there is none. The others are parameters of the query for GET and DELETE, unless they are None
    or empty, and otherwise members of a JSON object; `names` maps those that have another name in
    the route. The result is decoded from the whole response, or from its `member`; a function that
    returns None ignores the response.
    """
    route_names = names or {}

    def decorate(function: Verb) -> Verb:
        signature = inspect.signature(function)
        client_parameter = next(iter(signature.parameters))

        @cache
        def kind() -> Any:
            return get_type_hints(function)["return"]

        @wraps(cast("Callable[..., object]", function))
        async def call(*args: object, **kwargs: object) -> object:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            client = cast("Remote", bound.arguments.pop(client_parameter))
            headers = {}
            if "idempotency_key" in bound.arguments:
                headers["Idempotency-Key"] = bound.arguments.pop("idempotency_key") or str(uuid4())
            values = to_jsonable_python(bound.arguments)
            quoted = {name: quote(str(value), safe="") for name, value in values.items()}
            url_path = path.format(**quoted)
            fields = {
                route_names.get(name, name): value
                for name, value in values.items()
                if f"{{{name}}}" not in path
            }
            if method in ("GET", "DELETE"):
                content = Content(params=_params(fields), headers=headers)
            else:
                content = Content(json=fields if fields else None, headers=headers)
            response = await client.transport.call(method, url_path, content, repeat=repeat)
            if kind() is type(None):
                return None
            answer = decoded(dict[str, object], response.json())
            return decoded(kind(), answer.get(member) if member else answer)

        return cast("Verb", call)

    return decorate


def _params(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a query, in which booleans are `true` and `false`."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in values.items()
        if value is not None and value not in ("", [])
    }
