"""How a workspace and an installation stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from footnote.domain.identity import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceStats:
    """What a workspace holds."""

    documents: int
    chunks: int
    documents_by_status: Mapping[str, int]
    segments: int
    lane: Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be right before Footnote can serve."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether Footnote is ready, and if not, why."""

    ready: bool
    checks: tuple[Check, ...]
