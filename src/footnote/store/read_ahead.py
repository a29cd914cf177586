"""Pieces made in a thread of their own, for what may not be called while a store takes them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue

_AHEAD = 8
"""Pieces that wait to be taken, of about a mebibyte each."""
_LOOK_SECONDS = 0.1


@contextmanager
def read_ahead(pieces: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """The pieces as they are made; whoever stops taking them stops their making.

    An object store drives the pieces that it is given from within its runtime, where another call
    to one would end the process.
    """
    waiting: Queue[bytes | BaseException | None] = Queue(_AHEAD)
    stopped = threading.Event()

    def taken() -> Iterator[bytes]:
        while (piece := waiting.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    thread = threading.Thread(target=_make, args=(pieces, waiting, stopped), name="read ahead")
    thread.start()
    try:
        yield taken()
    finally:
        stopped.set()
        thread.join()


def _make(
    pieces: Iterable[bytes], waiting: Queue[bytes | BaseException | None], stopped: threading.Event
) -> None:
    end: BaseException | None = None
    try:
        for piece in pieces:
            _offer(piece, waiting, stopped)
            if stopped.is_set():
                return
    except BaseException as error:  # raised where the pieces are taken
        end = error
    _offer(end, waiting, stopped)


def _offer(
    piece: bytes | BaseException | None,
    waiting: Queue[bytes | BaseException | None],
    stopped: threading.Event,
) -> None:
    while not stopped.is_set():
        try:
            waiting.put(piece, timeout=_LOOK_SECONDS)
        except Full:
            continue
        return
