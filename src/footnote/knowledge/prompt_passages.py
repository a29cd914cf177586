"""Passages that a language model reads together, and the list that it replies with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from footnote.domain import BlockKind
from footnote.knowledge.texts import DocumentText, TextBlock
from footnote.language.sentences import sentence_spans

PASSAGES_TOGETHER = 5
PASSAGE_CHARACTERS = 800
_PROSE = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.UTTERANCE, BlockKind.OCR_TEXT))
_DECODER = JSONDecoder()

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPassage:
    """A part of a document's text that a model reads."""

    start: int
    end: int
    headings: tuple[str, ...]


def passages_of(
    document: DocumentText, left_out: Sequence[tuple[int, int]] = ()
) -> list[PromptPassage]:
    """The prose of a document in parts of whole sentences under one heading.

    `left_out` are parts of the text that no model is to read; a longer sentence is left out, too.
    """
    found: list[PromptPassage] = []
    for block in document.blocks:
        if block.kind not in _PROSE or any(
            start < block.end and block.start < end for start, end in left_out
        ):
            continue
        for start, end in _sentences(document, block):
            last = found[-1] if found else None
            if (
                last is not None
                and last.headings == block.headings
                and end - last.start <= PASSAGE_CHARACTERS
                and not document.text[last.end : start].strip()
            ):
                found[-1] = PromptPassage(start=last.start, end=end, headings=block.headings)
            elif end - start <= PASSAGE_CHARACTERS:
                found.append(PromptPassage(start=start, end=end, headings=block.headings))
    return found


def batches_of(passages: Sequence[PromptPassage]) -> list[Sequence[PromptPassage]]:
    """The passages that are read together."""
    return [
        passages[start : start + PASSAGES_TOGETHER]
        for start in range(0, len(passages), PASSAGES_TOGETHER)
    ]


def prompt_of(document: DocumentText, batch: Iterable[PromptPassage]) -> str:
    """The passages as JSON, out of whose strings no text can break."""
    return json.dumps(
        [
            {
                "number": number,
                "headings": [document.title, *each.headings],
                "text": document.text[each.start : each.end],
            }
            for number, each in enumerate(batch, start=1)
        ],
        ensure_ascii=False,
        indent=1,
    )


def listed_in(reply: str, item: type[Item], most: int) -> list[Item] | None:
    """The objects of the first list in a reply that are such items; None without a list.

    What follows where a list breaks off is left out.
    """
    place = reply.find("[")
    if place < 0:
        return None
    found: list[Item] = []
    objects = 0
    place += 1
    while objects < most:
        while place < len(reply) and (reply[place].isspace() or reply[place] == ","):
            place += 1
        if reply[place : place + 1] != "{":
            break
        try:
            held, place = _DECODER.raw_decode(reply, place)
        except JSONDecodeError:
            break
        objects += 1
        try:
            found.append(item.model_validate(held))
        except ValidationError:
            continue
    return found if objects or reply[place : place + 1] == "]" else None


def _sentences(document: DocumentText, block: TextBlock) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(document.text[block.start : block.end]):
        yield block.start + start, block.start + end
