"""Stream an answer from the first of several models that begins one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelRequest,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)

from footnote.errors import ModelUnavailable
from footnote.models.answer_failures import (
    NamedModel,
    all_failed,
    failure_of,
    interruption_of,
    is_failure,
    objection_to,
    pause_before_retry,
)
from footnote.models.writing import ATTEMPTS, encodable, note_reply, settings_for, usage_of
from footnote.ports import WrittenText


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWriter:
    """A chain of models; implements `ports.Writer`.

    The next model is tried when one fails before it has written anything; each is tried twice if
    its server was busy or broken (429, 5xx). A provider's error message is never repeated: it may
    contain the key or the prompt.
    """

    models: tuple[NamedModel, ...]
    """At least one."""
    timeout_seconds: float
    """Limit for a whole call, every model and retry included."""
    first_token_seconds: float
    """Limit for the first event of each attempt."""
    max_output_tokens: int
    context_tokens: int

    @property
    def name(self) -> str:
        """The names of the models in fallback order."""
        return ", ".join(named_model.name for named_model in self.models)

    async def __call__(self, instructions: str, prompt: str) -> AsyncGenerator[WrittenText]:
        """Stream the text of the first model that begins to write; the last piece has the usage.

        Closing the generator closes the connection. Raises ModelUnavailable.
        """
        message = ModelRequest.user_text_prompt(
            encodable(prompt), instructions=encodable(instructions)
        )
        deadline = asyncio.get_running_loop().time() + self.timeout_seconds
        failures: list[ModelUnavailable] = []
        for named_model in self.models:
            try:
                async with aclosing(self._stream(named_model, message, deadline)) as pieces:
                    async for piece in pieces:
                        yield piece
            except _NothingWritten as error:
                failures.append(error.reason)
            else:
                return
        raise all_failed(failures)

    async def _stream(
        self, named_model: NamedModel, message: ModelRequest, deadline: float
    ) -> AsyncGenerator[WrittenText]:
        """Stream one model's text. Raises _NothingWritten or, after it began, ModelUnavailable."""
        for attempt in range(1, ATTEMPTS + 1):
            begun = False
            try:
                async with aclosing(self._attempt(named_model, message, deadline)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
            except Exception as error:
                if not is_failure(error):
                    raise
                if begun:
                    raise interruption_of(error, named_model) from None
                pause = pause_before_retry(error, deadline)
                if attempt == ATTEMPTS or pause is None:
                    raise _NothingWritten(failure_of(error, named_model)) from None
            else:
                return
            await asyncio.sleep(pause)

    async def _attempt(
        self, named_model: NamedModel, message: ModelRequest, deadline: float
    ) -> AsyncGenerator[WrittenText]:
        remaining = deadline - asyncio.get_running_loop().time()
        if remaining <= 0:
            raise TimeoutError
        settings = settings_for(named_model.model, self.max_output_tokens)
        settings["request_timeout"] = remaining
        settings["first_event_timeout"] = min(remaining, self.first_token_seconds)
        begun = False
        async with model_request_stream(
            named_model.model, [message], model_settings=settings
        ) as stream:
            async for event in stream:
                text = text_of(event)
                if not begun:
                    text = text.lstrip()  # Models often begin with meaningless white space.
                if text:
                    begun = True
                    yield WrittenText(text=text)
            response = stream.get()
        used = usage_of(response)
        note_reply(named_model.name, used)
        objection = objection_to(response, named_model, self.max_output_tokens)
        if objection is not None:
            raise objection if begun else _NothingWritten(objection)
        yield WrittenText(usage=used, model=named_model.name)


class _NothingWritten(Exception):
    """A model failed before it wrote anything, so that the next may be tried."""

    def __init__(self, reason: ModelUnavailable) -> None:
        super().__init__(str(reason))
        self.reason = reason


def text_of(event: object) -> str:
    """Return the text that a stream event adds to the answer; reasoning is left out."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
