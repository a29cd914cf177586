"""Convert a PDF to drafts: words with boxes from its text layer, or by OCR where it has none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.domain import Attachment, BlockKind, MetadataValue
from footnote.errors import DocumentUnreadable
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.columns import in_reading_order
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.geometry import (
    Box,
    Line,
    PageItem,
    find_tables,
    join_baselines,
    rule_tables,
)
from footnote.ingestion.parsing.images import PictureKeeper
from footnote.ingestion.parsing.layout import PageLayout, lay_out
from footnote.ingestion.parsing.ocr import Ocr, items_of_image
from footnote.ingestion.parsing.pdf_annotations import Links, annotation_drafts
from footnote.ingestion.parsing.pdf_marks import bookmarks, page_tags, utf16, with_bookmarks
from footnote.ingestion.parsing.pdf_pictures import PictureReader, rendered
from footnote.ingestion.parsing.pdf_text import PageText, Turn, rules_of
from footnote.ports import OnProgress, ignore_progress

_MIN_TEXT_CHARACTERS = 8
"""Characters in the text layer below which a page is read by OCR."""
_FEW_CHARACTERS = 200
"""Characters found by OCR below which a page may show a picture rather than a text."""
_MAX_LABEL_CHARACTERS = 1000
_MAX_ATTACHMENTS = 200
_MAX_ATTACHED_BYTES = 200 * 1024 * 1024
_PLACEHOLDERS = frozenset(("anonymous", "unspecified", "untitled"))
"""Placeholders that programs write for missing metadata."""


def read_pdf(
    content: bytes,
    ocr: Callable[[], Ocr],
    *,
    max_pages: int,
    keeper: PictureKeeper | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Reading:
    """Read every page; `ocr` is called only when a page or a large picture needs it.

    Pages that are damaged, or would need OCR where there is none, are counted in
    `pages_without_text`. With a keeper, large pictures and pages with little but a picture are kept
    to be described.

    Raises DocumentUnreadable if the PDF is encrypted, damaged or too long, or if no page gave text
    because some could not be read.
    """
    document = open_pdf(content)
    try:
        if len(document) > max_pages:
            raise unreadable(
                f"it has {len(document)} pages, more than the {max_pages} allowed",
                "split it",
            )
        reader = _PageReader(document, ocr, PictureReader(ocr, keeper), bookmarks(document))
        layout = lay_out(reader.pages(on_progress))
        if reader.failure is not None and not layout.drafts:  # a picture to describe is a draft too
            raise reader.failure
        page_count = len(document)
        metadata = _metadata(document)
        language = utf16(pdfium_c.FPDFCatalog_GetLanguage, document.raw)
        attachments = tuple(_attachments(document))
    finally:
        document.close()
    title = str(metadata.pop("title", ""))
    metadata |= {
        "running_header": layout.running_header,
        "running_footer": layout.running_footer,
        "links": " ".join(reader.links.found),
    }
    if reader.unread:
        metadata["pages_without_text"] = reader.unread
    if reader.pictures.unread:
        metadata["pictures_without_text"] = reader.pictures.unread
    code = re.match(r"([a-z]{2})(?:[-_]|$)", language.lower())
    return Reading(
        drafts=layout.drafts,
        title=title,
        page_count=page_count,
        languages=(code.group(1),) if code else (),
        metadata={key: value for key, value in metadata.items() if value != ""},
        attachments=attachments,
    )


def _attachments(document: pdfium.PdfDocument) -> Iterator[Attachment]:
    """The files that are embedded in a document, as far as they can be read."""
    size = 0
    for index in range(min(document.count_attachments(), _MAX_ATTACHMENTS)):
        attachment = document.get_attachment(index)
        try:
            content = bytes(attachment.get_data())
        except pdfium.PdfiumError:
            continue
        size += len(content)
        if size > _MAX_ATTACHED_BYTES:
            return
        name = PurePath(attachment.get_name().replace("\\", "/")).name
        if content:
            yield Attachment(
                filename=name or f"attachment-{index + 1}",
                media_type="application/octet-stream",
                content=content,
            )


def open_pdf(content: bytes) -> pdfium.PdfDocument:
    """A document with at least one page, to be closed. Raises DocumentUnreadable."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise unreadable(
                "the PDF is protected by a password", "upload a copy without a password"
            ) from error
        raise _damaged() from error
    if not len(document):
        document.close()
        raise unreadable("the PDF has no pages", "check that it was exported completely")
    with suppress(pdfium.PdfiumError):  # without its form the rest can be read
        document.init_forms()
    return document


def _damaged() -> DocumentUnreadable:
    return unreadable(
        "the PDF is damaged and cannot be opened",
        "open it in a PDF program, save it anew and upload that copy",
    )


def _metadata(document: pdfium.PdfDocument) -> dict[str, MetadataValue]:
    properties = document.get_metadata_dict(skip_empty=True)
    metadata: dict[str, MetadataValue] = {}
    names = (("Title", "title"), ("Author", "author"), ("Subject", "subject"))
    for key, name in (*names, ("Keywords", "keywords")):
        value = properties.get(key, "")
        if value and value not in _PLACEHOLDERS and not value.startswith("("):
            metadata[name] = value
    for key, name in (("CreationDate", "created"), ("ModDate", "modified")):
        if match := re.match(r"D:(\d{14})", properties.get(key, "")):
            try:
                moment = datetime.strptime(match.group(1) + "+0000", "%Y%m%d%H%M%S%z")
            except ValueError:
                continue
            metadata[name] = moment.isoformat()
    if labels := _page_labels(document):
        metadata["page_labels"] = labels
    return metadata


def _page_labels(document: pdfium.PdfDocument) -> str:
    """Return the printed page labels, joined; empty if they are 1, 2, 3 …"""
    labels: list[str] = []
    length = 0
    for index in range(len(document)):
        label = document.get_page_label(index)
        length += len(label) + 2
        if length > _MAX_LABEL_CHARACTERS:
            break
        labels.append(label)
    is_default = all(label in {"", str(number)} for number, label in enumerate(labels, start=1))
    return "" if is_default else ", ".join(labels)


@dataclass(slots=True)
class _PageReader:
    """Reads the pages of one document one by one; each is closed before the next is opened."""

    document: pdfium.PdfDocument
    ocr: Callable[[], Ocr]
    pictures: PictureReader
    titles: dict[int, dict[str, int]]
    links: Links = field(default_factory=Links)
    unread: int = 0
    """Pages that could not be read."""
    failure: DocumentUnreadable | None = None

    def pages(self, on_progress: OnProgress) -> Iterator[PageLayout]:
        """Yield each page in one or more parts: upright text, text in other directions,
        pictures."""
        for index in range(len(self.document)):
            on_progress(index, len(self.document))
            try:
                page = self.document[index]
            except pdfium.PdfiumError:
                self.failure, self.unread = _damaged(), self.unread + 1
                continue
            try:
                parts = self._parts(page, index)
            finally:
                page.close()
            yield from parts

    def _parts(self, page: pdfium.PdfPage, index: int) -> list[PageLayout]:
        number = index + 1
        with closing(page.get_textpage()) as text_page:
            tags = page_tags(page)
            turned = PageText(text_page).lines(page, tags.ranks)
            extra = list(annotation_drafts(self.document, page, text_page, number, self.links))
        extra += [
            Draft(kind=BlockKind.IMAGE, text=description, page=number)
            for description in tags.pictures
        ]
        characters = sum(len(line.text) for lines in turned.values() for line in lines)
        if characters >= _MIN_TEXT_CHARACTERS:
            # A part for each direction of text on the page, the one with most text first.
            titles = self.titles.get(index, {})
            by_length = sorted(
                turned.items(),
                key=lambda entry: (-sum(len(line.text) for line in entry[1]), entry[0]),
            )
            parts = []
            for degrees, lines in by_length:
                turn = Turn.of_page(page, degrees)
                aside = degrees != by_length[0][0]
                rules = [] if aside else list(rules_of(page, turn))
                marked = list(with_bookmarks(lines, titles))
                items = tuple(_items(marked, rules))
                parts.append(PageLayout(number, turn.height, items, aside=aside))
            text = [word.box for line in turned.get(0, ()) for word in line.words]
            parts += self.pictures.read(page, number, text)
        else:
            parts = [self._read_pixels(page, number)]
        if extra:
            parts.append(PageLayout(number, page.get_height(), (), extra=tuple(extra)))
        return parts

    def _read_pixels(self, page: pdfium.PdfPage, number: int) -> PageLayout:
        items: tuple[PageItem, ...] = ()
        if next(page.get_objects(max_depth=1), None) is None:
            return PageLayout(number, page.get_height(), items, from_pixels=True)
        pixels = None if self.pictures.keeper is None else rendered(page)
        try:
            engine = self.ocr()
            pixels = rendered(page) if pixels is None else pixels
            items = tuple(items_of_image(pixels, engine))
        except DocumentUnreadable as error:
            self.failure, self.unread = error, self.unread + 1
        height = page.get_height() if pixels is None else pixels.shape[0]
        characters = sum(len(item.text) for item in items if isinstance(item, Line))
        is_picture = pixels is not None and characters < _FEW_CHARACTERS
        pictures = self.pictures.kept(pixels, number) if pixels is not None and is_picture else ()
        return PageLayout(number, height, items, from_pixels=True, extra=pictures)


def _items(lines: list[Line], rules: list[Box]) -> list[PageItem]:
    """Return lines and tables in reading order; ruled tables are cut out before columns are
    looked for."""
    ordered = in_reading_order(rule_tables(join_baselines(lines), rules))
    result: list[PageItem] = []
    run: list[Line] = []
    for item in ordered:
        if isinstance(item, Line):
            run.append(item)
            continue
        result += find_tables(join_baselines(run), [])
        result.append(item)
        run = []
    return result + find_tables(join_baselines(run), [])
