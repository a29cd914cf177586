"""Models that write answers, and the tools they may ask for."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, Self
from uuid import UUID

from footnote.domain import ToolCalled, ToolReturned, Turn, Usage
from footnote.domain.models_in_use import McpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenText:
    """A piece of the text that a model writes."""

    text: str = ""
    usage: Usage | None = None
    """Of the whole call, with its last piece."""
    model: str | None = None
    """Which model wrote, with the last piece, where several might have."""


class Writer(Protocol):
    """A model that writes piece by piece."""

    @property
    def name(self) -> str:
        """Its name in answers."""

    @property
    def context_tokens(self) -> int:
        """Tokens it can take, what it writes included."""

    @property
    def max_output_tokens(self) -> int:
        """Tokens it may write."""

    def __call__(self, instructions: str, prompt: str) -> AsyncGenerator[WrittenText]:
        """Stream the reply to the prompt. Closing the generator ends the call.

        Raises ModelUnavailable, also amid the text.
        """


class Refusal(str):
    """The text of a tool that failed, for a protocol that marks failures."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableDocument:
    """A document that a tool mentions and whose text can be read."""

    document_id: UUID
    filename: str
    title: str


class ToolText(str):
    """The text of a tool, with the same as data for a protocol that passes data on."""

    data: Mapping[str, object]
    """As the tool's `returns` describes it."""
    documents: tuple[ReadableDocument, ...]

    def __new__(
        cls,
        text: str,
        data: Mapping[str, object] = MappingProxyType({}),
        documents: Iterable[ReadableDocument] = (),
    ) -> Self:
        """Create the text with its data, and with each document once."""
        tool_text = super().__new__(cls, text)
        tool_text.data = data
        tool_text.documents = tuple(
            {document.document_id: document for document in documents}.values()
        )
        return tool_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something a model may ask for, bound to a workspace and a principal already."""

    name: str
    description: str
    """What it does, and when to use it rather than another."""
    parameters: Mapping[str, object]
    """JSON Schema of an object."""
    call: Callable[[Mapping[str, object]], Awaitable[str]]
    """Returns the text for the model, for arguments that fit the schema. Errors are reported in the
    text, as a `Refusal`: only a broken engine raises."""
    returns: Mapping[str, object] | None = None
    """JSON Schema of the data of its `ToolText`, if it gives any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """What an agent may spend on one answer."""

    steps: int
    """Requests to the model."""
    seconds: float
    cost_usd: float | None = None


class AgentModel(Protocol):
    """A model that asks for tools until it has an answer."""

    @property
    def name(self) -> str:
        """Its name in answers."""

    def __call__(
        self,
        instructions: str,
        conversation: Sequence[Turn],
        prompt: str,
        *,
        tools: Sequence[Tool],
        servers: Sequence[McpServer],
        bounds: AgentLimits,
    ) -> AsyncGenerator[WrittenText | ToolCalled | ToolReturned]:
        """Stream its tool calls as they happen, and its text, that of its last step last.

        Raises ModelUnavailable, also where the bounds are reached before there is an answer.
        """


class Judge(Protocol):
    """Judges how far a text supports a statement."""

    @property
    def name(self) -> str:
        """Its name in answers."""

    async def __call__(self, statements: Sequence[str], quotes: Sequence[str]) -> list[float]:
        """Support of each statement by the quotes at its position, 0…1.

        Raises ModelUnavailable.
        """
