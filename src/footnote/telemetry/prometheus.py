"""Expose OpenTelemetry metrics in Prometheus's format, with exemplars.

OpenTelemetry's own exporter leaves out exemplars, which link a slow bucket to a trace. Names are
translated as OpenTelemetry's specification of Prometheus compatibility says: dots become
underscores, and the unit and `_total` are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import RLock

from opentelemetry.sdk.metrics.export import (
    Gauge,
    Histogram,
    HistogramDataPoint,
    MetricReader,
    MetricsData,
    NumberDataPoint,
    Sum,
)
from opentelemetry.sdk.metrics.export import Metric as Measured
from opentelemetry.trace import format_span_id, format_trace_id
from opentelemetry.util.types import Attributes
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.samples import Exemplar

_UNITS = {"s": "seconds", "By": "bytes", "1": "ratio"}
_INVALID_CHARACTERS = re.compile(r"[^a-zA-Z0-9_]")


class PrometheusReader(MetricReader):
    """Collects the metrics when Prometheus scrapes them."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._collected: MetricsData | None = None

    def families(self) -> tuple[Metric, ...]:
        """Return all metrics measured so far."""
        with self._lock:
            self.collect()
            collected, self._collected = self._collected, None
        return () if collected is None else tuple(_families_of(collected))

    def registry(self) -> CollectorRegistry:
        """For the servers and formats of prometheus-client."""
        registry = CollectorRegistry()
        registry.register(_Collector(self))
        return registry

    def _receive_metrics(
        self,
        metrics_data: MetricsData,
        timeout_millis: float = 10_000,  # noqa: ARG002 - as MetricReader has it
        **_: object,
    ) -> None:
        self._collected = metrics_data

    def shutdown(self, timeout_millis: float = 30_000, **_: object) -> None:
        """Do nothing: nothing is buffered."""


@dataclass(frozen=True, slots=True)
class _Collector:
    reader: PrometheusReader

    def collect(self) -> Iterable[Metric]:
        return self.reader.families()

    def describe(self) -> Iterable[Metric]:
        """Return nothing: metrics are unknown before they are measured."""
        return ()


def _families_of(collected: MetricsData) -> Iterator[Metric]:
    for resource in collected.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                family = _family_of(metric)
                if family is not None:
                    yield family


def _family_of(metric: Measured) -> Metric | None:
    """Convert a metric to its Prometheus family; None for a type that Prometheus lacks."""
    name, content = _name_of(metric), metric.data
    points = content.data_points
    labels = sorted({_label(key) for point in points for key in point.attributes or ()})
    description = metric.description or ""
    if isinstance(content, Histogram):
        histogram = HistogramMetricFamily(name, description, labels=labels)
        for point in points:
            assert isinstance(point, HistogramDataPoint), "a histogram has such points"
            histogram.add_metric(_values(labels, point.attributes), _buckets(point), point.sum)
        return histogram
    if isinstance(content, Sum) and content.is_monotonic:
        counter = CounterMetricFamily(name, description, labels=labels)
        for point in points:
            assert isinstance(point, NumberDataPoint), "a sum has such points"
            counter.add_metric(_values(labels, point.attributes), point.value)
        return counter
    if isinstance(content, Sum | Gauge):
        gauge = GaugeMetricFamily(name, description, labels=labels)
        for point in points:
            assert isinstance(point, NumberDataPoint), "a gauge has such points"
            gauge.add_metric(_values(labels, point.attributes), point.value)
        return gauge
    return None


def _name_of(metric: Measured) -> str:
    name = _INVALID_CHARACTERS.sub("_", metric.name)
    unit = _UNITS.get(metric.unit or "")
    return f"{name}_{unit}" if unit and not name.endswith(f"_{unit}") else name


def _label(key: str) -> str:
    return _INVALID_CHARACTERS.sub("_", key)


def _values(labels: Sequence[str], attributes: Attributes) -> list[str]:
    values = {_label(key): str(value) for key, value in (attributes or {}).items()}
    return [values.get(label, "") for label in labels]


def _buckets(
    point: HistogramDataPoint,
) -> list[tuple[str, float] | tuple[str, float, Exemplar]]:
    """The cumulative buckets, each with the exemplar whose value falls into it."""
    bounds = [*point.explicit_bounds, float("inf")]
    exemplars: dict[int, Exemplar] = {}
    for exemplar_point in point.exemplars:
        if exemplar_point.trace_id is None or exemplar_point.span_id is None:
            continue
        index = next(i for i, bound in enumerate(bounds) if exemplar_point.value <= bound)
        ids = {
            "trace_id": format_trace_id(exemplar_point.trace_id),
            "span_id": format_span_id(exemplar_point.span_id),
        }
        exemplars[index] = Exemplar(ids, exemplar_point.value, exemplar_point.time_unix_nano / 1e9)
    buckets: list[tuple[str, float] | tuple[str, float, Exemplar]] = []
    total = 0
    for index, (bound, count) in enumerate(zip(bounds, point.bucket_counts, strict=True)):
        total += count
        le = "+Inf" if index == len(bounds) - 1 else str(float(bound))
        exemplar = exemplars.get(index)
        buckets.append((le, total) if exemplar is None else (le, total, exemplar))
    return buckets
