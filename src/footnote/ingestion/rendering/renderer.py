"""Pages of PDFs, pictures and office files, drawn and searched in child processes with limits."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from footnote.domain import Stage
from footnote.domain.pages import PageImage, PageRectangles, PagesOfQuote
from footnote.errors import DocumentUnreadable, InvalidRequest
from footnote.ingestion import media
from footnote.ingestion.children import ChildLimits, ChildPool
from footnote.ingestion.libreoffice import FORMATS, require_office
from footnote.ingestion.parsing.ocr import OcrChoice
from footnote.ingestion.rendering import exchange
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.rendering.exchange import PageRequest
from footnote.ingestion.rendering.missing import NoSuchPage
from footnote.ingestion.rendering.quotes import Quote

_MODULE = "footnote.ingestion.rendering.child"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Showable:
    """The bytes of one version of a document."""

    filename: str
    media_type: str
    key: str
    """Of its bytes: the workspace, and their SHA-256."""
    content: bytes


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
    """Draws pages and finds quotes on them. Children start when first needed; `aclose` it."""

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
    ) -> None:
        self._cache = cache
        self._still_there = still_there
        settings = {"ocr": ocr, "ocr_languages": ocr_languages}

        def pool(seconds: float, processes: int, advice: str) -> ChildPool:
            limits = ChildLimits(
                timeout_seconds=seconds,
                cpu_seconds=cpu_seconds,
                memory_bytes=memory_bytes,
                processes=processes,
                slow_advice=advice,
                busy_advice=advice,
            )
            return ChildPool(_MODULE, settings, limits)

        self._pages = pool(timeout_seconds, processes, "ask for a simpler page")
        self._office = pool(office_timeout_seconds, 1, "upload a PDF of the file instead")
        self._converting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def aclose(self) -> None:
        """End every child."""
        await self._pages.aclose()
        await self._office.aclose()

    async def image(
        self, document: Showable, page: int, quotes: Sequence[Quote], dpi: int
    ) -> PageImage:
        """A page, its quotes marked.

        Raises InvalidRequest for a page that is not there or a type without pages,
        DocumentUnreadable for what is damaged, too slow, or needs a LibreOffice that is missing.
        """
        shown = await self._shown(document)
        request = _request(shown, page=page, quotes=quotes, dpi=dpi)
        image = await self._pages.ask(request, shown.content, exchange.decode_image)
        if isinstance(image, NoSuchPage):
            raise _no_such_page(document, page, image.page_count)
        return image

    async def rectangles(
        self, document: Showable, page: int, quotes: Sequence[Quote]
    ) -> PageRectangles:
        """Where quotes stand on a page. Raises as `image` does."""
        shown = await self._shown(document)
        request = _request(shown, page=page, quotes=quotes)
        found = await self._pages.ask(request, shown.content, exchange.decode_rectangles)
        if isinstance(found, NoSuchPage):
            raise _no_such_page(document, page, found.page_count)
        return found

    async def pages_of(self, document: Showable, quote: Quote) -> PagesOfQuote:
        """The pages on which a quote stands. Raises as `image` does."""
        shown = await self._shown(document)
        request = _request(shown, quotes=(quote,))
        return await self._pages.ask(request, shown.content, exchange.decode_pages)

    async def _shown(self, document: Showable) -> Showable:
        """What has pages: the file itself, or the PDF that LibreOffice makes of it."""
        require_pages(document.media_type, document.filename)
        if document.media_type not in FORMATS:
            return document
        lock = self._converting[document.key]
        try:
            async with lock:
                content = await asyncio.to_thread(self._cache.get, document.key)
                if content is None:
                    content = await self._converted(document)
                    await self._keep(document.key, content)
        finally:
            if not lock.locked():
                self._converting.pop(document.key, None)
        return Showable(
            filename=document.filename, media_type=media.PDF, key=document.key, content=content
        )

    async def _keep(self, key: str, content: bytes) -> None:
        """Keep a PDF, unless its file was deleted while it was made."""
        await asyncio.to_thread(self._cache.put, key, content)
        if not await self._still_there(key):
            self._cache.forget(key)

    async def _converted(self, document: Showable) -> bytes:
        require_office()
        header = {"media_type": document.media_type, "print": True}
        return await self._office.ask(header, document.content, exchange.decode_pdf)


def _request(
    shown: Showable, *, quotes: Sequence[Quote], page: int | None = None, dpi: int | None = None
) -> dict[str, object]:
    request = PageRequest(
        media_type=shown.media_type, key=shown.key, quotes=tuple(quotes), page=page, dpi=dpi
    )
    return dict(exchange.encode_request(request))


def _no_such_page(document: Showable, page: int, page_count: int) -> InvalidRequest:
    pages = "1 page" if page_count == 1 else f"{page_count} pages"
    return InvalidRequest(
        f"there is no page {page}: “{document.filename}” has {pages}",
        hint="ask for page 1" if page_count == 1 else f"ask for a page from 1 to {page_count}",
    )


def unkept(filename: str) -> DocumentUnreadable:
    """The error of a document whose bytes were never kept."""
    return DocumentUnreadable(
        stage=Stage.RECEIVE,
        cause=f"the bytes of “{filename}” were not kept, as it was too large or unreadable",
        advice="upload it anew",
    )
