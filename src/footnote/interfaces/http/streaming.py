"""Answers in one piece or as Server-Sent Events, which a client can leave and resume."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from contextlib import aclosing, suppress
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Header, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from footnote.answering.streaming import completed
from footnote.domain import Answer, AnswerDone, AnswerEvent, UsageCounted
from footnote.engine import WorkspaceEngine
from footnote.engine.answer_runs import Encode, Owner, Reader
from footnote.errors import InvalidRequest
from footnote.interfaces.answer_events import event_record
from footnote.interfaces.http.problems import Responses
from footnote.interfaces.schemas import json_of

MEDIA_TYPE = "text/event-stream"
RECONNECT_MILLISECONDS = 1000
HEARTBEAT_SECONDS = 15.0
"""Silence after which a heartbeat is sent: proxies close a connection after 30 or more."""
CLIENT_CLOSED_REQUEST = 499
"""The status that nginx logs in this case; the client is not there to read it."""

STREAM: Responses = {200: {"description": "Server-Sent Events.", "content": {MEDIA_TYPE: {}}}}
ANSWER: Responses = {
    200: {
        "description": "A cited answer, or Server-Sent Events while it is made.",
        "content": {"application/json": {}, MEDIA_TYPE: {}},
    }
}
"""The description of a route that answers in one piece or streams."""

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Continues after this event.", max_length=100),
]

_ESCAPED = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}
"""What JSON leaves as it is and some clients take for the end of a line."""
_EVENT_ID = re.compile(r"([0-9a-f-]{36}):(\d{1,9})")

Result = TypeVar("Result")


class EventStream(StreamingResponse):
    """Server-Sent Events for one reader; its source is closed however the response ends."""

    def __init__(
        self, events: AsyncGenerator[str], on_close: Callable[[], None] = lambda: None
    ) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type=MEDIA_TYPE, headers=headers)
        self._events = events
        self._on_close = on_close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until they or the client end."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_close()
            await self._events.aclose()


def sse(name: str | None, data: str) -> bytes:
    """A Server-Sent Event whose data is JSON, in one line."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {data.translate(_ESCAPED)}\n\n".encode()


def wants_stream(request: Request, *, stream: bool) -> bool:
    """Whether the body or the header `Accept` of a request asks for events."""
    return stream or MEDIA_TYPE in request.headers.get("accept", "")


def answer_to(
    request: Request,
    workspace: WorkspaceEngine,
    events: AsyncGenerator[AnswerEvent],
    *,
    stream: bool,
) -> Awaitable[Answer | Response]:
    """The answer, in the form that the request asks for."""
    if wants_stream(request, stream=stream):
        return streamed(workspace, events)
    return unless_disconnected(request, complete_answer(events))


async def complete_answer(events: AsyncGenerator[AnswerEvent]) -> Answer:
    """The answer in one piece. Raises InvalidRequest and ModelUnavailable."""
    async with aclosing(events):
        return await completed(events)


async def unless_disconnected(
    request: Request, work: Coroutine[object, object, Result]
) -> Result | Response:
    """The result of the work, which is cancelled when the client goes away before it."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else Response(status_code=CLIENT_CLOSED_REQUEST)
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def resumed_answer(
    workspace: WorkspaceEngine, run_id: UUID | None, last_event_id: str | None
) -> Response:
    """The events after one of them, or all; a problem where this server does not have them.

    Raises InvalidRequest.
    """
    after = 0
    if last_event_id is not None:
        named_run, after = _position(last_event_id)
        if run_id not in (None, named_run):
            raise InvalidRequest(
                "Last-Event-ID is of another answer", hint="send an id of this answer"
            )
        run_id = named_run
    assert run_id is not None, "the path or the header names a run"
    reader = await workspace.engine.answer_runs.resume(_owner(workspace), run_id, after)
    return await _event_stream(reader, resumable=True)


def _position(last_event_id: str) -> tuple[UUID, int]:
    match = _EVENT_ID.fullmatch(last_event_id)
    try:
        if match is not None:
            return UUID(match[1]), int(match[2])
    except ValueError:
        pass
    raise InvalidRequest("Last-Event-ID is not one we gave", hint="send an event's id unchanged")


def streamed(
    workspace: WorkspaceEngine, events: AsyncGenerator[AnswerEvent], encode: Encode | None = None
) -> Awaitable[EventStream]:
    """An answer as it is made, which a client can resume by the ids of its events.

    In another protocol's frames it cannot, and the work ends when its reader leaves. Raises
    what fails before the first event, unless that took so long that the response had to begin:
    then the last frame says so.
    """
    resumable = encode is None
    runs = workspace.engine.answer_runs
    reader = runs.begin(_owner(workspace), events, encode or AnswerFrames(), resumable=resumable)
    return _event_stream(reader, resumable=resumable)


def _owner(workspace: WorkspaceEngine) -> Owner:
    return Owner(workspace_id=workspace.workspace.workspace_id, principal=workspace.principal)


async def _event_stream(reader: Reader, *, resumable: bool) -> EventStream:
    """The frames as they come. Raises what failed before the first: it can still be a status."""
    run = reader.run
    try:
        if reader.waits:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await run.changed.wait()
    except BaseException:
        reader.close()
        raise
    if run.failure is not None:
        reader.close()
        raise run.failure

    async def lines() -> AsyncGenerator[str]:
        if resumable:
            # It comes at once, so that nothing is lost with a connection that is cut right away.
            yield f"retry: {RECONNECT_MILLISECONDS}\nid: {run.run_id}:{reader.position}\n\n"
        while True:
            if reader.waits:
                yield ": still here\n\n"
            for number, frame in reader.unread():
                yield (f"id: {run.run_id}:{number}\n" if resumable else "") + frame.decode()
            if not reader.waits:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await run.changed.wait()

    return EventStream(lines(), reader.close)


class AnswerFrames:
    """Encodes the events of one answer as Server-Sent Events, without their ids.

    Usage is reported of every answer, also of one that used nothing.
    """

    def __init__(self) -> None:
        self._counted = False

    def __call__(self, event: AnswerEvent) -> Iterator[bytes]:
        """The frames of an event."""
        if isinstance(event, AnswerDone) and not self._counted:
            yield sse("usage", json_of(event.answer.usage))
        self._counted = self._counted or isinstance(event, UsageCounted)
        name, record = event_record(event)
        yield sse(name, json_of(record))
