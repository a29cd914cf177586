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
    """Redact the texts sent to models, in this context and in tasks that begin in it.

    The source is asked before each text that is sent. Not around a `yield` of an asynchronous
    generator: its reader has another context.
    """
    previous = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(previous)


async def redaction_in_force() -> Redaction:
    """The redaction in force; by default everything that can be redacted."""
    return await _SOURCE.get()()
