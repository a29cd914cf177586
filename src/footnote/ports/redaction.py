"""For whom a model is asked, so that it can ask what must not be sent to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from footnote.domain.redaction import EVERYTHING, Redaction, RedactionSource


async def _strictest() -> Redaction:
    return EVERYTHING


_SOURCE: ContextVar[RedactionSource] = ContextVar("redaction", default=_strictest)


@contextmanager
def redacting_as(source: RedactionSource) -> Iterator[None]:
    """Have the texts of models that are asked within, and in tasks that begin within, redacted so.

    The source is asked before each text that leaves. Not around a `yield` of an asynchronous
    generator: whoever reads it has a context of their own.
    """
    before = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(before)


async def redaction_in_force() -> Redaction:
    """What is to be redacted now: everything that can be, where nobody said for whom."""
    return await _SOURCE.get()()
