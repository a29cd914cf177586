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
        """The nesting depth of each step."""
        depth: dict[str, int] = {}
        for span in self.spans:
            depth[span.span_id] = depth.get(span.parent_id or "", -1) + 1
        return tuple(depth[span.span_id] for span in self.spans)


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
    """The spans of a trace, each before its children, otherwise by start."""
    span_ids = {span.span_id for span in spans}
    children: dict[str | None, list[TraceSpan]] = {}
    for span in sorted(spans, key=lambda span: (span.started_at, span.span_id)):
        above = span.parent_id if span.parent_id in span_ids else None
        children.setdefault(above, []).append(span)
    in_order: list[TraceSpan] = []
    waiting = children.get(None, [])[::-1]
    while waiting:
        span = waiting.pop()
        in_order.append(span)
        waiting.extend(children.get(span.span_id, [])[::-1])
    return tuple(in_order)


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
