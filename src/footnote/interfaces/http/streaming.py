"""Answers as Server-Sent Events, which end with their reader and can be gone on with."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Header, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from footnote.answering.answerer import failed_with
from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    UsageCounted,
)
from footnote.engine import WorkspaceEngine
from footnote.engine.answer_runs import Encode, Owner, Reader
from footnote.errors import InvalidRequest, NotFound
from footnote.interfaces.answer_events import named
from footnote.interfaces.failures import failure_of
from footnote.interfaces.http.problems import problem
from footnote.interfaces.schemas import json_of

MEDIA_TYPE = "text/event-stream"
RECONNECT_MILLISECONDS = 1000
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_ESCAPED = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}
"""What JSON leaves as it is and some clients take for the end of a line."""
_HEARTBEAT = ": still here\n\n"
_GONE = "No such answer is under way in this process, nor was one given just now."
_ELSEWHERE = (
    "Ask again. Of several server processes only the one that was left keeps an answer; "
    "one of a conversation is among its messages once it is done."
)
_EVENT_ID = re.compile(r"([0-9a-f-]{36}):(\d{1,9})")
CLIENT_CLOSED_REQUEST = 499
"""As nginx notes it; nobody is there to read it."""

Result = TypeVar("Result")

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Goes on after this event.", max_length=100),
]


class EventStream(StreamingResponse):
    """Server-Sent Events of one reader, who is let go of however the response ends."""

    def __init__(self, events: AsyncGenerator[str], on_close: Callable[[], None]) -> None:
        super().__init__(events, media_type=MEDIA_TYPE, headers=_HEADERS)
        self._events = events
        self._on_close = on_close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until they or the client end."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_close()
            await self._events.aclose()


async def streamed_answer(
    workspace: WorkspaceEngine, events: AsyncGenerator[AnswerEvent]
) -> EventStream:
    """An answer as it is made; it can be gone on with by the ids of its events.

    Raises what fails before anything was found.
    """
    encode = AnswerFrames()
    reader = workspace.engine.answer_runs.begin(_owner(workspace), events, encode)
    return await _stream_of(workspace, reader, encode, resumable=True)


async def resumed_answer(
    workspace: WorkspaceEngine, run_id: UUID | None, last_event_id: str | None
) -> Response:
    """What followed after an event, or where to look for what this process does not keep.

    Raises InvalidRequest.
    """
    named, after = (run_id, 0) if last_event_id is None else _place(last_event_id)
    if named is None or run_id not in (None, named):
        raise InvalidRequest("Last-Event-ID is of another answer", hint="send an id of this answer")
    try:
        reader = workspace.engine.answer_runs.resume(_owner(workspace), named, after)
    except NotFound as error:
        failure = failure_of(error)
        return problem(failure.status, failure.code, _GONE, title=failure.title, hint=_ELSEWHERE)
    return await _stream_of(workspace, reader, AnswerFrames(), resumable=True)


async def streamed(
    workspace: WorkspaceEngine, events: AsyncGenerator[AnswerEvent], encode: Encode
) -> EventStream:
    """The events in another protocol's frames, which end at once when their reader goes.

    Raises what fails before the first of them, unless that took so long that the response had to
    begin: then the last frame says so.
    """
    reader = workspace.engine.answer_runs.begin(_owner(workspace), events, encode, resumable=False)
    return await _stream_of(workspace, reader, encode, resumable=False)


async def _stream_of(
    workspace: WorkspaceEngine, reader: Reader, encode: Encode, *, resumable: bool
) -> EventStream:
    heartbeat_seconds = workspace.engine.settings.events_heartbeat_seconds
    try:
        await reader.begun(heartbeat_seconds)
    except BaseException:
        reader.close()
        raise
    place = f"id: {reader.run.run_id}"

    async def lines() -> AsyncGenerator[str]:
        if resumable:
            # It comes at once, so that nothing is lost with a connection that is cut right away.
            yield f"retry: {RECONNECT_MILLISECONDS}\n{place}:{reader.position}\n\n"
        try:
            async for frame in reader.frames(heartbeat_seconds):
                if frame is None:
                    yield _HEARTBEAT
                else:
                    number, content = frame
                    yield f"{place}:{number}\n{content.decode()}" if resumable else content.decode()
        except Exception as error:  # logged where it was raised
            for content in encode(failed_with(error)):
                yield content.decode()

    return EventStream(lines(), reader.close)


async def unless_gone(request: Request, work: Coroutine[object, object, Result]) -> Result:
    """The result of the work, which is ended when the client goes away before it.

    Raises ClientGone then; nobody is there to read it.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request.receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone("the client went away before its answer")
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


class AnswerFrames:
    """Encodes the events of one answer as Server-Sent Events, but for their ids.

    Usage is reported of every answer, also of one that used nothing.
    """

    def __init__(self) -> None:
        self._counted = False

    def __call__(self, event: AnswerEvent) -> Iterator[bytes]:
        """The frames of an event."""
        if isinstance(event, AnswerDone) and not self._counted:
            yield _frame(UsageCounted(usage=event.answer.usage))
        self._counted = self._counted or isinstance(event, UsageCounted)
        yield _frame(event)


def _frame(event: AnswerEvent) -> bytes:
    name, record = named(event)
    return sse(name, json_of(record))


def sse(name: str | None, data: str) -> bytes:
    """A Server-Sent Event whose data is JSON, which one line carries."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {data.translate(_ESCAPED)}\n\n".encode()


async def _gone(receive: Callable[[], Awaitable[object]]) -> None:
    while True:
        message = await receive()
        if isinstance(message, dict) and message.get("type") == "http.disconnect":
            return


def _owner(workspace: WorkspaceEngine) -> Owner:
    return Owner(workspace_id=workspace.workspace.workspace_id, principal=workspace.principal)


def _place(last_event_id: str) -> tuple[UUID, int]:
    match = _EVENT_ID.fullmatch(last_event_id)
    try:
        if match is not None:
            return UUID(match[1]), int(match[2])
    except ValueError:
        pass
    raise InvalidRequest("Last-Event-ID is not one we gave", hint="send an event's id unchanged")
