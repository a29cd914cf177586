"""What an agent had written whole stays when its model breaks off."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from footnote.answering.agentic import AgenticAnswerer, Equipment
from footnote.answering.grounding import Ground
from footnote.domain import AnswerDone, AnswerFailed, ToolCalled, ToolReturned, Turn
from footnote.errors import ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.ports import AgentBounds, McpServer, Tool, Written

from .factories import make_evidence, make_passage

EVIDENCE = tuple(make_evidence(make_passage("The monthly rent is CHF 2,500.", name="lease")))


@dataclass(frozen=True)
class BreaksOff:
    """An agent's model that writes a text and then is gone."""

    text: str
    name: str = "scripted"

    async def __call__(
        self,
        instructions: str,
        conversation: Sequence[Turn],
        prompt: str,
        *,
        tools: Sequence[Tool],
        servers: Sequence[McpServer],
        bounds: AgentBounds,
    ) -> AsyncGenerator[Written | ToolCalled | ToolReturned]:
        yield Written(text=self.text)
        raise ModelUnavailable("gone")


async def events_of(text: str) -> list[object]:
    analyzer = TextAnalyzer()
    ground = Ground(analyzer=analyzer, judge=None)
    answerer = AgenticAnswerer(model=BreaksOff(text), ground=ground, analyzer=analyzer)
    equipment = Equipment(
        tools=(), servers=(), bounds=AgentBounds(steps=2, seconds=5.0), evidence=lambda: EVIDENCE
    )
    return [event async for event in answerer.stream("What is the rent?", equipment)]


async def test_a_cited_statement_right_before_the_break_stays() -> None:
    events = await events_of("The monthly rent is CHF 2,500. [1]\n\nIt ")
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.text == "The monthly rent is CHF 2,500. [1]"
    assert done.answer.degraded == ("answer: cut off, gone",)


async def test_without_a_cited_statement_the_answer_failed() -> None:
    assert isinstance((await events_of("I saved the document. It "))[-1], AnswerFailed)
