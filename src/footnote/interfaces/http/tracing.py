"""Each request in a span of its own, measured, and in the trace of whoever sent it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from opentelemetry.trace import SpanKind, Status, StatusCode
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.ports.telemetry import REQUESTS, TRACEPARENT, carried, carried_on, span

TRACE_HEADER = "Traceresponse"
"""As the second level of W3C Trace Context has it: which trace a request is in."""
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE".split())
_LEAST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Tracing:
    """Opens the span of each request, names it by its route, and says which trace it is in.

    FastAPI's own, and OpenTelemetry's middleware, note addresses with their queries, in which
    questions stand and links carry their secret; here only the pattern of the route is told.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
        started = perf_counter()
        about: dict[str, str | bool | int | float] = {"http.request.method": method}
        parent = carried_on(Headers(scope=scope).get(TRACEPARENT))
        with span(method, about, kind=SpanKind.SERVER, parent=parent) as opened:

            async def send_with_trace(message: Message) -> None:
                if message["type"] == "http.response.start":
                    about["http.response.status_code"] = message["status"]
                    for value in carried().values():
                        MutableHeaders(scope=message)[TRACE_HEADER] = value
                await send(message)

            try:
                await self.app(scope, receive, send_with_trace)
            finally:
                route = scope.get("route")
                pattern = getattr(route, "path", None)
                if isinstance(pattern, str):
                    about["http.route"] = pattern
                    opened.update_name(f"{method} {pattern}")
                opened.set_attributes(about)
                status = about.get("http.response.status_code")
                if isinstance(status, int) and status >= _LEAST_ERROR:
                    opened.set_attribute("error.type", str(status))
                    opened.set_status(Status(StatusCode.ERROR))
                REQUESTS.record(perf_counter() - started, about)
