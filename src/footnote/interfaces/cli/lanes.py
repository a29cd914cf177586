"""`footnote lanes` and `footnote reembed`: which models embed a workspace, and another one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from footnote.domain import LaneState, LaneStatus, Reembedding, ReembeddingState
from footnote.errors import InvalidRequest
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.options import AsJson, Workspace
from footnote.jobs.inline import work_until_reembedded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from footnote.engine import WorkspaceEngine


def lanes(
    *,
    context: typer.Context,
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove lanes that are kept no longer first.")
    ] = False,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="With --purge, all but the current one.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show which models a workspace is embedded with, and how far each lane is."""
    if at_once and not purge:
        raise InvalidRequest("--at-once goes with --purge", hint="footnote lanes --purge --at-once")
    statuses = in_workspace(
        context,
        workspace,
        lambda workspace_engine: (
            workspace_engine.purge_lanes(at_once=at_once) if purge else workspace_engine.lanes()
        ),
    )
    if as_json:
        present.print_json(schemas.LaneList(lanes=statuses))
    else:
        _show(present.terminal(), statuses)


def reembed(
    *,
    context: typer.Context,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="One of those the settings allow.")
    ] = None,
    lane: Annotated[str, typer.Option(metavar="LANE", help="The lane.")] = "document",
    texts_per_second: Annotated[
        float | None, typer.Option(metavar="N", help="Most texts a second.")
    ] = None,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the model before.")
    ] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Stop what is under way.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Do it now, or leave it to a worker.")
    ] = True,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Embed a workspace with another model, while it is searched with the old one."""
    if (model is not None) + rollback + cancel != 1:
        raise InvalidRequest(
            "Say one of --model, --rollback and --cancel.",
            hint="footnote lanes shows what there is",
        )

    async def change(workspace: WorkspaceEngine) -> LaneStatus:
        if model is not None:
            return await workspace.reembed(model, lane=lane, texts_per_second=texts_per_second)
        if rollback:
            return await workspace.rollback_lane(lane)
        return await workspace.cancel_reembedding(lane)

    with _progress(visible=wait and not as_json) as progress:
        status = in_workspace(
            context, workspace, lambda inside: _change(inside, change, progress, wait=wait)
        )
    if as_json:
        present.print_json(status)
    else:
        present.terminal().print(Text(_outcome_sentence(status)), soft_wrap=True)
    if status.reembedding is not None and status.reembedding.state is ReembeddingState.FAILED:
        raise typer.Exit(1)


async def _change(
    workspace: WorkspaceEngine,
    change: Callable[[WorkspaceEngine], Awaitable[LaneStatus]],
    progress: Progress,
    *,
    wait: bool,
) -> LaneStatus:
    started = await change(workspace)
    under_way = started.reembedding is not None and started.reembedding.is_under_way
    if not wait or not under_way:
        return started
    task = progress.add_task("embedding", total=started.chunks)

    def show(reembedding: Reembedding) -> None:
        progress.update(task, total=reembedding.chunks, completed=reembedding.chunks_embedded)

    try:
        await work_until_reembedded(workspace.engine, workspace, started.lane.name, show)
    except asyncio.CancelledError:
        message = "Interrupted; `footnote worker` or `footnote serve` goes on with it."
        progress.console.print(Text(message), soft_wrap=True)
        raise
    statuses = await workspace.lanes()
    return next(status for status in statuses if status.lane_id == started.lane_id)


def _progress(*, visible: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=present.notices(),
        disable=not visible,
    )


def _outcome_sentence(status: LaneStatus) -> str:
    change = status.reembedding
    model = f"{status.lane.provider}:{status.lane.model} ({status.lane.dimensions} dimensions)"
    if status.state is LaneState.CURRENT:
        return f"The lane {status.lane.name} is {present.plain(model)} now.{_cost_sentence(change)}"
    if change is None or change.is_under_way:
        return (
            f"The lane {status.lane.name} is being embedded with {present.plain(model)}; "
            "footnote lanes shows how far it is."
        )
    if change.state is ReembeddingState.FAILED:
        return f"It failed: {present.plain(change.failure or '')}"
    return (
        f"Stopped after {change.chunks_embedded:,} of {change.chunks:,} chunks; the same command "
        "goes on from there."
    )


def _cost_sentence(change: Reembedding | None) -> str:
    if change is None:
        return ""
    spent = f" {change.texts_embedded:,} texts were embedded, {change.texts_reused:,} found again"
    if change.tokens:
        spent += f"; {change.tokens:,} tokens"
    if change.cost_usd:
        spent += f", about {change.cost_usd:.4f} US dollars"
    return f"{spent}."


def _show(console: Console, statuses: Sequence[LaneStatus]) -> None:
    if not statuses:
        console.print("No lanes yet; the first document makes one.")
        return
    listing = present.table("#no", "lane", "model", "#dimensions", "revision", "state", "#chunks")
    for status in statuses:
        listing.add_row(
            str(status.lane_id),
            status.lane.name,
            present.plain(f"{status.lane.provider}:{status.lane.model}"),
            str(status.lane.dimensions),
            present.plain(status.lane.revision),
            Text(_state(status), style="green" if status.state is LaneState.CURRENT else "dim"),
            f"{status.chunks_embedded:,}/{status.chunks:,}",
        )
    listing.show(console)


def _state(status: LaneStatus) -> str:
    if status.state is LaneState.CURRENT:
        return "current"
    change = status.reembedding
    if change is not None and change.is_under_way:
        return f"{change.state.value}, {change.progress:.0%}"
    if status.purge_after is not None:
        return f"previous, kept until {status.purge_after:%Y-%m-%d}"
    if change is not None and change.failure:
        return f"failed: {present.plain(change.failure)}"
    return "stopped"
