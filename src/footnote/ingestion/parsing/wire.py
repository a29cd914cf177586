"""What parent and child say to each other: length-prefixed JSON and bytes, never pickles.

A frame is two big-endian lengths (4 bytes JSON, 8 bytes body), the JSON, the body. The child is
not trusted: everything it says is checked while it is turned into domain values, and blocks
come as offsets into the text, so that a block cannot hold what the text does not. What may be
long is in the body: it is passed on in parts, and never as one value of JSON.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from footnote.domain import (
    Attachment,
    Block,
    BlockKind,
    MetadataValue,
    ParsedDocument,
    Picture,
)

HEADER = struct.Struct(">IQ")
MAX_JSON_BYTES = 64 << 20
"""Room for a quarter of a million blocks; a child refuses a document that needs more."""
MAX_BODY_BYTES = 1 << 31
PART_BYTES = 1 << 20
_TEXT_PART = 1 << 20

Json = Mapping[str, object]
Bytes = bytes | bytearray | memoryview


class MalformedFrame(Exception):
    """What was received is not what the protocol allows."""


def encode_frame(header: Json, body: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return encode_beginning(header, len(body)) + body


def encode_beginning(header: Json, body_bytes: int) -> bytes:
    """A frame without its body."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return HEADER.pack(len(text), body_bytes) + text


def decode_lengths(prefix: bytes) -> tuple[int, int]:
    """Bytes of JSON and of body that follow a frame's prefix. Raises MalformedFrame."""
    json_bytes, body_bytes = HEADER.unpack(prefix)
    if json_bytes > MAX_JSON_BYTES or body_bytes > MAX_BODY_BYTES:
        raise MalformedFrame(f"a frame of {json_bytes} and {body_bytes} bytes")
    return json_bytes, body_bytes


def decode_json(text: bytes | bytearray) -> Json:
    """The JSON object of a frame. Raises MalformedFrame."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedFrame("not JSON") from error
    if not isinstance(value, dict):
        raise MalformedFrame("not an object")
    return value


def progress_of(notice: Json) -> tuple[int, int]:
    """How many of how many parts are done. Raises MalformedFrame."""
    done, total = notice.get("done"), notice.get("total")
    if not isinstance(done, int) or not isinstance(total, int) or not 0 <= done <= total < 2**31:
        raise MalformedFrame("no progress")
    return done, total


def encode_document(parsed: ParsedDocument) -> bytes:
    """A frame that holds a parsed document.

    The body is its text, then its attachments, then its pictures. Raises MalformedFrame when it
    has more blocks, or longer headings, than the other end accepts.
    """
    return b"".join(document_parts(parsed))


def document_parts(parsed: ParsedDocument) -> Iterator[bytes]:
    """The frame of a document in parts, so that it is not held twice. Raises MalformedFrame."""
    text_bytes = sum(map(len, _encoded(parsed.text)))
    header = {
        "text_bytes": text_bytes,
        "blocks": list(map(_block_row, parsed.blocks)),
        "paths": _changes_of_path(parsed.blocks),
        "media_type": parsed.media_type,
        "title": parsed.title,
        "page_count": parsed.page_count,
        "languages": list(parsed.languages),
        "metadata": dict(parsed.metadata),
        "attachments": [
            [attachment.filename, attachment.media_type, len(attachment.content)]
            for attachment in parsed.attachments
        ],
        "pictures": [
            [
                picture.media_type,
                picture.after,
                picture.paragraph,
                picture.page,
                list(picture.heading_path),
                len(picture.content),
            ]
            for picture in parsed.pictures
        ],
    }
    contents = [bytes(attachment.content) for attachment in parsed.attachments]
    contents += [picture.content for picture in parsed.pictures]
    beginning = encode_beginning(header, text_bytes + sum(map(len, contents)))
    if len(beginning) > MAX_JSON_BYTES:
        raise MalformedFrame(f"{len(parsed.blocks):,} blocks that take {len(beginning):,} bytes")
    yield beginning
    yield from _encoded(parsed.text)
    yield from contents


def _encoded(text: str) -> Iterator[bytes]:
    return (text[start : start + _TEXT_PART].encode() for start in range(0, len(text), _TEXT_PART))


def _block_row(block: Block) -> list[object]:
    row: list[object] = [
        block.kind.value,
        block.char_start,
        block.char_end,
        block.paragraph,
        block.page,
        block.heading_level,
        block.confidence,
    ]
    if block.start_seconds is None and block.end_seconds is None:
        return row
    return [*row, block.start_seconds, block.end_seconds]


def _changes_of_path(blocks: Sequence[Block]) -> list[list[object]]:
    """The heading path where it changes, since most blocks have that of the block before."""
    changes: list[list[object]] = []
    current: tuple[str, ...] = ()
    for index, block in enumerate(blocks):
        if block.heading_path != current:
            current = block.heading_path
            changes.append([index, list(current)])
    return changes


def decode_document(header: Json, body: Bytes) -> ParsedDocument:
    """The document of a frame. Raises MalformedFrame when anything in it is amiss."""
    try:
        return _decode_document(header, body)
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedFrame(f"{type(error).__name__}: {error}") from error


def _decode_document(header: Json, body: Bytes) -> ParsedDocument:
    position = _integer(header["text_bytes"])
    if not 0 <= position <= len(body):
        raise ValueError("the text lies outside the body")
    text = str(memoryview(body)[:position], "utf-8")
    titles: dict[str, str] = {}  # Each heading is in the paths of all that stands below it.
    paths = {
        _integer(index): tuple(
            titles.setdefault(title, title) for title in map(_string, _sequence(path))
        )
        for index, path in map(_sequence, _sequence(header["paths"]))
    }
    blocks = tuple(_blocks(text, _sequence(header["blocks"]), paths))
    for before, after in pairwise(blocks):
        if after.char_start < before.char_end:
            raise ValueError("blocks overlap")
    title, page_count = header["title"], header["page_count"]
    attachments = tuple(_attachments(_sequence(header["attachments"]), body, position))
    rest = position + sum(len(attachment.content) for attachment in attachments)
    return ParsedDocument(
        text=text,
        blocks=blocks,
        media_type=_string(header["media_type"]),
        title=None if title is None else _string(title),
        page_count=None if page_count is None else _integer(page_count),
        languages=tuple(_string(item) for item in _sequence(header["languages"])),
        metadata=_metadata(header["metadata"]),
        attachments=attachments,
        pictures=tuple(_pictures(_sequence(header.get("pictures", [])), body, rest, len(blocks))),
    )


def _blocks(
    text: str, rows: Sequence[object], paths: Mapping[int, tuple[str, ...]]
) -> Iterator[Block]:
    path: tuple[str, ...] = ()
    for index, row in enumerate(rows):
        kind, start, end, paragraph, page, level, confidence, *seconds = _sequence(row)
        start_seconds, end_seconds = seconds or (None, None)
        start, end = _integer(start), _integer(end)
        if not 0 <= start <= end <= len(text):
            raise ValueError("a block lies outside the text")
        path = paths.get(index, path)
        yield Block(
            kind=BlockKind(_string(kind)),
            text=text[start:end],
            char_start=start,
            char_end=end,
            paragraph=_integer(paragraph),
            page=None if page is None else _integer(page),
            heading_path=path,
            heading_level=None if level is None else _integer(level),
            confidence=None if confidence is None else _number(confidence),
            start_seconds=None if start_seconds is None else _number(start_seconds),
            end_seconds=None if end_seconds is None else _number(end_seconds),
        )


def _attachments(rows: Sequence[object], body: Bytes, position: int) -> Iterator[Attachment]:
    for row in rows:
        filename, media_type, size = _sequence(row)
        end = position + _integer(size)
        if not position <= end <= len(body):
            raise ValueError("an attachment lies outside the body")
        content = body[position:end]
        yield Attachment(
            filename=_string(filename),
            media_type=_string(media_type),
            # What lies in a file stays there until it is its turn.
            content=content if isinstance(content, memoryview) else bytes(content),
        )
        position = end


def _pictures(rows: Sequence[object], body: Bytes, position: int, blocks: int) -> Iterator[Picture]:
    for row in rows:
        media_type, after, paragraph, page, path, size = _sequence(row)
        end = position + _integer(size)
        if not position <= end <= len(body):
            raise ValueError("a picture lies outside the body")
        if not 0 <= _integer(after) <= blocks:
            raise ValueError("a picture has no place")
        yield Picture(
            content=bytes(body[position:end]),
            media_type=_string(media_type),
            after=_integer(after),
            paragraph=_integer(paragraph),
            page=None if page is None else _integer(page),
            heading_path=tuple(_string(part) for part in _sequence(path)),
        )
        position = end


def _metadata(value: object) -> dict[str, MetadataValue]:
    if not isinstance(value, dict):
        raise TypeError("metadata is no object")
    return {
        _string(key): item
        for key, item in value.items()
        if isinstance(item, (str, int, float, bool))
    }


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a string was expected")
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("an integer was expected")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError("a number was expected")
    return float(value)


def _sequence(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value
