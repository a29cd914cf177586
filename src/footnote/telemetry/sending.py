"""Export to an OTLP collector; while it is unreachable, drop batches and log it only once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

import structlog
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

_SECONDS = 3.0
"""Time limit for one batch with all its retries, unless OpenTelemetry's own variables set one."""
_AWAY_SECONDS = 10.0
"""Batches within this time after a failed one are dropped, so that a command can exit soon."""
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Collector:
    """Whether the last export to the collector succeeded, shared by all three signals."""

    lock: Lock = field(default_factory=Lock)
    failed_at: float | None = None

    def is_away(self) -> bool:
        """Return whether a batch failed within the last _AWAY_SECONDS."""
        with self.lock:
            return self.failed_at is not None and monotonic() - self.failed_at < _AWAY_SECONDS

    def note(self, *, accepted: bool) -> None:
        """Record the result of a batch; log the first failure, and the first success after it."""
        with self.lock:
            was_away = self.failed_at is not None
            self.failed_at = None if accepted else monotonic()
        if not accepted and not was_away:
            _log.warning("telemetry_not_sent", setting="OTEL_EXPORTER_OTLP_ENDPOINT")
        elif accepted and was_away:
            _log.info("telemetry_sent_again")


class Spans(OTLPSpanExporter):
    """Spans, unless the collector is away."""

    def __init__(self, collector: Collector) -> None:
        super().__init__(timeout=_timeout("TRACES"))
        self._collector = collector

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        if self._collector.is_away():
            return SpanExportResult.FAILURE
        result = super().export(spans)
        self._collector.note(accepted=result is SpanExportResult.SUCCESS)
        return result


class Metrics(OTLPMetricExporter):
    """Metrics, unless the collector is away; they are sums, so the next batch makes up for it."""

    def __init__(self, collector: Collector) -> None:
        super().__init__(timeout=_timeout("METRICS"))
        self._collector = collector

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10000, **kwargs: object
    ) -> MetricExportResult:
        """Send a batch."""
        if self._collector.is_away():
            return MetricExportResult.FAILURE
        result = super().export(metrics_data, timeout_millis, **kwargs)
        self._collector.note(accepted=result is MetricExportResult.SUCCESS)
        return result


class Logs(OTLPLogExporter):
    """Log lines, unless the collector is away."""

    def __init__(self, collector: Collector) -> None:
        super().__init__(timeout=_timeout("LOGS"))
        self._collector = collector

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Send a batch."""
        if self._collector.is_away():
            return LogRecordExportResult.FAILURE
        result = super().export(batch)
        self._collector.note(accepted=result is LogRecordExportResult.SUCCESS)
        return result


def _timeout(signal: str) -> float | None:
    """Return the timeout; None if OpenTelemetry's variables set it, as the exporter reads them."""
    names = ("OTEL_EXPORTER_OTLP_TIMEOUT", f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT")
    return None if any(os.environ.get(name) for name in names) else _SECONDS
