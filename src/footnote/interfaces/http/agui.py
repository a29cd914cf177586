"""The route of the AG-UI protocol, for CopilotKit and other front ends that speak it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TypeVar

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ValidationError

from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    CitationMade,
    TextWritten,
    footnotes_of_conflicts,
)
from footnote.interfaces.http.chat_shapes import (
    ChatExtras,
    ChatMessage,
    footer_text,
    question_of,
    text_of,
)
from footnote.interfaces.http.problems import ALWAYS, problem_responses
from footnote.interfaces.http.questions import events_of
from footnote.interfaces.http.requests import Flag, Question
from footnote.interfaces.http.routing import operation_id
from footnote.interfaces.http.scope import TheRequester, WorkspaceName, single_workspace_name
from footnote.interfaces.http.streaming import STREAM, EventStream, streamed
from footnote.interfaces.tools.library import optional_import
from footnote.validation.constrained_types import Name

router = APIRouter(tags=["chat"], responses=ALWAYS, generate_unique_id_function=operation_id)

Shape = TypeVar("Shape", bound=BaseModel)

_PROPERTIES = ("forwardedProps", "footnote")


class RunExtras(ChatExtras):
    """The members of `forwardedProps.footnote`."""

    workspace: Name | None = None
    suggest: Flag = False
    """Tell what may be asked next before the run ends."""


@router.post(
    "/agui",
    response_class=StreamingResponse,
    responses={**STREAM, **problem_responses("budget-exceeded", "lane-mismatch", "not-installed")},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
)
async def run_agui(
    *, request: Request, requester: TheRequester, workspace_name: WorkspaceName
) -> EventStream:
    """Run an answer as an AG-UI agent.

    The last message of the user is answered, with its sources, as events of the protocol.
    """
    with optional_import("ag-ui-protocol", "agui"):
        from ag_ui.core import RunAgentInput  # noqa: PLC0415  # of an extra

        from footnote.interfaces.agui.events import RunFrames  # noqa: PLC0415  # of an extra
    run = _read(RunAgentInput, await request.body())
    forwarded = run.forwarded_props
    members = forwarded.get("footnote", {}) if isinstance(forwarded, Mapping) else {}
    extras = _read(RunExtras, members, *_PROPERTIES)
    name = single_workspace_name(
        workspace_name, extras.workspace, ".".join(("body", *_PROPERTIES, "workspace"))
    )
    workspace = await requester.enter(name)
    question = question_of(
        [
            (message.role, text_of(ChatMessage.model_validate(message).content))
            for message in run.messages
            if message.role in ("user", "assistant")
        ],
        extras,
    )
    suggests = extras.suggest and isinstance(question, Question)
    if suggests:
        question = question.model_copy(update={"suggest": True})
    encode = RunFrames(run, suggests=suggests)
    return await streamed(
        workspace,
        events_of(workspace, question),
        lambda event: chain(*map(encode, _with_notes(event))),
    )


def _read(shape: type[Shape], value: object, *location: str) -> Shape:
    """A body, or a part of it, that FastAPI does not read. Raises RequestValidationError."""
    try:
        if isinstance(value, bytes):
            return shape.model_validate_json(value)
        return shape.model_validate(value)
    except ValidationError as error:
        raise RequestValidationError(
            [
                # An index means, as in FastAPI's own errors, that the body itself is not JSON.
                {**detail, "loc": ("body", *location, *(detail["loc"] or (0,)))}
                for detail in error.errors(include_url=False)
            ]
        ) from error


def _with_notes(event: AnswerEvent) -> Iterator[AnswerEvent]:
    """The event; before the last one, the text below the answer and its citations."""
    if isinstance(event, AnswerDone) and (text_below := footer_text(event.answer)):
        yield TextWritten(text=text_below)
        if event.answer.closest is not None:
            yield CitationMade(citation=event.answer.closest.citation)
        for citation in footnotes_of_conflicts(event.answer.conflicts, event.answer.citations):
            yield CitationMade(citation=citation)
    yield event
