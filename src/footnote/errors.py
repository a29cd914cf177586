"""The few exceptions a caller can act on, and the hint of those that an extra would prevent.

FootnoteError                  anything of ours
├── InvalidRequest             the caller asked for something that makes no sense
│   └── UnsupportedSettings    a setting has a value we cannot work with
│       └── NotInstalled       … or what is asked for needs an extra that is not installed
├── NotFound                   absent, or foreign: the two look the same
│   └── NoSuchWorkspace        … and it is a workspace
├── NotAuthenticated           nobody, or nobody known, asks
├── Forbidden                  the caller's role or credential does not allow it
├── Conflict                   the thing exists already
│   └── UnderLegalHold         … and may not be deleted for now
├── QueueFull                  too much waits already; come again in a while
├── RateLimited                the caller asks more often than it may; come again in a while
├── BudgetExceeded             the workspace has used what it may
├── TimeLimitReached           a search took longer than it may
├── DocumentFailed             a document could not pass a stage
│   ├── DocumentUnreadable     … and will fail the same way again
│   └── DocumentInterrupted    … and a retry may help
├── LaneMismatch               a vector or a model of another lane
├── LaneUnavailable            a lane's model cannot be reached or loaded
├── ModelUnavailable           a reranker or a language model cannot be reached or loaded
├── StoreUnavailable           the database cannot be reached or is not ready
│   └── StoreFull              … because its disk is full
├── BlobsUnavailable           the stored files cannot be reached
│   └── BlobsFull              … because their disk is full
├── BlobDamaged                a stored file is not what was stored
├── KeyUnavailable             a key that stored values are under is not there, or cannot be used
├── CiphertextDamaged          a stored value was changed or moved, or is under another key
├── SourceUnreachable          a source of documents does not answer
└── NotReady                   the engine has not started completely
"""

from __future__ import annotations

from footnote.domain import Stage, Usage


class FootnoteError(Exception):
    """Something went wrong that a caller can act on."""

    retryable = False
    """Whether the same call may succeed later."""
    hint: str | None = None
    """One sentence that says what to do."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """What happened, and what to do about it where that is known, on one line."""
        return f"{self}; {self.hint}" if self.hint else str(self)


class InvalidRequest(FootnoteError):
    """The request makes no sense as it stands."""


class InvalidArguments(InvalidRequest):
    """Arguments of a verb have values that it does not take; its hint is for those who call it."""


class UnsupportedSettings(InvalidRequest):
    """A setting has a value Footnote cannot work with."""


class NotInstalled(UnsupportedSettings):
    """What is asked for needs an extra that this installation has not."""


class NotFound(FootnoteError):
    """There is no such thing in this workspace."""


class NoSuchWorkspace(NotFound):
    """The workspace is absent, or the caller may not enter it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is no workspace {name!r}",
            hint="correct the name, or make it: footnote workspace create NAME",
        )


class NotAuthenticated(FootnoteError):
    """The request carries no credential, or none that is valid."""


class Forbidden(FootnoteError):
    """The caller is known, and its role or its credential does not allow this."""


class Conflict(FootnoteError):
    """There is one already."""


class UnderLegalHold(Conflict):
    """It may not be deleted, whoever asks, until an administrator lifts the legal hold."""


class QueueFull(FootnoteError):
    """So many documents wait to be indexed that no more are accepted for the moment."""

    retryable = True

    def __init__(
        self, message: str, *, retry_after_seconds: int = 1, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds
        """When to come again; whole seconds, at least 1."""


class RateLimited(FootnoteError):
    """The caller asks more often than it may."""

    retryable = True

    def __init__(
        self, message: str, *, retry_after_seconds: int = 1, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds
        """When to come again; whole seconds, at least 1."""


class BudgetExceeded(FootnoteError):
    """The workspace has used as much as its budget allows."""

    def __init__(
        self, message: str, *, retry_after_seconds: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds
        """Until the budget's period ends; None for one without an end."""


class TimeLimitReached(FootnoteError):
    """A search took longer than it may."""

    retryable = True


class DocumentFailed(FootnoteError):
    """A document could not pass a stage.

    `stage`, `cause` and `advice` become the document's recorded failure.
    """

    def __init__(self, *, stage: Stage, cause: str, advice: str) -> None:
        super().__init__(f"{cause} ({stage.value}); {advice}", hint=advice)
        self.stage = stage
        self.cause = cause
        self.advice = advice


class DocumentUnreadable(DocumentFailed):
    """The document will fail the same way again: broken, encrypted, empty, too large, unknown."""


class DocumentInterrupted(DocumentFailed):
    """The document may pass on another try: a time-out, a lost connection, memory pressure."""

    retryable = True


class LaneMismatch(FootnoteError):
    """A vector, or the model at hand, belongs to another lane."""


class LaneUnavailable(FootnoteError):
    """The model of a lane cannot be loaded or reached."""

    retryable = True


class ModelUnavailable(FootnoteError):
    """A reranker or a language model cannot be loaded or reached, or gave nothing usable."""

    retryable = True

    def __init__(
        self, message: str, *, hint: str | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.usage = usage
        """What was used until then; None where that is not known."""


class StoreUnavailable(FootnoteError):
    """The database cannot be reached, or lacks something Footnote needs."""

    retryable = True


class StoreFull(StoreUnavailable):
    """The disk of the database is full: nothing can be written until there is room again."""


class BlobsUnavailable(FootnoteError):
    """The place where the bytes of files are kept cannot be reached."""

    retryable = True


class BlobsFull(BlobsUnavailable):
    """The disk on which the bytes of files are kept is full."""


class BlobDamaged(FootnoteError):
    """The bytes of a stored file are not those that were stored."""


class KeyUnavailable(FootnoteError):
    """A master key cannot be reached or is another one, or a data key was destroyed."""

    retryable = True


class CiphertextDamaged(FootnoteError):
    """A stored value is not what was stored there."""


class SourceUnreachable(FootnoteError):
    """A source of documents, or a receiver of events, does not answer."""

    retryable = True


class NotReady(FootnoteError):
    """The engine is not ready to serve yet."""

    retryable = True


def how_to_install(extra: str) -> str:
    """The hint that names the command which installs an extra, from a clone."""
    return f"in a clone of Footnote: pip install '.[{extra}]'"


def how_to_raise(member: str, setting: str, present: float, unit: str = "") -> str:
    """The hint that names the member of a JSON setting that bounds something, as it is now."""
    return f"set `{member}` in {setting} to more than {present:.12g} {unit}".rstrip()


INSTALL_MODELS = (
    "pip install footnote-engine-models, or in a clone of Footnote: pip install ./packages/models"
)
"""The hint where a packaged model is missing."""
