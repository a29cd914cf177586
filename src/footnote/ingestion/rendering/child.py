"""The process that draws pages and finds quotes on them, started by `PageRenderer`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter
from pydantic_core import to_json

from footnote.domain.pages import PagesOfQuote
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.frames import Message
from footnote.ingestion.libreoffice import to_pdf
from footnote.ingestion.parsing.ocr import select_ocr
from footnote.ingestion.rendering.pages import Pages, pages_of_quote
from footnote.ingestion.rendering.renderer import OcrSettings, PageRequest, PdfRequest
from footnote.ingestion.rendering.sheets import NoSuchPage
from footnote.ingestion.rendering.widths import with_wide_columns
from footnote.ingestion.serving import Tell, serve


def _configure(
    settings: OcrSettings, _: Tell
) -> Callable[[PageRequest | PdfRequest, bytes], Message]:
    pages = Pages(partial(select_ocr, settings.ocr, settings.ocr_languages))

    def answer(request: PageRequest | PdfRequest, content: bytes) -> Message:
        if isinstance(request, PdfRequest):
            if request.office_type == media.XLSX:
                content = with_wide_columns(content)
            pdf = to_pdf(content, request.office_type)
            return Message(b"null", [pdf], len(pdf))
        if request.page is None:
            return Message(to_json(pages_of_quote(content, request.media_type, request.quotes[0])))
        arguments = content, request.media_type, request.key, request.page, request.quotes
        try:
            if request.dpi is None:
                return Message(to_json(pages.rectangles(*arguments)))
            image = pages.image(*arguments, dpi=request.dpi)
        except NoSuchPage as error:
            return Message(to_json(PagesOfQuote(page_count=error.page_count, pages=())))
        return Message(to_json(replace(image, content=b"")), [image.content], len(image.content))

    def guarded(request: PageRequest | PdfRequest, content: bytes) -> Message:
        try:
            return answer(request, content)
        except (DocumentUnreadable, MemoryError):
            raise
        except Exception as error:  # a library that fails on the file
            message = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise unreadable(
                f"the page is damaged, or not what its type says ({message})",
                "open it in its own program, save it as PDF and upload that copy",
            ) from error

    return guarded


if __name__ == "__main__":
    serve(TypeAdapter(OcrSettings), TypeAdapter(PageRequest | PdfRequest), _configure)
