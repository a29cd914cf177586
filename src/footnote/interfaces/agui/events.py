"""What happens while an answer is made, as events of the AG-UI protocol (version 1.0)."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    CustomEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder

from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    CitationMade,
    SentenceGrounded,
    SourcesFound,
    SuggestionsMade,
    TextWritten,
    ToolCalled,
    ToolReturned,
    Usage,
)
from footnote.interfaces.failures import failure_of_name, with_hint
from footnote.interfaces.schemas import object_of

SOURCES = "footnote:sources"
CITATION = "footnote:citation"
GROUNDING = "footnote:grounding"
SUGGESTIONS = "footnote:suggestions"
"""Names of the custom events; their values are those of the stream of an answer."""


class Conversion:
    """The events of one run. It knows which message is open: one must end before a tool begins."""

    def __init__(self, run: RunAgentInput, *, suggests: bool = False) -> None:
        """`suggests` says that suggestions follow the answer; the run ends after them."""
        self._run = run
        self._suggests = suggests
        self._done: AnswerDone | None = None
        self._message_id: str | None = None

    def __call__(self, event: AnswerEvent) -> Iterator[BaseEvent]:  # noqa: C901  # one case each
        """The events that one event becomes."""
        if isinstance(event, ToolCalled | ToolReturned | AnswerDone | AnswerFailed):
            yield from self._end_message()
        match event:
            case SourcesFound():
                sources = object_of(event)
                yield CustomEvent(name=SOURCES, value=sources)
                yield StateSnapshotEvent(snapshot={**sources, "answer": None})
            case TextWritten():
                yield from self._text(event.text)
            case CitationMade():
                yield CustomEvent(name=CITATION, value=object_of(event.citation))
            case SentenceGrounded():
                yield CustomEvent(name=GROUNDING, value=object_of(event))
            case ToolCalled() | ToolReturned():
                yield from _tool_events(event)
            case AnswerDone():
                yield from self._answered(event)
            case SuggestionsMade():
                suggestions = object_of(event.suggestions)
                yield CustomEvent(name=SUGGESTIONS, value=suggestions)
                yield StateDeltaEvent(
                    delta=[{"op": "add", "path": "/suggestions", "value": suggestions["questions"]}]
                )
                if self._done is not None:
                    yield self._run_finished(self._done)
            case AnswerFailed():
                yield RunErrorEvent(
                    message=with_hint(event.message, event.hint),
                    code=failure_of_name(event.code).code,
                    usage=_usage_of(event.usage),
                )
            case _:
                return

    def _text(self, text: str) -> Iterator[BaseEvent]:
        if not text:
            return
        if self._message_id is None:
            self._message_id = str(uuid4())
            yield TextMessageStartEvent(message_id=self._message_id, role="assistant")
        yield TextMessageContentEvent(message_id=self._message_id, delta=text)

    def _end_message(self) -> Iterator[BaseEvent]:
        if self._message_id is not None:
            yield TextMessageEndEvent(message_id=self._message_id)
            self._message_id = None

    def _answered(self, done: AnswerDone) -> Iterator[BaseEvent]:
        answer = object_of(done.answer)
        state = {"evidence": answer["evidence"], "degraded": answer["degraded"], "answer": answer}
        yield StateSnapshotEvent(snapshot=state)
        if self._suggests:
            self._done = done
        else:
            yield self._run_finished(done)

    def _run_finished(self, done: AnswerDone) -> BaseEvent:
        return RunFinishedEvent(
            thread_id=self._run.thread_id,
            run_id=self._run.run_id,
            result={"found": done.answer.found, "confidence": done.answer.confidence},
            usage=_usage_of(done.answer.usage, done.answer.model),
        )


def _tool_events(event: ToolCalled | ToolReturned) -> Iterator[BaseEvent]:
    call = event.call_id
    if isinstance(event, ToolCalled):
        yield ToolCallStartEvent(tool_call_id=call, tool_call_name=event.name)
        if event.arguments:
            yield ToolCallArgsEvent(tool_call_id=call, delta=event.arguments)
        yield ToolCallEndEvent(tool_call_id=call)
    else:
        yield ToolCallResultEvent(
            message_id=str(uuid4()), tool_call_id=call, content=event.result, role="tool"
        )


def _usage_of(usage: Usage, model: str | None = None) -> list[TokenUsage] | None:
    if not usage.requests:
        return None
    return [
        TokenUsage(model=model, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    ]


class RunFrames:
    """Encodes the events of one run as Server-Sent Events.

    The run begins with the first event, so that what fails before can still be a status.
    """

    def __init__(self, run: RunAgentInput, *, suggests: bool = False) -> None:
        self._encoder = EventEncoder()
        self._conversion = Conversion(run, suggests=suggests)
        self._start: RunStartedEvent | None = RunStartedEvent(
            thread_id=run.thread_id, run_id=run.run_id, protocol_version=PROTOCOL_VERSION
        )

    def __call__(self, event: AnswerEvent) -> Iterator[bytes]:
        """The frames of an event."""
        if self._start is not None:
            yield self._encoder.encode(self._start).encode()
            self._start = None
        for converted in self._conversion(event):
            yield self._encoder.encode(converted).encode()
