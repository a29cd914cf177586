"""The HTTP status, exit code, title and stable name of each of our errors."""

from __future__ import annotations

from dataclasses import dataclass

from footnote import errors
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    Conflict,
    DocumentFailed,
    DocumentInterrupted,
    DocumentUnreadable,
    FootnoteError,
    InvalidRequest,
    LaneMismatch,
    LaneUnavailable,
    ModelUnavailable,
    NotFound,
    NotReady,
    QueueFull,
    SourceUnreachable,
    StoreUnavailable,
    UnsupportedSettings,
)

ABSENT = "There is no such thing in this workspace."
"""HTTP's one sentence for what is absent or foreign, so that the two look the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How one class of error presents itself."""

    code: str
    """A stable name for programs."""
    title: str
    status: int
    exit_code: int


UNEXPECTED = Failure(code="unexpected", title="Unexpected failure", status=500, exit_code=1)
"""A defect; only the log has the details."""

UNEXPECTED_DETAIL = "Something failed inside Footnote."

USAGE = Failure(code="usage", title="Wrong usage", status=400, exit_code=2)
"""A command line that cannot be understood."""

UNWRITABLE = Failure(code="unwritable", title="Cannot write", status=500, exit_code=1)
"""The output of a command, or the disk, cannot be written to."""

FAILURES: dict[type[FootnoteError], Failure] = {
    InvalidRequest: Failure(
        code="invalid-request", title="Invalid request", status=422, exit_code=2
    ),
    UnsupportedSettings: Failure(
        code="unsupported-settings", title="Unsupported settings", status=500, exit_code=2
    ),
    NotFound: Failure(code="not-found", title="Not found", status=404, exit_code=3),
    Conflict: Failure(code="conflict", title="Conflict", status=409, exit_code=2),
    QueueFull: Failure(code="queue-full", title="Queue full", status=429, exit_code=4),
    DocumentFailed: Failure(
        code="document-unreadable", title="Document unreadable", status=422, exit_code=1
    ),
    DocumentInterrupted: Failure(
        code="document-interrupted", title="Document interrupted", status=503, exit_code=1
    ),
    LaneMismatch: Failure(code="lane-mismatch", title="Lane mismatch", status=409, exit_code=4),
    LaneUnavailable: Failure(
        code="lane-unavailable", title="Model unavailable", status=503, exit_code=4
    ),
    ModelUnavailable: Failure(
        code="model-unavailable", title="Model unavailable", status=503, exit_code=4
    ),
    StoreUnavailable: Failure(
        code="store-unavailable", title="Database unavailable", status=503, exit_code=4
    ),
    BlobsUnavailable: Failure(
        code="blobs-unavailable", title="Stored files unavailable", status=503, exit_code=4
    ),
    BlobDamaged: Failure(code="blob-damaged", title="Stored file damaged", status=500, exit_code=1),
    SourceUnreachable: Failure(
        code="source-unreachable", title="Source unavailable", status=503, exit_code=4
    ),
    NotReady: Failure(code="not-ready", title="Not ready", status=503, exit_code=4),
    FootnoteError: UNEXPECTED,
}


def failure_of(error: FootnoteError) -> Failure:
    """The entry of the error's class, or of the nearest class above it."""
    return next(FAILURES[each] for each in type(error).__mro__ if each in FAILURES)


def failure_of_name(name: str) -> Failure:
    """The entry of the error whose class has this name; that of a defect for any other."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, FootnoteError):
        return next(FAILURES[each] for each in kind.__mro__ if each in FAILURES)
    return UNEXPECTED


_CLASSES: dict[str, type[FootnoteError]] = {
    **{failure.code: kind for kind, failure in FAILURES.items()},
    "document-unreadable": DocumentUnreadable,
    "bad-request": InvalidRequest,
    "content-too-large": InvalidRequest,
}


def class_named(urn: str) -> type[FootnoteError]:
    """The error that a type of problem stands for; FootnoteError for one that is not known."""
    return _CLASSES.get(urn.rpartition(":")[2], FootnoteError)


def with_hint(message: str, hint: str | None) -> str:
    """A message and what to do about it, for shapes that have one place for both."""
    return message if hint is None else f"{message} ({hint})"
