"""`footnote cluster`: the tables on a Citus cluster, and workspaces moved between its nodes."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from footnote.domain.distribution import ClusterMove, ClusterPlan
from footnote.engine import cluster as engine
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import prepared, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson

app = typer.Typer(
    name="cluster",
    help="Distribute the tables over a Citus cluster, and move workspaces in it.",
    no_args_is_help=True,
)

_IN_THE_WAY = 1
_MEGABYTE = 1024**2

Run = Annotated[bool, typer.Option("--run", help="Do it; without this it is only said.")]
Shards = Annotated[
    int,
    typer.Option("--shards", min=1, max=4096, metavar="N", help="Shards of a table that is new."),
]
WorkspaceName = Annotated[str, typer.Argument(metavar="WORKSPACE", help="Its name.")]


@app.command("plan", epilog=EXIT_CODES)
def plan(shards: Shards = engine.SHARDS, as_json: AsJson = False) -> None:
    """Say what would be distributed, and what stands in the way: the exit code is 1 then."""
    planned = wait_for(engine.plan_cluster(prepared(), shards=shards))
    _show_plan(planned, as_json=as_json)


@app.command("apply", epilog=EXIT_CODES)
def apply(run: Run = False, shards: Shards = engine.SHARDS, as_json: AsJson = False) -> None:
    """Distribute the tables; after a failure, the same command goes on."""
    settings = prepared()
    if not run:
        _show_plan(wait_for(engine.plan_cluster(settings, shards=shards)), as_json=as_json)
        return
    notices = present.notices()
    applied = wait_for(
        engine.apply_cluster_plan(
            settings, shards=shards, tell=lambda line: notices.print(Text(line))
        )
    )
    _show_plan(applied, as_json=as_json)


@app.command("status", epilog=EXIT_CODES)
def status(
    workspace: Annotated[
        str | None, typer.Argument(metavar="[WORKSPACE]", help="Say where it lies, too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how the tables lie on the nodes."""
    report = wait_for(engine.cluster_status(prepared(), workspace=workspace))
    if as_json:
        present.print_json(report)
    else:
        console = present.terminal()
        table = Table("node", "active", "takes shards", "shards", "MB", box=None)
        for node in report.nodes:
            table.add_row(
                node.address,
                "yes" if node.active else "no",
                "yes" if node.takes_shards else "no",
                str(node.shards),
                f"{node.size_bytes / _MEGABYTE:,.1f}",
            )
        console.print(table)
        console.print(Text(f"{report.citus}. {report.distributed} tables lie as planned."))
        if report.left:
            console.print(Text(f"Not yet: {', '.join(report.left)}."))
        if report.placement is not None:
            placement = report.placement
            alone = "alone in" if placement.isolated else "in"
            message = (
                f"{placement.workspace} lies {alone} shard {placement.shard_id} on "
                f"{placement.address}."
            )
            console.print(Text(message))
        if report.rebalancing is not None:
            console.print(Text(f"The last rebalancing: {report.rebalancing}."))


@app.command("isolate", epilog=EXIT_CODES)
def isolate(workspace: WorkspaceName, run: Run = False, as_json: AsJson = False) -> None:
    """Give a workspace a shard of its own, so that it can be moved alone."""
    _show_move(wait_for(engine.isolate_workspace(prepared(), workspace, run=run)), as_json=as_json)


@app.command("move", epilog=EXIT_CODES)
def move(
    workspace: WorkspaceName,
    to: Annotated[str, typer.Option("--to", metavar="HOST:PORT", help="The node.")],
    run: Run = False,
    as_json: AsJson = False,
) -> None:
    """Move the shard of a workspace, and whatever shares it, to a node."""
    moved = engine.move_workspace(prepared(), workspace, to, run=run)
    _show_move(wait_for(moved), as_json=as_json)


@app.command("rebalance", epilog=EXIT_CODES)
def rebalance(run: Run = False, as_json: AsJson = False) -> None:
    """Spread the shards over the nodes in the background; `status` says how far it is."""
    _show_move(wait_for(engine.rebalance_cluster(prepared(), run=run)), as_json=as_json)


def _show_plan(planned: ClusterPlan, *, as_json: bool) -> None:
    if as_json:
        present.print_json(planned)
    else:
        console = present.terminal()
        table = Table("table", "kind", "MB", "there", "why", box=None)
        for entry in planned.tables:
            size = f"{entry.size_bytes / _MEGABYTE:,.1f}"
            table.add_row(entry.name, entry.kind, size, "yes" if entry.done else "", entry.reason)
        console.print(table)
        for obstacle in planned.obstacles:
            console.print(Text(f"{obstacle.table}: {obstacle.name}: {obstacle.why}."))
        _show_statements(planned.statements, ran=planned.ran)
        if planned.citus is None:
            console.print(Text("The database has no Citus."))
        if planned.obstacles:
            in_the_way = f"{len(planned.obstacles)} things stand in the way; see docs/cluster.md."
            console.print(Text(in_the_way))
    if planned.obstacles:
        raise typer.Exit(_IN_THE_WAY)


def _show_move(moved: ClusterMove, *, as_json: bool) -> None:
    if as_json:
        present.print_json(moved)
    elif moved.statements:
        _show_statements(moved.statements, ran=moved.ran)
    else:
        present.terminal().print(Text("It is so already."))


def _show_statements(statements: tuple[str, ...], *, ran: bool) -> None:
    console = present.terminal()
    if statements:
        console.print(Text("These ran:" if ran else "To be run, with --run:"))
    for statement in statements:
        console.print(Text(f"  {statement};"))
