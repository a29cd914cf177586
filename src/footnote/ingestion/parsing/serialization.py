"""Serialise a parsed document: a JSON record with blocks as offsets, and a body with the text.

So a block cannot contain what the text does not, and long content is passed on in parts.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from footnote.domain import Block, ParsedDocument
from footnote.ingestion.frames import Bytes, Message

_TEXT_PART = 1 << 20
_FAST = 1
"""The zlib level; data kept for minutes is not worth more compression."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
    config=ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=False),
)
class _Record:
    document: ParsedDocument
    """The document without texts, heading paths and contents."""
    paths: tuple[tuple[int, tuple[str, ...]], ...]
    """Heading paths, each with the index of the first block that has it; most blocks share the path
    of the block before."""
    sizes: tuple[int, ...]
    """Bytes of the text, of each attachment and of each picture, in the order of the body."""


_RECORD = TypeAdapter(_Record)


def to_message(parsed: ParsedDocument) -> Message:
    """Return the message of a document; its text is encoded only as it is sent, to save memory."""
    contents = [bytes(attachment.content) for attachment in parsed.attachments]
    contents += [picture.content for picture in parsed.pictures]
    sizes = [sum(map(len, _encoded(parsed.text))), *map(len, contents)]
    paths: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for index, block in enumerate(parsed.blocks):
        if block.heading_path != paths[-1][1]:
            paths.append((index, block.heading_path))
    bare = replace(
        parsed,
        text="",
        blocks=tuple(replace(block, text="", heading_path=()) for block in parsed.blocks),
        attachments=tuple(replace(attachment, content=b"") for attachment in parsed.attachments),
        pictures=tuple(replace(picture, content=b"") for picture in parsed.pictures),
    )
    record = _Record(document=bare, paths=tuple(paths), sizes=tuple(sizes))

    def body() -> Iterator[bytes]:
        yield from _encoded(parsed.text)
        yield from contents

    return Message(_RECORD.dump_json(record, exclude_defaults=True), body(), sum(sizes))


def _encoded(text: str) -> Iterator[bytes]:
    return (text[start : start + _TEXT_PART].encode() for start in range(0, len(text), _TEXT_PART))


def from_message(record: bytes, body: Bytes) -> ParsedDocument:
    """Return the document of a message. Raises ValueError when the message is inconsistent."""
    decoded = _RECORD.validate_json(record, strict=True)
    bare, ends = decoded.document, [0, *accumulate(decoded.sizes)]
    if min(decoded.sizes) < 0 or ends[-1] > len(body):
        raise ValueError("a part lies outside the body")
    text_part, *contents = (body[start:end] for start, end in pairwise(ends))
    text = str(text_part, "utf-8")
    attachment_count = len(bare.attachments)
    if any(not 0 <= picture.after <= len(bare.blocks) for picture in bare.pictures):
        raise ValueError("a picture has no place")
    return replace(
        bare,
        text=text,
        blocks=tuple(_blocks(text, decoded)),
        attachments=tuple(
            # Content in a mapped file is not copied to memory here.
            replace(
                attachment, content=content if isinstance(content, memoryview) else bytes(content)
            )
            for attachment, content in zip(
                bare.attachments, contents[:attachment_count], strict=True
            )
        ),
        pictures=tuple(
            replace(picture, content=bytes(content))
            for picture, content in zip(bare.pictures, contents[attachment_count:], strict=True)
        ),
    )


def _blocks(text: str, record: _Record) -> Iterator[Block]:
    titles: dict[str, str] = {}  # Headings are shared by the paths of the blocks below them.
    paths = {
        index: tuple(titles.setdefault(title, title) for title in path)
        for index, path in record.paths
    }
    path: tuple[str, ...] = ()
    end = 0
    for index, block in enumerate(record.document.blocks):
        if not end <= block.char_start <= block.char_end <= len(text):
            raise ValueError("a block overlaps another, or lies outside the text")
        path, end = paths.get(index, path), block.char_end
        yield replace(block, text=text[block.char_start : end], heading_path=path)


def compress(parsed: ParsedDocument) -> bytes:
    """Return the document compressed, without attachments and pictures, to keep it for a retry."""
    message = to_message(replace(parsed, attachments=(), pictures=()))
    compressor = zlib.compressobj(_FAST)
    parts = (len(message.record).to_bytes(4, "big"), message.record, *message.body)
    return b"".join([*map(compressor.compress, parts), compressor.flush()])


def decompress(packed: bytes) -> ParsedDocument | None:
    """Return the document that was compressed; None if an incompatible version did it."""
    try:
        content = memoryview(zlib.decompress(packed))
        body = 4 + int.from_bytes(content[:4], "big")
        return from_message(bytes(content[4:body]), content[body:])
    except (ValueError, zlib.error):
        return None
