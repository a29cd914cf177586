"""Turns the error response of a server into the error that the engine would have raised."""

from __future__ import annotations

import re
from typing import TypeVar

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from footnote.domain import Stage, Usage
from footnote.errors import (
    BudgetExceeded,
    DocumentUnreadable,
    FootnoteError,
    ModelUnavailable,
    NotReady,
    QueueFull,
    RateLimited,
)
from footnote.interfaces.failures import error_class

Kind = TypeVar("Kind", bound=FootnoteError)

_UNREADABLE = re.compile(r"(.*) \((\w+)\); (.*)", re.DOTALL)


class _Problem(BaseModel):
    """The members of a problem detail that matter here."""

    model_config = ConfigDict(extra="ignore")

    type: str
    title: str = ""
    detail: str
    hint: str | None = None
    usage: Usage | None = None


def error_of(response: httpx.Response) -> FootnoteError:
    """The error that a response stands for; its body must have been read."""
    try:
        problem = _Problem.model_validate_json(response.content)
    except ValidationError:
        return FootnoteError(
            f"{response.request.url} answered {response.status_code} and no problem detail",
            hint="Is this the address of a Footnote server?",
        )
    kind = error_class(problem.type)
    if issubclass(kind, DocumentUnreadable):
        return _unreadable(problem)
    if issubclass(kind, QueueFull | RateLimited):
        seconds = retry_after_seconds(response) or 1
        return kind(problem.detail, retry_after_seconds=int(seconds), hint=problem.hint)
    if issubclass(kind, BudgetExceeded):
        delay = retry_after_seconds(response)
        return kind(
            problem.detail,
            retry_after_seconds=None if delay is None else int(delay),
            hint=problem.hint,
        )
    if issubclass(kind, ModelUnavailable):
        return kind(problem.detail, hint=problem.hint, usage=problem.usage)
    return kind(problem.detail, hint=problem.hint)


def unreachable(request: httpx.Request, error: httpx.TransportError, tries: int) -> NotReady:
    """The error of a server that gave no whole answer."""
    reason = str(error) or type(error).__name__
    return NotReady(
        f"{request.method} {request.url} got no answer after {tries} "
        f"{'try' if tries == 1 else 'tries'}: {reason}",
        hint="Is `footnote serve` running there?",
    )


def retry_after_seconds(response: httpx.Response) -> float | None:
    """When the server wants to be asked again; None where it does not say so in seconds."""
    header = response.headers.get("retry-after", "")
    return float(header) if header.isdecimal() else None


def _unreadable(problem: _Problem) -> FootnoteError:
    match = _UNREADABLE.fullmatch(problem.detail)
    if match is None or match[2] not in {stage.value for stage in Stage}:
        return FootnoteError(problem.detail, hint=problem.hint)
    return DocumentUnreadable(stage=Stage(match[2]), cause=match[1], advice=match[3])
