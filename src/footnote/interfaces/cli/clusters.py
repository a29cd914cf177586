"""`footnote clusters`: documents or chunks that are alike, and what tells them from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.clusters import (
    Cluster,
    ClusteredDocument,
    ClusterGranularity,
    ClusterOf,
    ClusterProgress,
    NearCluster,
)
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import Limit
from footnote.interfaces.cli.results import counted

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="clusters",
    help="See which documents or passages are alike, and what tells them from the others.",
    no_args_is_help=True,
)

ClusteredKind = Annotated[ClusterOf, typer.Option("--of", help="What is told apart.")]
_QUOTED = 100
"""Characters of a passage in a table."""


@workspace_command(app, "list")
async def show_clusters(
    workspace: WorkspaceEngine,
    *,
    of: ClusteredKind = ClusterOf.DOCUMENTS,
    granularity: Annotated[
        ClusterGranularity, typer.Option("--granularity", help="How finely they are told apart.")
    ] = ClusterGranularity.MIDDLE,
    limit: Limit = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="Where a page before ended.")
    ] = None,
) -> Shown:
    """List clusters of documents or passages that are alike, the largest first."""
    page = await workspace.clusters(of=of, granularity=granularity, limit=limit, cursor=cursor)
    yield page
    terminal = present.terminal()
    if not page.clusters:
        progress = await workspace.cluster_progress(of=of)
        terminal.print("There are no clusters. " + _advice(progress))
        return
    listing = present.table("label", f"#{of.value}", "typical", "cluster")
    for cluster in page.clusters:
        listing.add_row(
            _label(cluster),
            f"{_member_count(cluster):,}",
            present.plain(_member_text(cluster.representatives[0])),
            str(cluster.cluster_id),
        )
    listing.show(terminal)
    terminal.print(f"{page.outliers:,} {of.value} are in none of them.")


@workspace_command(app, "show")
async def show_cluster(
    workspace: WorkspaceEngine,
    *,
    cluster_id: Annotated[UUID, typer.Argument(metavar="CLUSTER", help="The cluster's id.")],
    limit: Limit = 20,
) -> Shown:
    """Show a cluster with its most typical documents or passages, its terms and what lies near."""
    detail = await workspace.cluster(cluster_id, limit=limit)
    yield detail
    terminal = present.terminal()
    chunks = detail.cluster.chunks
    size = counted(detail.cluster.documents, "document")
    size = size if chunks is None else f"{counted(chunks, 'chunk')} of {size}"
    terminal.print(f"{_label(detail.cluster)}, {size}")
    terminal.print(
        present.plain(", ".join(f"{term.term} ({term.documents})" for term in detail.terms))
    )
    listing = present.table("#distance", "title", "collection", "document or chunk")
    for member in detail.members:
        listing.add_row(
            f"{member.distance:.3f}",
            present.plain(_member_text(member)),
            present.plain(member.collection),
            str(member.document_id) if member.passage is None else member.passage.chunk_id,
        )
    listing.show(terminal)
    if detail.neighbours:
        near = present.table("#distance", "near it", f"#{detail.cluster.of.value}", "cluster")
        for neighbour in detail.neighbours:
            near.add_row(
                f"{neighbour.distance:.3f}",
                present.plain(" · ".join(neighbour.label) or "–"),
                f"{_member_count(neighbour):,}",
                str(neighbour.cluster_id),
            )
        near.show(terminal)


@workspace_command(app, "progress")
async def show_progress(
    workspace: WorkspaceEngine,
    *,
    of: ClusteredKind = ClusterOf.DOCUMENTS,
) -> Shown:
    """Say how far the documents, or passages, of the workspace are told apart."""
    progress = await workspace.cluster_progress(of=of)
    yield progress
    terminal = present.terminal()
    terminal.print(
        f"{progress.done:,} of {counted(progress.documents, 'document')} looked at. "
        f"{_advice(progress)}"
    )
    if progress.failure is not None:
        terminal.print(present.plain(f"The last try failed: {progress.failure}"))


def _label(cluster: Cluster) -> str:
    return present.plain(" · ".join(cluster.label) or "–")


def _member_count(cluster: Cluster | NearCluster) -> int:
    return cluster.documents if cluster.chunks is None else cluster.chunks


def _member_text(member: ClusteredDocument) -> str:
    """A document's title, or where a passage stands with its first words."""
    if member.passage is None:
        return member.title
    page = "" if member.passage.page is None else f", p. {member.passage.page}"
    quote = " ".join(member.passage.quote.split())
    return f"{member.title}{page}: {quote[:_QUOTED]}{'…' if len(quote) > _QUOTED else ''}"


def _advice(progress: ClusterProgress) -> str:
    if not progress.enabled:
        return (
            f"This workspace clusters none: `footnote config set clusters {progress.of}`, or all "
            "for documents and chunks."
        )
    if progress.running:
        return "A worker has them in hand: `footnote worker`, or a running server."
    return ""
