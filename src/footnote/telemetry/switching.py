"""Switches OpenTelemetry on in this process, as the settings say; without them it stays off."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import structlog
from opentelemetry import metrics, trace
from opentelemetry.metrics import Observation

from footnote.domain.tracing import QueueState
from footnote.errors import UnsupportedSettings, how_to_install
from footnote.settings import Settings

if TYPE_CHECKING:
    # From an optional extra.
    from opentelemetry.sdk.trace import TracerProvider

    from footnote.telemetry.prometheus import PrometheusReader
    from footnote.telemetry.stored_spans import KeepSpans, SpanForwarder

_FLUSH_MILLISECONDS = 3000
OF_QUEUES = (
    ("footnote.queue.depth", "{job}", "waiting", "Jobs that may begin now."),
    ("footnote.queue.working", "{job}", "working", "Jobs in hand."),
    ("footnote.queue.stalled", "{job}", "stalled", "Jobs in hand of a worker that is silent."),
    ("footnote.queue.age", "s", "oldest_seconds", "How long the oldest job has waited."),
)
"""Of each gauge: name, unit, measured attribute of QueueState, and description."""
SIGNALS = ("TRACES", "METRICS", "LOGS")
_WITH_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's variable that includes questions, prompts and replies in what is exported."""
_log = structlog.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Telemetry:
    """The tracer provider and exporters of this process. Created by `telemetry_of`."""

    tracers: TracerProvider
    kept: SpanForwarder | None
    prometheus: PrometheusReader | None
    ask_queue: Callable[[], Sequence[QueueState]] | None = None
    """Reads the state of the queues; called at each collection, in a thread that may block."""

    def attach(self, keep: KeepSpans, ask_queue: Callable[[], Sequence[QueueState]]) -> None:
        """Connect to an open engine's database: to store spans, and to measure the queues."""
        if self.kept is not None:
            self.kept.keep_by(keep)
        self.ask_queue = ask_queue

    def detach(self) -> None:
        """Flush, and disconnect from the database. Blocks for at most 3 s."""
        self.tracers.force_flush(_FLUSH_MILLISECONDS)
        if self.kept is not None:
            self.kept.keep_by(None)
        self.ask_queue = None

    def serve_metrics(self, host: str, port: int) -> None:
        """Answer Prometheus at `/metrics`, until the process ends. Raises UnsupportedSettings."""
        from prometheus_client import start_http_server  # noqa: PLC0415  # of an extra

        assert self.prometheus is not None, "switched on with a port"
        try:
            start_http_server(port, host, registry=self.prometheus.registry())
        except OSError as error:
            raise UnsupportedSettings(
                f"metrics cannot be served at {host} port {port}: {error.strerror}",
                hint="set FOOTNOTE_METRICS_ADDRESS to a free port, whose next one is free, too",
            ) from error

    def observe_queue(self, measure: str) -> Iterator[Observation]:
        """Yield one measure of every queue; nothing if the database cannot be queried."""
        ask = self.ask_queue
        if ask is None:
            return
        try:
            queues = ask()
        except Exception as error:  # a gauge must not end the collection of the others
            _log.warning("queue_not_measured", error=type(error).__qualname__)
            return
        for queue in queues:
            yield Observation(getattr(queue, measure), {"messaging.destination.name": queue.queue})


@dataclass(slots=True)
class _Process:
    """The process's telemetry: OpenTelemetry allows one provider of each kind per process."""

    lock: Lock = field(default_factory=Lock)
    telemetry: Telemetry | None = None


_PROCESS = _Process()


def is_sent(signal: str) -> bool:
    """Whether the standard's variables name a collector for one of SIGNALS."""
    return os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true" and any(
        os.environ.get(f"OTEL_EXPORTER_OTLP_{prefix}ENDPOINT") for prefix in ("", f"{signal}_")
    )


def is_enabled(settings: Settings) -> bool:
    """Whether anything is to be measured, or sent."""
    return (
        any(map(is_sent, SIGNALS))
        or settings.metrics_address is not None
        or settings.traces_kept_hours > 0
    )


def telemetry_of(settings: Settings) -> Telemetry | None:
    """The telemetry of this process, switched on by the first settings that enable any.

    None if they enable none. An application that has set up OpenTelemetry itself keeps its setup,
    and gets our spans and measurements there. Raises UnsupportedSettings without the extra.
    """
    if not is_enabled(settings):
        return None
    with _PROCESS.lock:
        if _PROCESS.telemetry is None:
            try:
                _PROCESS.telemetry = _switched_on(settings)
            except ImportError as error:
                raise UnsupportedSettings(
                    f"telemetry is switched on, and {error.name or 'a library'} is not installed",
                    hint=how_to_install("telemetry") + "; or unset OTEL_EXPORTER_OTLP_ENDPOINT, "
                    "FOOTNOTE_METRICS_ADDRESS and FOOTNOTE_TRACES_KEPT_HOURS",
                ) from error
        return _PROCESS.telemetry


def _switched_on(settings: Settings) -> Telemetry:
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415  # of an extra, and slow
    from opentelemetry.sdk.metrics.export import (  # noqa: PLC0415
        MetricReader,
        PeriodicExportingMetricReader,
    )
    from opentelemetry.sdk.resources import (  # noqa: PLC0415
        SERVICE_NAME,
        SERVICE_VERSION,
        Resource,
    )
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    from footnote.telemetry.prometheus import PrometheusReader  # noqa: PLC0415
    from footnote.telemetry.stored_spans import SpanForwarder  # noqa: PLC0415

    resource = Resource.create({SERVICE_NAME: _service(), SERVICE_VERSION: installed_version()})
    tracers = TracerProvider(resource=resource)  # its sampler is that of OTEL_TRACES_SAMPLER
    readers: list[MetricReader] = []
    kept_spans = SpanForwarder() if settings.traces_kept_hours > 0 else None
    if kept_spans is not None:
        tracers.add_span_processor(BatchSpanProcessor(kept_spans, schedule_delay_millis=1000))
    prometheus = PrometheusReader() if settings.metrics_address is not None else None
    if prometheus is not None:
        readers.append(prometheus)
    if any(map(is_sent, SIGNALS)):
        from opentelemetry.sdk._logs import LoggerProvider  # noqa: PLC0415
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: PLC0415

        from footnote.telemetry.logs import SentLogs  # noqa: PLC0415
        from footnote.telemetry.sending import Collector, Logs, Metrics, Spans  # noqa: PLC0415

        collector = Collector()
        if is_sent("TRACES"):
            tracers.add_span_processor(BatchSpanProcessor(Spans(collector)))
        if is_sent("METRICS"):
            readers.append(PeriodicExportingMetricReader(Metrics(collector)))
        if is_sent("LOGS"):
            loggers = LoggerProvider(resource=resource)
            loggers.add_log_record_processor(BatchLogRecordProcessor(Logs(collector)))
            logging.getLogger().addHandler(SentLogs(loggers))
    telemetry = Telemetry(tracers=tracers, kept=kept_spans, prometheus=prometheus)
    meters = MeterProvider(resource=resource, metric_readers=readers)
    meter = meters.get_meter("footnote")
    for name, unit, measure, description in OF_QUEUES:
        meter.create_observable_gauge(
            name, [partial(_observed, telemetry, measure)], unit=unit, description=description
        )
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    if settings.language_model or settings.answer_models or settings.vision_model:
        _instrument_models()
    return telemetry


def _observed(telemetry: Telemetry, measure: str, _: object) -> Iterator[Observation]:
    return telemetry.observe_queue(measure)


def _instrument_models() -> None:
    """Let pydantic-ai trace its requests to language models, if it is installed."""
    with_content = os.environ.get(_WITH_CONTENT, "").lower() in ("true", "1", "on")
    try:
        from pydantic_ai import Agent, InstrumentationSettings  # noqa: PLC0415  # of an extra
    except ImportError:
        return
    Agent.instrument_all(
        InstrumentationSettings(include_content=with_content, include_binary_content=False)
    )


def installed_version() -> str:
    """Return the version of the installed distribution, or "unknown"."""
    try:
        return version("footnote-engine")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


def _service() -> str:
    """Return the service name: `footnote serve`, `footnote worker`, or `footnote` in a program.

    OTEL_SERVICE_NAME, OpenTelemetry's own variable, takes precedence.
    """
    name = os.environ.get("OTEL_SERVICE_NAME")
    if name:
        return name
    is_command = Path(sys.argv[0]).name == "footnote" or sys.argv[0].endswith("cli/main.py")
    words = [word for word in sys.argv[1:2] if is_command and word.isalpha()]
    return " ".join(["footnote", *words])
