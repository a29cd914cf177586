"""`footnote documents map`: where documents lie, as a table of areas, as JSON or as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from footnote.domain import (
    DocumentMap,
    MapColour,
)
from footnote.domain.clusters import ClusterGranularity
from footnote.errors import InvalidRequest
from footnote.filters import condition_from_text
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.document_lists import (
    ClassOption,
    DocumentFilter,
    Status,
    TagOption,
    TitleWords,
)
from footnote.interfaces.cli.map_picture import label_of, svg_of
from footnote.interfaces.cli.options import AsJson, Collection, Workspace
from footnote.interfaces.cli.searching import warn_of_unknown_collections
from footnote.interfaces.cli.server import RunningServer, running_server

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_TITLES = 3
"""Of an area, that the table shows."""
_POLL_SECONDS = 0.5


def map_documents(
    *,
    context: typer.Context,
    query: TitleWords = "",
    collection: Collection = None,
    status: Status = None,
    document_class: ClassOption = None,
    tag: TagOption = None,
    where: DocumentFilter = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Write a picture of it here.", dir_okay=False),
    ] = None,
    colour: Annotated[
        MapColour, typer.Option(help="What the picture's colours tell apart.")
    ] = MapColour.COLLECTION,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Place documents near to what they are like, and name the areas that they form."""
    if output is not None and output.suffix.lower() != ".svg":
        raise InvalidRequest(
            "The picture is an SVG file.", hint="Give it a name that ends with .svg."
        )
    clusters = ClusterGranularity.MIDDLE if colour is MapColour.CLUSTER else None
    document_map = None
    if server := running_server(context, workspace):
        params = {
            "query": query or None,
            "collection": collection,
            "status": status,
            "document_class": document_class,
            "tag": tag,
            "where": where,
            "clusters": clusters,
            "wait_seconds": _POLL_SECONDS,
        }
        document_map = _map_of(server, params, visible=not as_json)
    # An empty map may mean that there is no such collection.
    if document_map is None or (collection and not document_map.total):

        async def read(workspace: WorkspaceEngine) -> DocumentMap:
            with _MapProgress(visible=not as_json) as progress:
                while True:
                    current = await workspace.document_map(
                        query=query,
                        collection=collection,
                        status=status,
                        document_class=document_class,
                        tag=tag,
                        where=None if where is None else condition_from_text(where),
                        clusters=clusters,
                        wait_seconds=_POLL_SECONDS,
                    )
                    if progress.update(current):
                        break
            await warn_of_unknown_collections(workspace, [collection] if collection else [])
            return current

        document_map = in_workspace(context, workspace, read)
    if output is not None:
        _write(output, svg_of(document_map, colour))
    if as_json:
        present.print_json(document_map)
    else:
        _show(document_map)


class _MapProgress:
    """Shows how far a map is until it is complete."""

    def __init__(self, *, visible: bool) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=(console := present.notices()),
            transient=True,
            # Where nobody looks on it would leave an empty line behind.
            disable=not (visible and console.is_terminal),
        )
        self._task = self._bars.add_task("laying out", total=None)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def update(self, document_map: DocumentMap) -> bool:
        """Whether the map is complete; else shows its progress."""
        if document_map.progress is None:
            return True
        self._bars.update(
            self._task, completed=document_map.progress.done, total=document_map.progress.total
        )
        return False


def _map_of(
    server: RunningServer, params: Mapping[str, object], *, visible: bool
) -> DocumentMap | None:
    """The map as a running server makes it; None where the server does not give it."""
    with _MapProgress(visible=visible) as progress:
        while True:
            document_map = server.get(DocumentMap, "/v1/map", params)
            if document_map is None or progress.update(document_map):
                return document_map


def _write(path: Path, picture: str) -> None:
    """Write the picture. Raises InvalidRequest."""
    try:
        path.write_text(picture, "utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"The picture cannot be written to {path}: {error.strerror}",
            hint="Give --output a file that can be written.",
        ) from error
    present.notices().print(f"Wrote {path}.", soft_wrap=True)


def _show(document_map: DocumentMap) -> None:
    console = present.terminal()
    if not document_map.points:
        console.print("No document is on the map.")
    else:
        listing = present.table("area", "#documents", "for example")
        for area in document_map.areas:
            titles = [point.title for point in document_map.points if point.area == area.area]
            listing.add_row(
                present.plain(label_of(area)),
                str(area.documents),
                present.plain("; ".join(titles[:_TITLES])),
            )
        listing.show(console)
    if document_map.unplaced:
        present.notices().print(
            f"{document_map.unplaced} of {document_map.total} documents have no place: they are"
            " not indexed yet, failed, or have no text.",
            soft_wrap=True,
        )
    if document_map.left_out:
        present.notices().print(
            f"{document_map.left_out} of {document_map.total} documents are left out; those"
            " published last are shown. Narrow the map to see others.",
            soft_wrap=True,
        )
