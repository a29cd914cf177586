"""Where each request comes in: its span, what is refused at once, the headers of its answer.

Of its body no more is read than its route takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import structlog
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.interfaces.http.guard import BodyLimit, Policy, add_headers, ends_twice, refusal
from footnote.interfaces.http.problems import Refused
from footnote.ports.telemetry import (
    REQUESTS,
    TRACEPARENT,
    extract_traceparent,
    inject_traceparent,
    span,
)

TRACE_HEADER = "Traceresponse"
"""As the second level of W3C Trace Context has it: which trace a request is in."""
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE".split())
_MIN_ERROR_STATUS = 500
_Attributes = dict[str, str | bool | int | float]
_ENDING = Refused(
    503,
    "The server was stopped before the request was answered.",
    code="not-ready",
    hint="Try again once it runs again; what changes something may have been done already.",
)


@dataclass(frozen=True, slots=True)
class Entrance:
    """Opens the span of each request, refuses what the policy does not let in, and adds headers.

    The span is named by the request's route, and each answer says which trace it is in. FastAPI's
    telemetry and OpenTelemetry's middleware record addresses with their queries, which have
    questions and the secrets of links in them; here only the pattern of the route is recorded. HEAD
    is answered as GET is, without the body.
    """

    app: ASGIApp
    policy: Policy
    body: BodyLimit
    https: bool = False
    """Whether the server is reached over TLS alone."""
    ending: Callable[[], bool] = lambda: False
    """Whether the server is stopping: it then cancels what takes longer than its grace period."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or answer it with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
        started = perf_counter()
        attributes: _Attributes = {"http.request.method": method}
        parent = extract_traceparent(Headers(scope=scope).get(TRACEPARENT))
        without_body = method == "HEAD"
        if without_body:
            scope = {**scope, "method": "GET"}
        with span(method, attributes, kind=SpanKind.SERVER, parent=parent) as request_span:

            async def send_with_headers(message: Message) -> None:
                if message["type"] == "http.response.start":
                    attributes["http.response.status_code"] = message["status"]
                    headers = MutableHeaders(scope=message)
                    for value in inject_traceparent().values():
                        headers[TRACE_HEADER] = value
                    add_headers(headers, scope, https=self.https)
                    await send(message)
                    if without_body:
                        # The answer is complete; what streams its body learns that nobody reads.
                        await send({"type": "http.response.body", "body": b""})
                elif not without_body:
                    await send(message)

            try:
                await self._answer(scope, receive, send_with_headers)
            except asyncio.CancelledError:
                if not self.ending():
                    raise
                await _break_off(scope, receive, send_with_headers, attributes)
            finally:
                _describe(request_span, method, scope, attributes)
                REQUESTS.record(perf_counter() - started, attributes)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = refusal(scope, self.policy)
        closing = {"Connection": "close"} if ends_twice(scope) else None
        handle = self.app if refused is None else refused.response(closing)
        try:
            await handle(scope, self.body.limited(scope, receive), send)
        except ClientDisconnect:
            # The client has left, and nothing failed.
            structlog.get_logger(__name__).debug("the client left before it was answered")


async def _break_off(scope: Scope, receive: Receive, send: Send, attributes: _Attributes) -> None:
    """Answer that the server is stopping, unless the answer has begun: its connection closes."""
    if "http.response.status_code" not in attributes:
        await _ENDING.response({"Connection": "close"})(scope, receive, send)


def _describe(request_span: Span, method: str, scope: Scope, attributes: _Attributes) -> None:
    """Give the span its route and the outcome of the request."""
    route = scope.get("route")
    pattern = getattr(route, "path", None)
    if isinstance(pattern, str):
        attributes["http.route"] = pattern
        request_span.update_name(f"{method} {pattern}")
    request_span.set_attributes(attributes)
    status = attributes.get("http.response.status_code")
    if isinstance(status, int) and status >= _MIN_ERROR_STATUS:
        request_span.set_attribute("error.type", str(status))
        request_span.set_status(Status(StatusCode.ERROR))
