"""Parse a file into a document, by the reader for its type."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import PurePath

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.archives import ArchiveLimits, read_archive
from footnote.ingestion.parsing.asciidoc import read_asciidoc
from footnote.ingestion.parsing.charsets import decode_and_doubt
from footnote.ingestion.parsing.code import read_code
from footnote.ingestion.parsing.delimited import read_delimited
from footnote.ingestion.parsing.drafts import Reading, assemble
from footnote.ingestion.parsing.elements import read_xml
from footnote.ingestion.parsing.epub import read_epub
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.images import NOT_DESCRIBED, PictureKeeper, read_images
from footnote.ingestion.parsing.latex import read_latex
from footnote.ingestion.parsing.markdown import read_markdown
from footnote.ingestion.parsing.message import read_mbox, read_message, read_mhtml
from footnote.ingestion.parsing.ocr import Ocr, select_ocr
from footnote.ingestion.parsing.office import OFFICE_TYPES, read_office
from footnote.ingestion.parsing.outlook import read_outlook
from footnote.ingestion.parsing.pdf import read_pdf
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.plaintext import read_captions, read_plain_text
from footnote.ingestion.parsing.structured import read_json, read_json_lines
from footnote.ingestion.parsing.tables import repeated_titles
from footnote.ingestion.terminal_codes import without_terminal_codes
from footnote.ports import OcrChoice, OnProgress, ignore_progress

_TEXT_READERS: dict[str, Callable[[str], Reading]] = {
    media.MARKDOWN: read_markdown,
    media.ASCIIDOC: read_asciidoc,
    media.LATEX: read_latex,
    media.HTML: read_html,
    media.CSV: read_delimited,
    media.TSV: read_delimited,
    media.CAPTIONS: read_captions,
    media.SUBRIP: read_captions,
    media.PLAIN: read_plain_text,
}
_NAMED_TEXT_READERS: dict[str, Callable[[str, str], Reading]] = {
    media.JSON: read_json,
    media.JSON_LINES: read_json_lines,
    media.XML: read_xml,
    media.CODE: read_code,
}
_MESSAGE_READERS: dict[str, Callable[[bytes], Reading]] = {
    media.EMAIL: read_message,
    media.OUTLOOK: read_outlook,
    media.MHTML: read_mhtml,
}
_CONTAINERS = media.ARCHIVES | _MESSAGE_READERS.keys() | {media.MBOX, media.EPUB}
_REFUSED_TYPES = {
    media.OLE_ENCRYPTED: ("it is protected by a password", "upload a copy without a password"),
    media.ZIP_ENCRYPTED: ("it is protected by a password", "upload a copy without a password"),
    media.SEVEN_ZIP: ("7z archives are not opened", "pack its files as ZIP and upload that"),
    media.RAR: ("RAR archives are not opened", "pack its files as ZIP and upload that"),
}
"""Cause and advice for each type that is recognised but not read."""
_TABLE_TYPES = frozenset((media.CSV, media.TSV, media.XLSX, media.XLS, media.XLSB, media.ODS))
_NAMED_TITLES = 5
_MIXED_ENCODINGS = (
    "parts of it are in UTF-8 and others in a western encoding of one byte a letter; check names "
    "and amounts, or save it in UTF-8 and hand it in again"
)
_NO_CAPTION = (
    "no caption was found in it",
    "check that each has a line of times above it, such as 00:00:01,000 --> 00:00:04,000",
)
_WITHOUT_TEXT = {
    media.PDF: (
        "no text was found on its pages, which are pictures or empty",
        "check that they are sharp and upright, or upload a copy with a text layer",
    ),
    "image": (
        "no text was found in the picture",
        "if it shows text, check that it is sharp and upright; a photo without text can be found "
        "by its description: set FOOTNOTE_VISION_MODEL",
    ),
    media.CAPTIONS: _NO_CAPTION,
    media.SUBRIP: _NO_CAPTION,
    media.MBOX: (
        "no message was found in it",
        "check that each begins with a line such as “From ada@example.com Mon May 6 09:00:00 "
        "2024”, with its headers right below, or export the mailbox anew",
    ),
    ".ipynb": (
        "no cell with text was found in this notebook",
        "open it in Jupyter, save it anew and upload that copy",
    ),
}
"""Cause and advice for a file without anything to index, by its type, kind or suffix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """Options and limits of reading one document."""

    ocr: OcrChoice = "auto"
    ocr_languages: str = "eng"
    """Tesseract language codes, joined by `+`."""
    max_pages: int = 5000
    max_text_characters: int = 50_000_000
    max_blocks: int = 250_000
    """Most headings, paragraphs, lists and tables; each takes some 500 bytes beside its text."""
    archive: ArchiveLimits = field(default_factory=ArchiveLimits)
    pictures: int = 0
    """Most pictures of a document that are kept to be described; 0 keeps none."""


def read_document(
    content: bytes,
    filename: str,
    options: ReadingOptions | None = None,
    on_progress: OnProgress = ignore_progress,
) -> ParsedDocument:
    """Read a file of any known type, in the calling process and without a time limit.

    `on_progress` is called for each page of a PDF and for each frame of a picture.

    Raises DocumentUnreadable when the file is of no known type, damaged, encrypted, too large, or
    has no text.
    """
    options = options or ReadingOptions()
    media_type = media.sniff_media_type(content, filename)
    if media_type is None:
        raise unreadable("its type is unknown", "convert it to PDF, an Office format or text")
    if media_type in _REFUSED_TYPES:
        raise unreadable(*_REFUSED_TYPES[media_type])
    if media.is_recording(media_type):
        raise unreadable(
            "it is a recording, and there is nobody to listen to it",
            "see what is missing with: footnote doctor; or configure a "
            "transcriber: set FOOTNOTE_SPEECH",
        )
    keeper = PictureKeeper(options.pictures) if options.pictures else None
    try:
        reading = _read(
            content, filename, media_type, options, keeper=keeper, on_progress=on_progress
        )
    except (DocumentUnreadable, MemoryError):
        raise
    except Exception as error:
        raise _damaged(error) from error
    _check(reading, filename, media_type, options)
    if media_type in _TABLE_TYPES and (repeated := _repeated_columns(reading)):
        reading = replace(reading, metadata={**reading.metadata, "repeated_columns": repeated})
    if keeper is not None and keeper.left_out:
        metadata = {**reading.metadata, NOT_DESCRIBED: keeper.left_out}
        reading = replace(reading, metadata=metadata)
    return assemble(reading, filename, media_type)


def _read(
    content: bytes,
    filename: str,
    media_type: str,
    options: ReadingOptions,
    *,
    keeper: PictureKeeper | None,
    on_progress: OnProgress,
) -> Reading:
    if media_type in _CONTAINERS:
        return _read_container(content, filename, media_type, options.archive)
    if media_type == media.RST or media_type in _TEXT_READERS.keys() | _NAMED_TEXT_READERS.keys():
        decoded, is_mixed = decode_and_doubt(content)
        text = without_terminal_codes(decoded).replace("\r\n", "\n").replace("\r", "\n")
        if named_reader := _NAMED_TEXT_READERS.get(media_type):
            reading = named_reader(text, filename)
        else:
            reader = _read_rst if media_type == media.RST else _TEXT_READERS[media_type]
            reading = reader(text)
        warnings = {"mixed_encodings": _MIXED_ENCODINGS} if is_mixed else {}
        return replace(reading, metadata={**reading.metadata, **warnings})
    ocr = partial(select_ocr, options.ocr, options.ocr_languages)
    if media_type == media.PDF:
        return read_pdf(
            content, ocr, max_pages=options.max_pages, keeper=keeper, on_progress=on_progress
        )
    if media.is_image(media_type):
        engine: Ocr | None = None
        # A picture that will be described needs no OCR engine.
        with suppress(DocumentUnreadable) if keeper is not None else nullcontext():
            engine = ocr()
        return read_images(
            content, engine, max_pages=options.max_pages, keeper=keeper, on_progress=on_progress
        )
    if media_type in OFFICE_TYPES:
        pictures = Pictures(ocr, keeper)
        return read_office(content, media_type, pictures, options.max_text_characters)
    raise unreadable(f"{media_type} has no reader", "convert it to PDF, an Office format or text")


def _read_rst(text: str) -> Reading:
    from footnote.ingestion.parsing.rst import read_rst  # noqa: PLC0415  # docutils is large

    return read_rst(text)


def _read_container(
    content: bytes, filename: str, media_type: str, limits: ArchiveLimits
) -> Reading:
    if media_type == media.MBOX:
        return read_mbox(content, max_members=limits.max_members)
    if media_type == media.EPUB:
        return read_epub(content, max_bytes=limits.max_bytes)
    if message_reader := _MESSAGE_READERS.get(media_type):
        return message_reader(content)
    return read_archive(content, filename, media_type, limits)


def _check(reading: Reading, filename: str, media_type: str, options: ReadingOptions) -> None:
    if (reading.page_count or 0) > options.max_pages:
        raise unreadable(
            f"it has {reading.page_count} pages, more than the {options.max_pages} allowed",
            "split it",
        )
    characters = sum(len(draft.text) for draft in reading.drafts)
    if characters > options.max_text_characters:
        raise unreadable(
            f"it holds {characters:,} characters, more than the {options.max_text_characters:,} "
            "allowed",
            "split it into smaller files",
        )
    if len(reading.drafts) > options.max_blocks:
        raise unreadable(
            f"it has {len(reading.drafts):,} paragraphs, headings and tables, more than the "
            f"{options.max_blocks:,} allowed",
            "split it into smaller files",
        )
    has_content = any(draft.text.strip() or draft.picture for draft in reading.drafts)
    if not has_content and not reading.attachments:
        kind = "image" if media.is_image(media_type) else media_type
        if media_type == media.JSON:
            kind = PurePath(filename).suffix.lower()
        default = ("no text was found in it", "check that the file is not empty")
        raise unreadable(*_WITHOUT_TEXT.get(kind, default))


def _repeated_columns(reading: Reading) -> str:
    """Return a warning about titles that several columns of one table share; empty without any."""
    tables = (draft.text for draft in reading.drafts if draft.kind is BlockKind.TABLE)
    titles = dict.fromkeys(title for table in tables for title in repeated_titles(table))
    if not titles:
        return ""
    listed = ", ".join(f"“{title}”" for title in islice(titles, _NAMED_TITLES))
    tail = ", …" if len(titles) > _NAMED_TITLES else ""
    return (
        f"a table has several columns with the title {listed}{tail}, which a question cannot tell "
        "apart; give each a title of its own and hand the file in again"
    )


def _damaged(error: Exception) -> DocumentUnreadable:
    message = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    if "password" in message.lower() or "encrypted" in message.lower():
        return unreadable("it is protected by a password", "upload a copy without a password")
    return unreadable(
        f"the file is damaged, or not what its type says ({message})",
        "open it in its own program, save it anew and upload that copy",
    )
