"""The process that reads files, started by `ChildParser`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from footnote.ingestion.child import Answer, Tell, serve
from footnote.ingestion.parsing.ocr import OcrChoice
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.wire import Json, document_parts


def _configure(settings: Json, tell: Tell) -> Answer:
    options = ReadingOptions(
        ocr=cast("OcrChoice", settings["ocr"]),
        ocr_languages=str(settings["ocr_languages"]),
        pictures=int(str(settings["pictures"])),
    )

    def answer(header: Json, content: bytes) -> Iterator[bytes]:
        return document_parts(read_document(content, str(header["filename"]), options, tell))

    return answer


if __name__ == "__main__":
    serve(_configure)
