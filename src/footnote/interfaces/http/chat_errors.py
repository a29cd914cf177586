"""Refusals and failures in the shape that clients of OpenAI read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

import structlog
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from footnote.domain import Usage
from footnote.errors import FootnoteError
from footnote.interfaces.failures import with_hint
from footnote.interfaces.http.problems import (
    Problem,
    ProblemResponse,
    Responses,
    answer_with_problem,
    problem,
)

JsonObject = dict[str, object]

NO_MODEL = "There is no such model."
"""The same for a workspace that is absent and one that is foreign."""

_ERROR_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}

_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                **{name: {"type": "string"} for name in ("message", "type")},
                **{name: {"type": ["string", "null"]} for name in ("param", "code")},
            },
        }
    },
}


class OpenAIRoute(APIRoute):
    """A route whose refusals and failures are errors in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """FastAPI's handler, with its errors put in that shape."""
        handle = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await handle(request)
            except (FootnoteError, RequestValidationError, HTTPException) as error:
                refused = await answer_with_problem(request, error)
            except Exception as error:
                structlog.get_logger(__name__).exception("a chat completion failed")
                refused = await answer_with_problem(request, error)
            return in_their_shape(refused)

        return answer_or_explain


def in_their_shape(refused: ProblemResponse) -> JSONResponse:
    """A problem as their clients read it."""
    headers = {name: refused.headers[name] for name in _PASSED_HEADERS if name in refused.headers}
    # Their clients know no 422.
    status = 400 if refused.status_code == 422 else refused.status_code
    return JSONResponse(error_of(refused.problem), status, headers)


_PASSED_HEADERS = ("Retry-After", "WWW-Authenticate")


def error_of(problem: Problem) -> JsonObject:
    """A problem as an error in OpenAI's shape, with what was used until then."""
    message, code, param = problem.detail, problem.code, None
    if code == "not-found":
        message, code, param = NO_MODEL, "model_not_found", "model"
    elif problem.errors:
        first = problem.errors[0]
        param = first.where.removeprefix("body").removeprefix(".") or None
        message = f"{first.where if param is None else param}: {first.message}"
    else:
        message = with_hint(message, problem.hint)
    kind = "server_error" if problem.status >= 500 else "invalid_request_error"
    kind = _ERROR_TYPES.get(problem.status, kind)
    body: JsonObject = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    if problem.usage is not None:
        body["usage"] = usage_of(problem.usage)
    return body


def usage_of(usage: Usage) -> JsonObject:
    """The tokens that were used, in OpenAI's shape."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def error_responses(*statuses: int) -> Responses:
    """The descriptions of errors by status."""
    return {
        status: {
            "description": "An error in OpenAI's shape.",
            "content": {
                "application/json": {
                    "schema": _SCHEMA,
                    "example": error_of(problem(status, NO_MODEL, code="not-found").problem),
                }
            },
        }
        for status in statuses
    }
