"""Describe pictures with a model, and add the descriptions to the document as captions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from footnote.domain import Block, BlockKind, ParsedDocument, Picture, Stage
from footnote.errors import DocumentInterrupted, ModelUnavailable
from footnote.ingestion.parsing.drafts import clean
from footnote.ingestion.parsing.images import NOT_DESCRIBED
from footnote.ports import Describer

DESCRIBED_BY = "described_by"
"""Metadata key: the model that described pictures, and so wrote their captions."""
DESCRIBED = "pictures_described"
WHY_NOT = "pictures_not_described_because"
GENERATED = "Picture (described by a model)"
"""Is in the heading path of each description: evidence and citations show it, so that nobody
takes a description for the document's own words."""
_MAX_CONCURRENT = 3
_MAX_CHARACTERS = 3000
_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptions:
    """A model's descriptions of a document's pictures."""

    texts: Mapping[int, str]
    """By the picture's position; those it failed on are missing."""
    failure: ModelUnavailable | None = None
    """The last thing that went wrong."""


async def describe(describer: Describer, parsed: ParsedDocument) -> ParsedDocument:
    """Return the document with captions for its pictures, and without the pictures.

    If the model fails, the document stays as it was read, with a note in its metadata. Raises
    DocumentInterrupted if nothing else was read, so that descriptions are all it could have.
    """
    if not parsed.pictures:
        return parsed
    # A few at a time, so that a model on one's own machine is not overrun.
    texts: dict[int, str] = {}
    failures: list[ModelUnavailable] = []
    semaphore = asyncio.Semaphore(_MAX_CONCURRENT)

    async def describe_picture(position: int, picture: Picture) -> None:
        async with semaphore:
            try:
                text = await describer(picture.content, picture.media_type)
            except ModelUnavailable as error:
                failures.append(error)
                return
        # The description is to be one block; blank lines would divide it.
        lines = (line.strip() for line in clean(text).split("\n"))
        description = "\n".join(line for line in lines if line)
        if len(description) > _MAX_CHARACTERS:
            description = description[:_MAX_CHARACTERS].rsplit(" ", 1)[0] + " …"
        if description:
            texts[position] = description

    async with asyncio.TaskGroup() as group:
        for position, picture in enumerate(parsed.pictures):
            group.create_task(describe_picture(position, picture))
    descriptions = Descriptions(texts=texts, failure=failures[-1] if failures else None)
    if descriptions.failure is not None and not descriptions.texts and not parsed.blocks:
        if parsed.attachments:
            return without_descriptions(parsed, descriptions.failure)
        raise DocumentInterrupted(
            stage=Stage.PARSE,
            cause="no text was found in it, and its pictures were not described: "
            f"{descriptions.failure}",
            advice=descriptions.failure.hint or "see whether the vision model is well",
        ) from descriptions.failure
    return with_descriptions(parsed, descriptions, describer.name)


def without_descriptions(parsed: ParsedDocument, failure: ModelUnavailable) -> ParsedDocument:
    """The document as it was read, its pictures counted as not described."""
    return with_descriptions(parsed, Descriptions(texts={}, failure=failure), "")


def with_descriptions(
    parsed: ParsedDocument, descriptions: Descriptions, model: str
) -> ParsedDocument:
    """Return the document with each description after the text of its picture.

    Law: blocks are slices of the canonical text, and those that were there keep their text, order,
    page and paragraph number; a description has the number of the paragraph before it.
    """
    pieces: list[tuple[Block, bool]] = []
    for index in range(len(parsed.blocks) + 1):
        pieces += [
            (_block(parsed.pictures[position], text), True)
            for position, text in sorted(descriptions.texts.items())
            if parsed.pictures[position].after == index
        ]
        if index < len(parsed.blocks):
            pieces.append((parsed.blocks[index], False))
    text, blocks = _insert_blocks(parsed, pieces)
    metadata = dict(parsed.metadata)
    if descriptions.texts:
        metadata |= {DESCRIBED_BY: model, DESCRIBED: len(descriptions.texts)}
    left_out = int(metadata.get(NOT_DESCRIBED, 0))
    if missing := left_out + len(parsed.pictures) - len(descriptions.texts):
        metadata[NOT_DESCRIBED] = missing
    if descriptions.failure is not None:
        metadata[WHY_NOT] = str(descriptions.failure)
    return replace(parsed, text=text, blocks=blocks, pictures=(), metadata=metadata)


def _insert_blocks(
    parsed: ParsedDocument, pieces: list[tuple[Block, bool]]
) -> tuple[str, tuple[Block, ...]]:
    """Return the canonical text with the new blocks in it, and all blocks with their offsets."""
    text: list[str] = []
    blocks: list[Block] = []
    position, copied, after_new = 0, 0, False

    def write(part: str) -> None:
        nonlocal position
        text.append(part)
        position += len(part)

    for block, is_new in pieces:
        if is_new:
            write(_SEPARATOR if position else "")
        else:
            before = parsed.text[copied : block.char_start]
            write(before or (_SEPARATOR if after_new else ""))
            copied = block.char_end
        after_new = is_new
        start = position
        write(block.text)
        blocks.append(replace(block, char_start=start, char_end=position))
    write(parsed.text[copied:])
    return "".join(text), tuple(blocks)


def _block(picture: Picture, text: str) -> Block:
    return Block(
        kind=BlockKind.CAPTION,
        text=text,
        char_start=0,
        char_end=0,
        paragraph=picture.paragraph,
        page=picture.page,
        heading_path=(*picture.heading_path, GENERATED),
    )
