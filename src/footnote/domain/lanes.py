"""How the lanes of a workspace stand, and how one becomes another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from footnote.domain.identity import Lane
from footnote.domain.json_form import json_form


class LaneState(StrEnum):
    """What a lane is to its workspace."""

    CURRENT = "current"
    """Searched, and what documents are embedded in."""
    PENDING = "pending"
    """Being filled, or left half filled."""
    PREVIOUS = "previous"
    """Was current before, and can be again until it is purged."""


class ReembeddingState(StrEnum):
    """How far a re-embedding is."""

    QUEUED = "queued"
    RUNNING = "running"
    SWITCHED = "switched"
    CANCELLED = "cancelled"
    FAILED = "failed"


@json_form(computed=("progress",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedding:
    """One way of a workspace from a lane to another."""

    lane: Lane
    """The one that is filled."""
    state: ReembeddingState
    rollback: bool
    """Whether it goes back to a lane that was current before."""
    chunks_embedded: int
    """Chunks with a vector in the lane."""
    chunks: int
    """Of the workspace."""
    texts_embedded: int
    """Texts that were handed to the model."""
    texts_reused: int
    """Chunks whose text had a vector in the lane already."""
    tokens: int
    """As a hosted model counts them; 0 where it does not say, and for local models."""
    cost_usd: float
    """By list prices; 0 where they are not known, and for local models."""
    texts_per_second: float | None
    """Its limit; None for that of the settings."""
    failure: str | None
    """Why it failed, and what to do."""
    started_at: datetime
    updated_at: datetime
    finished_at: datetime | None

    @property
    def progress(self) -> float:
        """The share of chunks that are embedded, 0…1."""
        return min(self.chunks_embedded / self.chunks, 1.0) if self.chunks else 1.0

    @property
    def is_under_way(self) -> bool:
        """Whether more will happen by itself."""
        return self.state in (ReembeddingState.QUEUED, ReembeddingState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStatus:
    """One lane of a workspace."""

    lane_id: int
    """Its number within the workspace."""
    lane: Lane
    state: LaneState
    chunks_embedded: int
    chunks: int
    """Chunks the workspace has."""
    retired_at: datetime | None
    """When it ceased to be current."""
    purge_after: datetime | None
    """When its vectors are removed, unless it becomes current again."""
    reembedding: Reembedding | None
    """The latest that fills it."""
