"""Our own files of every format, and the outline of what each is read as.

`python -m tests.ingestion.corpus CSV PDF` prints the outlines of these formats as they are read
now. One that changed for the better is put where it belongs by hand:

    python -m tests.ingestion.corpus CSV > tests/ingestion/corpus/csv.txt
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from uuid import UUID

from footnote.domain import Block, BlockKind, ParsedDocument
from footnote.domain.redaction import NOTHING, Redaction
from footnote.errors import DocumentUnreadable
from footnote.ingestion.listening import transcribe
from footnote.ingestion.media import is_recording, sniff_media_type
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.models.served import ServedModel
from footnote.models.transcription import transcriber_from
from footnote.ports.redaction import redacting_as
from tests.ingestion import (
    corpus_data,
    corpus_details,
    corpus_mail,
    corpus_markup,
    corpus_office,
    corpus_pages,
    corpus_sheets,
    corpus_slides,
    corpus_texts,
)
from tests.models.transcription_server import TranscriptionServer, heard

CONVERTED = frozenset(("DOC", "ODT", "RTF", "PPT", "ODP", "XLS", "ODS"))
"""Formats that LibreOffice converts before they are read."""
OUTLINES = Path(__file__).parent / "corpus"
_SECTION = re.compile(r"^=== ", re.MULTILINE)
_HEARD = (
    (0.0, 2.5, " Hello there."),
    (2.5, 4.0, " The winch"),
    (4.0, 5.5, " was delivered."),
    (751.25, 755.0, " Good bye."),
)
"""What the transcriber says of every recording: seconds and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A file of ours."""

    format: str
    """As `docs/formats.md` calls it."""
    name: str
    make: Callable[[], bytes]

    @property
    def needs_ocr(self) -> bool:
        return self.format in corpus_pages.IMAGE_FORMATS or self.name in corpus_pages.READ_BY_OCR


def _samples() -> Iterator[Sample]:
    for texts in (corpus_markup.FILES, corpus_texts.FILES, corpus_data.FILES, corpus_details.FILES):
        for kind, contents in texts.items():
            for name, content in contents.items():
                yield Sample(format=kind, name=name, make=partial(bytes, content))
    for rooms in (corpus_pages, corpus_office, corpus_slides, corpus_sheets, corpus_mail):
        for kind, makers in rooms.FILES.items():
            for name, make in makers.items():
                yield Sample(format=kind, name=name, make=make)


SAMPLES = tuple(_samples())


def outline_file(kind: str) -> Path:
    """Where the expected outlines of a format stand."""
    return OUTLINES / f"{kind.lower().replace(' ', '-')}.txt"


def expected_outlines(kind: str) -> dict[str, str]:
    """By the name of the file, what is checked in of a format."""
    sections = _SECTION.split(outline_file(kind).read_text(encoding="utf-8"))[1:]
    return {section.split(" · ")[0]: f"=== {section.rstrip()}" for section in sections}


@cache
def content_of(sample: Sample) -> bytes:
    """The bytes of a file, made once."""
    return sample.make()


def read_sample(sample: Sample) -> ParsedDocument:
    """The document of a file; a recording is heard by a server that has its words ready.

    Raises DocumentUnreadable.
    """
    content = content_of(sample)
    media_type = sniff_media_type(content, sample.name)
    if media_type is not None and is_recording(media_type):
        return asyncio.run(_hear(content, sample.name, media_type))
    options = ReadingOptions(ocr="tesseract" if sample.needs_ocr else "off")
    return read_document(content, sample.name, options)


async def _nothing_redacted() -> Redaction:
    return NOTHING


async def _hear(content: bytes, filename: str, media_type: str) -> ParsedDocument:
    with TranscriptionServer(heard(*_HEARD, avg_logprob=(-0.1, -0.2, -0.2, -0.7))) as server:
        transcriber = transcriber_from(
            served=ServedModel(name="scripted", url=server.url),
            api_key=None,
            timeout_seconds=30.0,
            max_bytes=1_000_000,
        )
        try:
            # Nobody asks here, and for nobody nothing would be sent.
            with redacting_as(_nothing_redacted):
                return await transcribe(
                    transcriber, BytesIO(content), filename, media_type, workspace_id=UUID(int=1)
                )
        finally:
            await transcriber.close()


def outline(parsed: ParsedDocument, name: str) -> str:
    """What a document was read as: a line for itself and each thing known of it, block and file.

    A block's line has its kind, its page and its paragraph's number, the headings above it and
    its text; `⏎` is a line's end.
    """
    return "\n".join(_lines(parsed, name))


def _lines(parsed: ParsedDocument, name: str) -> Iterator[str]:
    pages = [f"{parsed.page_count} pages"] if parsed.page_count is not None else []
    yield " · ".join([f"=== {name}", parsed.media_type, *pages, *parsed.languages])
    yield f"title       {parsed.title}"
    for key, value in sorted(parsed.metadata.items()):
        yield f"metadata    {key} = {_steady(value)}"
    for block in parsed.blocks:
        yield _line(block)
    for attachment in parsed.attachments:
        yield f"attachment  {attachment.filename} · {attachment.media_type}"
        yield from (
            f"    {line}" for line in _inside(bytes(attachment.content), attachment.filename)
        )


def _steady(value: object) -> str:
    """A value of the metadata; the hour in which a library made the file is not the same twice."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return "now" if abs(datetime.now(UTC) - moment) < timedelta(days=1) else str(value)


def _line(block: Block) -> str:
    kind = block.kind.value
    path = block.heading_path
    if block.kind is BlockKind.HEADING:
        kind, path = f"heading {block.heading_level}", path[:-1]
    page = f"p{block.page} " if block.page is not None else ""
    above = f"[{' › '.join(path)}] " if path else ""
    flat = block.text.replace("\n", "⏎")
    return f"{kind:<10}  {page}¶{block.paragraph}  {above}{flat}{_heard_at(block)}"


def _heard_at(block: Block) -> str:
    if block.start_seconds is None:
        return ""
    sure = f", {block.confidence:.2f}" if block.confidence is not None else ""
    return f" ({block.start_seconds:g}–{block.end_seconds:g} s{sure})"


def _inside(content: bytes, filename: str) -> Iterator[str]:
    """The outline of a file inside another one, or why it cannot be read."""
    try:
        parsed = read_document(content, filename, ReadingOptions(ocr="off"))
    except DocumentUnreadable as error:
        yield f"unreadable: {error.cause}"
        return
    yield from _lines(parsed, filename)


def main(kinds: list[str]) -> None:
    """Print the outlines of these formats, or of all."""
    if unknown := set(kinds) - {sample.format for sample in SAMPLES}:
        sys.exit(f"no such format: {', '.join(sorted(unknown))}")
    shown = [
        outline(read_sample(sample), sample.name)
        for sample in SAMPLES
        if not kinds or sample.format in kinds
    ]
    sys.stdout.write("\n\n".join(shown) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
