"""Pages of documents on a remote server, with quotes marked on them."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from footnote.domain.pages import Highlight, PageImage, PageRectangles, PagesOfQuote
from footnote.errors import InvalidRequest
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.transport import Content, Params, Repeat
from footnote.interfaces.sdk.verbs import Remote

DEFAULT_DPI = 120
_PNG_SIZE = struct.Struct(">II")
_PNG_SIZE_OFFSET = 16  # after the signature, and the length and name of the first chunk


async def page_image(
    client: Remote,
    document_id: UUID,
    page: int,
    highlights: Sequence[Highlight] = (),
    *,
    dpi: int = DEFAULT_DPI,
) -> PageImage:
    """A page as a picture, quotes marked on it; the server is asked twice."""
    path = f"/v1/documents/{document_id}/pages/{page}.png"
    content = Content(params={**_params("highlight", highlights), "dpi": dpi})
    response, rectangles = await asyncio.gather(
        client.transport.call("GET", path, content, repeat=Repeat.LOST),
        page_rectangles(client, document_id, page, highlights),
    )
    width, height = _PNG_SIZE.unpack_from(response.content, _PNG_SIZE_OFFSET)
    return PageImage(content=response.content, width=width, height=height, rectangles=rectangles)


async def page_rectangles(
    client: Remote, document_id: UUID, page: int, highlights: Sequence[Highlight]
) -> PageRectangles:
    """Where quotes stand on a page."""
    path = f"/v1/documents/{document_id}/pages/{page}/rects"
    content = Content(params=_params("quote", highlights))
    rectangles = decoded(PageRectangles, await client.transport.json("GET", path, content))
    # The server takes texts before spans, and answers in that order.
    order = sorted(range(len(highlights)), key=lambda index: highlights[index].text is None)
    quotes = dict(zip(order, rectangles.quotes, strict=True))
    return replace(rectangles, quotes=tuple(quotes[index] for index in range(len(highlights))))


async def pages_of_quote(client: Remote, document_id: UUID, highlight: Highlight) -> PagesOfQuote:
    """The pages on which a quote stands."""
    content = Content(params=_params("quote", [highlight]))
    path = f"/v1/documents/{document_id}/pages"
    return decoded(PagesOfQuote, await client.transport.json("GET", path, content))


def _params(text_name: str, highlights: Sequence[Highlight]) -> Params:
    texts = [highlight.text for highlight in highlights if highlight.text is not None]
    spans = [highlight for highlight in highlights if highlight.text is None]
    starts = [highlight.char_start for highlight in spans if highlight.char_start is not None]
    ends = [highlight.char_end for highlight in spans if highlight.char_end is not None]
    if len(spans) != len(starts) or len(spans) != len(ends):
        raise InvalidRequest(
            "a highlight has neither a text nor a whole span",
            hint="give it a text, or char_start and char_end",
        )
    return {text_name: texts, "start": starts, "end": ends}
