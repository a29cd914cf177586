"""How a workspace and an installation stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.domain.identity import Lane
from footnote.domain.json_form import json_form


@json_form(computed=("hit_rate",))
@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """How a cache of searches or of answers has fared in this process since it began."""

    exact_hits: int = 0
    """Searches answered from the same query, one that was still under way included."""
    near_hits: int = 0
    """Searches answered from a query of the same wording."""
    misses: int = 0
    evictions: int = 0
    """Answers that had to go before their time, for want of memory."""
    entries: int = 0
    bytes: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of searches that were answered from the cache, 0…1; 0 before the first."""
        hits = self.exact_hits + self.near_hits
        return hits / (hits + self.misses) if hits else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceStats:
    """What a workspace holds, and how searching it goes."""

    documents: int
    chunks: int
    documents_by_status: Mapping[str, int]
    segments: int
    lane: Lane
    search_cache: CacheStats = field(default_factory=CacheStats)
    """Of this workspace alone, as the other."""
    answer_cache: CacheStats = field(default_factory=CacheStats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be right before Footnote can serve, or that it serves better with."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None
    optional: bool = False
    """Whether Footnote is ready without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether Footnote is ready, and if not, why."""

    ready: bool
    checks: tuple[Check, ...]
