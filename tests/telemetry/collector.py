"""A collector of OpenTelemetry over loopback, which decodes what the official protocol brings."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.wire.loopback import Connection, Loopback, Received


class Decoded(Protocol):
    """A message of protobuf."""

    @classmethod
    def FromString(cls, content: bytes) -> Self:  # noqa: N802 - protobuf's name
        """Decode it."""
        ...


M = TypeVar("M", bound=Decoded)


@dataclass(slots=True)
class Collected:
    """What was sent until now."""

    url: str = ""
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    """Path and content, in the order in which they came."""

    def of(self, path: str, kind: type[M]) -> list[M]:
        """The requests to a path, decoded."""
        return [kind.FromString(body) for asked, body in tuple(self.bodies) if asked == path]

    def spans(self) -> dict[str, list[tuple[str, Span]]]:
        """Spans by their trace, each with the name of its service."""
        found: dict[str, list[tuple[str, Span]]] = {}
        for request in self.of("/v1/traces", ExportTraceServiceRequest):
            for resource in request.resource_spans:
                service = next(
                    each.value.string_value
                    for each in resource.resource.attributes
                    if each.key == "service.name"
                )
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        found.setdefault(span.trace_id.hex(), []).append((service, span))
        return found

    def metrics(self) -> set[str]:
        """The names of all that was measured."""
        return {
            metric.name
            for request in self.of("/v1/metrics", ExportMetricsServiceRequest)
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def lines(self) -> list[str]:
        """The bodies of all log lines."""
        return [
            record.body.string_value
            for request in self.of("/v1/logs", ExportLogsServiceRequest)
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]


@contextmanager
def collecting() -> Iterator[Collected]:
    """A collector on a free port, until the block ends."""
    collected = Collected()

    def take(received: Received, connection: Connection) -> None:
        packed = received.headers.get("content-encoding") == "gzip"
        body = gzip.decompress(received.content) if packed else received.content
        collected.bodies.append((received.path, body))
        connection.send(200, b"", kind="application/x-protobuf")

    with Loopback(take) as server:
        collected.url = server.origin
        yield collected
