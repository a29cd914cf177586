"""Every refusal and failure as an RFC 9457 problem detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

import structlog
from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as RoutingException
from starlette.routing import compile_path

from footnote.domain import Usage
from footnote.errors import FootnoteError, ModelUnavailable, NotFound, QueueFull
from footnote.interfaces.failures import ABSENT, UNEXPECTED, failure_of
from footnote.validation.messages import shown, wrong_places

if TYPE_CHECKING:
    from fastapi import FastAPI

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5
"""Long enough for a start with a warm model cache."""


class Invalid(BaseModel):
    """One part of a request that is wrong."""

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
    errors: tuple[Invalid, ...] | None = Field(None, description="Each wrong part of the request.")
    usage: Usage | None = Field(
        None, description="What models have used of which there is no answer, where it is known."
    )


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    title: str | None = None,
    hint: str | None = None,
    errors: tuple[Invalid, ...] | None = None,
    usage: Usage | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """A response that carries a problem."""
    body = Problem(
        type=f"urn:footnote:problem:{code}",
        title=title or HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        hint=hint,
        errors=errors,
        usage=usage,
    )
    waiting = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status == 503 else {}
    return JSONResponse(
        body.model_dump(exclude_none=True),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers={**waiting, **(headers or {})},
    )


class ContentTooLarge(HTTPException):
    """The body is larger than what is accepted.

    An HTTPException because FastAPI lets only those pass while it reads a form.
    """

    def __init__(self, part: Literal["file", "request"], limit_bytes: int) -> None:
        super().__init__(413, f"The {part} is larger than the {limit_bytes:,} bytes accepted here.")
        self.hint = "Split the file, or raise FOOTNOTE_MAX_FILE_BYTES." if part == "file" else None


class NamedTwice(HTTPException):
    """An object of a JSON body has a name twice, of which only the last would count.

    An HTTPException for the same reason.
    """

    def __init__(self, name: str) -> None:
        super().__init__(422, f"{shown(name)} is there more than once in one object")


class NoSuchWorkspace(NotFound):
    """The workspace a request names is absent, or foreign to who asks: the two look the same."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no workspace {shown(name)}.",
            hint="Correct the name, or make it: footnote workspace create NAME.",
        )


def problem_of(error: FootnoteError) -> JSONResponse:
    """The response to one of our errors; absent and foreign things give the same bytes."""
    failure = failure_of(error)
    if isinstance(error, NotFound) and not isinstance(error, NoSuchWorkspace):
        return problem(failure.status, failure.code, ABSENT, title=failure.title)
    headers = None
    if isinstance(error, QueueFull):
        headers = {"Retry-After": str(error.retry_after_seconds)}
    used = error.usage if isinstance(error, ModelUnavailable) else None
    return problem(
        failure.status,
        failure.code,
        str(error),
        title=failure.title,
        hint=error.hint,
        usage=used,
        headers=headers,
    )


async def _footnote_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, FootnoteError)
    if failure_of(error).status >= 500:
        structlog.get_logger(__name__).error("request failed", reason=str(error))
    return problem_of(error)


async def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(_is_no_json(wrong) for wrong in found):
        return problem(400, "bad-request", "The body is not JSON.", hint=_DESCRIBED)
    errors = tuple(
        Invalid(where=".".join(map(str, place)), message=said)
        for place, said in _said(found, request.headers.get("content-type", ""))
    )
    return _invalid(errors, hint=_DESCRIBED)


def _invalid(errors: tuple[Invalid, ...], *, hint: str) -> JSONResponse:
    return problem(
        422,
        "invalid-request",
        "; ".join(f"{wrong.where}: {wrong.message}" for wrong in errors),
        title="Invalid request",
        hint=hint,
        errors=errors,
    )


_DESCRIBED = "/openapi.json describes what is accepted."


def _is_no_json(wrong: Mapping[str, Any]) -> bool:
    """Whether the body itself could not be parsed, not only a field that holds JSON."""
    return wrong["type"] == "json_invalid" and isinstance(wrong["loc"][-1], int)


def _said(
    found: Sequence[Mapping[str, Any]], content_type: str
) -> list[tuple[tuple[str | int, ...], str]]:
    """Where something is wrong and what, in words of the API and not of the libraries below it."""
    if len(found) == 1 and (said := _said_of_body(found[0], content_type)):
        return [(found[0]["loc"], said)]
    return wrong_places(found)


def _said_of_body(wrong: Mapping[str, Any], content_type: str) -> str:
    """What is wrong with a body as a whole, or with the file in it; empty if it is not that."""
    if wrong["loc"] == ("body",) and isinstance(wrong.get("input"), bytes):
        sent = content_type.partition(";")[0] or "none"
        return f"send it with Content-Type: application/json, not {sent}"
    if wrong["loc"] == ("body",) and wrong["type"] == "model_attributes_type":
        return f"it must be a JSON object, not {shown(wrong['input'])}"
    if wrong["loc"] == ("body", "file") and wrong["type"] != "assertion_error":
        return "a file with its name is required, sent with Content-Type: multipart/form-data"
    return ""


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RoutingException)
    if isinstance(error, NamedTwice):
        wrong = Invalid(where="body", message=error.detail)
        return _invalid((wrong,), hint="Give each name once; the last would overrule the others.")
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
    detail, hint = str(error.detail), None
    if isinstance(error, ContentTooLarge):
        code, hint = "content-too-large", error.hint
    elif detail in _UNREAD:
        detail, hint = _UNREAD[detail]
    elif error.status_code == 404:
        code, detail, hint = "no-such-route", "There is no such route.", "See /openapi.json."
    elif error.status_code == 405:
        detail, hint = "This route does not take that method.", "See /openapi.json."
    headers = dict(error.headers) if error.headers else {}
    if error.status_code == 405 and (methods := _methods_of(request)):
        headers["Allow"] = ", ".join(methods)
    return problem(error.status_code, code, detail, hint=hint, headers=headers)


def _methods_of(request: Request) -> list[str]:
    """What the path takes by the description; of the routes it fits, one knows its own alone."""
    described: Mapping[str, Mapping[str, object]] = request.app.openapi()["paths"]
    asked = request.url.path
    exact = described.get(asked)
    fitting = (
        methods
        for template, methods in described.items()
        if compile_path(template)[0].fullmatch(asked)
    )
    methods = {each for found in ([exact] if exact else fitting) for each in found}
    return sorted(method.upper() for method in methods)


async def _unexpected(_: Request, __: Exception) -> JSONResponse:
    return problem(
        UNEXPECTED.status,
        UNEXPECTED.code,
        "Something failed inside Footnote.",
        title=UNEXPECTED.title,
        hint="The server's log says what; nothing of it is shown here.",
    )


_UNREAD = {
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
    'The Content-Disposition header field "name" must be provided.': (
        "The form cannot be read: a part of it has no name.",
        "Name each part, as /openapi.json describes them.",
    ),
}
"""What FastAPI and Starlette say of a body that could not even be decoded, and what we say."""


def answer_with_problems(app: FastAPI) -> None:
    """Make every failure of the app a problem detail."""
    app.add_exception_handler(FootnoteError, _footnote_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(RoutingException, _refused)
    app.add_exception_handler(Exception, _unexpected)
