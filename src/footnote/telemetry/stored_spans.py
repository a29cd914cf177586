"""Export spans to the installation's own database, for `footnote trace`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import Lock
from uuid import UUID

import structlog
from opentelemetry.sdk.resources import SERVICE_NAME
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import StatusCode, format_span_id, format_trace_id

from footnote.domain.tracing import TraceSpan
from footnote.ports.telemetry import DOCUMENT, WORKSPACE

KeepSpans = Callable[[Sequence[TraceSpan]], None]
"""Stores spans; called in a thread of OpenTelemetry's, may wait, and may raise."""

_STORED_ATTRIBUTES = (
    "footnote. gen_ai.operation. gen_ai.provider. gen_ai.request. gen_ai.response.model "
    "gen_ai.response.finish_reasons gen_ai.usage. gen_ai.tool.name gen_ai.agent.name "
    "gen_ai.evaluation.name gen_ai.evaluation.score. http.request.method http.route "
    "http.response.status_code db. error.type process.pid messaging."
).split()
"""Prefixes of the attributes that are stored; none of them contains a customer's text."""

_log = structlog.get_logger(__name__)


class SpanForwarder(SpanExporter):
    """Passes spans to the current store function; without one they are dropped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._keep: KeepSpans | None = None

    def keep_by(self, keep: KeepSpans | None) -> None:
        """Set the function that stores spans from now on; None drops them."""
        with self._lock:
            self._keep = keep

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Store the spans; an error is only logged."""
        with self._lock:
            keep = self._keep
        if keep is None:
            return SpanExportResult.SUCCESS
        try:
            keep([_span_of(span) for span in spans])
        except Exception as error:  # whatever a database may say
            _log.warning("spans_not_kept", spans=len(spans), error=type(error).__qualname__)
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS


def _span_of(span: ReadableSpan) -> TraceSpan:
    at = span.get_span_context()
    assert at is not None, "a span that ended has its ids"
    assert span.start_time is not None, "and began"
    assert span.end_time is not None, "and ended"
    attributes = {
        key: value
        for key, value in (span.attributes or {}).items()
        if isinstance(value, str | bool | int | float) and key.startswith(tuple(_STORED_ATTRIBUTES))
    }
    error = None
    if span.status.status_code is StatusCode.ERROR:
        error = str(attributes.pop("error.type", "") or "failed")
    return TraceSpan(
        trace_id=format_trace_id(at.trace_id),
        span_id=format_span_id(at.span_id),
        parent_id=None if span.parent is None else format_span_id(span.parent.span_id),
        name=span.name,
        service=str(span.resource.attributes.get(SERVICE_NAME, "footnote")),
        started_at=datetime.fromtimestamp(span.start_time / 1e9, UTC),
        duration_ms=(span.end_time - span.start_time) / 1e6,
        error=error,
        workspace_id=_uuid(attributes.pop(WORKSPACE, None)),
        document_id=_uuid(attributes.pop(DOCUMENT, None)),
        attributes=attributes,
    )


def _uuid(value: object) -> UUID | None:
    return UUID(value) if isinstance(value, str) else None
