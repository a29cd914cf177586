"""`footnote feedback`: judge answers, and make golden questions of the judgements."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import typer
from rich.text import Text

from footnote import open as opened
from footnote.domain.conversations import Message
from footnote.interfaces.cli import present
from footnote.interfaces.cli.conversations import ConversationId
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, chosen_workspace

app = typer.Typer(name="feedback", help="Judge answers.", no_args_is_help=True)


@app.command("give", epilog=EXIT_CODES)
def give(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    message_id: Annotated[UUID, typer.Argument(metavar="MESSAGE", help="The answer's id.")],
    thumb: Annotated[Literal["up", "down"], typer.Argument(metavar="THUMB", help="up or down.")],
    comment: Annotated[str, typer.Option(help="Why.")] = "",
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Say what you think of an answer, in place of what you said before."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> Message:
        async with opened(settings) as engine:
            return await (await engine.workspace(name)).give_feedback(
                conversation_id, message_id, thumb, comment
            )

    message = wait_for(work())
    if as_json:
        present.print_json(message)
    else:
        present.notices().print(Text(f"Noted: {thumb}"))


@app.command("export", epilog=EXIT_CODES)
def export(
    *,
    context: typer.Context,
    down: Annotated[
        bool, typer.Option("--down", help="With what was disliked, to be completed by hand.")
    ] = False,
    workspace: Workspace = None,
) -> None:
    """Print your feedback as lines of a golden set."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> None:
        async with opened(settings) as engine:
            async for line in (await engine.workspace(name)).golden_candidates(down=down):
                typer.echo(line)

    wait_for(work())
