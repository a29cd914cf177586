"""Build prompts of a document's passages, and parse the JSON list that a model replies with."""

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

PASSAGES_PER_PROMPT = 5
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
    """Split a document's prose into passages of whole sentences under one heading.

    `left_out` are spans that no model may read. Sentences longer than a passage are skipped.
    """
    passages: list[PromptPassage] = []
    for block in document.blocks:
        if block.kind not in _PROSE or any(
            start < block.end and block.start < end for start, end in left_out
        ):
            continue
        for start, end in _sentences(document, block):
            last = passages[-1] if passages else None
            if (
                last is not None
                and last.headings == block.headings
                and end - last.start <= PASSAGE_CHARACTERS
                and not document.text[last.end : start].strip()
            ):
                passages[-1] = PromptPassage(start=last.start, end=end, headings=block.headings)
            elif end - start <= PASSAGE_CHARACTERS:
                passages.append(PromptPassage(start=start, end=end, headings=block.headings))
    return passages


def batches_of(passages: Sequence[PromptPassage]) -> list[Sequence[PromptPassage]]:
    """Group the passages that share one prompt."""
    return [
        passages[start : start + PASSAGES_PER_PROMPT]
        for start in range(0, len(passages), PASSAGES_PER_PROMPT)
    ]


def prompt_of(document: DocumentText, batch: Iterable[PromptPassage]) -> str:
    """Serialise the passages as JSON, whose strings no text can escape from."""
    return json.dumps(
        [
            {
                "number": number,
                "headings": [document.title, *passage.headings],
                "text": document.text[passage.start : passage.end],
            }
            for number, passage in enumerate(batch, start=1)
        ],
        ensure_ascii=False,
        indent=1,
    )


def listed_in(reply: str, item: type[Item], max_items: int) -> list[Item] | None:
    """Parse the valid items of the first list in a reply; None without a list.

    The incomplete end of a truncated list is dropped.
    """
    offset = reply.find("[")
    if offset < 0:
        return None
    parsed: list[Item] = []
    objects = 0
    offset += 1
    while objects < max_items:
        while offset < len(reply) and (reply[offset].isspace() or reply[offset] == ","):
            offset += 1
        if reply[offset : offset + 1] != "{":
            break
        try:
            value, offset = _DECODER.raw_decode(reply, offset)
        except JSONDecodeError:
            break
        objects += 1
        try:
            parsed.append(item.model_validate(value))
        except ValidationError:
            continue
    return parsed if objects or reply[offset : offset + 1] == "]" else None


def _sentences(document: DocumentText, block: TextBlock) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(document.text[block.start : block.end]):
        yield block.start + start, block.start + end
