"""A language model that is sent placeholders for personal data, which its replies restore."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    BaseToolCallPart,
    BinaryContent,
    FileUrl,
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    ModelResponsePartDelta,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPartDelta,
    UploadedFile,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage
from pydantic_core import from_json

from footnote.models.placeholders import (
    Placeholders,
    RestoredStream,
    as_json,
    as_text,
    placeholders_for,
)
from footnote.models.redaction import mapped_json, media_withheld
from footnote.ports.redaction import redaction_in_force

T = TypeVar("T")

_NOT_REDACTED = frozenset(
    "conversation_id id kind media_type metadata model_name name part_kind provider_details"
    " provider_name run_id signature timestamp tool_call_id tool_kind tool_name usage".split()
)
"""Fields with identifiers, which a vendor must get back unchanged."""
_MEDIA = (BinaryContent, FileUrl, UploadedFile)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A request after redaction."""

    messages: list[ModelMessage]
    parameters: ModelRequestParameters
    placeholders: Placeholders


class RedactingModel(WrapperModel):
    """A model whose requests are redacted and whose replies are restored.

    Each request has its own placeholders, assigned in the order of its texts: those of an agent
    stay the same from step to step, as its messages only grow. Raises ModelUnavailable for media
    that must not be sent.
    """

    def __init__(self, wrapped: Model) -> None:
        super().__init__(wrapped)
        # Which the library's own wrapper does not pass on.
        self.unsupported_settings = wrapped.unsupported_settings  # type: ignore[misc]

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the reply, restored."""
        redacted = await _redacted(messages, model_request_parameters)
        response = await self.wrapped.request(
            redacted.messages, model_settings, redacted.parameters
        )
        return _restored(response, redacted.placeholders)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,  # as the library has it
    ) -> AsyncGenerator[StreamedResponse]:
        """Stream the reply, restored."""
        redacted = await _redacted(messages, model_request_parameters)
        async with self.wrapped.request_stream(
            redacted.messages, model_settings, redacted.parameters, run_context
        ) as stream:
            yield _RestoredReply(stream, redacted.placeholders) if redacted.placeholders else stream

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count the tokens of the redacted request."""
        redacted = await _redacted(messages, model_request_parameters)
        return await self.wrapped.count_tokens(
            redacted.messages, model_settings, redacted.parameters
        )


async def _redacted(messages: list[ModelMessage], parameters: ModelRequestParameters) -> _Request:
    redaction = await redaction_in_force()
    placeholders = Placeholders(kinds=redaction.kinds)
    if not redaction.kinds:
        return _Request(messages=messages, parameters=parameters, placeholders=placeholders)
    if redaction.withholds_media and _has_media(messages):
        raise media_withheld()
    texts: list[str] = []

    def note(text: str) -> str:
        texts.append(text)
        return text

    _parameters(parameters, note)
    _mapped(messages, note)
    placeholders = placeholders_for(texts, redaction.kinds)
    return _Request(
        parameters=_parameters(parameters, placeholders.redacted),
        messages=_mapped(messages, placeholders.redacted),
        placeholders=placeholders,
    )


def _parameters(
    parameters: ModelRequestParameters, transform: Callable[[str], str]
) -> ModelRequestParameters:
    return replace(
        parameters,
        instruction_parts=_mapped(parameters.instruction_parts, transform),
        function_tools=_mapped(parameters.function_tools, transform),
        output_tools=_mapped(parameters.output_tools, transform),
    )


def _mapped(value: T, transform: Callable[[str], str]) -> T:
    """Return the value with `transform` applied to its texts, in any type of message part."""
    if isinstance(value, _MEDIA):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        changes = {}
        for attribute in fields(value):
            if not attribute.init or attribute.name in _NOT_REDACTED:
                continue
            old_value = getattr(value, attribute.name)
            if isinstance(value, BaseToolCallPart) and attribute.name == "args":
                new_value: object = _mapped_arguments(old_value, transform)
            else:
                new_value = (
                    old_value
                    if isinstance(old_value, (int, float))
                    else _mapped(old_value, transform)
                )
            if new_value is not old_value:
                changes[attribute.name] = new_value
        return cast("T", replace(value, **changes)) if changes else value
    if isinstance(value, list):
        mapped = [_mapped(item, transform) for item in value]
        is_unchanged = all(
            mapped_item is original_item
            for mapped_item, original_item in zip(mapped, value, strict=True)
        )
        return value if is_unchanged else cast("T", mapped)
    if isinstance(value, str):
        after_text = transform(value)
        return value if after_text == value else cast("T", after_text)
    return cast("T", mapped_json(value, transform))


def _mapped_arguments(arguments: object, transform: Callable[[str], str]) -> object:
    """Map the arguments of a tool; JSON is parsed first, since escapes may hide its text."""
    if not isinstance(arguments, str):
        return mapped_json(arguments, transform)
    try:
        parsed = from_json(arguments)
    except ValueError:
        return _mapped(arguments, transform)
    mapped = mapped_json(parsed, transform)
    return arguments if mapped == parsed else json.dumps(mapped, ensure_ascii=False)


def _has_media(value: object) -> bool:
    if isinstance(value, _MEDIA):
        return True
    if is_dataclass(value) and not isinstance(value, type):
        return any(_has_media(getattr(value, attribute.name)) for attribute in fields(value))
    if isinstance(value, Mapping):
        return any(map(_has_media, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_has_media, value))


def _restored(response: ModelResponse, placeholders: Placeholders) -> ModelResponse:
    if not placeholders:
        return response
    return replace(response, parts=[_restored_part(part, placeholders) for part in response.parts])


def _restored_part(part: ModelResponsePart, placeholders: Placeholders) -> ModelResponsePart:
    if isinstance(part, (TextPart, ThinkingPart)):
        return replace(part, content=placeholders.restored(part.content))
    if isinstance(part, BaseToolCallPart):
        return _with_arguments(part, _restored_arguments(part.args, placeholders))
    return part


def _with_arguments(part: BaseToolCallPart[Any], args: object) -> ModelResponsePart:
    return cast("ModelResponsePart", replace(part, args=cast("Any", args)))


def _restored_arguments(arguments: object, placeholders: Placeholders) -> object:
    if isinstance(arguments, str):
        return placeholders.restored(arguments, as_json)
    return mapped_json(arguments, placeholders.restored)


class _RestoredReply(StreamedResponse):
    """A reply that is restored as it streams. Its other properties are those of the inner one."""

    def __init__(self, inner: StreamedResponse, placeholders: Placeholders) -> None:
        super().__init__(model_request_parameters=inner.model_request_parameters)
        self._inner = inner
        self._placeholders = placeholders

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        if self._event_iterator is None:
            self._event_iterator = self._get_event_iterator()
        return self._event_iterator

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        texts: dict[int, RestoredStream] = {}
        async for event in self._inner:
            self.final_result_event = self._inner.final_result_event
            self._first_chunk_monotonic = self._inner._first_chunk_monotonic
            if isinstance(event, PartStartEvent):
                encode = as_json if isinstance(event.part, BaseToolCallPart) else as_text
                texts[event.index] = RestoredStream(placeholders=self._placeholders, written=encode)
                yield replace(event, part=_beginning_of(event.part, texts[event.index]))
            elif isinstance(event, PartDeltaEvent):
                yield replace(event, delta=self._delta(event.delta, texts[event.index]))
            elif isinstance(event, PartEndEvent):
                pending = texts[event.index].end()
                if pending:
                    yield PartDeltaEvent(index=event.index, delta=_last_delta(event.part, pending))
                yield replace(event, part=_restored_part(event.part, self._placeholders))
            else:
                yield event

    def get(self) -> ModelResponse:
        return _restored(self._inner.get(), self._placeholders)

    async def cancel(self) -> None:
        await self._inner.cancel()

    async def close_stream(self) -> None:
        await self._inner.close_stream()

    def _enforce_request_deadline(self, deadline: Any) -> None:  # of a private type
        self._inner._enforce_request_deadline(deadline)  # as wrappers do

    @property
    def cancelled(self) -> bool:
        return self._inner.cancelled

    @property
    def usage(self) -> RequestUsage:
        return self._inner.usage

    @property
    def model_name(self) -> str:
        return self._inner.model_name

    @property
    def provider_name(self) -> str | None:
        return self._inner.provider_name

    @property
    def provider_url(self) -> str | None:
        return self._inner.provider_url

    @property
    def timestamp(self) -> datetime:
        return self._inner.timestamp

    def _delta(self, delta: ModelResponsePartDelta, text: RestoredStream) -> ModelResponsePartDelta:
        if isinstance(delta, TextPartDelta):
            return replace(delta, content_delta=text.add(delta.content_delta))
        if isinstance(delta, ThinkingPartDelta) and delta.content_delta is not None:
            return replace(delta, content_delta=text.add(delta.content_delta))
        if isinstance(delta, ToolCallPartDelta) and delta.args_delta is not None:
            arguments = delta.args_delta
            return replace(
                delta,
                args_delta=text.add(arguments)
                if isinstance(arguments, str)
                else cast("dict[str, Any]", mapped_json(arguments, self._placeholders.restored)),
            )
        return delta


def _beginning_of(part: ModelResponsePart, text: RestoredStream) -> ModelResponsePart:
    """Return the beginning of a part, as far as it can be restored already."""
    if isinstance(part, (TextPart, ThinkingPart)):
        return replace(part, content=text.add(part.content))
    if isinstance(part, BaseToolCallPart):
        args = part.args
        is_parsed = not isinstance(args, str)
        return _with_arguments(
            part, _restored_arguments(args, text.placeholders) if is_parsed else text.add(str(args))
        )
    return part


def _last_delta(part: ModelResponsePart, pending: str) -> ModelResponsePartDelta:
    """Return the text held back at the end of a part as its last delta."""
    if isinstance(part, ThinkingPart):
        return ThinkingPartDelta(content_delta=pending)
    if isinstance(part, BaseToolCallPart):
        return ToolCallPartDelta(args_delta=pending)
    return TextPartDelta(content_delta=pending)
