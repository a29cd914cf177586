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
    TextWritten,
    ToolCalled,
    ToolReturned,
    Usage,
)
from footnote.interfaces.failures import failure_of_name
from footnote.interfaces.schemas import object_of

SOURCES = "footnote:sources"
CITATION = "footnote:citation"
GROUNDING = "footnote:grounding"
"""Names of the custom events; their values are the shapes of the stream of an answer."""


class Conversion:
    """The events of one run. It keeps which message is open, since one must end before a tool."""

    def __init__(self, run: RunAgentInput) -> None:
        self._run = run
        self._message_id: str | None = None

    def started(self) -> RunStartedEvent:
        """The event that opens the run."""
        return RunStartedEvent(
            thread_id=self._run.thread_id,
            run_id=self._run.run_id,
            protocol_version=PROTOCOL_VERSION,
        )

    def __call__(self, event: AnswerEvent) -> Iterator[BaseEvent]:
        """The events that one event becomes."""
        match event:
            case SourcesFound():
                yield from self._sources(event)
            case TextWritten():
                yield from self._text(event.text)
            case CitationMade():
                yield CustomEvent(name=CITATION, value=object_of(event.citation))
            case SentenceGrounded():
                yield CustomEvent(name=GROUNDING, value=object_of(event))
            case ToolCalled() | ToolReturned():
                yield from self._tool(event)
            case AnswerDone():
                yield from self._done(event)
            case AnswerFailed():
                yield from self._ended()
                yield _failed(event)
            case _:
                return

    def _sources(self, found: SourcesFound) -> Iterator[BaseEvent]:
        sources = object_of(found)
        yield CustomEvent(name=SOURCES, value=sources)
        yield StateSnapshotEvent(snapshot={**sources, "answer": None})

    def _text(self, text: str) -> Iterator[BaseEvent]:
        if not text:
            return
        if self._message_id is None:
            self._message_id = str(uuid4())
            yield TextMessageStartEvent(message_id=self._message_id, role="assistant")
        yield TextMessageContentEvent(message_id=self._message_id, delta=text)

    def _tool(self, event: ToolCalled | ToolReturned) -> Iterator[BaseEvent]:
        yield from self._ended()
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

    def _done(self, done: AnswerDone) -> Iterator[BaseEvent]:
        yield from self._ended()
        answer = object_of(done.answer)
        state = {"evidence": answer["evidence"], "degraded": answer["degraded"], "answer": answer}
        yield StateSnapshotEvent(snapshot=state)
        yield RunFinishedEvent(
            thread_id=self._run.thread_id,
            run_id=self._run.run_id,
            result={"found": done.answer.found, "confidence": done.answer.confidence},
            usage=_counted(done.answer.usage, done.answer.model),
        )

    def _ended(self) -> Iterator[BaseEvent]:
        if self._message_id is not None:
            yield TextMessageEndEvent(message_id=self._message_id)
            self._message_id = None


def _failed(failed: AnswerFailed) -> RunErrorEvent:
    message = failed.message if failed.hint is None else f"{failed.message} ({failed.hint})"
    code = failure_of_name(failed.code).code
    return RunErrorEvent(message=message, code=code, usage=_counted(failed.usage))


def _counted(usage: Usage, model: str | None = None) -> list[TokenUsage] | None:
    if not usage.requests:
        return None
    return [
        TokenUsage(model=model, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    ]


class RunFrames:
    """Encodes the events of one run as Server-Sent Events.

    The run begins with the first event, so that what fails before can still be a status.
    """

    def __init__(self, run: RunAgentInput) -> None:
        self._encoder = EventEncoder()
        self._conversion = Conversion(run)
        self._begun = False

    def __call__(self, event: AnswerEvent) -> Iterator[bytes]:
        """The frames of an event."""
        if not self._begun:
            self._begun = True
            yield self._encoder.encode(self._conversion.started()).encode()
        for each in self._conversion(event):
            yield self._encoder.encode(each).encode()
