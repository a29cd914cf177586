"""The `footnote` command: its groups, its global options, and its one entry point."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from footnote.distribution import VERSION
from footnote.interfaces.cli import (
    answer_models,
    chat,
    conversations,
    documents,
    evaluate,
    feedback,
    grounding,
    ingest,
    lanes,
    mcp,
    operations,
    pages,
    questions,
    serve,
    webhooks,
    workspaces,
)
from footnote.interfaces.cli.edge import exit_code_of, print_whatever_the_terminal_lacks
from footnote.interfaces.cli.helping import PlainTyper
from footnote.interfaces.cli.options import EXIT_CODES, RootWorkspace

app = PlainTyper(
    name="footnote",
    help="Files go in, cited answers come out.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # the shape typer calls
    if wanted:
        typer.echo(f"footnote {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    workspace: RootWorkspace = None,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say which it is."),
    ] = False,
) -> None:
    """Files go in, cited answers come out."""
    context.obj = workspace


app.command("ingest", epilog=EXIT_CODES)(ingest.ingest)
app.command("search", epilog=EXIT_CODES)(questions.search)
app.command("ask", epilog=EXIT_CODES)(questions.ask)
app.command("agent", epilog=EXIT_CODES)(questions.agent)
app.command("chat", epilog=EXIT_CODES)(chat.chat)
app.add_typer(grounding.app)
app.add_typer(conversations.app)
app.add_typer(feedback.app)
app.add_typer(documents.app)
app.add_typer(workspaces.app)
app.add_typer(webhooks.app)
app.add_typer(answer_models.models)
app.add_typer(answer_models.servers)
app.command("page", epilog=EXIT_CODES)(pages.page)
app.command("lanes", epilog=EXIT_CODES)(lanes.lanes)
app.command("reembed", epilog=EXIT_CODES)(lanes.reembed)
app.command("serve", epilog=EXIT_CODES)(serve.serve)
app.command("mcp", epilog=EXIT_CODES)(mcp.mcp)
app.command("eval", epilog=EXIT_CODES)(evaluate.evaluate)
app.command("worker", epilog=EXIT_CODES)(operations.worker)
app.command("doctor", epilog=EXIT_CODES)(operations.doctor)


def run() -> None:
    """Run the command line of this process and end it with an exit code."""
    print_whatever_the_terminal_lacks()
    arguments = sys.argv[1:]
    sys.exit(
        exit_code_of(lambda: app(arguments, prog_name="footnote", standalone_mode=False), arguments)
    )


if __name__ == "__main__":
    run()
