"""What every answerer is to those who ask: evidence becomes the events of an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from typing import Protocol

from footnote.domain import Answer, AnswerDone, AnswerEvent, AnswerFailed, Evidence, Turn
from footnote.errors import ModelUnavailable


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
