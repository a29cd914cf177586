"""`footnote backfill`: what documents of before lack, and how far the background has come."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.domain.backfill import Backfill, BackfillProgress, BackgroundWork
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
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
_Wanted = tuple[BackgroundWork, ...]
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
        found = in_workspace(context, workspace, lambda inside: inside.backfill())
        _show(found, as_json=as_json)
        if not watch or not any(each.running and each.waiting for each in found.kinds):
            return
        time.sleep(_LOOK_SECONDS)


def _changing(
    name: str, help_text: str, change: Callable[[WorkspaceEngine, _Wanted], Awaitable[Backfill]]
) -> None:
    """Add a command that changes what workers do about some kinds, or about all."""

    @app.command(name, help=help_text, epilog=EXIT_CODES)
    def changed(
        *,
        context: typer.Context,
        kind: Kinds = None,
        workspace: Workspace = None,
        as_json: AsJson = False,
    ) -> None:
        wanted = tuple(kind or ())
        found = in_workspace(context, workspace, lambda inside: change(inside, wanted))
        _show(found, as_json=as_json)


_changing(
    "start",
    "Have workers make up for what documents lack, of the newest documents first.",
    lambda inside, kinds: inside.start_backfill(kinds),
)
_changing(
    "pause",
    "Have workers leave it alone until it is resumed; what was made stays.",
    lambda inside, kinds: inside.pause_backfill(kinds),
)
_changing(
    "resume",
    "Have workers go on with what was paused.",
    lambda inside, kinds: inside.resume_backfill(kinds),
)


def _show(found: Backfill, *, as_json: bool) -> None:
    if as_json:
        present.print_json(found)
        return
    terminal = present.terminal()
    for each in found.kinds:
        terminal.print(present.plain(_line(each)))
    segments, current = found.index.segments, found.index.current
    if current < segments:
        bar = _bar(current, segments)
        told = f"{current:,} of {segments:,} segments in the form of this version"
        terminal.print(present.plain(f"{'index':<{_NAME}}{bar} {told}"))
    if found.reembedding is not None:
        change = found.reembedding
        bar = _bar(change.chunks_embedded, change.chunks)
        terminal.print(
            present.plain(
                f"{'vectors':<{_NAME}}{bar} {change.chunks_embedded:,} of {change.chunks:,} "
                f"passages in the lane of {change.lane.model}"
            )
        )


def _line(found: BackfillProgress) -> str:
    if not found.enabled:
        return f"{found.kind.value:<{_NAME}}off: `footnote config set {found.kind.switch}`"
    said = [f"{found.done:,} of {counted(found.documents, 'document')}"]
    if found.failed:
        said.append(f"{found.failed:,} failed")
    if found.waiting:
        state = "paused" if found.paused else "under way" if found.running else "not begun"
        said.append(f"{found.waiting:,} wait ({state})")
    elif found.paused:
        said.append("paused")
    if found.oldest_waiting is not None:
        said.append(f"the oldest since {found.oldest_waiting:%Y-%m-%d}")
    if found.model is not None and found.model.enabled and found.model.remaining_tokens:
        cost = found.model.remaining_cost_usd
        price = "price not known" if cost is None else f"${cost:,.2f}"
        said.append(f"about {found.model.remaining_tokens:,} tokens to come ({price})")
    return f"{found.kind.value:<{_NAME}}{_bar(found.done, found.documents)} {', '.join(said)}"


def _bar(done: int, whole: int) -> str:
    full = _BAR if not whole else _BAR * done // whole
    return "█" * full + "░" * (_BAR - full)
