"""Routes in OpenAI's shape, so that an existing chat front end uses a workspace as a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from footnote.domain import AnswerDone, AnswerEvent, AnswerFailed, SourcesFound, TextWritten
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.engine import Engine
from footnote.errors import InvalidRequest, NotFound
from footnote.interfaces.http.asking import chat_events_of, whole
from footnote.interfaces.http.chat_errors import (
    OpenAIRoute,
    error_response,
    error_responses,
    failed_body,
)
from footnote.interfaces.http.chat_shapes import ChatRequest, Completion, JsonObject
from footnote.interfaces.http.examples import Responses, problem_responses
from footnote.interfaces.http.scope import TheEngine, WorkspaceName
from footnote.interfaces.http.streaming import (
    CLIENT_CLOSED_REQUEST,
    MEDIA_TYPE,
    ClientGone,
    sse,
    streamed,
    unless_gone,
)
from footnote.interfaces.schemas import object_of

MODEL = "footnote"
"""The default workspace; `footnote/NAME` is another."""

router = APIRouter(tags=["chat"], route_class=OpenAIRoute)

_EXAMPLE: JsonObject = {
    "id": "chatcmpl-0c6f3c526d7e4b5e9a3b5f1e2d3c4b5a",
    "object": "chat.completion",
    "created": 1746178200,
    "model": MODEL,
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "A claim must be reported within 14 days of the loss. [1]",
                "refusal": None,
                "annotations": [],
            },
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """A workspace as a model that chat front ends can ask, in OpenAI's shape."""

    id: str
    """`footnote`, or `footnote/` and a workspace."""
    object: Literal["model"] = "model"
    created: int
    """When the workspace was, in seconds since the epoch."""
    owned_by: str = "footnote"


_MODEL = object_of(ChatModel(id=MODEL, created=1746178200))
_MODELS: JsonObject = {"object": "list", "data": [_MODEL]}
_OBJECT = {"type": "object"}
_ERRORS: Responses = {
    **error_responses(400, 404, 409, 422, 500, 503),
    **problem_responses("not-local"),
}
_ONE_MODEL: Responses = {
    200: {
        "description": "The model.",
        "content": {"application/json": {"schema": _OBJECT, "example": _MODEL}},
    },
    **_ERRORS,
}
_COMPLETION: Responses = {
    200: {
        "description": "A completion, or its chunks.",
        "content": {
            "application/json": {"schema": _OBJECT, "example": _EXAMPLE},
            MEDIA_TYPE: {"schema": {"type": "string"}, "example": "data: {…}\n\ndata: [DONE]\n\n"},
        },
    },
    **_ERRORS,
}


@router.post(
    "/openai/v1/chat/completions",
    summary="Ask in OpenAI's shape",
    response_class=JSONResponse,
    responses=_COMPLETION,
)
async def complete_chat(
    *,
    request: Request,
    engine: TheEngine,
    named: WorkspaceName,
    asked: ChatRequest,
) -> Response:
    """The last message of the user, answered from a workspace; `model` names it.

    The footnotes are in the message's `annotations`, and the whole answer in `footnote`.
    """
    return await _completed(request, engine, named, asked)


@router.post(
    "/v1/chat/completions",
    summary="Ask in OpenAI's shape, below /v1",
    response_class=JSONResponse,
    responses=_COMPLETION,
)
async def complete_chat_too(
    *,
    request: Request,
    engine: TheEngine,
    named: WorkspaceName,
    asked: ChatRequest,
) -> Response:
    """The same as `POST /openai/v1/chat/completions`."""
    return await _completed(request, engine, named, asked)


@router.get(
    "/openai/v1/models",
    summary="Which models are there, in OpenAI's shape?",
    response_class=JSONResponse,
    responses={
        200: {
            "description": "The models.",
            "content": {"application/json": {"schema": _OBJECT, "example": _MODELS}},
        },
        **_ERRORS,
    },
)
async def list_chat_models(engine: TheEngine, named: WorkspaceName) -> Response:
    """The default workspace as a model, and the one that the header names."""
    models = [object_of(each) for each in await chat_models(engine, named)]
    return JSONResponse({"object": "list", "data": models})


@router.get(
    "/openai/v1/models/{model:path}",
    summary="Is there this model, in OpenAI's shape?",
    response_class=JSONResponse,
    responses=_ONE_MODEL,
)
async def show_chat_model(engine: TheEngine, named: WorkspaceName, model: str) -> Response:
    """A workspace as a model."""
    found = await _model(engine, model, workspace_of(model, named))
    return JSONResponse(object_of(found))


@router.get(
    "/v1/models/{model:path}",
    summary="Is there this model, in OpenAI's shape, below /v1?",
    response_class=JSONResponse,
    responses=_ONE_MODEL,
)
async def show_chat_model_too(engine: TheEngine, named: WorkspaceName, model: str) -> Response:
    """The same as `GET /openai/v1/models/{model}`."""
    return await show_chat_model(engine, named, model)


async def no_such_url(request: Request) -> Response:
    """What OpenAI's clients may ask for and a workspace cannot do, in the shape that they read."""
    known = "POST /openai/v1/chat/completions and GET /openai/v1/models"
    asked = f"{request.method} {request.url.path}"
    return error_response(404, f"there is no {asked} here ({known} are)", code="unknown_url")


SECTIONS = (
    *("assistants", "audio", "batches", "chat", "completions", "containers", "embeddings"),
    *("evals", "files", "fine_tuning", "images", "moderations", "organization", "realtime"),
    *("responses", "threads", "uploads", "vector_stores", "videos"),
)
"""What OpenAI's paths below /v1 begin with, and none of ours does."""

for _path in (
    "/openai/{path:path}",
    "/v1/models/{path:path}",
    *(f"/v1/{section}" for section in SECTIONS),
    *(f"/v1/{section}/{{path:path}}" for section in SECTIONS),
):
    router.add_api_route(
        _path,
        no_such_url,
        methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        include_in_schema=False,
    )


async def chat_models(engine: Engine, named: str | None) -> tuple[ChatModel, ...]:
    """The default workspace as a model, and the one that is named."""
    default = await _model(engine, MODEL, None)
    if named is None:
        return (default,)
    return default, await _model(engine, f"{MODEL}/{named}", named)


def workspace_of(model: str, named: str | None) -> str | None:
    """The workspace that a model stands for; the default one if None.

    Raises NotFound, and InvalidRequest where a header names another one.
    """
    kind, slash, name = model.partition("/")
    if kind != MODEL or (slash and not name):
        raise NotFound(f"there is no model {model!r}")
    if not slash:
        return named
    if named is not None and named != name:
        raise InvalidRequest(
            f"the model is of the workspace {name!r} and the header names {named!r}",
            hint="name the workspace once",
        )
    return name


async def _model(engine: Engine, model: str, name: str | None) -> ChatModel:
    workspace = await engine.workspace(name)
    return ChatModel(id=model, created=int(workspace.workspace.created_at.timestamp()))


async def _completed(
    request: Request, engine: Engine, named: str | None, asked: ChatRequest
) -> Response:
    workspace = await engine.workspace(workspace_of(asked.model, named))
    question = asked.to_question()
    name = workspace.workspace.name
    completion = Completion(
        model=asked.model,
        created=int(time.time()),
        base_url=str(request.base_url),
        workspace=None if name == DEFAULT_WORKSPACE else name,
    )
    events = chat_events_of(workspace, question, agent=asked.footnote.agent)
    if asked.stream:
        options = asked.stream_options
        with_usage = bool(options and options.include_usage)
        return await streamed(
            workspace, events, partial(_frames, completion=completion, with_usage=with_usage)
        )
    try:
        answer = await unless_gone(request, whole(events))
    except ClientGone:
        return Response(status_code=CLIENT_CLOSED_REQUEST)
    return JSONResponse(completion.whole(answer))


def _frames(event: AnswerEvent, completion: Completion, *, with_usage: bool) -> Iterator[bytes]:
    """The chunks of a completion that an event becomes, as Server-Sent Events."""
    for chunk in _chunks(event, completion, with_usage=with_usage):
        yield sse(None, json.dumps(chunk, ensure_ascii=False))
    if isinstance(event, AnswerDone):
        yield sse(None, "[DONE]")


def _chunks(
    event: AnswerEvent, completion: Completion, *, with_usage: bool
) -> Iterator[JsonObject]:
    match event:
        case SourcesFound():
            yield completion.chunk({"role": "assistant", "content": ""})
        case TextWritten():
            yield completion.chunk({"content": event.text})
        case AnswerDone():
            yield from completion.last_chunks(event.answer)
            if with_usage:
                yield completion.usage_chunk(event.answer.usage)
        case AnswerFailed():
            yield failed_body(event)
        case _:
            return
