"""What an upgrade of an installation changes in its database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """The steps of migration that a database lacks, or lacked until now."""

    steps: tuple[str, ...]
    """In the order in which they are applied; those of the job queue are named after it."""
    applied: bool
    """Whether they were applied; with nothing to apply, too."""
