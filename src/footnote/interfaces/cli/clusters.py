"""`footnote clusters`: documents that are alike, and what tells them from the others."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from footnote.domain.clusters import Cluster, ClusterGranularity, ClusterProgress
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace

app = typer.Typer(
    name="clusters",
    help="See which documents are alike, and what tells them from the others.",
    no_args_is_help=True,
)

Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=200, help="The most of them.")
]


@app.command("list", epilog=EXIT_CODES)
def show_clusters(
    *,
    context: typer.Context,
    granularity: Annotated[
        ClusterGranularity, typer.Option("--granularity", help="How finely they are told apart.")
    ] = ClusterGranularity.MIDDLE,
    limit: Limit = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Where a page before ended.")
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List clusters of documents that are alike, the largest first."""
    found = in_workspace(
        context,
        workspace,
        lambda inside: inside.clusters(granularity=granularity, limit=limit, cursor=cursor),
    )
    if as_json:
        present.print_json(found)
        return
    terminal = present.terminal()
    if not found.clusters:
        progress = in_workspace(context, workspace, lambda inside: inside.cluster_progress())
        terminal.print("There are no clusters. " + _advice(progress))
        return
    listing = present.table("label", "#documents", "typical", "cluster")
    for each in found.clusters:
        listing.add_row(
            _called(each),
            f"{each.documents:,}",
            present.plain(each.representatives[0].title),
            str(each.cluster_id),
        )
    listing.show(terminal)
    terminal.print(f"{found.outliers:,} documents are in none of them.")


@app.command("show", epilog=EXIT_CODES)
def show_cluster(
    *,
    context: typer.Context,
    cluster_id: Annotated[UUID, typer.Argument(metavar="CLUSTER", help="The cluster's id.")],
    limit: Limit = 20,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show a cluster with its most typical documents, its terms and what lies near."""
    found = in_workspace(context, workspace, lambda inside: inside.cluster(cluster_id, limit=limit))
    if as_json:
        present.print_json(found)
        return
    terminal = present.terminal()
    terminal.print(f"{_called(found.cluster)}, {found.cluster.documents:,} documents")
    terminal.print(
        present.plain(", ".join(f"{each.term} ({each.documents})" for each in found.terms))
    )
    listing = present.table("#distance", "title", "collection", "document")
    for each in found.members:
        listing.add_row(
            f"{each.distance:.3f}",
            present.plain(each.title),
            present.plain(each.collection),
            str(each.document_id),
        )
    listing.show(terminal)
    if found.neighbours:
        near = present.table("#distance", "near it", "#documents", "cluster")
        for other in found.neighbours:
            near.add_row(
                f"{other.distance:.3f}",
                present.plain(" · ".join(other.label) or "–"),
                f"{other.documents:,}",
                str(other.cluster_id),
            )
        near.show(terminal)


@app.command("progress", epilog=EXIT_CODES)
def show_progress(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Say how far the documents of the workspace are told apart."""
    found = in_workspace(context, workspace, lambda inside: inside.cluster_progress())
    if as_json:
        present.print_json(found)
        return
    terminal = present.terminal()
    terminal.print(
        f"{found.done:,} of {found.documents:,} documents are looked at. {_advice(found)}"
    )
    if found.failure is not None:
        terminal.print(present.plain(f"The last try failed: {found.failure}"))


def _called(cluster: Cluster) -> str:
    return present.plain(" · ".join(cluster.label) or "–")


def _advice(found: ClusterProgress) -> str:
    if not found.enabled:
        return "This workspace clusters none: `footnote config set clusters true`."
    if found.running:
        return "A worker has them in hand: `footnote worker`, or a running server."
    return ""
