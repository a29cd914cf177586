"""The one bridge from blocking code to an event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from enum import Enum
from functools import partial, wraps
from queue import SimpleQueue
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from anyio.from_thread import BlockingPortal

P = ParamSpec("P")
R = TypeVar("R")


class Openable(Protocol):
    """An object that can be used until it is closed."""

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        ...


Inner = TypeVar("Inner", bound=Openable)
Inner_co = TypeVar("Inner_co", bound=Openable, covariant=True)


class Bridged(Protocol[Inner_co]):
    """A blocking stand-in for an async object on the other side of the bridge."""

    @property
    def portal(self) -> BlockingPortal:
        """The portal to the event loop."""
        ...

    @property
    def inner(self) -> Inner_co:
        """The async object."""
        ...


def blocking(
    verb: Callable[Concatenate[Inner, P], Awaitable[R]],
) -> Callable[Concatenate[Bridged[Inner], P], R]:
    """The same verb with the same arguments, waiting for its result."""

    @wraps(verb)
    def wait(bridged: Bridged[Inner], /, *args: P.args, **kwargs: P.kwargs) -> R:
        bridged.inner.require_open()
        return bridged.portal.call(partial(verb, bridged.inner, *args, **kwargs))

    return wait


def blocking_iterator(
    verb: Callable[Concatenate[Inner, P], AsyncGenerator[R]],
) -> Callable[Concatenate[Bridged[Inner], P], Iterator[R]]:
    """The same verb with the same arguments, waiting for each item that it yields.

    Leaving the iterator early, or closing it, ends the generator.
    """

    @wraps(verb)
    def iterate(bridged: Bridged[Inner], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        bridged.inner.require_open()
        return _iterate(bridged.portal, partial(verb, bridged.inner, *args, **kwargs))

    return iterate


class _End(Enum):
    END = "end"


def _iterate(portal: BlockingPortal, begin: Callable[[], AsyncGenerator[R]]) -> Iterator[R]:
    """Iterate an async generator, which runs from start to end in one task of its loop."""
    queue: SimpleQueue[R | _End] = SimpleQueue()

    async def run() -> None:
        try:
            async with aclosing(begin()) as generator:
                async for item in generator:
                    queue.put(item)
        finally:
            queue.put(_End.END)

    running = portal.start_task_soon(run)
    try:
        while not isinstance(item := queue.get(), _End):
            yield item
        running.result()
    finally:
        running.cancel()
