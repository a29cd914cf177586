"""The `footnote` command: its commands, each loaded when it is called, and its one entry point."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
import typer.main
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from footnote import __version__
from footnote.interfaces.cli.options import EXIT_CODES, NoServer, RootOptions, RootWorkspace

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo.demo", "Ingest the example documents and ask them questions."),
    "ingest": (
        "ingest.ingest",
        "Take files in and index what is new or changed.",
    ),
    "search": ("searching.search", "Find the passages that answer a query."),
    "ask": ("searching.ask", "Answer a question, each statement with its footnote."),
    "agent": (
        "searching.agent",
        "Have a model look things up by itself, with tools.",
    ),
    "chat": ("chat.chat", "Ask one question a line, until the input ends or says exit."),
    "page": ("pages.page", "Draw a page of a document, with quotes marked on it."),
    "lanes": (
        "lanes.lanes",
        "Show which models a workspace is embedded with.",
    ),
    "reembed": (
        "lanes.reembed",
        "Embed a workspace with another model.",
    ),
    "serve": ("serve.serve", "Serve the HTTP API."),
    "mcp": ("operations.mcp", "Serve a workspace's documents over MCP."),
    "eval": (
        "evaluate.evaluate",
        "Measure search and answers on a golden set.",
    ),
    "eval-runs": (
        "evaluation_runs.app",
        "See evaluation runs that were kept, and have workers make more.",
    ),
    "source": ("sources.app", "Have workers follow folders and addresses."),
    "entities": ("entities.app", "See, merge, split and rename what documents name."),
    "graph": ("graph.show_graph", "Show how entities and documents are related."),
    "facts": ("facts.app", "See, recall, confirm and compare facts extracted from documents."),
    "clusters": (
        "clusters.app",
        "See which documents are alike, and what tells them from the others.",
    ),
    "summaries": ("summaries.app", "See what documents say as a whole, in their own sentences."),
    "backfill": (
        "backfill.app",
        "See what documents of before lack, have it made, pause and resume it.",
    ),
    "worker": ("operations.worker", "Index whatever is queued, until it is stopped."),
    "doctor": ("operations.doctor", "Say what is there, what is missing, and how to get it."),
    "grounding": (
        "grounding.app",
        "Check statements against sources.",
    ),
    "conversations": ("conversations.app", "See, rename, export and delete conversations."),
    "feedback": ("conversations.feedback", "Judge answers."),
    "documents": ("documents.app", "See and delete documents."),
    "access": ("access.app", "Grant roles, and see and change who sees a document."),
    "collections": ("collections.app", "See what collections hold, and remove empty ones."),
    "workspace": ("encryption.workspaces", "Create, list and destroy workspaces."),
    "encryption": ("encryption.app", "See and renew the keys of stored content."),
    "webhooks": ("webhooks.app", "Send events to addresses."),
    "admin": ("admin.app", "Make administrators, and export what is kept about people."),
    "keys": ("keys.app", "Make and revoke API keys of a workspace."),
    "share": ("sharing.app", "Share a collection or a conversation by a link that expires."),
    "login": ("login.login", "Keep a key or a token for the commands of this user."),
    "logout": ("login.logout", "Forget what login kept."),
    "config": ("configuration.app", "See and change the settings of a workspace."),
    "retention": ("retention.app", "Delete documents and conversations after so many days."),
    "hold": ("legal_holds.app", "Keep documents and conversations from being deleted."),
    "erasure": (
        "erasures.app",
        "See and verify what was deleted for good, and repeat it after a restore.",
    ),
    "citations": (
        "answer_statistics.citations",
        "Show which documents answers cite, and which they never do.",
    ),
    "unanswered": (
        "answer_statistics.unanswered",
        "Show what was asked and not answered.",
    ),
    "usage": ("usage.usage", "Show what was used, and what it cost."),
    "budget": ("usage.budget", "Limit what a workspace may use."),
    "audit": ("audit.app", "See who did what, and verify the log of it."),
    "upgrade": ("upgrading.upgrade", "Bring the database up to date by itself."),
    "cluster": ("cluster.app", "Distribute the tables over a Citus cluster."),
    "backup": ("backups.app", "Keep the installation elsewhere, and restore it."),
    "trace": ("traces.trace", "Show what one request or document went through, step by step."),
    "models": ("answer_models.models", "Choose which models answer in the workspace."),
    "mcp-servers": (
        "answer_models.servers",
        "Manage the MCP servers whose tools agents may use.",
    ),
}
"""Each command: its module and name there, and its line in the list of commands."""

_KINDS = {int: "N", float: "N", str: "TEXT"}
"""What the help shows for an option without a name for its value."""

Parameter = TyperArgument | TyperOption


class LazyGroup(TyperGroup):
    """Loads a command's module when the command is called, so that `--help` answers at once."""

    def resolve_command(  # type: ignore[override]  # the context it is called with
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        """The command that is called, loaded."""
        name, _, arguments = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), arguments


@cache
def load_command(name: str) -> TyperCommand | TyperGroup:
    """The command of that name in COMMANDS."""
    module, attribute = COMMANDS[name][0].split(".")
    collects = gc.isenabled()
    gc.disable()  # What is imported stays. To look for garbage in it takes a seventh of the time.
    try:
        loaded = getattr(import_module(f"footnote.interfaces.cli.{module}"), attribute)
    finally:
        if collects:
            gc.enable()
    wrapper = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(loaded, typer.Typer):
        wrapper.add_typer(loaded)
        command = typer.main.get_group(wrapper).commands[name]
    else:
        wrapper.command(name, epilog=EXIT_CODES)(loaded)
        command = typer.main.get_command(wrapper)
    assert isinstance(command, TyperCommand | TyperGroup)
    _show_plain_kinds(command)
    return command


def _show_plain_kinds(command: object) -> None:
    """Have the help show `N` and `TEXT` in place of `<int range>` and `<str>`."""
    if isinstance(command, TyperCommand | TyperGroup):
        for parameter in command.params:
            if isinstance(parameter, Parameter):
                plain = partial(_kind_of, parameter)
                parameter.display_type = plain  # type: ignore[method-assign]  # no other way in
    if isinstance(command, TyperGroup):
        for subcommand in command.commands.values():
            _show_plain_kinds(subcommand)


def _kind_of(parameter: Parameter, ctx: typer.Context) -> str:  # noqa: ARG001  # as typer calls it
    described = parameter.type_descriptor
    if described.is_choice and described.choices:
        return " | ".join(str(getattr(choice, "value", choice)) for choice in described.choices)
    if isinstance(parameter, TyperArgument) or parameter.is_flag:
        return ""  # its name says it
    return _KINDS.get(described.annotation, "TEXT")


app = typer.Typer(
    name="footnote",
    cls=LazyGroup,
    help="Files go in, cited answers come out.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing its renderer takes longer than all the rest of `--help`
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:  # the shape typer calls
    if requested:
        typer.echo(f"footnote {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    workspace: RootWorkspace = None,
    no_server: NoServer = False,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say which it is."),
    ] = False,
) -> None:
    """Files go in, cited answers come out."""
    context.obj = RootOptions(workspace=workspace, ask_server=not no_server)


def _listed() -> None:
    """A placeholder for a command that is not loaded yet."""


for _name, (_, _help) in COMMANDS.items():
    app.command(_name, help=_help, epilog=EXIT_CODES)(_listed)


def exit_code_of(command: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run a command and turn however it ends into an exit code and, if need be, a sentence."""
    try:
        code = command()
        sys.stdout.flush()
    except BaseException as error:
        from footnote.interfaces.cli.command_runner import (
            about_arguments,
            exit_code_for,
            wants_json,
        )

        reported = about_arguments(error, arguments)
        return exit_code_for(reported, as_json=wants_json(arguments))
    return code if isinstance(code, int) else 0


_CLOSED = """Error: Footnote cannot write: standard output is closed.
Hint: Redirect it to a file, or to /dev/null.
"""


def run() -> None:
    """Run the command line of this process and end it with an exit code."""
    if sys.stdout is None:  # it was closed before the process began
        from footnote.interfaces.failures import UNWRITABLE

        if sys.stderr is not None:
            sys.stderr.write(_CLOSED)
        sys.exit(UNWRITABLE.exit_code)
    if sys.stdin is None:  # It was closed, too: nobody answers there, as in /dev/null.
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Escapes for characters that the encoding of this process's output has not.
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:]
    sys.exit(
        exit_code_of(lambda: app(arguments, prog_name="footnote", standalone_mode=False), arguments)
    )


if __name__ == "__main__":
    run()
