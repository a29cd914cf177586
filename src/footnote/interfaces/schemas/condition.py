"""Shapes of how a workspace and an installation stand."""

from __future__ import annotations

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.interfaces.schemas.shape import Shape


class Lane(Shape):
    """The embedding model in use."""

    name: str
    provider: str
    model: str
    dimensions: int
    revision: str
    languages: tuple[str, ...]
    fingerprint: str


class CacheStats(Shape):
    """How the cache of a workspace's searches, or answers, has fared since this process began."""

    hit_rate: float = Field(description="Share of searches answered from it, 0 to 1.")
    exact_hits: int = Field(description="Searches answered from the same query.")
    near_hits: int = Field(description="Searches answered from a query of the same wording.")
    misses: int
    evictions: int = Field(description="Answers that had to go for want of memory.")
    entries: int
    bytes: int


class Stats(Shape):
    """What a workspace holds, and how searching it goes."""

    documents: int
    chunks: int
    documents_by_status: dict[str, int]
    segments: int
    lane: Lane
    search_cache: CacheStats
    answer_cache: CacheStats

    @classmethod
    def from_domain(cls, stats: domain.WorkspaceStats) -> Self:
        """The shape of the statistics."""
        return cls.model_validate(stats)


class Workspace(Shape):
    """A tenancy boundary."""

    workspace_id: UUID
    name: str
    created_at: datetime

    @classmethod
    def from_domain(cls, workspace: domain.Workspace) -> Self:
        """The shape of a workspace."""
        return cls.model_validate(workspace)


class WorkspaceList(Shape):
    """Every workspace of this installation."""

    workspaces: tuple[Workspace, ...]


class Check(Shape):
    """One thing that must be right before Footnote can serve."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None


class Health(Shape):
    """Whether Footnote is ready, and if not, why."""

    ready: bool
    checks: tuple[Check, ...]

    @classmethod
    def from_domain(cls, health: domain.Health) -> Self:
        """The shape of the health."""
        return cls.model_validate(health)
