"""What happens while a server answers, gone on with wherever the connection is cut."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import httpx

from footnote.domain import AnswerDone, AnswerEvent, AnswerFailed
from footnote.errors import NotFound, NotReady
from footnote.interfaces.sdk.decoding import JsonObject, answer_event, decoded
from footnote.interfaces.sdk.transport import Content, Transport, server_sent_events

_ASK_AGAIN = "Ask again."


async def answer_events(transport: Transport, content: Content) -> AsyncGenerator[AnswerEvent]:
    """The events of an answer, each once. Raises NotReady when they cannot be gone on with."""
    last_id, failures = "", 0
    while True:
        try:
            async with aclosing(_once(transport, content, last_id)) as events:
                async for place, event in events:
                    last_id = place
                    if event is not None:
                        failures = 0
                        yield event
                    if isinstance(event, AnswerDone | AnswerFailed):
                        return
            reason = "the stream ended before the answer"
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
        except NotFound as error:
            if not last_id:
                raise
            gone = "the connection was cut, and the server does not keep the answer any more"
            raise NotReady(gone, hint=_ASK_AGAIN) from error
        failures += 1
        if failures > transport.patience.retries:
            raise NotReady(f"the answer could not be read to its end: {reason}", hint=_ASK_AGAIN)
        await asyncio.sleep(transport.patience.pause_seconds(failures))


async def _once(
    transport: Transport, content: Content, last_id: str
) -> AsyncGenerator[tuple[str, AnswerEvent | None]]:
    """What one connection tells, each with the id that stands for it."""
    if last_id:
        content = replace(content, headers={**content.headers, "Last-Event-ID": last_id})
    async with (
        transport.stream("POST", "/v1/answers", content) as response,
        aclosing(server_sent_events(response.aiter_bytes())) as events,
    ):
        async for event in events:
            yield event.id, answer_event(event.event, _data(event.data))


def _data(text: str) -> JsonObject:
    return decoded(dict[str, object], json.loads(text)) if text else {}
