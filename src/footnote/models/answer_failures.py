"""Turns what goes wrong while a model answers into a sentence; what a provider says is left out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx
import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model

from footnote.errors import ModelUnavailable, how_to_raise
from footnote.models.roles import Role
from footnote.models.writing import is_vendors_own, may_pass, refusal, refused_by_library

FAILURES = (AgentRunError, UserError, ValueError, OSError, httpx.HTTPError, httpx2.HTTPError)
"""What a model's library may raise, beside what is a vendor's own."""

PAUSE_SECONDS = 0.5
"""Before a retry, when the server names no time to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model, and what settings and errors call it."""

    name: str
    model: Model = field(repr=False)
    role: Role

    @property
    def title(self) -> str:
        """What a sentence calls it."""
        return f"the {self.role.title} {self.name}"


def is_failure(error: Exception) -> bool:
    """Whether a model's library raised it; all else is a defect of ours."""
    return isinstance(error, FAILURES) or is_vendors_own(error)


def failure_of(error: Exception, named: NamedModel) -> ModelUnavailable:
    """What to say of a call that failed before the model wrote anything."""
    if isinstance(error, ModelHTTPError):
        return refusal(error, named.title, named.role)
    if isinstance(error, ModelConnectionError) and not isinstance(error, ModelTimeoutError):
        return ModelUnavailable(
            f"{named.title} cannot be reached",
            hint=f"see that it is running, and check the address in {named.role.model}",
        )
    if isinstance(error, (ModelTimeoutError, ModelRequestTimeout, TimeoutError)):
        return ModelUnavailable(
            f"{named.title} did not begin to answer in time",
            hint="set `answer` in FOOTNOTE_TIMEOUTS to more seconds, of which it may take a "
            "quarter, or configure a faster model",
        )
    if not isinstance(error, FAILURES):
        return refused_by_library(error, named.title, named.name)
    return ModelUnavailable(
        f"{named.title} gave nothing usable ({type(error).__name__})",
        hint=f"check that the address in {named.role.model} speaks the API of its kind",
    )


def interruption_of(error: Exception, named: NamedModel) -> ModelUnavailable:
    """What to say of a call that failed amid the text."""
    if isinstance(error, (ModelTimeoutError, ModelRequestTimeout, TimeoutError)):
        return ModelUnavailable(
            f"{named.title} did not finish its answer in time",
            hint="set `answer` in FOOTNOTE_TIMEOUTS to more seconds, or configure a faster model",
        )
    return ModelUnavailable(
        f"{named.title} broke off amid its answer",
        hint="ask again, or see the log of the model's server",
    )


def objection_to(
    response: ModelResponse, named: NamedModel, max_output_tokens: int
) -> ModelUnavailable | None:
    """Why a reply that arrived whole is no answer; None if it is one."""
    if response.finish_reason == "length":
        return cut_off(named, max_output_tokens)
    if response.finish_reason in {"content_filter", "error"}:
        return declined(named)
    if not (response.text or "").strip():
        return ModelUnavailable(
            f"{named.title} wrote nothing", hint="check that the model is one for chat"
        )
    return None


def cut_off(named: NamedModel, max_output_tokens: int) -> ModelUnavailable:
    """It wrote as much as it may, and was not done."""
    return ModelUnavailable(
        f"{named.title} was cut off at {max_output_tokens} tokens",
        hint=how_to_raise("tokens", "FOOTNOTE_ANSWER_LIMITS", max_output_tokens),
    )


def declined(named: NamedModel) -> ModelUnavailable:
    """Its provider did not let it answer."""
    return ModelUnavailable(
        f"{named.title} declined to answer",
        hint="ask in other words; its provider filters what it writes",
    )


def all_failed(failures: Sequence[ModelUnavailable]) -> ModelUnavailable:
    """What to say when every model of a chain failed; at least one did."""
    if len(failures) == 1:
        return failures[0]
    return ModelUnavailable("; ".join(str(each) for each in failures), hint=failures[0].hint)


def pause_before_retry(error: Exception, deadline: float) -> float | None:
    """Seconds to wait before asking again; None if a retry cannot help or there is no time.

    `deadline` is a time of the event loop.
    """
    if not isinstance(error, ModelHTTPError) or error.in_stream or not may_pass(error):
        return None
    pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
    return pause if asyncio.get_running_loop().time() + pause < deadline else None
