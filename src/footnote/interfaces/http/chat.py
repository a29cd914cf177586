"""Routes in OpenAI's shape, so that an existing chat front end uses a workspace as a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from footnote.domain import AnswerDone, AnswerEvent, AnswerFailed, SourcesFound, TextWritten
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.errors import NotFound
from footnote.interfaces.failures import failure_of_name
from footnote.interfaces.http.chat_errors import (
    JsonObject,
    OpenAIRoute,
    error_of,
    error_responses,
)
from footnote.interfaces.http.chat_shapes import ChatRequest, Completion
from footnote.interfaces.http.problems import Responses, problem, problem_responses
from footnote.interfaces.http.questions import events_of
from footnote.interfaces.http.routing import operation_id
from footnote.interfaces.http.scope import (
    Requester,
    TheRequester,
    WorkspaceName,
    single_workspace_name,
)
from footnote.interfaces.http.streaming import (
    MEDIA_TYPE,
    complete_answer,
    sse,
    streamed,
    unless_disconnected,
)
from footnote.interfaces.schemas import object_of

MODEL = "footnote"
"""The default workspace; `footnote/NAME` is another."""

router = APIRouter(
    tags=["chat"],
    route_class=OpenAIRoute,
    default_response_class=JSONResponse,
    responses={
        **error_responses(400, 401, 402, 403, 404, 409, 422, 500, 503),
        **problem_responses("not-local"),
    },
    generate_unique_id_function=operation_id,
)

_OBJECT: Responses = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}},
}
_COMPLETION: Responses = {
    200: {
        "description": "A completion, or Server-Sent Events with its chunks.",
        "content": {"application/json": {"schema": {"type": "object"}}, MEDIA_TYPE: {}},
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """A workspace as a model that chat front ends can ask, in OpenAI's shape."""

    id: str
    """`footnote`, or `footnote/` and a workspace."""
    object: Literal["model"] = "model"
    created: int
    """When the workspace was created, in seconds since the epoch."""
    owned_by: str = "footnote"


@router.post("/v1/chat/completions", name="complete_chat_too", responses=_COMPLETION)
@router.post("/openai/v1/chat/completions", responses=_COMPLETION)
async def complete_chat(
    *, request: Request, requester: TheRequester, workspace_name: WorkspaceName, body: ChatRequest
) -> Response:
    """Answer the last message of the user, in OpenAI's shape.

    `model` names the workspace. The footnotes are in the message's `annotations`, and the whole
    answer in `footnote`. `/openai/v1` and `/v1` are the same.
    """
    workspace = await requester.enter(workspace_of(body.model, workspace_name))
    name = workspace.workspace.name
    completion = Completion(
        model=body.model,
        created=int(time.time()),
        base_url=str(request.base_url),
        workspace=None if name == DEFAULT_WORKSPACE else name,
    )
    events = events_of(workspace, body.to_question())
    if not body.stream:
        answer = await unless_disconnected(request, complete_answer(events))
        return answer if isinstance(answer, Response) else JSONResponse(completion.whole(answer))
    with_usage = bool(body.stream_options and body.stream_options.include_usage)

    def encode(event: AnswerEvent) -> Iterator[bytes]:
        for chunk in _chunks(event, completion, with_usage=with_usage):
            yield sse(None, json.dumps(chunk, ensure_ascii=False))
        if isinstance(event, AnswerDone):
            yield sse(None, "[DONE]")

    return await streamed(workspace, events, encode)


def _chunks(
    event: AnswerEvent, completion: Completion, *, with_usage: bool
) -> Iterator[JsonObject]:
    match event:
        case SourcesFound():
            yield completion.chunk({"role": "assistant", "content": ""})
        case TextWritten():
            yield completion.chunk({"content": event.text})
        case AnswerDone():
            yield from completion.last_chunks(event.answer, with_usage=with_usage)
        case AnswerFailed():
            failure = failure_of_name(event.code)
            failed = problem(
                failure.status,
                event.message,
                code=failure.code,
                hint=event.hint,
                usage=event.usage if event.usage.requests else None,
            )
            yield error_of(failed.problem)
        case _:
            return


@router.get("/openai/v1/models", responses=_OBJECT)
async def list_chat_models(requester: TheRequester, workspace_name: WorkspaceName) -> Response:
    """List the default workspace as a model, and the one that the header names."""
    models = [object_of(model) for model in await chat_models(requester, workspace_name)]
    return JSONResponse({"object": "list", "data": models})


@router.get("/v1/models/{model:path}", name="show_chat_model_too", responses=_OBJECT)
@router.get("/openai/v1/models/{model:path}", responses=_OBJECT)
async def show_chat_model(
    requester: TheRequester, workspace_name: WorkspaceName, model: str
) -> Response:
    """Show a workspace as a model; `/openai/v1` and `/v1` are the same."""
    return JSONResponse(
        object_of(await _model(requester, model, workspace_of(model, workspace_name)))
    )


SECTIONS = (
    *("assistants", "audio", "batches", "chat", "completions", "containers", "embeddings"),
    *("evals", "files", "fine_tuning", "images", "moderations", "organization", "realtime"),
    *("responses", "threads", "uploads", "vector_stores", "videos"),
)
"""The first segments of OpenAI's paths below /v1; none of ours begins with one."""


async def no_such_url(request: Request) -> Response:
    """Refuse what OpenAI's clients may ask for and a workspace cannot do, in their shape."""
    refused = problem(
        404,
        f"there is no {request.method} {request.url.path} here",
        code="unknown_url",
        hint="POST /openai/v1/chat/completions and GET /openai/v1/models are",
    )
    return JSONResponse(error_of(refused.problem), 404)


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


async def chat_models(requester: Requester, workspace_name: str | None) -> tuple[ChatModel, ...]:
    """The default workspace as a model, and the one that is named."""
    default = await _model(requester, MODEL, None)
    if workspace_name is None:
        return (default,)
    return default, await _model(requester, f"{MODEL}/{workspace_name}", workspace_name)


async def _model(requester: Requester, model: str, name: str | None) -> ChatModel:
    workspace = await requester.enter(name)
    return ChatModel(id=model, created=int(workspace.workspace.created_at.timestamp()))


def workspace_of(model: str, workspace_name: str | None) -> str | None:
    """The workspace that a model stands for; the default one if None.

    Raises NotFound, and InvalidRequest where a header names another one.
    """
    kind, slash, name = model.partition("/")
    if kind != MODEL or (slash and not name):
        raise NotFound(f"there is no model {model!r}", hint="GET /openai/v1/models lists them")
    return single_workspace_name(workspace_name, name or None, "model")
