"""An answer on a terminal: as it is written where somebody looks, otherwise in one piece."""

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
from footnote.errors import ModelUnavailable
from footnote.interfaces.cli import present, results

_ARGUMENT_CHARACTERS = 120


@dataclass(slots=True)
class Written:
    """What was shown of an answer while it was made."""

    console: Console
    live: bool
    """Whether somebody looks on."""
    prose: str = ""
    _column: int = field(default=0, init=False)

    def show(self, event: AnswerEvent) -> None:
        """Show what a reader of a terminal wants to see of an event at once."""
        if isinstance(event, ToolCalled):
            _notice(f"{event.name} {present.excerpt(event.arguments, _ARGUMENT_CHARACTERS)}")
        elif isinstance(event, ToolReturned) and event.failed:
            _notice(f"{event.name} failed: {present.excerpt(event.result, _ARGUMENT_CHARACTERS)}")
        elif isinstance(event, TextWritten) and self.live:
            self.prose += event.text
            self._print(event.text)

    def end(self) -> None:
        """End the line that is being written."""
        if self._column:
            self.console.print()

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


async def shown_as_written(
    console: Console, events: AsyncGenerator[AnswerEvent], *, live: bool
) -> tuple[Answer, bool]:
    """The answer, and whether its text is on the terminal already.

    Tool calls are told on standard error. Raises ModelUnavailable.
    """
    written = Written(console, live)
    async with aclosing(events):
        async for event in events:
            written.show(event)
            if isinstance(event, AnswerDone):
                written.end()
                return event.answer, written.prose == event.answer.text
            if isinstance(event, AnswerFailed):
                written.end()
                raise ModelUnavailable(event.message, hint=event.hint, usage=event.usage)
    raise ModelUnavailable("the answer broke off before it was complete", hint="ask again")


def show_rewording(console: Console, answer: Answer) -> None:
    """Say so where another question was answered than was typed."""
    if answer.asked_as is not None:
        console.print(Text(_reworded(answer.question, present.plain(answer.asked_as)), style="dim"))
    asked = answer.asked_as or answer.question
    results.show_correction(console, asked, answer.corrected_question)


_WORDS_BEHIND = re.compile(r"(?P<sentence>.+?[?!.…])\s+(?P<words>[^?!.…]+)")
"""A question with search words behind it, which is no sentence for people."""


def _reworded(question: str, asked_as: str) -> str:
    found = _WORDS_BEHIND.fullmatch(asked_as)
    if found is None and not asked_as.startswith(f"{question} "):
        return f"Asked as “{asked_as}”."
    sentence = found["sentence"] if found else question
    words = found["words"] if found else asked_as.removeprefix(question).strip()
    if sentence == question.strip():
        return f"Searched with “{words}” as well, from what was said before."
    return f"Asked as “{sentence}”, searched with “{words}” as well."


def _notice(text: str) -> None:
    present.notices().print(Text(f"· {text}", style="dim"), soft_wrap=True)
