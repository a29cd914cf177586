"""One file becomes one parsed document, by the reader of its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from footnote.domain import ParsedDocument, Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.parsing.delimited import read_delimited
from footnote.ingestion.parsing.drafts import Reading, assemble
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.images import read_images
from footnote.ingestion.parsing.markdown import read_markdown
from footnote.ingestion.parsing.message import read_message
from footnote.ingestion.parsing.ocr import OcrChoice, select_ocr
from footnote.ingestion.parsing.office import read_by_kreuzberg
from footnote.ingestion.parsing.pdf import read_pdf
from footnote.ingestion.parsing.plaintext import decode, read_captions, read_plain_text
from footnote.ingestion.parsing.slides import read_slides

_TEXT_READERS: dict[str, Callable[[str], Reading]] = {
    media.MARKDOWN: read_markdown,
    media.HTML: read_html,
    media.CSV: read_delimited,
    media.TSV: read_delimited,
    media.CAPTIONS: read_captions,
    media.SUBRIP: read_captions,
    media.PLAIN: read_plain_text,
}
_BY_KREUZBERG = frozenset(
    (
        media.DOCX,
        media.DOC,
        media.PPT,
        media.XLSX,
        media.XLS,
        media.ODT,
        media.ODS,
        media.EPUB,
        media.RTF,
        media.OUTLOOK,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """What reading one document may use and yield."""

    ocr: OcrChoice = "auto"
    ocr_languages: str = "eng"
    """Tesseract language codes, joined by `+`."""
    max_pages: int = 5000
    max_text_characters: int = 50_000_000


def read_document(
    content: bytes, filename: str, options: ReadingOptions | None = None
) -> ParsedDocument:
    """Read a file of any known type, in this very process and without a time limit.

    Raises DocumentUnreadable when the file is of no known type, damaged, encrypted, too large,
    or has no text.
    """
    options = options or ReadingOptions()
    media_type = media.sniff_media_type(content, filename)
    if media_type is None:
        raise _unreadable("its type is unknown", "convert it to PDF, an Office format or text")
    if media_type == media.OLE_ENCRYPTED:
        raise _unreadable("it is protected by a password", "upload a copy without a password")
    try:
        reading = _read(content, media_type, options)
    except (DocumentUnreadable, MemoryError):
        raise
    except Exception as error:
        raise _damaged(error) from error
    _check(reading, media_type, options)
    return assemble(reading, filename, media_type)


def _read(content: bytes, media_type: str, options: ReadingOptions) -> Reading:
    if text_reader := _TEXT_READERS.get(media_type):
        return text_reader(decode(content))
    if media_type == media.EMAIL:
        return read_message(content)
    ocr = partial(select_ocr, options.ocr, options.ocr_languages)
    if media_type == media.PDF:
        return read_pdf(content, ocr, max_pages=options.max_pages)
    if media.is_image(media_type):
        return read_images(content, ocr(), max_pages=options.max_pages)
    if media_type == media.PPTX:
        return read_slides(content)
    if media_type in _BY_KREUZBERG:
        return read_by_kreuzberg(content, media_type)
    raise _unreadable(f"{media_type} has no reader", "convert it to PDF, an Office format or text")


def _check(reading: Reading, media_type: str, options: ReadingOptions) -> None:
    if (reading.page_count or 0) > options.max_pages:
        raise _unreadable(
            f"it has {reading.page_count} pages, more than the {options.max_pages} allowed",
            "split it, or raise FOOTNOTE_MAX_PAGES",
        )
    characters = sum(len(draft.text) for draft in reading.drafts)
    if characters > options.max_text_characters:
        raise _unreadable(
            f"it holds {characters:,} characters, more than the {options.max_text_characters:,} "
            "allowed",
            "split it into smaller files",
        )
    if not any(draft.text.strip() for draft in reading.drafts) and not reading.attachments:
        pixels = media_type == media.PDF or media.is_image(media_type)
        raise _unreadable(
            "no text was found in it",
            "check that the picture is sharp and upright, or upload a copy with a text layer"
            if pixels
            else "check that the file is not empty",
        )


def _damaged(error: Exception) -> DocumentUnreadable:
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    if "password" in said.lower() or "encrypted" in said.lower():
        return _unreadable("it is protected by a password", "upload a copy without a password")
    return _unreadable(
        f"the file is damaged, or not what its type says ({said})",
        "open it in its own program, save it anew and upload that copy",
    )


def _unreadable(cause: str, advice: str) -> DocumentUnreadable:
    return DocumentUnreadable(stage=Stage.PARSE, cause=cause, advice=advice)
