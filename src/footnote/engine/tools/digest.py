"""A language model reads a document part by part, and writes one cited text of its notes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Passage
from footnote.engine.tools.rendering import line, quoted
from footnote.retrieval.prompts import DATA_RULE, Part, fenced, question_part

Write = Callable[[str, str], Awaitable[str]]
"""Returns a model's reply to instructions and a prompt. Raises ModelUnavailable."""

PART_CHARACTERS = 16_000
"""Of the document, in one request; about 4,000 tokens."""

_MAX_CONCURRENT = 4
_NOTHING = "NOTHING"
_READ_INSTRUCTIONS = f"""\
You read one part of a longer document for a question. Write down everything in this part that \
helps to answer the question, one short statement a line, each followed by the number of the \
passage it comes from, as in [12]. Keep names, numbers, dates and conditions exactly. If nothing \
in this part helps, write only {_NOTHING}. {DATA_RULE}"""
_JOIN_INSTRUCTIONS = f"""\
You are given notes on all parts of one document, taken for a question. Write the answer from \
these notes alone, without repeating yourself, and keep after each statement the numbers it has in \
the notes, as in [12]. Where notes contradict each other, say so. If they do not answer the \
question, write only {_NOTHING}. {DATA_RULE}"""
_MARKERS = re.compile(r"( ?)\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What a model wrote on a document."""

    text: str
    """With `[n]` for the n-th passage that was read, from 1."""
    cited: tuple[int, ...]
    """Numbers of its markers, by first appearance."""
    removed: int
    """Markers of passages that were never shown, taken out."""

    def numbered(self, numbers: Mapping[int, int]) -> str:
        """Return the text with the number of each marker replaced."""
        return _MARKERS.sub(lambda match: f"{match[1]}[{numbers[int(match[2])]}]", self.text)


async def digest(write: Write, question: str, passages: Sequence[Passage]) -> Digest:
    """Ask the model about every part, and then for one text. Raises ModelUnavailable.

    Notes that are too long for one request are joined in groups first.
    """
    turns = asyncio.Semaphore(_MAX_CONCURRENT)

    async def ask(instructions: str, name: str, text: str) -> str:
        async with turns:
            reply = await write(
                instructions, fenced([question_part(question), Part(name=name, text=text)])
            )
        return "" if reply.strip().strip(".").upper() == _NOTHING else reply.strip()

    numbered = [_numbered(number, passage) for number, passage in enumerate(passages, start=1)]
    notes = await _replies(
        [ask(_READ_INSTRUCTIONS, "part of the document", part) for part in _packed(numbered)]
    )
    while len(notes) > 1:
        groups = _packed(notes)
        if len(groups) == len(notes):
            # Notes that are each too long to be joined with another are left as they are.
            break
        notes = await _replies([ask(_JOIN_INSTRUCTIONS, "notes", group) for group in groups])
    return _checked("\n\n".join(notes), len(passages))


async def _replies(questions: Sequence[Coroutine[object, object, str]]) -> list[str]:
    """Return the replies in the order of the questions; the first failure ends all."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(question) for question in questions]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return [task.result() for task in tasks if task.result()]


def _numbered(number: int, passage: Passage) -> str:
    section = line(" > ".join(passage.heading_path))
    return f"[{number}]{f' Section: {section}' if section else ''}\n{quoted(passage.text)}"


def _packed(pieces: Sequence[str]) -> list[str]:
    """Join the pieces in order into as few texts as their length allows."""
    packed: list[str] = []
    for piece in pieces:
        if packed and len(packed[-1]) + len(piece) <= PART_CHARACTERS:
            packed[-1] += f"\n\n{piece}"
        else:
            packed.append(piece)
    return packed


def _checked(text: str, passages: int) -> Digest:
    """Return the text with one number in each marker, without markers of unknown passages."""
    cited: dict[int, None] = {}
    removed = 0

    def check(match: re.Match[str]) -> str:
        nonlocal removed
        numbers = [int(number) for number in re.split(r"[,;]", match[2])]
        valid = [number for number in numbers if 1 <= number <= passages]
        removed += len(numbers) - len(valid)
        cited.update(dict.fromkeys(valid))
        return match[1] + "".join(f"[{number}]" for number in valid) if valid else ""

    checked = _MARKERS.sub(check, text)
    return Digest(text=checked, cited=tuple(cited), removed=removed)
