"""The HTTP status, exit code, title and stable name of each of our errors."""

from __future__ import annotations

from dataclasses import dataclass

from footnote import errors
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    BudgetExceeded,
    CiphertextDamaged,
    Conflict,
    DocumentFailed,
    DocumentInterrupted,
    DocumentUnreadable,
    FootnoteError,
    Forbidden,
    InvalidRequest,
    KeyUnavailable,
    LaneMismatch,
    LaneUnavailable,
    ModelUnavailable,
    NotAuthenticated,
    NotFound,
    NotInstalled,
    NotReady,
    QueueFull,
    RateLimited,
    SourceUnreachable,
    StoreUnavailable,
    TimeLimitReached,
    UnderLegalHold,
    UnsupportedSettings,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """How one class of error presents itself."""

    code: str
    """A stable name for programs."""
    status: int
    """Of HTTP."""
    exit_code: int
    """Of a command."""
    title: str = ""
    """The code in words by default."""

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.code.replace("-", " ").capitalize())


UNEXPECTED = Failure("unexpected", 500, 1, "Unexpected failure")
"""A defect; only the log has the details."""

UNEXPECTED_DETAIL = "Something failed inside Footnote."

USAGE = Failure("usage", 400, 2, "Wrong usage")
"""A command line that cannot be understood."""

UNWRITABLE = Failure("unwritable", 500, 1, "Cannot write")
"""The output of a command, or the disk, cannot be written to."""

FAILURES: dict[type[FootnoteError], Failure] = {
    InvalidRequest: Failure("invalid-request", 422, 2),
    UnsupportedSettings: Failure("unsupported-settings", 500, 2),
    NotInstalled: Failure("not-installed", 501, 2),
    NotFound: Failure("not-found", 404, 3),
    NotAuthenticated: Failure("not-authenticated", 401, 4),
    Forbidden: Failure("forbidden", 403, 4),
    Conflict: Failure("conflict", 409, 2),
    UnderLegalHold: Failure("legal-hold", 409, 2, "Under legal hold"),
    QueueFull: Failure("queue-full", 429, 4),
    RateLimited: Failure("rate-limited", 429, 4),
    BudgetExceeded: Failure("budget-exceeded", 402, 4),
    TimeLimitReached: Failure("time-limit-reached", 503, 4),
    DocumentFailed: Failure("document-unreadable", 422, 1),
    DocumentInterrupted: Failure("document-interrupted", 503, 1),
    LaneMismatch: Failure("lane-mismatch", 409, 4),
    LaneUnavailable: Failure("lane-unavailable", 503, 4, "Model unavailable"),
    ModelUnavailable: Failure("model-unavailable", 503, 4),
    StoreUnavailable: Failure("store-unavailable", 503, 4, "Database unavailable"),
    BlobsUnavailable: Failure("blobs-unavailable", 503, 4, "Stored files unavailable"),
    BlobDamaged: Failure("blob-damaged", 500, 1, "Stored file damaged"),
    KeyUnavailable: Failure("key-unavailable", 503, 4, "Key unavailable"),
    CiphertextDamaged: Failure("ciphertext-damaged", 500, 1, "Stored value damaged"),
    SourceUnreachable: Failure("source-unreachable", 503, 4, "Source unavailable"),
    NotReady: Failure("not-ready", 503, 4),
    FootnoteError: UNEXPECTED,
}


def failure_of(error: FootnoteError) -> Failure:
    """The entry of the error's class, or of the nearest class above it."""
    return next(FAILURES[base] for base in type(error).__mro__ if base in FAILURES)


def failure_of_name(name: str) -> Failure:
    """The entry of the error whose class has this name; that of a defect for any other."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, FootnoteError):
        return next(FAILURES[base] for base in kind.__mro__ if base in FAILURES)
    return UNEXPECTED


_CLASSES: dict[str, type[FootnoteError]] = {
    **{failure.code: kind for kind, failure in FAILURES.items()},
    "document-unreadable": DocumentUnreadable,
    "bad-request": InvalidRequest,
    "content-too-large": InvalidRequest,
}


def error_class(urn: str) -> type[FootnoteError]:
    """The error that a type of problem stands for; FootnoteError for one that is not known."""
    return _CLASSES.get(urn.rpartition(":")[2], FootnoteError)


def with_hint(message: str, hint: str | None) -> str:
    """A message and what to do about it, for shapes that have one place for both."""
    return message if hint is None else f"{message} ({hint})"
