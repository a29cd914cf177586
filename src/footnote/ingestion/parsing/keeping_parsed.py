"""What was read of a file is kept for a later try, packed, and unpacked again."""

from __future__ import annotations

import zlib
from dataclasses import replace

from footnote.domain import ParsedDocument
from footnote.ingestion.parsing.wire import (
    HEADER,
    MalformedFrame,
    decode_document,
    decode_json,
    decode_lengths,
    document_parts,
)

_FAST = 1  # zlib level: what is kept for minutes is not worth squeezing.


def pack(parsed: ParsedDocument) -> bytes:
    """The document without its attachments and pictures, in few bytes."""
    compressor = zlib.compressobj(_FAST)
    bare = replace(parsed, attachments=(), pictures=())
    return b"".join(
        [*(compressor.compress(part) for part in document_parts(bare)), compressor.flush()]
    )


def unpack(packed: bytes) -> ParsedDocument | None:
    """The document that was packed; None for what another version of Footnote packed."""
    try:
        frame = memoryview(zlib.decompress(packed))
        json_bytes, _ = decode_lengths(bytes(frame[: HEADER.size]))
        body = HEADER.size + json_bytes
        return decode_document(decode_json(bytes(frame[HEADER.size : body])), frame[body:])
    except (MalformedFrame, zlib.error):
        return None
