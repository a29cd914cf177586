"""Says which extra brings a library that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from footnote.errors import InvalidRequest, how_to_install


@contextmanager
def wanted(library: str, extra: str) -> Iterator[None]:
    """Turn a failed import within the block into InvalidRequest, with what to install."""
    try:
        yield
    except ImportError as error:
        raise InvalidRequest(f"{library} is not installed", hint=how_to_install(extra)) from error
