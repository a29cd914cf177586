"""Shapes of a workspace's lanes, and of their changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Self

from pydantic import Field

from footnote import domain
from footnote.interfaces.schemas.condition import Lane
from footnote.interfaces.schemas.shape import Shape


class Reembedding(Shape):
    """How a lane is being embedded with another model, or was."""

    lane: Lane = Field(description="The lane that is filled.")
    state: str = Field(description="queued, running, switched, cancelled or failed.")
    rollback: bool = Field(description="Whether it goes back to a lane that was current before.")
    progress: float = Field(description="Share of chunks that are embedded, 0 to 1.")
    chunks_embedded: int
    chunks: int = Field(description="Chunks of the workspace.")
    texts_embedded: int = Field(description="Texts that were handed to the model.")
    texts_reused: int = Field(description="Chunks whose text had a vector in the lane already.")
    tokens: int = Field(description="As a hosted model counts them.")
    cost_usd: float = Field(description="By list prices; 0 where they are not known.")
    texts_per_second: float | None = Field(description="Its limit; null for that of the settings.")
    failure: str | None = Field(description="Why it failed, and what to do.")
    started_at: datetime
    updated_at: datetime
    finished_at: datetime | None

    @classmethod
    def from_domain(cls, reembedding: domain.Reembedding) -> Self:
        """The shape of a re-embedding."""
        return cls.model_validate(reembedding)


class LaneStatus(Shape):
    """One lane of a workspace."""

    lane_id: int = Field(description="Its number within the workspace.")
    lane: Lane
    state: str = Field(description="current, pending or previous.")
    chunks_embedded: int
    chunks: int = Field(description="Chunks of the workspace.")
    retired_at: datetime | None = Field(description="When it ceased to be current.")
    purge_after: datetime | None = Field(description="When its vectors are removed.")
    reembedding: Reembedding | None = Field(description="The latest that fills it.")

    @classmethod
    def from_domain(cls, status: domain.LaneStatus) -> Self:
        """The shape of a lane."""
        return cls.model_validate(status)


class LaneList(Shape):
    """The lanes of a workspace, by number."""

    lanes: tuple[LaneStatus, ...]

    @classmethod
    def from_domain(cls, lanes: Sequence[domain.LaneStatus]) -> Self:
        """The shape of the lanes."""
        return cls(lanes=tuple(map(LaneStatus.from_domain, lanes)))
