"""Office files become drafts by the reader of their format; e-books and mail by kreuzberg's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kreuzberg import (
    ConcurrencyConfig,
    ExtractionConfig,
    ExtractionResult,
    extract_bytes_sync,
)

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion import media
from footnote.ingestion.parsing.compound import CompoundFile
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.legacysheets import read_legacy_workbook
from footnote.ingestion.parsing.legacyslides import read_legacy_slides
from footnote.ingestion.parsing.legacyword import read_legacy_word
from footnote.ingestion.parsing.markdown import markdown_drafts
from footnote.ingestion.parsing.opendocument import (
    read_open_presentation,
    read_open_spreadsheet,
    read_open_text,
)
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.richtext import read_rich_text
from footnote.ingestion.parsing.slides import read_slides
from footnote.ingestion.parsing.word import read_word
from footnote.ingestion.parsing.wordbinary import OlderWord
from footnote.ingestion.parsing.workbook import is_binary_workbook, read_workbook

OFFICE_TYPES = frozenset(
    (
        media.DOCX,
        media.DOC,
        media.PPTX,
        media.PPT,
        media.XLSX,
        media.XLS,
        media.ODT,
        media.ODP,
        media.ODS,
        media.RTF,
    )
)
_COMPOUND = b"\xd0\xcf\x11\xe0"
_MAIN_STREAMS = {"WordDocument": media.DOC, "PowerPoint Document": media.PPT, "Workbook": media.XLS}
_BINARY_WORKBOOK = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
_FRONT_RULE = re.compile(r"\A-{3,}\s*\n")
_KEPT_METADATA = {"created_at": "created", "modified_at": "modified", "subject": "subject"}


def read_office(
    content: bytes, media_type: str, pictures: Pictures, max_characters: int
) -> Reading:
    """Read a file of one of the `OFFICE_TYPES`.

    Raises DocumentUnreadable when it holds too much, and whatever its reader meets in a damaged
    file.
    """
    readers: dict[str, Callable[[], Reading]] = {
        media.DOCX: lambda: read_word(content, pictures),
        media.DOC: lambda: _read_legacy_word(content),
        media.PPT: lambda: read_legacy_slides(content),
        media.PPTX: lambda: read_slides(content, pictures),
        media.XLSX: lambda: _read_workbook(content, pictures, max_characters),
        media.XLS: lambda: read_legacy_workbook(content, max_characters=max_characters),
        media.ODT: lambda: read_open_text(content, pictures),
        media.ODP: lambda: read_open_presentation(content, pictures),
        media.ODS: lambda: read_open_spreadsheet(content, pictures, max_characters=max_characters),
        media.RTF: lambda: read_rich_text(content, pictures),
    }
    return readers[_main_type(content) or media_type]()


def _main_type(content: bytes) -> str | None:
    """What a compound file is by its own streams, not by those of a file embedded in it."""
    if not content.startswith(_COMPOUND):
        return None
    compound = CompoundFile(content)
    return next((kind for name, kind in _MAIN_STREAMS.items() if compound.has(name)), None)


def _read_legacy_word(content: bytes) -> Reading:
    try:
        return read_legacy_word(content)
    except OlderWord:
        return read_by_kreuzberg(content, media.DOC)


def _read_workbook(content: bytes, pictures: Pictures, max_characters: int) -> Reading:
    if is_binary_workbook(content):
        return read_by_kreuzberg(content, _BINARY_WORKBOOK)
    return read_workbook(content, pictures, max_characters=max_characters)


def read_by_kreuzberg(content: bytes, media_type: str) -> Reading:
    """Read a file as one run of blocks without pages.

    Raises whatever kreuzberg raises for a file it cannot read.
    """
    config = ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        concurrency=ConcurrencyConfig(max_threads=1),
    )
    result = extract_bytes_sync(content, media_type, config=config)
    drafts = list(markdown_drafts(_FRONT_RULE.sub("", result.content)))
    drafts += _embedded(result)
    metadata: dict[str, MetadataValue] = {
        name: str(value)
        for key, name in _KEPT_METADATA.items()
        if (value := result.metadata.get(key))
    }
    if authors := result.metadata.get("authors"):
        metadata["author"] = ", ".join(authors)
    return Reading(
        drafts=tuple(drafts),
        title=result.metadata.get("title") or result.metadata.get("subject"),
        metadata=metadata,
    )


def _embedded(result: ExtractionResult) -> Iterator[Draft]:
    """Text of files inside the file, whose bytes kreuzberg does not hand out."""
    for child in result.children or []:
        inner = child.get("result")
        if isinstance(inner, ExtractionResult) and inner.content.strip():
            yield Draft(kind=BlockKind.HEADING, text=str(child.get("path", "")), level=1)
            yield Draft(kind=BlockKind.PARAGRAPH, text=inner.content)
