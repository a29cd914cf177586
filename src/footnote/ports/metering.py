"""What models are used for: noted where one answers, and known to whoever asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from footnote.domain import Lane
from footnote.domain.usage import UsageKind, UsageNote
from footnote.ports.telemetry import count_tokens

_NOTES: ContextVar[list[UsageNote] | None] = ContextVar("notes_of_use", default=None)
_WATCHED: ContextVar[list[UsageNote] | None] = ContextVar("watched_use", default=None)


@contextmanager
def metering(notes: list[UsageNote]) -> Iterator[None]:
    """Note the use of models in this list, in this context and in tasks that begin in it.

    Not around a `yield` of an asynchronous generator: its reader has another context.
    """
    previous = _NOTES.set(notes)
    try:
        yield
    finally:
        _NOTES.reset(previous)


@contextmanager
def watching_use(notes: list[UsageNote]) -> Iterator[None]:
    """List the use of models here too, whoever meters it.

    As `metering`, not around a `yield` of an asynchronous generator.
    """
    previous = _WATCHED.set(notes)
    try:
        yield
    finally:
        _WATCHED.reset(previous)


def note_usage(note: UsageNote) -> None:
    """Note one use of a model for whoever asked for it; where nobody meters it is lost."""
    if note.kind is UsageKind.EMBEDDING:
        count_tokens(note.model, note.input_tokens)
    for notes in (_NOTES.get(), _WATCHED.get()):
        if notes is not None:
            notes.append(note)


def embedding_note(
    lane: Lane, texts: int, tokens: int, *, cost_usd: float | None = None
) -> UsageNote:
    """The note of texts that were embedded."""
    return UsageNote(
        kind=UsageKind.EMBEDDING,
        model=f"{lane.provider}:{lane.model}",
        input_tokens=tokens,
        units=texts,
        cost_usd=cost_usd,
    )
