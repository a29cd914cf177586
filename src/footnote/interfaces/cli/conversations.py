"""`footnote conversations` and `footnote feedback` on their answers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal
from uuid import UUID

import typer
from rich.console import Console
from rich.text import Text

from footnote.domain import Answer
from footnote.domain.conversations import (
    ConversationExport,
    ExportFormat,
    Message,
    MessageAnswer,
)
from footnote.engine import WorkspaceEngine
from footnote.engine.conversations import as_markdown
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, Workspace

app = typer.Typer(
    name="conversations", help="See, rename, export and delete conversations.", no_args_is_help=True
)

ConversationId = Annotated[
    UUID, typer.Argument(metavar="CONVERSATION", help="The conversation's id.")
]

_REMOVED = "[removed with its document]"


@workspace_command(app, "list")
async def show_list(
    workspace: WorkspaceEngine,
    *,
    query: Annotated[
        str | None, typer.Option(help="Only those with all these words, in title or message.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most conversations shown.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
) -> Shown:
    """List conversations, what was used last first."""
    if query is None:
        page = await workspace.conversations(limit=limit, cursor=cursor)
    else:
        page = await workspace.find_conversations(query, limit=limit, cursor=cursor)
    yield page
    excerpts = {match.conversation_id: match.excerpt for match in reversed(page.matches)}
    listing = present.table("id", "title", "#documents", "used", *(["found"] if query else []))
    for conversation in page.conversations:
        listing.add_row(
            str(conversation.conversation_id),
            present.excerpt(conversation.title, 60),
            str(len(conversation.document_ids) or ""),
            f"{conversation.updated_at:%Y-%m-%d %H:%M} UTC",
            *([present.excerpt(excerpts[conversation.conversation_id], 60)] if query else []),
        )
    if page.conversations:
        listing.show(present.terminal())
    else:
        present.terminal().print("No conversations.")
    if page.next_cursor:
        query_option = "" if query is None else f" --query {shlex.quote(query)}"
        message = (
            f"There are more: footnote conversations list{query_option} --cursor {page.next_cursor}"
        )
        present.notices().print(Text(message, style="dim"), soft_wrap=True)


@workspace_command(app, "show")
async def show(workspace: WorkspaceEngine, *, conversation_id: ConversationId) -> Shown:
    """Show what was said; with --json, on every branch."""
    conversation, messages = await workspace.export_conversation(conversation_id)
    yield ConversationExport(conversation=conversation, messages=tuple(messages))
    show_messages(present.terminal(), [message for message in messages if message.active])


@workspace_command(app, "rename")
async def give_title(
    workspace: WorkspaceEngine,
    *,
    conversation_id: ConversationId,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its new title.")],
) -> Shown:
    """Give a conversation another title."""
    renamed = await workspace.change_conversation(conversation_id, title=title)
    yield renamed
    present.terminal().print(Text(present.plain(renamed.title)), soft_wrap=True)


@workspace_command(app, "delete")
async def remove(workspace: WorkspaceEngine, *, conversation_id: ConversationId) -> Shown:
    """Delete a conversation with its messages and their feedback, for good."""
    conversation = await workspace.conversation(conversation_id)
    await workspace.delete_conversation(conversation_id)
    yield conversation
    message = f"Deleted: {present.plain(conversation.title) or conversation.conversation_id}"
    present.notices().print(Text(message), soft_wrap=True)


@app.command("export", epilog=EXIT_CODES)
def write_out(
    *,
    context: typer.Context,
    conversation_id: ConversationId,
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--format", help="Markdown, Word or PDF with footnotes, or every branch as JSON."
        ),
    ] = "markdown",
    workspace: Workspace = None,
) -> None:
    """Write out a conversation to be kept elsewhere; redirect Word and PDF into a file."""
    if form in {"docx", "pdf"}:
        content = in_workspace(
            context,
            workspace,
            lambda inside: (
                inside.export_docx(conversation_id)
                if form == "docx"
                else inside.export_pdf(conversation_id)
            ),
        )
        typer.get_binary_stream("stdout").write(content)
        return
    conversation, messages = in_workspace(
        context,
        workspace,
        lambda workspace_engine: workspace_engine.export_conversation(conversation_id),
    )
    if form == "json":
        present.print_json(ConversationExport(conversation=conversation, messages=tuple(messages)))
    else:
        typer.echo(as_markdown(conversation, messages), nl=False)


def show_messages(console: Console, messages: Sequence[Message]) -> None:
    """Questions and answers in turn, each answer with its id and its footnotes."""
    for message in messages:
        if message.answer is None:
            console.print(Text(f"> {present.plain(message.text)}", style="bold"))
            continue
        present.show_answer(console, _as_answer(message.answer))
        thumb = "" if message.feedback is None else f" · {message.feedback.thumb}"
        console.print(Text(f"{message.message_id}{thumb}", style="dim"))
        console.print()


def _as_answer(answer: MessageAnswer) -> Answer:
    """A stored answer in the form of a new one; what was removed says so."""
    return Answer(
        question=answer.asked_as,
        found=answer.found,
        sentences=tuple(
            replace(sentence, text=sentence.text or _REMOVED) for sentence in answer.sentences
        ),
        citations=answer.citations,
        conflicts=answer.conflicts,
        evidence=(),
        confidence=answer.confidence,
        model=answer.model,
    )


feedback = typer.Typer(name="feedback", help="Judge answers.", no_args_is_help=True)


@workspace_command(feedback, "give")
async def give(
    workspace: WorkspaceEngine,
    *,
    conversation_id: ConversationId,
    message_id: Annotated[UUID, typer.Argument(metavar="MESSAGE", help="The answer's id.")],
    thumb: Annotated[Literal["up", "down"], typer.Argument(metavar="THUMB", help="up or down.")],
    comment: Annotated[str, typer.Option(help="Why.")] = "",
) -> Shown:
    """Say what you think of an answer, in place of what you said before."""
    message = await workspace.give_feedback(conversation_id, message_id, thumb, comment)
    yield message
    present.notices().print(Text(f"Noted: {thumb}"))


@workspace_command(feedback, "export")
async def export_feedback(
    workspace: WorkspaceEngine,
    *,
    down: Annotated[
        bool, typer.Option("--down", help="With what was disliked, to be completed by hand.")
    ] = False,
) -> None:
    """Print your feedback as lines of a golden set."""
    async for line in workspace.golden_candidates(down=down):
        typer.echo(line)
