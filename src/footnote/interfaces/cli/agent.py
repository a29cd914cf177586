"""`footnote agent`: a model looks things up by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from footnote import open as opened
from footnote.domain import Answer
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import AsJson, Workspace, chosen_workspace
from footnote.interfaces.cli.writing import shown_as_written
from footnote.interfaces.tools.binding import index_now
from footnote.settings import Settings


def agent(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What the model is to find out.")
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Have a model look things up by itself, with the workspace's tools."""
    settings = prepared()
    name = chosen_workspace(context, workspace)
    console = present.terminal()
    live = console.is_terminal and not as_json
    answer, is_shown = wait_for(_run_agent(settings, name, question, live=live))
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(answer)
    elif is_shown:
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)


async def _run_agent(
    settings: Settings, name: str | None, question: str, *, live: bool
) -> tuple[Answer, bool]:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        events = workspace.agent_stream(question, index_now=index_now)
        return await shown_as_written(present.terminal(), events, live=live)
