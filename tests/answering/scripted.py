"""A model that writes what a test tells it, and grounding that finds everything carried."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from footnote.answering.generate import GenerativeAnswerer
from footnote.answering.grounding import SupportGrounder
from footnote.domain import AnswerDone, AnswerEvent, Evidence, TextWritten, Turn, Usage
from footnote.errors import ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.counting import estimate_tokens
from footnote.models.reader_roles import ReaderJudge
from footnote.models.testing import WordReader
from footnote.ports import Embedder, WrittenText

from .factories import make_answerer


@dataclass
class ScriptedWriter:
    """Writes the pieces, then fails if it is told to."""

    pieces: Sequence[str]
    failure: str | None = None
    name: str = "scripted"
    context_tokens: int = 4_000
    max_output_tokens: int = 500
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Instructions and prompt of each call."""
    closed: int = 0
    written: int = 0

    async def __call__(self, instructions: str, prompt: str) -> AsyncGenerator[WrittenText]:
        self.asked.append((instructions, prompt))
        try:
            for piece in self.pieces:
                self.written += 1
                yield WrittenText(text=piece)
            if self.failure is not None:
                raise ModelUnavailable(self.failure)
            yield WrittenText(usage=Usage(requests=1, input_tokens=90, output_tokens=9))
        finally:
            self.closed += 1


def make_generative(
    *pieces: str,
    failure: str | None = None,
    embedder: Embedder | None = None,
    context_tokens: int = 4_000,
) -> GenerativeAnswerer:
    """The answerer over a scripted model."""
    return GenerativeAnswerer(
        writer=ScriptedWriter(pieces, failure=failure, context_tokens=context_tokens),
        draft=make_answerer(),
        ground=SupportGrounder(analyzer=TextAnalyzer(), judge=ReaderJudge(reader=WordReader())),
        analyzer=TextAnalyzer(),
        embedder=embedder,
        count_tokens=estimate_tokens,
    )


async def events_from(
    answerer: GenerativeAnswerer,
    question: str,
    evidence: Sequence[Evidence],
    turns: Sequence[Turn] = (),
) -> list[AnswerEvent]:
    return [event async for event in answerer.stream(question, evidence, turns=turns)]


def text_of(events: Sequence[AnswerEvent]) -> str:
    """The pieces joined."""
    return "".join(event.text for event in events if isinstance(event, TextWritten))


def done(events: Sequence[AnswerEvent]) -> AnswerDone:
    (last,) = [event for event in events if isinstance(event, AnswerDone)]
    assert events[-1] is last
    return last
