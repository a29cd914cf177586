"""The process that reads files: frames in on standard input, frames out on standard output.

Started by `ChildParser` as `python -m footnote.ingestion.parsing.child`. The first frame sets
its options and limits, each further one is a file; it ends when its input does.
"""

from __future__ import annotations

import os
import resource
from typing import BinaryIO, cast

from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.ocr import OcrChoice
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.wire import (
    HEADER,
    Json,
    decode_json,
    decode_lengths,
    encode_document,
    encode_frame,
)


def main() -> None:
    """Serve until the parent closes the pipe."""
    source, sink = _take_pipes()
    settings = _receive(source)
    if settings is None:
        return
    options = _configure(settings[0])
    while (request := _receive(source)) is not None:
        header, content = request
        sink.write(_answer(content, str(header["filename"]), options))
        sink.flush()


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of reach of libraries that print or read."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return source, sink


def _configure(settings: Json) -> ReadingOptions:
    def number(name: str) -> int:
        return int(str(settings[name]))

    memory_bytes = number("memory_bytes")
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return ReadingOptions(
        ocr=cast("OcrChoice", settings["ocr"]),
        ocr_languages=str(settings["ocr_languages"]),
        max_pages=number("max_pages"),
        max_text_characters=number("max_text_characters"),
        pictures=number("pictures"),
        archive=ArchiveLimits(
            max_depth=number("archive_max_depth"),
            max_members=number("archive_max_members"),
            max_bytes=number("archive_max_bytes"),
            max_ratio=number("archive_max_ratio"),
        ),
    )


def _receive(source: BinaryIO) -> tuple[Json, bytes] | None:
    prefix = source.read(HEADER.size)
    if len(prefix) < HEADER.size:
        return None
    json_bytes, body_bytes = decode_lengths(prefix)
    return decode_json(source.read(json_bytes)), source.read(body_bytes)


def _answer(content: bytes, filename: str, options: ReadingOptions) -> bytes:
    try:
        return encode_document(read_document(content, filename, options))
    except DocumentUnreadable as failure:
        return encode_frame({"cause": failure.cause, "advice": failure.advice})
    except MemoryError:
        return encode_frame(
            {
                "cause": "reading it takes more memory than is allowed",
                "advice": "split it, or raise FOOTNOTE_PARSE_MEMORY_BYTES",
            }
        )


if __name__ == "__main__":
    main()
