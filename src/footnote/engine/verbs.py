"""Bind functions as verbs of a workspace: with checks, audit entries and a blocking twin."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import partial, wraps
from inspect import signature
from types import MethodType
from typing import Concatenate, Generic, ParamSpec, TypeVar, overload

from footnote.bridge import Bridged, blocking, blocking_iterator
from footnote.domain import Right
from footnote.domain.audit import Act, Outcome
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.engine.acts import RunningAct, entered, entered_stream
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Forbidden
from footnote.validation.arguments import arguments_of, checks

P = ParamSpec("P")
R = TypeVar("R")


class Verb(Generic[P, R]):
    """A verb with checks of rights and arguments; on a bridged workspace it blocks."""

    def __init__(
        self,
        verb: Callable[Concatenate[WorkspaceAccess, P], Coroutine[object, object, R]],
        act: Act,
        right: Right,
        *,
        whole: bool | None = None,
    ) -> None:
        """`whole` says whether the right must hold in the whole workspace; administration must."""
        self.act, self.right = act, right
        checked, begun = checks(verb), _beginning(verb, act, right, whole)

        @wraps(checked)
        async def permitted(access: WorkspaceAccess, /, *args: P.args, **kwargs: P.kwargs) -> R:
            under_way = begun(access, *args, **kwargs)
            return await entered(under_way, partial(checked, access, *args, **kwargs))

        self._verb = permitted
        self._twin = blocking(permitted)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[WorkspaceAccess, P], Coroutine[object, object, R]]: ...
    @overload
    def __get__(
        self, instance: WorkspaceAccess, owner: type
    ) -> Callable[P, Coroutine[object, object, R]]: ...
    @overload
    def __get__(self, instance: Bridged[WorkspaceAccess], owner: type) -> Callable[P, R]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


class StreamVerb(Generic[P, R]):
    """A verb that yields a stream; its twin is a blocking iterator."""

    def __init__(
        self,
        verb: Callable[Concatenate[WorkspaceAccess, P], AsyncGenerator[R]],
        act: Act,
        right: Right,
        *,
        whole: bool | None = None,
    ) -> None:
        """`whole` says whether the right must hold in the whole workspace; administration must."""
        self.act, self.right = act, right
        checked, begun = checks(verb), _beginning(verb, act, right, whole)

        @wraps(checked)
        def permitted(
            access: WorkspaceAccess, /, *args: P.args, **kwargs: P.kwargs
        ) -> AsyncGenerator[R]:
            under_way = begun(access, *args, **kwargs)
            try:
                under_way.require_right()
            except Forbidden as error:
                under_way.enter_soon(Outcome.REFUSED, error)
                raise
            stream = checked(access, *args, **kwargs)
            return stream if act is Act.OBSERVED else entered_stream(under_way, stream)

        self._verb = permitted
        self._twin = blocking_iterator(permitted)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[WorkspaceAccess, P], AsyncGenerator[R]]: ...
    @overload
    def __get__(self, instance: WorkspaceAccess, owner: type) -> Callable[P, AsyncGenerator[R]]: ...
    @overload
    def __get__(
        self, instance: Bridged[WorkspaceAccess], owner: type
    ) -> Callable[P, Iterator[R]]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


def _beginning(
    verb: Callable[..., object], act: Act, right: Right, whole: bool | None
) -> Callable[..., RunningAct]:
    """Return a function that turns a call of the verb into a `RunningAct`."""
    verb_signature = signature(verb)
    in_whole_workspace = right is Right.ADMINISTER if whole is None else whole
    collection = WHOLE_WORKSPACE if in_whole_workspace else None  # None: in any collection.

    def begun(access: WorkspaceAccess, *args: object, **kwargs: object) -> RunningAct:
        return RunningAct(
            access=access,
            act=act,
            verb=verb.__name__,
            arguments=arguments_of(verb, verb_signature, (access, *args), kwargs),
            right=right,
            place=collection,
        )

    return begun


def _bound(
    verb: Callable[..., object], twin: Callable[..., object], instance: object, owner: type
) -> object:
    function = verb if issubclass(owner, WorkspaceAccess) else twin
    return function if instance is None else MethodType(function, instance)
