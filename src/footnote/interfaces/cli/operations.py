"""What an operator calls: `footnote worker`, `doctor`, `mcp` and `workspace`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from footnote import open as opened
from footnote.doctor import examine
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Forbidden, NotReady
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import entered, prepared, return_freed_memory, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, workspace_name
from footnote.interfaces.cli.stored_token import stored_token
from footnote.interfaces.failures import failure_of
from footnote.interfaces.schemas import WorkspaceList
from footnote.jobs.process import ending_when_stuck, lower_priority, prefer_for_oom_kill
from footnote.jobs.worker import run_worker, stage_seconds
from footnote.settings import Settings

T = TypeVar("T")


def worker(
    until_stdin_ends: Annotated[
        bool, typer.Option("--until-stdin-ends", hidden=True, help="Stop when stdin is closed.")
    ] = False,
    set_aside: Annotated[
        bool,
        typer.Option(
            "--set-aside", hidden=True, help="Try what was in hand when a worker died, then end."
        ),
    ] = False,
) -> None:
    """Index whatever is queued, until it is stopped."""
    return_freed_memory()
    settings = prepared(tell=not until_stdin_ends)
    wait_for(_work(settings, until_stdin_ends=until_stdin_ends, set_aside=set_aside))


async def _work(settings: Settings, *, until_stdin_ends: bool, set_aside: bool) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if until_stdin_ends:
        _when_stdin_ends(loop, stop)
    else:
        present.notices().print(Text("Indexing what is queued; Ctrl-C stops.", style="dim"))
    # A worker that has nothing to embed keeps no model in memory.
    async with await open_engine(settings, models_at_first_use=True) as engine:
        # Not before: an embedded Postgres that it starts serves searches, too.
        lower_priority()
        if set_aside:
            prefer_for_oom_kill()
        else:
            engine.serve_metrics()
        async with ending_when_stuck(stage_seconds(settings)):
            await run_worker(engine, stop=stop, set_aside=set_aside)


def _when_stdin_ends(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Set `stop` when the process at the other end of standard input ends, however it ends."""

    def wait() -> None:
        # Unbuffered: a buffered read would still hold its lock when the interpreter ends.
        while os.read(0, 1024):
            continue
        with contextlib.suppress(RuntimeError):  # The loop may have ended first.
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, daemon=True).start()


def doctor(as_json: AsJson = False) -> None:
    """Say what is there, what is missing, and how to get it."""
    settings = prepared()
    health = wait_for(examine(settings))
    if as_json:
        present.print_json(health)
    else:
        present.show_health(present.terminal(), health)
    if not health.ready:
        raise typer.Exit(failure_of(NotReady("")).exit_code)


def mcp(context: typer.Context, workspace: Workspace = None) -> None:
    """Serve a workspace's documents over MCP on standard input and output."""
    from footnote.interfaces.mcp.stdio import serve_stdio

    settings = prepared()
    name = workspace_name(context, workspace)

    @asynccontextmanager
    async def inside() -> AsyncIterator[WorkspaceEngine]:
        async with opened(settings) as engine:
            yield await entered(engine, name)

    wait_for(serve_stdio(inside))


workspaces = typer.Typer(
    name="workspace",
    help="Create, list and destroy workspaces, between which nothing is shared.",
    no_args_is_help=True,
)


@workspaces.command("create", epilog=EXIT_CODES)
def create_workspace(
    name: Annotated[str, typer.Argument(metavar="NAME", help="How it will be called.")],
    as_json: AsJson = False,
) -> None:
    """Create a workspace."""
    workspace = in_installation(lambda engine: engine.create_workspace(name))
    if as_json:
        present.print_json(workspace)
    else:
        present.terminal().print(Text(f"Created the workspace {present.plain(workspace.name)}."))


@workspaces.command("list", epilog=EXIT_CODES)
def list_workspaces(as_json: AsJson = False) -> None:
    """List the workspaces of this installation."""
    existing = in_installation(lambda engine: engine.workspaces())
    if as_json:
        present.print_json(WorkspaceList(workspaces=existing))
        return
    if not existing:
        present.terminal().print(
            "No workspaces yet; the default one is made when it is first used."
        )
        return
    listing = present.table("workspace", "id", "created")
    for workspace in existing:
        created = f"{workspace.created_at:%Y-%m-%d %H:%M} UTC"
        listing.add_row(present.plain(workspace.name), str(workspace.workspace_id), created)
    listing.show(present.terminal())


def in_installation(verb: Callable[[Engine], Awaitable[T]]) -> T:
    """The result of a verb of the engine, as the operator. Raises Forbidden for anybody else."""
    settings = prepared()
    if stored_token(settings.home) is not None:
        raise Forbidden(
            "this concerns the whole installation, and the command would act as whoever "
            "FOOTNOTE_API_KEY or `footnote login` names",
            hint="as the operator, unset FOOTNOTE_API_KEY, or run `footnote logout`",
        )

    async def work() -> T:
        async with opened(settings) as engine:
            return await verb(engine)

    return wait_for(work())
