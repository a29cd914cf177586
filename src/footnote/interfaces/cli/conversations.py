"""`footnote conversations`: list, show, rename, delete, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal
from uuid import UUID

import typer
from rich.console import Console
from rich.text import Text

from footnote import open as opened
from footnote.domain import Answer
from footnote.domain.conversations import (
    Conversation,
    ConversationExport,
    ConversationPage,
    Message,
    MessageAnswer,
)
from footnote.engine.conversations import as_markdown
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, chosen_workspace
from footnote.settings import Settings

app = typer.Typer(
    name="conversations", help="See, rename, export and delete conversations.", no_args_is_help=True
)

ConversationId = Annotated[
    UUID, typer.Argument(metavar="CONVERSATION", help="The conversation's id.")
]
Exported = tuple[Conversation, tuple[Message, ...]]

_REMOVED = "[removed with its document]"


@app.command("list", epilog=EXIT_CODES)
def show_list(
    *,
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most conversations shown.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List conversations, what was used last first."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> ConversationPage:
        async with opened(settings) as engine:
            return await (await engine.workspace(name)).conversations(limit=limit, cursor=cursor)

    page = wait_for(work())
    if as_json:
        present.print_json(page)
        return
    listing = present.table("id", "title", "#documents", "used")
    for each in page.conversations:
        listing.add_row(
            str(each.conversation_id),
            present.excerpt(each.title, 60),
            str(len(each.document_ids) or ""),
            f"{each.updated_at:%Y-%m-%d %H:%M} UTC",
        )
    if page.conversations:
        listing.show(present.terminal())
    else:
        present.terminal().print("No conversations.")
    if page.next_cursor:
        more = f"There are more: footnote conversations list --cursor {page.next_cursor}"
        present.notices().print(Text(more, style="dim"), soft_wrap=True)


@app.command("show", epilog=EXIT_CODES)
def show(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said; with --json, on every branch."""
    settings, name = prepared(), chosen_workspace(context, workspace)
    found, messages = wait_for(_exported(settings, name, conversation_id))
    if as_json:
        present.print_json(ConversationExport(conversation=found, messages=tuple(messages)))
        return
    show_messages(present.terminal(), [message for message in messages if message.active])


@app.command("rename", epilog=EXIT_CODES)
def give_title(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its new title.")],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Give a conversation another title."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> Conversation:
        async with opened(settings) as engine:
            return await (await engine.workspace(name)).change_conversation(
                conversation_id, title=title
            )

    renamed = wait_for(work())
    if as_json:
        present.print_json(renamed)
    else:
        present.terminal().print(Text(present.plain(renamed.title)), soft_wrap=True)


@app.command("delete", epilog=EXIT_CODES)
def remove(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a conversation with its messages and their feedback, for good."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> Conversation:
        async with opened(settings) as engine:
            workspace = await engine.workspace(name)
            found = await workspace.conversation(conversation_id)
            await workspace.delete_conversation(conversation_id)
            return found

    gone = wait_for(work())
    if as_json:
        present.print_json(gone)
    else:
        said = f"Deleted: {present.plain(gone.title) or gone.conversation_id}"
        present.notices().print(Text(said), soft_wrap=True)


@app.command("export", epilog=EXIT_CODES)
def write_out(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    form: Annotated[
        Literal["markdown", "json"],
        typer.Option("--format", help="Markdown with footnotes, or every branch as JSON."),
    ] = "markdown",
    workspace: Workspace = None,
) -> None:
    """Print a conversation to be kept elsewhere."""
    settings, name = prepared(), chosen_workspace(context, workspace)
    found, messages = wait_for(_exported(settings, name, conversation_id))
    if form == "json":
        present.print_json(ConversationExport(conversation=found, messages=tuple(messages)))
    else:
        typer.echo(as_markdown(found, messages), nl=False)


async def _exported(settings: Settings, name: str | None, conversation_id: UUID) -> Exported:
    async with opened(settings) as engine:
        return await (await engine.workspace(name)).export_conversation(conversation_id)


def show_messages(console: Console, messages: Sequence[Message]) -> None:
    """Questions and answers in turn, each answer with its id and its footnotes."""
    for message in messages:
        if message.answer is None:
            console.print(Text(f"> {present.plain(message.text)}", style="bold"))
            continue
        present.show_answer(console, _shown(message.answer))
        thumb = "" if message.feedback is None else f" · {message.feedback.thumb}"
        console.print(Text(f"{message.message_id}{thumb}", style="dim"))
        console.print()


def _shown(answer: MessageAnswer) -> Answer:
    """A kept answer like one that was just made; what was removed says so."""
    return Answer(
        question=answer.asked_as,
        found=answer.found,
        sentences=tuple(replace(each, text=each.text or _REMOVED) for each in answer.sentences),
        citations=answer.citations,
        evidence=(),
        confidence=answer.confidence,
        model=answer.model,
    )
