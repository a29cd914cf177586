"""The process that draws pages and finds quotes on them, started by `PageRenderer`."""

from __future__ import annotations

from functools import partial
from typing import cast

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.child import Answer, Tell, serve
from footnote.ingestion.libreoffice import to_pdf
from footnote.ingestion.parsing.ocr import OcrChoice, select_ocr
from footnote.ingestion.parsing.wire import Json, encode_frame
from footnote.ingestion.rendering import exchange
from footnote.ingestion.rendering.missing import NoSuchPage
from footnote.ingestion.rendering.pages import Pages, pages_of_quote


def _configure(settings: Json, _: Tell) -> Answer:
    choice, languages = cast("OcrChoice", settings["ocr"]), str(settings["ocr_languages"])
    pages = Pages(partial(select_ocr, choice, languages))

    def answer(header: Json, content: bytes) -> bytes:
        if "print" in header:
            return encode_frame({}, to_pdf(content, str(header["media_type"])))
        request = exchange.decode_request(header)
        if request.page is None:
            found = pages_of_quote(content, request.media_type, request.quotes[0])
            return exchange.encode_pages(found)
        try:
            return _page(pages, content, request, request.page)
        except NoSuchPage as error:
            return exchange.encode_no_such_page(error.page_count)

    def guarded(header: Json, content: bytes) -> tuple[bytes]:
        try:
            return (answer(header, content),)
        except (DocumentUnreadable, MemoryError):
            raise
        except Exception as error:  # a library that stumbles over the file
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"the page is damaged, or not what its type says ({said})",
                advice="open it in its own program, save it as PDF and upload that copy",
            ) from error

    return guarded


def _page(pages: Pages, content: bytes, request: exchange.PageRequest, page: int) -> bytes:
    known = content, request.media_type, request.key, page, request.quotes
    if request.dpi is None:
        return exchange.encode_rectangles(pages.rectangles(*known))
    return exchange.encode_image(pages.image(*known, dpi=request.dpi))


if __name__ == "__main__":
    serve(_configure)
