"""What every answerer is to those who ask: evidence becomes the events of an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from typing import Protocol

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    Evidence,
    Turn,
    Usage,
)
from footnote.errors import FootnoteError, ModelUnavailable


class Answerer(Protocol):
    """Answers a question from evidence, while a reader watches."""

    def stream(
        self, question: str, evidence: Sequence[Evidence], *, turns: Sequence[Turn] = ()
    ) -> AsyncGenerator[AnswerEvent]:
        """The sources first, then the text with its citations, their grounding, and the answer.

        `question` stands alone; `turns` are what was said before, oldest first. Closing the
        generator stops whatever model writes. Raises nothing: what fails is an event.
        """
        ...


async def completed(events: AsyncIterable[AnswerEvent]) -> Answer:
    """The answer that a stream of events ends with.

    Raises ModelUnavailable when it ends with a failure.
    """
    async for event in events:
        if isinstance(event, AnswerDone):
            return event.answer
        if isinstance(event, AnswerFailed):
            used = event.usage if event.usage.requests else None
            raise ModelUnavailable(event.message, hint=event.hint, usage=used)
    raise ModelUnavailable("The answer broke off before it was complete.", hint="Ask again.")


def failed_with(error: Exception) -> AnswerFailed:
    """The event that ends a stream of events after an error.

    Of a defect of ours nothing is shown.
    """
    if not isinstance(error, FootnoteError):
        return AnswerFailed(
            code="Unexpected",
            message="Something failed inside Footnote.",
            hint="The server's log says what; nothing of it is shown here.",
        )
    used = error.usage if isinstance(error, ModelUnavailable) else None
    return AnswerFailed(
        code=type(error).__name__,
        message=str(error),
        hint=error.hint,
        retryable=error.retryable,
        usage=used or Usage(),
    )
