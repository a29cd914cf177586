"""`footnote summaries`: what a document, a collection or a cluster says as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.summaries import Summary, SummaryProgress, SummarySentence
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.model_use import writing_line
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, of_kind
from footnote.interfaces.cli.results import counted

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="summaries",
    help="See what documents say as a whole, in their own sentences.",
    no_args_is_help=True,
)


@app.command("show", epilog=EXIT_CODES)
def show_summary(
    *,
    context: typer.Context,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="DOCUMENT", help="Of this: an id or a file name."),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection", parser=of_kind("Name"), metavar="NAME", help="Of this collection."
        ),
    ] = None,
    cluster_id: Annotated[
        UUID | None, typer.Option("--cluster", metavar="CLUSTER", help="Of this cluster.")
    ] = None,
    sentences: Annotated[
        int, typer.Option("--sentences", metavar="N", min=1, max=20, help="The most of them.")
    ] = 5,
    write: Annotated[
        bool,
        typer.Option("--write", help="Have the language model write of several documents, too."),
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Summarise a document, a collection or a cluster in sentences of the documents."""
    if [document, collection, cluster_id].count(None) != 2:
        raise InvalidRequest(
            "a summary is of one document, one collection or one cluster",
            hint="name one of --document, --collection and --cluster",
        )

    async def summarise(workspace: WorkspaceEngine) -> Summary:
        return await workspace.summary(
            document_id=None if document is None else await workspace.document_called(document),
            collection=collection,
            cluster_id=cluster_id,
            sentences=sentences,
            write=write,
        )

    summary = in_workspace(context, workspace, summarise)
    if as_json:
        present.print_json(summary)
        return
    terminal = present.terminal()
    if not summary.sentences:
        progress = in_workspace(
            context, workspace, lambda workspace_engine: workspace_engine.summary_progress()
        )
        terminal.print("There is no summary. " + _advice(progress))
        return
    for written in summary.written:
        terminal.print(present.plain(written.text))
        for sentence in written.sources:
            terminal.print(
                present.plain(f"  “{' '.join(sentence.text.split())}” {_location(sentence)}")
            )
    for sentence in () if summary.written else summary.sentences:
        terminal.print(present.plain(" ".join(sentence.text.split())))
        terminal.print(present.plain(f"  {_location(sentence)}"))


@workspace_command(app, "progress")
async def show_progress(workspace: WorkspaceEngine) -> Shown:
    """Say how far the documents of the workspace are summarised."""
    progress = await workspace.summary_progress()
    yield progress
    terminal = present.terminal()
    terminal.print(
        f"{progress.done:,} of {counted(progress.documents, 'document')} summarised, "
        f"{progress.failed:,} failed. {_advice(progress)}"
    )
    if progress.model is not None:
        terminal.print(present.plain(writing_line(progress.model)))
    for failure in progress.failures:
        terminal.print(present.plain(f"{failure.title} ({failure.document_id}): {failure.reason}"))


def _location(sentence: SummarySentence) -> str:
    return f"– {sentence.document_title}, {sentence.char_start}–{sentence.char_end}"


def _advice(progress: SummaryProgress) -> str:
    if not progress.enabled:
        return "This workspace makes none: `footnote config set summaries rules`."
    if progress.running:
        return "A worker has the rest in hand: `footnote worker`, or a running server."
    return ""
