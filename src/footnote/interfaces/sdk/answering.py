"""Evidence, answers and verdicts of a server; answers go on wherever the connection is cut."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict

import httpx

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    PassageContext,
    PlanChanges,
    SearchFilters,
    SearchResponse,
    SuggestionsMade,
    Turn,
)
from footnote.domain.answers import Suggestions
from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.domain.search import search_request_for
from footnote.errors import NotFound, NotReady
from footnote.interfaces.answer_events import answer_event
from footnote.interfaces.encoding import grounding_json, question_json, search_json
from footnote.interfaces.schemas import JsonObject, decoded
from footnote.interfaces.sdk.transport import Content, Repeat, Transport, server_sent_events
from footnote.interfaces.sdk.verbs import Remote
from footnote.validation.constrained_types import Name, Searched, Window

_ASK_AGAIN = "Ask again."
_GONE = "Ask again. Of several server processes only the one that was left keeps an answer."


async def answer_events(
    transport: Transport,
    path: str,
    content: Content,
    repeat: Repeat = Repeat.LOST,
    *,
    suggests: bool = False,
) -> AsyncGenerator[AnswerEvent]:
    """The events of an answer that is asked for at a path, each once.

    With `suggests`, the suggestions that follow it are waited for. `repeat` says when it may be
    requested again before its first event; after that the same answer is continued. Raises NotReady
    when it cannot be continued.
    """
    last_id, failures = "", 0
    while True:
        try:
            async with aclosing(
                _connection_events(transport, path, content, repeat, last_id)
            ) as events:
                async for event_id, event in events:
                    last_id = event_id
                    if event is not None:
                        failures = 0
                        yield event
                    done = isinstance(event, AnswerDone) and not suggests
                    if done or isinstance(event, AnswerFailed | SuggestionsMade):
                        return
            reason = "the stream ended before the answer"
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
        except NotFound as error:
            if not last_id:
                raise
            message = "the connection was cut, and the server does not keep the answer any more"
            raise NotReady(message, hint=_GONE) from error
        failures += 1
        may_retry = last_id or repeat is Repeat.LOST
        if not may_retry or failures > transport.patience.retries:
            raise NotReady(f"the answer could not be read to its end: {reason}", hint=_ASK_AGAIN)
        await asyncio.sleep(transport.patience.pause_seconds(failures))


async def _connection_events(
    transport: Transport, path: str, content: Content, repeat: Repeat, last_id: str
) -> AsyncGenerator[tuple[str, AnswerEvent | None]]:
    """The events of one connection, each with its id."""
    method = "POST"
    if last_id:
        method, path = "GET", f"/v1/answers/{last_id.partition(':')[0]}/events"
        content, repeat = Content(headers={"Last-Event-ID": last_id}), Repeat.LOST
    async with (
        transport.stream(method, path, content, repeat=repeat) as response,
        aclosing(server_sent_events(response.aiter_bytes())) as events,
    ):
        async for event in events:
            yield event.id, answer_event(event.event, _json_object(event.data))


def _json_object(text: str) -> JsonObject:
    return decoded(dict[str, object], json.loads(text)) if text else {}


async def search(client: Remote, request: Searched) -> SearchResponse:
    """Evidence for a request, or for a query alone."""
    content = Content(json=search_json(search_request_for(request)))
    response = await client.transport.json("POST", "/v1/search", content)
    return decoded(SearchResponse, response)


async def context(client: Remote, chunk_id: str, window: Window = 2) -> PassageContext:
    """A passage between its neighbours."""
    content = Content(json={"chunk_id": chunk_id, "window": window})
    return decoded(PassageContext, await client.transport.json("POST", "/v1/context", content))


async def ask(
    client: Remote,
    question: str,
    *,
    top_k: int | None = None,
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: str | None = None,
) -> Answer:
    """An answer whose statements are cited, or an honest one that there is none."""
    body = question_json(
        question,
        top_k=top_k,
        filters=filters,
        plan=plan,
        changes=changes,
        conversation=conversation,
        model=model,
    )
    response = await client.transport.json(
        "POST", "/v1/answers", Content(json=body), Repeat.REFUSED
    )
    return decoded(Answer, response)


async def ask_stream(
    client: Remote,
    question: str,
    *,
    top_k: int | None = None,
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: str | None = None,
    suggest: bool = False,
) -> AsyncGenerator[AnswerEvent]:
    """What happens while a question is answered, the answer last.

    With `suggest`, questions to ask next follow it. A connection that is cut is made again, and the
    answer continues where it was. Closing the generator stops the models. Raises NotReady when the
    answer cannot be continued.
    """
    body = question_json(
        question,
        top_k=top_k,
        filters=filters,
        plan=plan,
        changes=changes,
        conversation=conversation,
        model=model,
    )
    content = Content(json={**body, "stream": True, "suggest": suggest})
    answering = answer_events(client.transport, "/v1/answers", content, suggests=suggest)
    async with aclosing(answering) as events:
        async for event in events:
            yield event


async def suggest_questions(
    client: Remote,
    question: str,
    *,
    answer: str = "",
    chunk_ids: Sequence[str],
    filters: SearchFilters | None = None,
    plan: Name | None = None,
    changes: PlanChanges | None = None,
    conversation: Sequence[Turn] = (),
    model: str | None = None,
    language: str | None = None,
) -> Suggestions:
    """Questions that may follow an answer, each tried on the documents and answered."""
    body = question_json(
        question,
        top_k=None,
        filters=filters,
        plan=plan,
        changes=changes,
        conversation=conversation,
        model=model,
    )
    del body["top_k"]
    body |= {"answer": answer, "chunk_ids": list(chunk_ids), "language": language}
    response = await client.transport.json("POST", "/v1/suggestions", Content(json=body))
    return decoded(Suggestions, response)


async def agent_stream(
    client: Remote,
    question: str,
    *,
    conversation: Sequence[Turn] = (),
    model: str | None = None,
) -> AsyncGenerator[AnswerEvent]:
    """What happens while a model with tools looks for an answer; as `ask_stream`."""
    body = {
        "question": question,
        "conversation": [asdict(turn) for turn in conversation],
        "model": model,
        "stream": True,
    }
    answering = answer_events(client.transport, "/v1/agent", Content(json=body), Repeat.REFUSED)
    async with aclosing(answering) as events:
        async for event in events:
            yield event


async def check_grounding(
    client: Remote,
    sources: Sequence[GroundingSource],
    *,
    statements: Sequence[str] = (),
    answer: str | None = None,
) -> GroundingCheck:
    """How the sources stand to each statement, or to each that an answer consists of."""
    content = Content(json=grounding_json(sources, statements=statements, answer=answer))
    response = await client.transport.json("POST", "/v1/grounding/check", content)
    return decoded(GroundingCheck, response)
