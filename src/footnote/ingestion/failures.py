"""Explain why a file cannot be read, and replace messages of libraries by plain sentences."""

from __future__ import annotations

import re

from footnote.domain import Failure, Stage
from footnote.errors import DocumentFailed, DocumentUnreadable

_ENDS_EARLY = "it ends too early"
_BAD_COMPRESSION = "its compressed data is damaged"
_MARKUP = "its XML is damaged"
_CAUSES = {
    "BadZipFile": "it is no complete ZIP package",
    "EOFError": _ENDS_EARLY,
    "ReadError": _ENDS_EARLY,
    "BadGzipFile": _BAD_COMPRESSION,
    "LZMAError": _BAD_COMPRESSION,
    "ParseError": _MARKUP,
    "ExpatError": _MARKUP,
    "XMLSyntaxError": _MARKUP,
    "NotImplementedError": "it is packed in a way that cannot be unpacked",
    "RecursionError": "it is nested too deep",
    "UnicodeError": "its text is in no encoding that is known",
}
"""Causes by the name of an exception, since libraries that define one may not be installed."""
_INCOMPLETE = re.compile(r"incomplete|truncated|premature|unexpected end", re.IGNORECASE)
_MISSING = re.compile(r"There is no item named '([^']{1,200})'")
_POSITION = re.compile(r"line (\d+), column (\d+)")


def unreadable(cause: str, advice: str) -> DocumentUnreadable:
    """The error of a file that cannot be read."""
    return DocumentUnreadable(stage=Stage.PARSE, cause=cause, advice=advice)


def failure_of(error: DocumentFailed) -> Failure:
    """The failure a document keeps."""
    return Failure(
        stage=error.stage, cause=error.cause, advice=error.advice, retryable=error.retryable
    )


def plain_cause(failure: DocumentUnreadable) -> str:
    """Return the cause, with an exception's name and message replaced by a plain sentence.

    >>> broken = DocumentUnreadable(
    ...     stage=Stage.PARSE, cause="the archive is damaged (BadZipFile: no end)", advice="…"
    ... )
    >>> broken.__cause__ = BadZipFile("no end")
    >>> plain_cause(broken)
    'the archive is damaged: it is no complete ZIP package'
    """
    error = failure.__cause__
    if error is None:
        return failure.cause
    prefix, separator, _ = failure.cause.partition(f" ({type(error).__name__}")
    if not separator:
        return failure.cause
    reason = _plain_reason(error)
    return f"{prefix}: {reason}" if reason else prefix


def _plain_reason(error: BaseException) -> str:
    """Return what is wrong with a file, from its exception; empty if that says nothing plain."""
    message = str(error)
    if type(error).__module__.startswith("footnote."):
        return message
    if missing := _MISSING.search(message):
        return f"{missing[1]} is missing in it"
    causes = (_CAUSES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _CAUSES)
    cause = next(causes, "")
    if cause == _MARKUP and (position := _POSITION.search(message)):
        return f"{cause} (line {position[1]}, column {position[2]})"
    if not cause and _INCOMPLETE.search(message):
        return _ENDS_EARLY
    return cause or (_BAD_COMPRESSION if type(error).__module__ == "zlib" else "")
