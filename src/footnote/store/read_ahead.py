"""Produce pieces in a separate thread, for iterators that an object store must not run itself."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue

_AHEAD = 8
"""Most pieces that are buffered, of about a mebibyte each."""
_LOOK_SECONDS = 0.1


@contextmanager
def read_ahead(pieces: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """Yield the pieces as they are produced; leaving the context stops the production.

    An object store iterates its input from within its own runtime, where another call to an object
    store would end the process.
    """
    queue: Queue[bytes | BaseException | None] = Queue(_AHEAD)
    stopped = threading.Event()

    def taken() -> Iterator[bytes]:
        while (piece := queue.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    thread = threading.Thread(target=_produce, args=(pieces, queue, stopped), name="read ahead")
    thread.start()
    try:
        yield taken()
    finally:
        stopped.set()
        thread.join()


def _produce(
    pieces: Iterable[bytes], queue: Queue[bytes | BaseException | None], stopped: threading.Event
) -> None:
    end: BaseException | None = None
    try:
        for piece in pieces:
            _put(piece, queue, stopped)
            if stopped.is_set():
                return
    except BaseException as error:  # raised where the pieces are taken
        end = error
    _put(end, queue, stopped)


def _put(
    piece: bytes | BaseException | None,
    queue: Queue[bytes | BaseException | None],
    stopped: threading.Event,
) -> None:
    while not stopped.is_set():
        try:
            queue.put(piece, timeout=_LOOK_SECONDS)
        except Full:
            continue
        return
