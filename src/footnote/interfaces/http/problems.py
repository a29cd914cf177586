"""Refusals and failures as problem details (RFC 9457), and how OpenAPI describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

import structlog
from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from python_multipart.multipart import DEFAULT_MAX_HEADER_COUNT, DEFAULT_MAX_HEADER_SIZE
from starlette.exceptions import HTTPException as RoutingException
from starlette.routing import compile_path

from footnote.domain import Usage
from footnote.errors import (
    BudgetExceeded,
    FootnoteError,
    ModelUnavailable,
    NotAuthenticated,
    NotInstalled,
    QueueFull,
    RateLimited,
    how_to_raise,
)
from footnote.interfaces.failures import FAILURES, UNEXPECTED, UNEXPECTED_DETAIL, failure_of
from footnote.validation.messages import invalid_locations, printable, wrong_value
from footnote.validation.text import json_fault

if TYPE_CHECKING:
    from fastapi import FastAPI

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5
"""Long enough to start with a warm model cache."""

_URN = "urn:footnote:problem:"
_DESCRIBED = "/openapi.json describes what is accepted."
_LATER = "Try again later; the server's log may say more."
_TITLES = {failure.code: failure.title for failure in FAILURES.values()}

Responses = dict[int | str, dict[str, Any]]
"""Responses of a route by status, as OpenAPI describes them."""


class Invalid(BaseModel):
    """One invalid part of a request."""

    where: str = Field(description="The part, as in `body.top_k`.")
    message: str


class Problem(BaseModel):
    """What went wrong and what to do (RFC 9457)."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(description="A stable URN that names the kind of problem.")
    title: str
    status: int
    detail: str = Field(description="What went wrong this time.")
    hint: str | None = Field(None, description="What to do about it.")
    errors: tuple[Invalid, ...] | None = Field(
        None, description="Each invalid part of the request."
    )
    usage: Usage | None = Field(
        None, description="What the models used before they failed, where it is known."
    )

    @property
    def code(self) -> str:
        """The last part of its type."""
        return self.type.removeprefix(_URN)


class ProblemResponse(JSONResponse):
    """A response that carries a problem."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        self.problem = problem
        retry_after = {"Retry-After": str(RETRY_AFTER_SECONDS)} if problem.status == 503 else {}
        super().__init__(
            problem.model_dump(exclude_none=True),
            problem.status,
            {**retry_after, **(headers or {})},
        )


def problem(
    status: int,
    detail: str,
    *,
    code: str | None = None,
    title: str | None = None,
    hint: str | None = None,
    errors: tuple[Invalid, ...] | None = None,
    usage: Usage | None = None,
    headers: Mapping[str, str] | None = None,
) -> ProblemResponse:
    """A problem as a response; code, title and hint are those of the status by default."""
    phrase = HTTPStatus(status).phrase
    code = code or phrase.lower().replace(" ", "-")
    details = Problem(
        type=f"{_URN}{code}",
        title=title or _TITLES.get(code, phrase),
        status=status,
        detail=detail,
        hint=hint or (_DESCRIBED if status < HTTPStatus.INTERNAL_SERVER_ERROR else _LATER),
        errors=errors,
        usage=usage,
    )
    return ProblemResponse(details, headers)


class Refused(HTTPException):
    """A request that is refused before its route sees it.

    An HTTPException because FastAPI lets only those pass while it reads a body.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        where: str | None = None,
    ) -> None:
        super().__init__(status, detail)
        self.code, self.hint, self.where = code, hint, where

    def response(self, headers: Mapping[str, str] | None = None) -> ProblemResponse:
        """The problem, which names the part of the request if that is known."""
        errors = None
        if self.where is not None:
            errors = (Invalid(where=self.where, message=self.detail),)
        return problem(
            self.status_code,
            self.detail if self.where is None else f"{self.where}: {self.detail}",
            code=self.code,
            hint=self.hint,
            errors=errors,
            headers=headers,
        )


def content_too_large(part: Literal["file", "request"], limit_bytes: int) -> Refused:
    """The refusal of a body that is larger than its route accepts."""
    return Refused(
        413,
        f"The {part} is larger than the {limit_bytes:,} bytes accepted here.",
        code="content-too-large",
        hint=f"Split the file, or {how_to_raise('bytes', 'FOOTNOTE_DOCUMENT_LIMITS', limit_bytes)}."
        if part == "file"
        else "Send less at once; POST /v1/documents takes files, which may be larger.",
    )


def problem_of(error: FootnoteError) -> ProblemResponse:
    """The response to one of our errors."""
    failure = failure_of(error)
    headers = None
    if isinstance(error, QueueFull | RateLimited | BudgetExceeded) and error.retry_after_seconds:
        headers = {"Retry-After": str(error.retry_after_seconds)}
    if isinstance(error, NotAuthenticated):
        headers = {"WWW-Authenticate": 'Bearer realm="footnote"'}  # RFC 6750, section 3
    return problem(
        failure.status,
        str(error),
        code=failure.code,
        hint=error.hint,
        usage=error.usage if isinstance(error, ModelUnavailable) else None,
        headers=headers,
    )


async def answer_with_problem(request: Request, error: Exception) -> ProblemResponse:
    """The response to anything that is raised while a request is answered."""
    match error:
        case FootnoteError():
            # A missing extra is no failure of the server.
            if failure_of(error).status >= 500 and not isinstance(error, NotInstalled):
                structlog.get_logger(__name__).error("request failed", reason=str(error))
            return problem_of(error)
        case RequestValidationError():
            if fault := _json_syntax_fault(error):
                return problem(400, f"The body {fault}.", hint=_DESCRIBED)
            return _validation_problem(error.errors(), request.headers.get("content-type", ""))
        case Refused():
            return error.response()
        case RoutingException():
            return _routing_problem(request, error)
        case _:
            return problem(
                UNEXPECTED.status,
                UNEXPECTED_DETAIL,
                code=UNEXPECTED.code,
                hint="The server's log has the details; they are not shown here.",
            )


def answer_with_problems(app: FastAPI) -> None:
    """Make every failure of the app a problem detail."""
    for kind in (FootnoteError, RequestValidationError, RoutingException, Exception):
        app.add_exception_handler(kind, answer_with_problem)


def _json_syntax_fault(error: RequestValidationError) -> str:
    """What makes a body invalid JSON, and where; empty for any other error."""
    # An index at the end means the body itself, not a field that holds JSON.
    for detail in error.errors():
        if detail["type"] == "json_invalid" and isinstance(detail["loc"][-1], int):
            cause = error.__cause__
            clause = (
                json_fault(cause)
                if isinstance(cause, json.JSONDecodeError)
                else wrong_value(detail)
            )
            return clause.removeprefix("it ")
    return ""


def _validation_problem(details: Sequence[Mapping[str, Any]], content_type: str) -> ProblemResponse:
    faults = invalid_locations(details)
    if len(details) == 1 and (message := _invalid_body(details[0], content_type)):
        faults = [(details[0]["loc"], message)]
    errors = tuple(
        Invalid(where=".".join(map(str, location)), message=message) for location, message in faults
    )
    detail = "; ".join(f"{error.where}: {error.message}" for error in errors)
    return problem(422, detail, code="invalid-request", hint=_DESCRIBED, errors=errors)


def _invalid_body(error: Mapping[str, Any], content_type: str) -> str:
    """What is wrong with the whole body, or with its file; empty for any other error."""
    if error["loc"] == ("body",) and isinstance(error.get("input"), bytes):
        sent_type = content_type.partition(";")[0] or "none"
        return f"send it with Content-Type: application/json, not {sent_type}"
    if error["loc"] == ("body",) and error["type"] == "model_attributes_type":
        return f"it must be a JSON object, not {printable(error['input'])}"
    if error["loc"] == ("body", "file") and error["type"] != "assertion_error":
        return "a file with its name is required, sent with Content-Type: multipart/form-data"
    return ""


CUT_OFF = "The form has no end."
"""The reason that we give where Starlette has none."""

_UNREADABLE = {
    CUT_OFF: (
        "The form cannot be read: it ends before its last boundary, which is followed by two "
        "hyphens.",
        "Send all of it; where Content-Length was set by hand, it may be too small.",
    ),
    "There was an error parsing the body": (
        "The body cannot be read.",
        "Send JSON in UTF-8, or a complete form.",
    ),
    "Missing boundary in multipart.": (
        "The form cannot be read: its Content-Type names no boundary.",
        "Leave Content-Type to what makes the form, as `curl -F` does; it adds the boundary.",
    ),
    "Invalid multipart data.": (
        "The form cannot be read: its parts are not divided by the boundary that its Content-Type "
        "names.",
        "Leave Content-Type to what makes the form, as `curl -F` does, and send all of it.",
    ),
    "Maximum header size exceeded": (
        f"The form cannot be read: a header of one of its parts is longer than the "
        f"{DEFAULT_MAX_HEADER_SIZE:,} bytes that it may have.",
        "The name of a file stands in such a header: send the file under a shorter one.",
    ),
    "Maximum header count exceeded": (
        f"The form cannot be read: one of its parts has more than the {DEFAULT_MAX_HEADER_COUNT} "
        "headers that it may have.",
        "Give each part its Content-Disposition, and a file its Content-Type.",
    ),
    'The Content-Disposition header field "name" must be provided.': (
        "The form cannot be read: a part of it has no name.",
        "Name each part, as /openapi.json describes them.",
    ),
}
"""Detail and hint by the message of FastAPI or Starlette for a body they cannot decode."""


def _routing_problem(request: Request, error: RoutingException) -> ProblemResponse:
    status, detail = error.status_code, str(error.detail)
    headers = dict(error.headers or {})
    if isinstance(error.__cause__, RecursionError):
        return problem(400, "The body is JSON that is nested too deeply.", hint=_DESCRIBED)
    if detail in _UNREADABLE:
        detail, hint = _UNREADABLE[detail]
        return problem(status, detail, hint=hint, headers=headers)
    if status == 404:
        return problem(
            404, "There is no such route.", code="no-such-route", hint="See /openapi.json."
        )
    if status == 405:
        if methods := _methods_of(request):
            headers["Allow"] = ", ".join(methods)
        detail = "This route does not take that method."
        return problem(405, detail, hint="See /openapi.json.", headers=headers)
    return problem(status, detail, headers=headers)


def _methods_of(request: Request) -> list[str]:
    """The methods that the OpenAPI description has for the path; one route has only its own."""
    paths: Mapping[str, Mapping[str, object]] = request.app.openapi()["paths"]
    path = request.url.path
    matches = (
        [paths[path]]
        if path in paths
        else [
            methods
            for template, methods in paths.items()
            if compile_path(template)[0].fullmatch(path)
        ]
    )
    allowed = {method.upper() for methods in matches for method in methods}
    return sorted(allowed | {"HEAD"} if "GET" in allowed else allowed)


_EXAMPLES: Mapping[str, tuple[int, str]] = {
    "range-not-satisfiable": (416, "The file has 383 bytes, and none of those that are asked for."),
    "bad-request": (400, "The body cannot be read."),
    "unauthorized": (401, "The request is not signed as it should be."),
    "not-authenticated": (401, "The request does not say who asks."),
    "not-local": (403, "The Host header does not name this computer."),
    "forbidden": (403, "ann may not write in the collection 'hr'"),
    "not-found": (404, "there is no document 5b0f7f5e-3c1d-4f64-8f0a-2d9f4c6f7a10"),
    "request-timeout": (408, "The body did not come in time."),
    "conflict": (409, "The idempotency key was used for another file."),
    "lane-mismatch": (409, "The index holds vectors of another lane."),
    "content-too-large": (413, "The file is larger than the 209,715,200 bytes accepted here."),
    "invalid-request": (422, "body.top_k: it must be at most 200, not 500"),
    "document-unreadable": (422, "the page cannot be drawn (parse); upload the document again"),
    "budget-exceeded": (402, "the budget of 20 cost_usd is used up today"),
    "rate-limited": (429, "this credential asks more often than 600 times a minute"),
    "queue-full": (429, "10,000 documents of this workspace wait to be indexed"),
    "head-too-large": (431, "There are more than 100 headers."),
    "unexpected": (500, UNEXPECTED_DETAIL),
    "not-installed": (501, "ag-ui-protocol is not installed"),
    "not-ready": (503, "Footnote is starting."),
}


def problem_responses(*codes: str) -> Responses:
    """The descriptions of these problems by status, each with an example."""
    responses: Responses = {}
    for code in codes:
        status, detail = _EXAMPLES[code]
        example = problem(status, detail, code=code).problem
        responses[status] = {
            "description": example.title,
            "content": {
                MEDIA_TYPE: {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                    "example": example.model_dump(exclude_none=True),
                }
            },
        }
    return responses


ALWAYS = problem_responses(
    "not-authenticated", "forbidden", "not-found", "invalid-request", "unexpected", "not-ready"
)
"""The problems that every route inside a workspace may answer with."""
