"""Refusals and failures in the shape that clients of OpenAI read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence

import structlog
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as RoutingException

from footnote.domain import AnswerFailed, Usage
from footnote.errors import FootnoteError, ModelUnavailable, NotFound, QueueFull
from footnote.interfaces.failures import failure_of, failure_of_name
from footnote.interfaces.http.chat_shapes import usage_of
from footnote.interfaces.http.examples import Responses
from footnote.interfaces.http.problems import RETRY_AFTER_SECONDS
from footnote.validation.messages import wrong_places

NO_MODEL = "There is no such model."
"""The same for a workspace that is absent and one that is foreign."""

_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}


class OpenAIRoute(APIRoute):
    """A route whose refusals and failures are errors in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, object, Response]]:
        """FastAPI's handler, with its errors put in that shape."""
        answer = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await answer(request)
            except FootnoteError as error:
                return _of_ours(error)
            except RequestValidationError as error:
                message, param = _said(error.errors())
                return error_response(400, message, param=param)
            except RoutingException as error:
                return error_response(error.status_code, str(error.detail))
            except Exception:
                structlog.get_logger(__name__).exception("a chat completion failed")
                return error_response(500, "Something failed inside Footnote.")

        return answer_or_explain


def error_body(
    message: str, status: int, *, code: str | None = None, param: str | None = None
) -> dict[str, object]:
    """An error in OpenAI's shape."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    if status == 429:
        kind = "rate_limit_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_response(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    usage: Usage | None = None,
) -> JSONResponse:
    """A response that carries an error, and what was used until then."""
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status == 503 else None
    body = error_body(message, status, code=code, param=param)
    if usage is not None:
        body["usage"] = usage_of(usage)
    return JSONResponse(body, status_code=status, headers=headers)


def failed_body(failed: AnswerFailed) -> dict[str, object]:
    """An answer that failed on its way, in OpenAI's shape."""
    failure = failure_of_name(failed.code)
    message = failed.message if failed.hint is None else f"{failed.message} ({failed.hint})"
    body = error_body(message, failure.status, code=failure.code)
    return body | ({"usage": usage_of(failed.usage)} if failed.usage.requests else {})


def error_responses(*statuses: int) -> Responses:
    """The descriptions of errors by status."""
    return {
        status: {
            "description": "An error in OpenAI's shape.",
            "content": {
                "application/json": {"schema": _SCHEMA, "example": error_body(NO_MODEL, status)}
            },
        }
        for status in statuses
    }


def _of_ours(error: FootnoteError) -> JSONResponse:
    failure = failure_of(error)
    if isinstance(error, NotFound):
        return error_response(404, NO_MODEL, code="model_not_found", param="model")
    status = 400 if failure.status == 422 else failure.status
    message = str(error) if error.hint is None else f"{error} ({error.hint})"
    used = error.usage if isinstance(error, ModelUnavailable) else None
    response = error_response(status, message, code=failure.code, usage=used)
    if isinstance(error, QueueFull):
        response.headers["Retry-After"] = str(error.retry_after_seconds)
    return response


def _said(wrong: Sequence[Mapping[str, object]]) -> tuple[str, str | None]:
    """What is wrong with a request, and in which part; None where it is the whole body."""
    first = wrong[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON", None
    place, clause = wrong_places(wrong)[0]
    where = ".".join(str(part) for part in place if part != "body")
    if where:
        return f"{where}: {clause}", where
    if isinstance(first.get("input"), bytes):
        return "send the body with Content-Type: application/json", None
    return "the body must be a JSON object", None
