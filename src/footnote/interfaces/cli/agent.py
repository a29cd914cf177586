"""`footnote agent`: a model looks things up by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from footnote.domain import Answer
from footnote.engine import WorkspaceEngine
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import AsJson, Workspace
from footnote.interfaces.cli.writing import Written
from footnote.interfaces.tools.binding import index_now


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
    console = present.terminal()
    written = Written(console, live=console.is_terminal and not as_json)

    async def work(inside: WorkspaceEngine) -> Answer:
        return await written.answer_of(inside.agent_stream(question, index_now=index_now))

    answer = in_workspace(context, workspace, work)
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(answer)
    elif written.has(answer):
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)
