"""`footnote page`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footnote.domain.pages import Highlight, PageImage
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.options import AsJson, DocumentName, Workspace
from footnote.interfaces.page_quotes import PageWithQuotes


def page(
    *,
    context: typer.Context,
    document_name: DocumentName,
    number: Annotated[int, typer.Argument(metavar="PAGE", min=1, help="The page, from 1.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The PNG to write.")],
    highlight: Annotated[
        list[str] | None,
        typer.Option("--highlight", metavar="TEXT", help="What to mark; may be repeated."),
    ] = None,
    span: Annotated[
        list[str] | None,
        typer.Option(
            "--span",
            metavar="START:END",
            help="A span of the document's text to mark, as a citation has it; may be repeated.",
        ),
    ] = None,
    dpi: Annotated[int, typer.Option(min=36, max=300, help="Pixels to the inch.")] = 120,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Draw a page of a document, with quotes marked on it."""
    highlights = (
        *(Highlight(text=text) for text in highlight or ()),
        *(_span(value) for value in span or ()),
    )

    async def draw(workspace: WorkspaceEngine) -> PageImage:
        document_id = await workspace.document_called(document_name)
        return await workspace.page_image(document_id, number, highlights, dpi=dpi)

    image = in_workspace(context, workspace, draw)
    try:
        out.write_bytes(image.content)
    except OSError as error:
        raise InvalidRequest(
            f"{out} cannot be written: {error.strerror}", hint="name another file"
        ) from error
    if as_json:
        present.print_json(PageWithQuotes.from_domain(image.rectangles))
    else:
        _show(image, out)


def _span(text: str) -> Highlight:
    start, _, end = text.partition(":")
    if not (start.isdecimal() and end.isdecimal()):
        raise InvalidRequest(
            f"{text!r} is no span", hint="give two whole numbers, as in --span 5120:5172"
        )
    return Highlight(char_start=int(start), char_end=int(end))


def _show(image: PageImage, out: Path) -> None:
    console, rectangles = present.terminal(), image.rectangles
    console.print(
        present.plain(
            f"page {rectangles.page} of {rectangles.page_count}, {image.width} × {image.height}"
        ),
        "pixels:",
        present.plain(str(out)),
        soft_wrap=True,
    )
    for quote in rectangles.quotes:
        text = present.excerpt(quote.quote, 80)
        console.print(f"{quote.match}:", present.plain(f"“{text}”"), soft_wrap=True)
    if rectangles.unread:
        present.notices().print(present.plain(rectangles.unread), soft_wrap=True)
