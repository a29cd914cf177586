"""Draw and search pages of PDFs, pictures and office files in child processes with limits."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeVar

from pydantic import ConfigDict, TypeAdapter

from footnote.domain import Stage
from footnote.domain.pages import PageImage, PageRectangles, PagesOfQuote
from footnote.errors import DocumentUnreadable, InvalidRequest
from footnote.ingestion import media
from footnote.ingestion.children import ChildLimits, ChildPool
from footnote.ingestion.frames import Bytes
from footnote.ingestion.libreoffice import FORMATS, INSTALL, find_office, require_office
from footnote.ingestion.receive import file_over
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.rendering.quotes import Quote
from footnote.ingestion.sandbox import SandboxMode
from footnote.ports import OcrChoice

T = TypeVar("T")

_MODULE = "footnote.ingestion.rendering.child"
_FINITE = ConfigDict(allow_inf_nan=False)
# For a missing page, the answer is the number of pages.
_IMAGE: TypeAdapter[PageImage | PagesOfQuote] = TypeAdapter(
    PageImage | PagesOfQuote, config=_FINITE
)
_RECTANGLES: TypeAdapter[PageRectangles | PagesOfQuote] = TypeAdapter(
    PageRectangles | PagesOfQuote, config=_FINITE
)
_PAGES = TypeAdapter(PagesOfQuote)


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrSettings:
    """The settings that a child gets at its start."""

    ocr: OcrChoice
    ocr_languages: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for a page of the content that is sent with it."""

    media_type: str
    key: str
    """Identifies the content."""
    quotes: tuple[Quote, ...] = ()
    page: int | None = None
    """Number from 1; None asks for the pages that contain the first quote."""
    dpi: int | None = None
    """Resolution of the image; None asks for the rectangles alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfRequest:
    """A request for the PDF that LibreOffice makes of the content that is sent with it."""

    office_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Showable:
    """The bytes of one version of a document."""

    filename: str
    media_type: str
    key: str
    """Key of its bytes: the workspace, and their SHA-256."""
    content: BinaryIO
    keep_pdf: bool = True
    """Whether a PDF made of it may be cached on the disk."""


def require_pages(media_type: str, filename: str) -> None:
    """Raise InvalidRequest for a type that has no pages."""
    if media_type != media.PDF and not media.is_image(media_type) and media_type not in FORMATS:
        raise InvalidRequest(
            f"“{filename}” is {media_type}, which has no pages to show",
            hint="PDFs, pictures (PNG, JPEG, TIFF, WebP and others) and office files (Word, "
            "Excel, PowerPoint, OpenDocument, RTF) have pages; of others, show the quote in its "
            "text: POST /v1/context",
        )


class PageRenderer:
    """Draws pages and finds quotes on them. Children start when first needed; call `aclose`."""

    def __init__(
        self,
        *,
        cache: PdfCache,
        still_there: Callable[[str], Awaitable[bool]],
        ocr: OcrChoice = "auto",
        ocr_languages: str = "eng",
        timeout_seconds: float = 60.0,
        office_timeout_seconds: float = 120.0,
        cpu_seconds: int = 600,
        memory_bytes: int = 4 * 1024**3,
        processes: int = 1,
        sandbox: SandboxMode = "auto",
    ) -> None:
        self._cache = cache
        self._still_there = still_there
        settings = OcrSettings(ocr=ocr, ocr_languages=ocr_languages)

        def pool(seconds: float, processes: int, advice: str) -> ChildPool:
            limits = ChildLimits(
                timeout_seconds=seconds,
                cpu_seconds=cpu_seconds,
                memory_bytes=memory_bytes,
                processes=processes,
                sandbox=sandbox,
                slow_advice=advice,
            )
            return ChildPool(_MODULE, settings, limits)

        self._pages = pool(timeout_seconds, processes, "ask for a simpler page")
        self._office = pool(office_timeout_seconds, 1, "upload a PDF of the file instead")
        self._converting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def aclose(self) -> None:
        """Stop all child processes."""
        await self._pages.aclose()
        await self._office.aclose()

    async def image(
        self, document: Showable, page: int, quotes: Sequence[Quote], dpi: int
    ) -> PageImage:
        """Return a page as an image with its quotes marked.

        Raises InvalidRequest for a missing page or a type without pages, DocumentUnreadable for
        what is damaged, too slow, or needs a LibreOffice that is missing.
        """
        image = await self._ask(document, _image_of, quotes, page, dpi)
        if isinstance(image, PagesOfQuote):
            raise _no_such_page(document, page, image.page_count)
        return image

    async def rectangles(
        self, document: Showable, page: int, quotes: Sequence[Quote]
    ) -> PageRectangles:
        """Return where quotes are on a page. Raises as `image` does."""
        answer = await self._ask(
            document,
            lambda record, _: _RECTANGLES.validate_json(record, strict=True),
            quotes,
            page,
        )
        if isinstance(answer, PagesOfQuote):
            raise _no_such_page(document, page, answer.page_count)
        return answer

    async def pages_of(self, document: Showable, quote: Quote) -> PagesOfQuote:
        """Return the pages that contain a quote. Raises as `image` does."""
        return await self._ask(
            document, lambda record, _: _PAGES.validate_json(record, strict=True), (quote,)
        )

    async def pdf_of_docx(self, content: bytes) -> bytes:
        """Convert a Word document to PDF, uncached. Raises InvalidRequest without LibreOffice."""
        if find_office() is None:
            raise InvalidRequest(
                "PDF files are made with LibreOffice, which is not installed here",
                hint=f"install it with: {INSTALL}, or export another format",
            )
        request = PdfRequest(office_type=media.DOCX)
        return bytes(await self._office.ask(request, _pdf_of, file_over(content)))

    async def _ask(
        self,
        document: Showable,
        decode: Callable[[bytes, Bytes], T],
        quotes: Sequence[Quote],
        page: int | None = None,
        dpi: int | None = None,
    ) -> T:
        """Send a request about the file itself, or about the PDF of an office file."""
        require_pages(document.media_type, document.filename)
        converted = document.media_type in FORMATS
        request = PageRequest(
            media_type=media.PDF if converted else document.media_type,
            key=document.key,
            quotes=tuple(quotes),
            page=page,
            dpi=dpi,
        )
        if not converted:
            return await self._pages.ask(request, decode, document.content)
        with await self._pdf(document) as pdf:
            return await self._pages.ask(request, decode, pdf)

    async def _pdf(self, document: Showable) -> BinaryIO:
        """Return the PDF of an office file, made once and cached unless the file is deleted
        meanwhile."""
        lock = self._converting[document.key]
        try:
            async with lock:
                pdf = await asyncio.to_thread(self._cache.open, document.key)
                if pdf is None:
                    require_office()
                    content = await self._office.ask(
                        PdfRequest(office_type=document.media_type), _pdf_of, document.content
                    )
                    pdf = file_over(content)
                    if document.keep_pdf:
                        await self._store(document.key, content)
        finally:
            if not lock.locked():
                self._converting.pop(document.key, None)
        return pdf

    async def _store(self, key: str, content: Bytes) -> None:
        await asyncio.to_thread(self._cache.put, key, content)
        if not await self._still_there(key):
            self._cache.forget(key)


def _image_of(record: bytes, body: Bytes) -> PageImage | PagesOfQuote:
    image = _IMAGE.validate_json(record, strict=True)
    if isinstance(image, PagesOfQuote):
        return image
    if bytes(body[:8]) != b"\x89PNG\r\n\x1a\n":
        raise ValueError("the picture of a page is no PNG")
    return replace(image, content=bytes(body))


def _pdf_of(_: bytes, body: Bytes) -> Bytes:
    if bytes(body[:5]) != b"%PDF-":
        raise ValueError("what LibreOffice made is no PDF")
    return body


def _no_such_page(document: Showable, page: int, page_count: int) -> InvalidRequest:
    pages = "1 page" if page_count == 1 else f"{page_count} pages"
    return InvalidRequest(
        f"there is no page {page}: “{document.filename}” has {pages}",
        hint="ask for page 1" if page_count == 1 else f"ask for a page from 1 to {page_count}",
    )


def unkept(filename: str) -> DocumentUnreadable:
    """Return the error for a document whose bytes were never stored."""
    return DocumentUnreadable(
        stage=Stage.RECEIVE,
        cause=f"the bytes of “{filename}” were not kept, as it was too large or unreadable",
        advice="upload it anew",
    )
