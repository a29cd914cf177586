"""Pages of documents, shown as pictures with quotes marked on them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

from footnote.domain.pages import Highlight, PageImage, PageRectangles, PagesOfQuote
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.rendering.quotes import Quote
from footnote.ingestion.rendering.renderer import (
    PageRenderer,
    Showable,
    require_pages,
    unkept,
)
from footnote.models.model_store import available_cores
from footnote.ports import Blobs
from footnote.settings import Settings
from footnote.store.documents import CitableVersion, citable_version, texts_of_spans

MAX_HIGHLIGHTS = 50
MAX_QUOTE_CHARACTERS = 20_000
DEFAULT_DPI = 120
MIN_DPI, MAX_DPI = 36, 300
_AROUND = 120
"""Characters on each side of a span that tell its place on a page from others like it."""
_RENDERING_VERSION = 1
"""Version of the rendering, increased when the same request gives another picture."""


def renderer_from(settings: Settings, cache: PdfCache, blobs: Blobs) -> PageRenderer:
    """The renderer as the settings have it; nothing is started yet."""
    return PageRenderer(
        cache=cache,
        still_there=blobs.exists,
        ocr=settings.ocr_engine,
        ocr_languages=settings.ocr_languages,
        memory_bytes=settings.limits.memory_bytes,
        sandbox=settings.parser_sandbox,
        processes=min(2, available_cores()),
    )


async def page_image(
    workspace: WorkspaceAccess,
    document_id: UUID,
    page: int,
    highlights: Sequence[Highlight] = (),
    *,
    dpi: int = DEFAULT_DPI,
) -> PageImage:
    """A page from 1, as a PNG with the highlights marked.

    Raises NotFound, InvalidRequest for a page or span that is not there, and DocumentUnreadable
    for a page that cannot be drawn.
    """
    _check_page(page, dpi)
    async with _showable(workspace, document_id, highlights) as (content, quotes):
        return await workspace.engine.pages.image(content, page, quotes, dpi)


async def page_rectangles(
    workspace: WorkspaceAccess, document_id: UUID, page: int, highlights: Sequence[Highlight]
) -> PageRectangles:
    """Where the highlights stand on a page; raises as `page_image` does."""
    _check_page(page)
    async with _showable(workspace, document_id, highlights) as (content, quotes):
        return await workspace.engine.pages.rectangles(content, page, quotes)


async def pages_of_quote(
    workspace: WorkspaceAccess, document_id: UUID, highlight: Highlight
) -> PagesOfQuote:
    """Return the pages whose text layer has a quote, best match first."""
    async with _showable(workspace, document_id, [highlight]) as (content, quotes):
        return await workspace.engine.pages.pages_of(content, quotes[0])


async def page_fingerprint(
    workspace: WorkspaceAccess,
    document_id: UUID,
    page: int,
    highlights: Sequence[Highlight] = (),
    *,
    dpi: int = DEFAULT_DPI,
) -> str:
    """Return a fingerprint that changes with the picture of `page_image`; draws nothing.

    Raises NotFound and InvalidRequest.
    """
    _check_page(page, dpi)
    version, quotes = await _resolve_highlights(workspace, document_id, highlights)
    quote_texts = [[quote.text, quote.before, quote.after] for quote in quotes]
    serialised = json.dumps([_RENDERING_VERSION, version.blob_key, page, dpi, quote_texts])
    return hashlib.sha256(serialised.encode()).hexdigest()[:32]


def _check_page(page: int, dpi: int = DEFAULT_DPI) -> None:
    if page < 1:
        raise InvalidRequest(f"there is no page {page}", hint="pages are counted from 1")
    if not MIN_DPI <= dpi <= MAX_DPI:
        raise InvalidRequest(
            f"dpi is {dpi}", hint=f"ask for {MIN_DPI} to {MAX_DPI} pixels to the inch"
        )


@asynccontextmanager
async def _showable(
    workspace: WorkspaceAccess, document_id: UUID, highlights: Sequence[Highlight]
) -> AsyncIterator[tuple[Showable, tuple[Quote, ...]]]:
    """The file that is shown and the texts to be marked on it."""
    version, quotes = await _resolve_highlights(workspace, document_id, highlights)
    if not version.blob_key:
        raise unkept(version.filename)
    sealing = await workspace.engine.database.sealing(workspace.workspace_id)
    with await workspace.engine.blobs.open(version.blob_key) as content:
        yield (
            Showable(
                filename=version.filename,
                media_type=version.media_type,
                key=version.blob_key,
                content=content,
                keep_pdf=not sealing.encrypts,
            ),
            quotes,
        )


async def _resolve_highlights(
    workspace: WorkspaceAccess, document_id: UUID, highlights: Sequence[Highlight]
) -> tuple[CitableVersion, tuple[Quote, ...]]:
    """The version that is shown and the texts to be marked on it."""
    if len(highlights) > MAX_HIGHLIGHTS:
        raise InvalidRequest(
            f"there are {len(highlights)} highlights", hint=f"give {MAX_HIGHLIGHTS} at most"
        )
    for highlight in highlights:
        has_span = highlight.char_start is not None and highlight.char_end is not None
        has_half = (highlight.char_start is None) != (highlight.char_end is None)
        if has_half or (highlight.text is None) != has_span:
            raise InvalidRequest(
                "it is not clear what is to be marked",
                hint="give a text, or the start and the end of a span of the document's text",
            )
        if highlight.text is not None and not highlight.text.strip():
            raise InvalidRequest("the text to be marked is empty", hint="give at least one letter")
        if len(highlight.text or "") > MAX_QUOTE_CHARACTERS:
            raise InvalidRequest(
                f"the text to be marked has {len(highlight.text or ''):,} characters",
                hint=f"give {MAX_QUOTE_CHARACTERS:,} at most",
            )
    async with workspace.scope() as scope:
        version = await citable_version(scope, document_id)
        require_pages(version.media_type, version.filename)
        spans = [
            _span_within(highlight, version) for highlight in highlights if highlight.text is None
        ]
        texts = iter(await texts_of_spans(scope, version, spans, _AROUND) if spans else ())
    quotes = []
    for highlight in highlights:
        if highlight.text is None:
            span_text = next(texts)
            quotes.append(
                Quote(text=span_text.quoted, before=span_text.before, after=span_text.after)
            )
        else:
            quotes.append(Quote(text=highlight.text))
    return version, tuple(quotes)


def _span_within(highlight: Highlight, version: CitableVersion) -> tuple[int, int]:
    start, end = highlight.char_start, highlight.char_end
    assert start is not None, "checked before"
    assert end is not None, "checked before"
    if version.characters is None:
        raise InvalidRequest(
            f"“{version.filename}” is not indexed, so there is no text to take a span of",
            hint="wait until its status is indexed, or give the text itself",
        )
    if not 0 <= start < end <= version.characters or end - start > MAX_QUOTE_CHARACTERS:
        raise InvalidRequest(
            f"there is no span from {start} to {end}",
            hint=f"the text of “{version.filename}” has {version.characters:,} characters; "
            f"a span has 1 to {MAX_QUOTE_CHARACTERS:,} of them",
        )
    return start, end


class BlobsWithPages:
    """A blob store that deletes the cached PDF of a blob together with it."""

    def __init__(self, blobs: Blobs, cache: PdfCache) -> None:
        self.blobs = blobs
        self._cache = cache
        self.put, self.open, self.list = blobs.put, blobs.open, blobs.list

    async def delete(self, key: str) -> None:
        """Remove the bytes; the PDF goes first, so that none is left over."""
        self._cache.forget(key)
        await self.blobs.delete(key)

    async def exists(self, key: str) -> bool:
        """Whether there are bytes under the key, or a PDF of them."""
        return self._cache.has(key) or await self.blobs.exists(key)
