"""`footnote backfill`: what documents of before lack, and how far the background has come."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.domain.backfill import Backfill, BackfillProgress, BackgroundWork
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.cli.results import counted

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_LOOK_SECONDS = 2.0
_BAR = 24
"""Characters of a whole bar."""
_NAME = max(map(len, BackgroundWork)) + 2
"""Characters of what stands before it."""

app = typer.Typer(
    name="backfill",
    help="See what documents of before lack, have it made, pause and resume it.",
    no_args_is_help=True,
)
_SelectedKinds = tuple[BackgroundWork, ...]
Kinds = Annotated[
    list[BackgroundWork] | None,
    typer.Option("--kind", metavar="KIND", help="Only this kind; may be repeated."),
]


@app.command("show", epilog=EXIT_CODES)
def show_backfill(
    *,
    context: typer.Context,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again until nothing is under way.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show how many documents have what is derived from them, by kind."""
    while True:
        backfill = in_workspace(
            context, workspace, lambda workspace_engine: workspace_engine.backfill()
        )
        _show(backfill, as_json=as_json)
        if not watch or not any(
            progress.running and progress.waiting for progress in backfill.kinds
        ):
            return
        time.sleep(_LOOK_SECONDS)


def _add_command(
    name: str,
    help_text: str,
    change: Callable[[WorkspaceEngine, _SelectedKinds], Awaitable[Backfill]],
) -> None:
    """Add a command that changes what workers do about some kinds, or about all."""

    @app.command(name, help=help_text, epilog=EXIT_CODES)
    def run(
        *,
        context: typer.Context,
        kind: Kinds = None,
        workspace: Workspace = None,
        as_json: AsJson = False,
    ) -> None:
        kinds = tuple(kind or ())
        backfill = in_workspace(context, workspace, lambda inside: change(inside, kinds))
        _show(backfill, as_json=as_json)


_add_command(
    "start",
    "Have workers make up for what documents lack, of the newest documents first.",
    lambda inside, kinds: inside.start_backfill(kinds),
)
_add_command(
    "pause",
    "Have workers leave it alone until it is resumed; what was made stays.",
    lambda inside, kinds: inside.pause_backfill(kinds),
)
_add_command(
    "resume",
    "Have workers go on with what was paused.",
    lambda inside, kinds: inside.resume_backfill(kinds),
)


def _show(backfill: Backfill, *, as_json: bool) -> None:
    if as_json:
        present.print_json(backfill)
        return
    terminal = present.terminal()
    for progress in backfill.kinds:
        terminal.print(present.plain(_line(progress)))
    segments, current = backfill.index.segments, backfill.index.current
    if current < segments:
        bar = _bar(current, segments)
        text = f"{current:,} of {segments:,} segments in the form of this version"
        terminal.print(present.plain(f"{'index':<{_NAME}}{bar} {text}"))
    if backfill.reembedding is not None:
        change = backfill.reembedding
        bar = _bar(change.chunks_embedded, change.chunks)
        terminal.print(
            present.plain(
                f"{'vectors':<{_NAME}}{bar} {change.chunks_embedded:,} of {change.chunks:,} "
                f"passages in the lane of {change.lane.model}"
            )
        )


def _line(progress: BackfillProgress) -> str:
    if not progress.enabled:
        return f"{progress.kind.value:<{_NAME}}off: `footnote config set {progress.kind.switch}`"
    parts = [f"{progress.done:,} of {counted(progress.documents, 'document')}"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.waiting:
        state = "paused" if progress.paused else "under way" if progress.running else "not begun"
        parts.append(f"{progress.waiting:,} wait ({state})")
    elif progress.paused:
        parts.append("paused")
    if progress.oldest_waiting is not None:
        parts.append(f"the oldest since {progress.oldest_waiting:%Y-%m-%d}")
    if progress.model is not None and progress.model.enabled and progress.model.remaining_tokens:
        cost = progress.model.remaining_cost_usd
        price = "price not known" if cost is None else f"${cost:,.2f}"
        parts.append(f"about {progress.model.remaining_tokens:,} tokens to come ({price})")
    return (
        f"{progress.kind.value:<{_NAME}}{_bar(progress.done, progress.documents)} "
        f"{', '.join(parts)}"
    )


def _bar(done: int, total: int) -> str:
    full = _BAR if not total else _BAR * done // total
    return "█" * full + "░" * (_BAR - full)
