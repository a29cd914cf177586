"""Convert failures of an answering model to errors that do not repeat the provider's message."""

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
from footnote.models.writing import is_library_error, may_pass, refusal, refused_by_library

FAILURES = (AgentRunError, UserError, ValueError, OSError, httpx.HTTPError, httpx2.HTTPError)
"""Exceptions that a model's library may raise, beside those of the vendors' libraries."""

PAUSE_SECONDS = 0.5
"""Pause before a retry when the server does not ask for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model with its name in settings and errors."""

    name: str
    model: Model = field(repr=False)
    role: Role

    @property
    def title(self) -> str:
        """The model's name in a sentence."""
        return f"the {self.role.title} {self.name}"


def is_failure(error: Exception) -> bool:
    """Return whether a model's library raised the error; any other one is a bug of ours."""
    return isinstance(error, FAILURES) or is_library_error(error)


def failure_of(error: Exception, named_model: NamedModel) -> ModelUnavailable:
    """Return the error for a call that failed before the model wrote anything."""
    if isinstance(error, ModelHTTPError):
        return refusal(error, named_model.title, named_model.role)
    if isinstance(error, ModelConnectionError) and not isinstance(error, ModelTimeoutError):
        return ModelUnavailable(
            f"{named_model.title} cannot be reached",
            hint=f"see that it is running, and check the address in {named_model.role.model}",
        )
    if isinstance(error, (ModelTimeoutError, ModelRequestTimeout, TimeoutError)):
        return ModelUnavailable(
            f"{named_model.title} did not begin to answer in time",
            hint="set `answer` in FOOTNOTE_TIMEOUTS to more seconds, of which it may take a "
            "quarter, or configure a faster model",
        )
    if not isinstance(error, FAILURES):
        return refused_by_library(error, named_model.title, named_model.name)
    return ModelUnavailable(
        f"{named_model.title} gave nothing usable ({type(error).__name__})",
        hint=f"check that the address in {named_model.role.model} speaks the API of its kind",
    )


def interruption_of(error: Exception, named_model: NamedModel) -> ModelUnavailable:
    """Return the error for a call that failed after its text had begun."""
    if isinstance(error, (ModelTimeoutError, ModelRequestTimeout, TimeoutError)):
        return ModelUnavailable(
            f"{named_model.title} did not finish its answer in time",
            hint="set `answer` in FOOTNOTE_TIMEOUTS to more seconds, or configure a faster model",
        )
    return ModelUnavailable(
        f"{named_model.title} broke off amid its answer",
        hint="ask again, or see the log of the model's server",
    )


def objection_to(
    response: ModelResponse, named_model: NamedModel, max_output_tokens: int
) -> ModelUnavailable | None:
    """Return why a complete reply is not an answer; None if it is one."""
    if response.finish_reason == "length":
        return cut_off(named_model, max_output_tokens)
    if response.finish_reason in {"content_filter", "error"}:
        return declined(named_model)
    if not (response.text or "").strip():
        return ModelUnavailable(
            f"{named_model.title} wrote nothing", hint="check that the model is one for chat"
        )
    return None


def cut_off(named_model: NamedModel, max_output_tokens: int) -> ModelUnavailable:
    """Return the error for a reply that reached the token limit."""
    return ModelUnavailable(
        f"{named_model.title} was cut off at {max_output_tokens} tokens",
        hint=how_to_raise("tokens", "FOOTNOTE_ANSWER_LIMITS", max_output_tokens),
    )


def declined(named_model: NamedModel) -> ModelUnavailable:
    """Return the error for a reply that the provider filtered or refused."""
    return ModelUnavailable(
        f"{named_model.title} declined to answer",
        hint="ask in other words; its provider filters what it writes",
    )


def all_failed(failures: Sequence[ModelUnavailable]) -> ModelUnavailable:
    """Return one error for a chain of which every model failed; there is at least one failure."""
    if len(failures) == 1:
        return failures[0]
    return ModelUnavailable("; ".join(str(failure) for failure in failures), hint=failures[0].hint)


def pause_before_retry(error: Exception, deadline: float) -> float | None:
    """Return the seconds to wait before a retry; None if it cannot help or would be too late.

    `deadline` is a time of the event loop's clock.
    """
    if not isinstance(error, ModelHTTPError) or error.in_stream or not may_pass(error):
        return None
    pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
    return pause if asyncio.get_running_loop().time() + pause < deadline else None
