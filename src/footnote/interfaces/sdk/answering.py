"""Answers of a server, gone on with wherever the connection is cut, and verdicts on statements."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import httpx

from footnote.domain import AnswerDone, AnswerEvent, AnswerFailed
from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.errors import NotFound, NotReady
from footnote.interfaces.answer_events import answer_event
from footnote.interfaces.encoding import grounding_json
from footnote.interfaces.schemas import JsonObject, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat, Transport, server_sent_events

_ASK_AGAIN = "Ask again."
_GONE = "Ask again. Of several server processes only the one that was left keeps an answer."


async def answer_events(
    transport: Transport, path: str, content: Content, repeat: Repeat = Repeat.LOST
) -> AsyncGenerator[AnswerEvent]:
    """The events of an answer that is asked for at a path, each once.

    `repeat` is when it may be asked for again before anything was heard of it; after that it is
    gone on with. Raises NotReady when it cannot be.
    """
    last_id, failures = "", 0
    while True:
        try:
            async with aclosing(_once(transport, path, content, repeat, last_id)) as events:
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
            raise NotReady(gone, hint=_GONE) from error
        failures += 1
        again = last_id or repeat is Repeat.LOST
        if not again or failures > transport.patience.retries:
            raise NotReady(f"the answer could not be read to its end: {reason}", hint=_ASK_AGAIN)
        await asyncio.sleep(transport.patience.pause_seconds(failures))


async def _once(
    transport: Transport, path: str, content: Content, repeat: Repeat, last_id: str
) -> AsyncGenerator[tuple[str, AnswerEvent | None]]:
    """What one connection tells, each with the id that stands for it."""
    method = "POST"
    if last_id:
        method, path = "GET", f"/v1/answers/{last_id.partition(':')[0]}/events"
        content, repeat = Content(headers={"Last-Event-ID": last_id}), Repeat.LOST
    async with (
        transport.stream(method, path, content, repeat=repeat) as response,
        aclosing(server_sent_events(response.aiter_bytes())) as events,
    ):
        async for event in events:
            yield event.id, answer_event(event.event, _data(event.data))


def _data(text: str) -> JsonObject:
    return decoded(dict[str, object], json.loads(text)) if text else {}


async def check_grounding(
    client: Remote,
    sources: Sequence[GroundingSource],
    *,
    statements: Sequence[str] = (),
    answer: str | None = None,
) -> GroundingCheck:
    """How the sources stand to each statement, or to each that an answer consists of."""
    content = Content(json=grounding_json(sources, statements=statements, answer=answer))
    found = await client.transport.json("POST", "/v1/grounding/check", content)
    return decoded(GroundingCheck, found)
