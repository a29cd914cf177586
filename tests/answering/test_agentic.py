"""What an agent had written whole stays when its model breaks off; finding nothing is said."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from footnote.answering import NOT_FOUND
from footnote.answering.agentic import AgenticAnswerer, AgentResources
from footnote.answering.grounding import SupportGrounder
from footnote.domain import AnswerDone, AnswerFailed, TextWritten, ToolCalled, ToolReturned, Turn
from footnote.errors import ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.ports import AgentLimits, McpServer, Tool, WrittenText

from .factories import make_evidence, make_passage

EVIDENCE = tuple(make_evidence(make_passage("The monthly rent is CHF 2,500.", name="lease")))


@dataclass(frozen=True)
class WritesText:
    """An agent's model that writes a text and then is gone, or done."""

    text: str
    breaks_off: bool = True
    name: str = "scripted"

    async def __call__(
        self,
        instructions: str,
        conversation: Sequence[Turn],
        prompt: str,
        *,
        tools: Sequence[Tool],
        servers: Sequence[McpServer],
        bounds: AgentLimits,
    ) -> AsyncGenerator[WrittenText | ToolCalled | ToolReturned]:
        yield WrittenText(text=self.text)
        if self.breaks_off:
            raise ModelUnavailable("gone")


async def events_of(
    text: str, *, question: str = "What is the rent?", breaks_off: bool = True
) -> list[object]:
    analyzer = TextAnalyzer()
    ground = SupportGrounder(analyzer=analyzer, judge=None)
    answerer = AgenticAnswerer(
        model=WritesText(text, breaks_off=breaks_off), ground=ground, analyzer=analyzer
    )
    equipment = AgentResources(
        tools=(), servers=(), bounds=AgentLimits(steps=2, seconds=5.0), evidence=lambda: EVIDENCE
    )
    return [event async for event in answerer.stream(question, equipment)]


async def test_a_cited_statement_right_before_the_break_stays() -> None:
    events = await events_of("The monthly rent is CHF 2,500. [1]\n\nIt ")
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.text == "The monthly rent is CHF 2,500. [1]"
    assert done.answer.degraded == ("answer: cut off, gone",)


async def test_without_a_cited_statement_the_answer_failed() -> None:
    assert isinstance((await events_of("I saved the document. It "))[-1], AnswerFailed)


async def test_an_agent_that_found_nothing_says_so_in_the_language_of_the_question() -> None:
    events = await events_of(
        NOT_FOUND, question="Wie hoch ist eigentlich die Kaution?", breaks_off=False
    )
    done = events[-1]
    assert isinstance(done, AnswerDone)
    said = "Das konnte ich in Ihren Dokumenten nicht finden."
    assert (done.answer.found, done.answer.text) == (False, said)
    assert [each.text for each in events if isinstance(each, TextWritten)] == [said]
