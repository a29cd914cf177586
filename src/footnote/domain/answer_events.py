"""What happens while an answer is made, in the order in which a reader is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from footnote.domain.answers import Answer, Citation, Suggestions, Usage, Verdict
from footnote.domain.search import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesFound:
    """The evidence that the answer will rest on, in the order in which a model is shown it."""

    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWritten:
    """A piece of the answer's text, markers included; all of them joined are the answer's."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMade:
    """A marker was bound to its quote."""

    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceGrounded:
    """A sentence of the answer was held against its quotes."""

    position: int
    """From 0, in the answer's sentences."""
    verdict: Verdict
    support: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled:
    """A model asked for a tool."""

    call_id: str
    name: str
    arguments: str
    """As the model wrote them: a JSON object, valid or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturned:
    """A tool gave its result to the model."""

    call_id: str
    name: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageCounted:
    """What the models have used so far."""

    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDone:
    """The answer is complete. Its text is what counts, should it differ from the pieces."""

    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFailed:
    """There will be no answer, and nothing follows."""

    code: str
    """The name of the error's class, such as `ModelUnavailable`."""
    message: str
    hint: str | None = None
    retryable: bool = False
    usage: Usage = field(default_factory=Usage)
    """What the models have used until then, as far as it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionsMade:
    """What can be asked next, where that was wanted; it comes once the answer is done."""

    suggestions: Suggestions


AnswerEvent = (
    SourcesFound
    | TextWritten
    | CitationMade
    | SentenceGrounded
    | ToolCalled
    | ToolReturned
    | UsageCounted
    | AnswerDone
    | AnswerFailed
    | SuggestionsMade
)
"""Sources come before the text, after the tool calls where a model looked them up itself; done or
failed ends the answer, and exactly one of them; suggestions, where wanted, follow what is done."""
