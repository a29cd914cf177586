"""An answer on a terminal: streamed where somebody is watching, otherwise in one piece."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    TextWritten,
    ToolCalled,
    ToolReturned,
)
from footnote.domain.answers import Suggestions
from footnote.errors import ModelUnavailable
from footnote.interfaces.cli import present, results

_ARGUMENT_CHARACTERS = 120


@dataclass(slots=True)
class StreamedAnswer:
    """What was shown of an answer while it was made."""

    console: Console
    live: bool
    """Whether somebody is watching."""
    prose: str = ""
    _column: int = field(default=0, init=False)

    async def answer_of(self, events: AsyncGenerator[AnswerEvent]) -> Answer:
        """The answer that the events end with, shown as it comes. Raises ModelUnavailable."""
        async with aclosing(events):
            async for event in events:
                if answer := self.take(event):
                    return answer
        raise self.broken_off()

    def take(self, event: AnswerEvent) -> Answer | None:
        """Show of an event what a reader of a terminal wants to see at once; the answer if done.

        Tool calls are reported on standard error. Raises ModelUnavailable.
        """
        match event:
            case ToolCalled():
                _notice(f"{event.name} {present.excerpt(event.arguments, _ARGUMENT_CHARACTERS)}")
            case ToolReturned(failed=True):
                result = present.excerpt(event.result, _ARGUMENT_CHARACTERS)
                _notice(f"{event.name} failed: {result}")
            case TextWritten() if self.live:
                self.prose += event.text
                self._print(event.text)
            case AnswerDone():
                self._end_line()
                return event.answer
            case AnswerFailed():
                self._end_line()
                raise ModelUnavailable(event.message, hint=event.hint, usage=event.usage)
        return None

    def has(self, answer: Answer) -> bool:
        """Whether the text of the answer is on the terminal already."""
        return self.prose == answer.text

    def broken_off(self) -> ModelUnavailable:
        """The error for events that end without an answer."""
        self._end_line()
        return ModelUnavailable("the answer broke off before it was complete", hint="ask again")

    def _end_line(self) -> None:
        if self._column:
            self.console.print()
            self._column = 0

    def _print(self, text: str) -> None:
        """Print words, each on the line it fits on."""
        for line_number, line in enumerate(text.split("\n")):
            if line_number:
                self.console.print()
                self._column = 0
            for word in present.plain(line).replace(" ", " \0").split("\0"):
                if self._column and self._column + len(word.rstrip()) > self.console.width:
                    self.console.print()
                    self._column = 0
                self.console.print(Text(word), end="", soft_wrap=True)
                self._column += len(word)


def show_rewording(console: Console, answer: Answer) -> None:
    """Say so where another question was answered than was typed."""
    if answer.asked_as is not None:
        console.print(
            Text(_rewording_text(answer.question, present.plain(answer.asked_as)), style="dim")
        )
    question = answer.asked_as or answer.question
    results.show_correction(console, question, answer.corrected_question)


def show_suggestions(console: Console, suggestions: Suggestions) -> None:
    """What may be asked next, numbered."""
    present.show_degraded(suggestions.degraded)
    if suggestions.questions:
        console.print()
        console.print(Text("Ask next:", style="dim"))
    for number, suggestion in enumerate(suggestions.questions, 1):
        console.print(Text(f"  {number}  {present.plain(suggestion.question)}"), soft_wrap=True)


_WORDS_BEHIND = re.compile(r"(?P<sentence>.+?[?!.…])\s+(?P<words>[^?!.…]+)")
"""A question with search words behind it, which is no sentence for people."""


def _rewording_text(question: str, asked_as: str) -> str:
    match = _WORDS_BEHIND.fullmatch(asked_as)
    if match is None and not asked_as.startswith(f"{question} "):
        return f"Asked as “{asked_as}”."
    sentence = match["sentence"] if match else question
    words = match["words"] if match else asked_as.removeprefix(question).strip()
    if sentence == question.strip():
        return f"Searched with “{words}” as well, from what was said before."
    return f"Asked as “{sentence}”, searched with “{words}” as well."


def _notice(text: str) -> None:
    present.notices().print(Text(f"· {text}", style="dim"), soft_wrap=True)
