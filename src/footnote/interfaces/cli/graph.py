"""`footnote graph`: how entities and documents are related, as a table or for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.domain.entities import EntityKind
from footnote.domain.relationships import Graph
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.model_use import reading_advice
from footnote.interfaces.cli.options import AsJson, Workspace
from footnote.knowledge.graph_formats import GraphFormat
from footnote.knowledge.graph_formats import serialised as in_format

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_LONGEST_QUOTE = 160


def show_graph(
    *,
    context: typer.Context,
    entity: Annotated[
        str | None,
        typer.Option("--entity", metavar="ENTITY", help="Around this: an id or a name."),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="DOCUMENT", help="Around this: an id or a file name."),
    ] = None,
    kinds: Annotated[
        list[EntityKind] | None, typer.Option("--kind", help="Only of this; may be repeated.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=500, help="The most entities.")
    ] = 50,
    output_format: Annotated[
        GraphFormat | None, typer.Option("--format", help="Write it for other programs.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", dir_okay=False, help="Where to write it, with --format."
        ),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show how entities and documents are related, each edge with the words that it rests on."""
    if output is not None and output_format is None:
        raise typer.BadParameter("needs --format", param_hint="--output")

    async def read(workspace: WorkspaceEngine) -> Graph:
        return await workspace.graph(
            entity_id=None if entity is None else await workspace.entity_called(entity),
            document_id=None if document is None else await workspace.document_called(document),
            kinds=tuple(kinds or ()),
            limit=limit,
        )

    graph = in_workspace(context, workspace, read)
    if output_format is not None:
        text = in_format(graph, output_format)
        if output is None:
            typer.echo(text)
        else:
            try:
                output.write_text(text, encoding="utf-8")
            except OSError as error:
                raise InvalidRequest(
                    f"{output} cannot be written: {error.strerror}", hint="name another file"
                ) from error
            summary = f"{len(graph.nodes)} nodes and {len(graph.edges)} edges"
            present.terminal().print(f"{summary} in {present.plain(str(output))}")
        return
    if as_json:
        present.print_json(graph)
        return
    if not graph.edges:
        progress = in_workspace(
            context, workspace, lambda workspace_engine: workspace_engine.entity_progress()
        )
        advice = reading_advice(progress, "entities")
        present.terminal().print(
            "Nothing is related here. "
            + (advice or "`footnote entities progress` says what is read so far.")
        )
        return
    names = {node.node_id: node.name for node in graph.nodes}
    listing = present.table("from", "", "to", "weight", "documents", "in these words")
    for edge in graph.edges:
        listing.add_row(
            present.plain(names[edge.source_id]),
            edge.kind.value if not edge.label else present.plain(edge.label),
            present.plain(names[edge.target_id]),
            f"{edge.weight:.2f}",
            f"{edge.documents:,}",
            present.plain(" ".join(edge.evidence[0].quote.split())[:_LONGEST_QUOTE]),
        )
    listing.show(present.terminal())
    if not graph.complete:
        present.terminal().print("There is more: --limit, --kind, --entity or --document choose.")
