"""What an upgrade changes in a database, and which versions go on beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StepKind(StrEnum):
    """Whether programs of before survive a step of migration."""

    EXPAND = "expand"
    """It only adds: versions of before go on."""
    CONTRACT = "contract"
    """It takes something away: older versions than it says are refused from then on."""


class LockMode(StrEnum):
    """Who waits for a step while it works on a table, the weakest first."""

    NOTHING_WAITS = "nothing waits"
    WRITERS_WAIT = "writers wait"
    EVERYTHING_WAITS = "readers and writers wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLock:
    """A table that is there already and that a step changes."""

    table: str
    mode: LockMode
    rows: int
    """As the planner estimates them; 0 where nobody counted yet."""
    bytes: int
    """Of the table with its indexes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingStep:
    """A step of migration that the database lacks."""

    name: str
    kind: StepKind
    needs: str | None
    """The newest step that a program must know to go on after this one; null if any does."""
    locks: tuple[TableLock, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderFormat:
    """What workers write anew in the background, since this version writes it otherwise."""

    what: str
    """`segments` of the index by words, `lanes` that are being filled, or `documents` whose rows do
    not carry yet who may see them."""
    workspaces: int
    amount: int
    """How many of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """The steps of migration that a database lacks, or lacked until now."""

    steps: tuple[str, ...]
    """In the order in which they are applied; those of the job queue are named after it."""
    applied: bool
    """Whether they were applied; with nothing to apply, too."""
    newest_known: str
    """The newest step of the program that answers."""
    newest_applied: str | None
    """The newest step that the database has; null before the first."""
    oldest_program: str | None
    """The step that a program must know to use the database once all are applied; null before the
    first."""
    older_programs: int = 0
    """Connections of programs that a pending step would shut out."""
    pending: tuple[PendingStep, ...] = ()
    """What each step does, while it is not applied."""
    older_formats: tuple[OlderFormat, ...] = ()
