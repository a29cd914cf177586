"""Verbs of a remote server that are their signature and their route, and nothing else."""

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
    """Who can ask a server."""

    transport: Transport
    """The way to it."""

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        ...


class Twin(Generic[P, R]):
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


class StreamTwin(Generic[P, R]):
    """A verb that gives one thing after another; on a bridged client it is an iterator."""

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
    or empty, and members of a JSON object else; `names` has those that the route calls otherwise.
    The answer is decoded as a whole, or its `member`; without one wanted it is not looked at.
    """
    called = names or {}

    def made(function: Verb) -> Verb:
        signature = inspect.signature(function)
        own = next(iter(signature.parameters))

        @cache
        def kind() -> Any:
            return get_type_hints(function)["return"]

        @wraps(cast("Callable[..., object]", function))
        async def asked(*args: object, **kwargs: object) -> object:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            client = cast("Remote", bound.arguments.pop(own))
            headers = {}
            if "idempotency_key" in bound.arguments:
                headers["Idempotency-Key"] = bound.arguments.pop("idempotency_key") or str(uuid4())
            given = to_jsonable_python(bound.arguments)
            place = path.format(**{name: quote(str(each), safe="") for name, each in given.items()})
            sent = {
                called.get(name, name): each
                for name, each in given.items()
                if f"{{{name}}}" not in path
            }
            if method in ("GET", "DELETE"):
                content = Content(params=_params(sent), headers=headers)
            else:
                content = Content(json=sent if sent else None, headers=headers)
            response = await client.transport.call(method, place, content, repeat=repeat)
            if kind() is type(None):
                return None
            answer = decoded(dict[str, object], response.json())
            return decoded(kind(), answer.get(member) if member else answer)

        return cast("Verb", asked)

    return made


def _params(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a query, in which a truth value is a word."""
    return {
        name: str(each).lower() if isinstance(each, bool) else each
        for name, each in given.items()
        if each is not None and each not in ("", [])
    }
