"""Traces: what one request or job did, step by step, across processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSpan:
    """One step of a trace."""

    trace_id: str
    """32 hexadecimal digits."""
    span_id: str
    """16 hexadecimal digits."""
    parent_id: str | None
    """Of the step within which it ran; None for the first of a trace."""
    name: str
    service: str
    """The process that did it: `footnote serve`, `footnote worker`."""
    started_at: datetime
    duration_ms: float
    error: str | None = None
    """The kind of error with which it ended."""
    workspace_id: UUID | None = None
    document_id: UUID | None = None
    attributes: Mapping[str, str | bool | int | float] = field(default_factory=dict)
    """Counts, names of models and the like; never a text of a document or a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The steps of one trace, a step before those within it, otherwise as they began."""

    trace_id: str
    spans: tuple[TraceSpan, ...]

    @property
    def depths(self) -> tuple[int, ...]:
        """Within how many other steps each of the steps ran."""
        depth: dict[str, int] = {}
        for each in self.spans:
            depth[each.span_id] = depth.get(each.parent_id or "", -1) + 1
        return tuple(depth[each.span_id] for each in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSummary:
    """A trace, as a list shows it."""

    trace_id: str
    name: str
    started_at: datetime
    duration_ms: float
    """From the beginning of its first step to the end of its last."""
    spans: int
    failed: int
    """Steps that ended with an error."""


def ordered(spans: tuple[TraceSpan, ...]) -> tuple[TraceSpan, ...]:
    """The spans of a trace, each before those within it, otherwise by their beginning."""
    known = {each.span_id for each in spans}
    within: dict[str | None, list[TraceSpan]] = {}
    for each in sorted(spans, key=lambda each: (each.started_at, each.span_id)):
        above = each.parent_id if each.parent_id in known else None
        within.setdefault(above, []).append(each)
    found: list[TraceSpan] = []
    waiting = within.get(None, [])[::-1]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting.extend(within.get(each.span_id, [])[::-1])
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """What waits in one queue, of all workspaces."""

    queue: str
    waiting: int
    """Jobs that may begin now."""
    working: int
    oldest_seconds: float
    """How long the oldest that may begin has waited."""
    stalled: int
    """Jobs in hand of a worker that has been silent for a minute."""
