"""The route of the AG-UI protocol, for CopilotKit and other front ends that speak it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from footnote.domain import AnswerDone, AnswerEvent, CitationMade, TextWritten
from footnote.errors import InvalidRequest, UnsupportedSettings, how_to_install
from footnote.interfaces.http import examples
from footnote.interfaces.http.asking import chat_events_of
from footnote.interfaces.http.chat_shapes import ChatExtras, below, no_text, question_of
from footnote.interfaces.http.requests import Question
from footnote.interfaces.http.scope import (
    ALWAYS,
    WORKSPACE_HEADER,
    TheEngine,
    WorkspaceName,
    inside,
)
from footnote.interfaces.http.streaming import MEDIA_TYPE, EventStream, streamed
from footnote.validation.constrained_types import Name

if TYPE_CHECKING:
    from ag_ui.core import RunAgentInput

router = APIRouter(tags=["chat"])

_RUN: dict[str, object] = {
    "threadId": "t1",
    "runId": "r1",
    "messages": [{"id": "m1", "role": "user", "content": "How soon must a claim be reported?"}],
    "forwardedProps": {"footnote": {"top_k": 5}},
}
_EXAMPLE = (
    'data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1","protocolVersion":"1.0"}\n\n'
    'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"…","delta":"A claim must be …"}\n\n'
    'data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}\n\n'
)


class RunExtras(ChatExtras):
    """What `forwardedProps.footnote` may say."""

    workspace: Name | None = None


@router.post(
    "/agui",
    summary="Run an answer as an AG-UI agent",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The events of the run.",
            "content": {MEDIA_TYPE: {"schema": {"type": "string"}, "example": _EXAMPLE}},
        },
        **ALWAYS,
        **examples.problem_responses("bad-request", "content-too-large", "lane-mismatch"),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}, "example": _RUN}},
        }
    },
)
async def run_agui(*, request: Request, engine: TheEngine, named: WorkspaceName) -> EventStream:
    """The last message of the user, answered with its sources as events of the protocol."""
    run = _run_from(await request.body())
    extras = _extras_of(run.forwarded_props)
    workspace = await inside(engine, _one_workspace(named, extras.workspace))
    question = question_from(run, extras)
    events = chat_events_of(workspace, question, agent=extras.agent)
    from footnote.interfaces.agui.events import RunFrames  # noqa: PLC0415  # of an extra

    encode = RunFrames(run)
    return await streamed(workspace, events, lambda event: chain(*map(encode, _with_notes(event))))


def _one_workspace(header: str | None, body: str | None) -> str | None:
    """The workspace that either names. Raises InvalidRequest where they name two."""
    if None not in (header, body) and header != body:
        raise InvalidRequest(
            f"body.forwardedProps.footnote.workspace: it is {body!r} and the header "
            f"{WORKSPACE_HEADER} names {header!r}",
            hint="name the workspace once",
        )
    return header or body


def question_from(run: RunAgentInput, extras: ChatExtras) -> Question:
    """What a run asks. Raises InvalidRequest."""
    return question_of(list(_said(run)), extras)


def _said(run: RunAgentInput) -> Iterator[tuple[str, str]]:
    for message in run.messages:
        if message.role not in ("user", "assistant"):
            continue
        content = message.content
        if isinstance(content, list):
            content = "\n".join(
                part.text if part.type == "text" else no_text(part.type) for part in content
            )
        yield message.role, str(content or "").strip()


def _run_from(body: bytes) -> RunAgentInput:
    try:
        from ag_ui.core import RunAgentInput as Run  # noqa: PLC0415  # of an extra
    except ImportError as error:
        raise UnsupportedSettings(
            "AG-UI needs a package that is not installed",
            hint=how_to_install("agui"),
        ) from error
    try:
        return Run.model_validate_json(body)
    except ValidationError as error:
        raise _refusal(error, "body") from error


def _extras_of(forwarded: object) -> RunExtras:
    given = forwarded.get("footnote", {}) if isinstance(forwarded, Mapping) else {}
    try:
        return RunExtras.model_validate(given)
    except ValidationError as error:
        raise _refusal(error, "body", "forwardedProps", "footnote") from error


def _with_notes(event: AnswerEvent) -> Iterator[AnswerEvent]:
    """The event; before the last one what stands below the answer, as the last of its text."""
    if isinstance(event, AnswerDone) and (rest := below(event.answer)):
        yield TextWritten(text=rest)
        if event.answer.closest is not None:
            yield CitationMade(citation=event.answer.closest.citation)
    yield event


def _refusal(error: ValidationError, *place: str) -> RequestValidationError:
    """The problem of a body that FastAPI did not read itself."""
    return RequestValidationError(
        [
            # A number says, as FastAPI's own errors do, that the body itself is no JSON.
            {**wrong, "loc": (*place, *(wrong["loc"] or (0,)))}
            for wrong in error.errors(include_url=False)
        ]
    )
