"""Routes that show a page with quotes marked on it, and say where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Header, Path, Query, Response

from footnote.domain.pages import Highlight, PagesOfQuote
from footnote.engine.pages import DEFAULT_DPI, MAX_DPI, MAX_HIGHLIGHTS, MIN_DPI
from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import WORKSPACE_HEADER, LinkedWorkspace
from footnote.interfaces.page_quotes import PageWithQuotes

router = workspace_router("documents")

_UNREADABLE = problem_responses("document-unreadable")
_PRIVATE = "private, no-cache"
"""Only the client that asked may keep it, and must ask again: access can be taken away."""

PageNumber = Annotated[int, Path(ge=1, le=1_000_000, description="The page, from 1.")]
Start = Annotated[
    list[int] | None,
    Query(
        description="Where a span of the document's text begins, as `char_start` of a citation; "
        "one for each `end`.",
        max_length=MAX_HIGHLIGHTS,
    ),
]
End = Annotated[
    list[int] | None,
    Query(description="Where it ends, as `char_end` of a citation.", max_length=MAX_HIGHLIGHTS),
]
Texts = Annotated[
    list[str] | None,
    Query(
        description="A text to look for on the page; may be repeated.", max_length=MAX_HIGHLIGHTS
    ),
]


class Png(Response):
    """A picture."""

    media_type = "image/png"


@router.get(
    "/v1/documents/{document_id}/pages/{page}.png",
    response_class=Png,
    responses={
        304: {"description": "The picture is the one that `If-None-Match` names."},
        200: {
            "description": "The page as a picture.",
            "content": {
                "image/png": {
                    "schema": {"type": "string", "format": "binary"},
                    "example": "the bytes of a PNG",
                }
            },
            "headers": {
                "Footnote-Page-Count": {"schema": {"type": "integer"}},
                "Footnote-Matches": {
                    "description": "How each quote was found, in their order.",
                    "schema": {"type": "string"},
                },
            },
        },
        **_UNREADABLE,
    },
)
async def see_page(
    *,
    workspace: LinkedWorkspace,
    document_id: UUID,
    page: PageNumber,
    highlight: Texts = None,
    start: Start = None,
    end: End = None,
    dpi: Annotated[
        int, Query(ge=MIN_DPI, le=MAX_DPI, description="Pixels to the inch.")
    ] = DEFAULT_DPI,
    if_none_match: Annotated[
        str | None, Header(description="The `ETag` of the picture you have.")
    ] = None,
) -> Response:
    """Show a page of a PDF, a picture or an office file, with quotes marked in yellow."""
    highlights = _highlights(highlight, start, end)
    tag = f'"{await workspace.page_fingerprint(document_id, page, highlights, dpi=dpi)}"'
    headers = {"ETag": tag, "Cache-Control": _PRIVATE, "Vary": WORKSPACE_HEADER}
    if if_none_match is not None and tag in if_none_match:
        return Response(status_code=304, headers=headers)
    image = await workspace.page_image(document_id, page, highlights, dpi=dpi)
    rectangles = image.rectangles
    headers |= {
        "Footnote-Page-Count": str(rectangles.page_count),
        "Footnote-Matches": ", ".join(quote.match for quote in rectangles.quotes),
        "X-Content-Type-Options": "nosniff",
    }
    return Png(image.content, headers=headers)


@router.get("/v1/documents/{document_id}/pages/{page}/rects", responses=_UNREADABLE)
async def find_on_page(
    *,
    workspace: LinkedWorkspace,
    response: Response,
    document_id: UUID,
    page: PageNumber,
    quote: Texts = None,
    start: Start = None,
    end: End = None,
) -> PageWithQuotes:
    """Find quotes on a page.

    A rectangle for each line of each quote, in points and in fractions of the page.
    """
    response.headers["Cache-Control"] = _PRIVATE
    highlights = _highlights(quote, start, end)
    rectangles = await workspace.page_rectangles(document_id, page, highlights)
    return PageWithQuotes.from_domain(rectangles)


@router.get("/v1/documents/{document_id}/pages", responses=_UNREADABLE)
async def find_pages(
    *,
    workspace: LinkedWorkspace,
    response: Response,
    document_id: UUID,
    quote: Annotated[str | None, Query(description="A text to look for.")] = None,
    start: Annotated[int | None, Query(description="Or where a span begins.")] = None,
    end: Annotated[int | None, Query(description="And where it ends.")] = None,
) -> PagesOfQuote:
    """Find the pages of a quote, as of a citation in a Word file, which has no pages itself."""
    response.headers["Cache-Control"] = _PRIVATE
    highlight = Highlight(text=quote, char_start=start, char_end=end)
    return await workspace.pages_of_quote(document_id, highlight)


def _highlights(
    texts: Sequence[str] | None, starts: Sequence[int] | None, ends: Sequence[int] | None
) -> tuple[Highlight, ...]:
    """The texts, then the spans. Raises InvalidRequest for a span without beginning or end."""
    if len(starts or ()) != len(ends or ()):
        raise InvalidRequest(
            f"there are {len(starts or ())} start and {len(ends or ())} end",
            hint="give as many start as end: each pair is a span",
        )
    spans = zip(starts or (), ends or (), strict=True)
    return (
        *(Highlight(text=text) for text in texts or ()),
        *(Highlight(char_start=start, char_end=end) for start, end in spans),
    )
