"""The options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

EXIT_CODES = (
    "Exit codes: 0 done · 1 a document failed, or something unexpected · 2 wrong usage, an "
    "invalid request or a name that is taken · 3 not found · 4 database or model not ready · "
    "130 interrupted"
)

_WORKSPACE_HELP = "Workspace to work in; the default one if not given."

Workspace = Annotated[
    str | None, typer.Option("--workspace", "-w", metavar="NAME", help=_WORKSPACE_HELP)
]
RootWorkspace = Annotated[
    str | None,
    typer.Option(
        "--workspace", "-w", metavar="NAME", envvar="FOOTNOTE_WORKSPACE", help=_WORKSPACE_HELP
    ),
]
NoServer = Annotated[
    bool,
    typer.Option(
        "--no-server",
        envvar="FOOTNOTE_NO_SERVER",
        help="Work in this process even where `footnote serve` runs and could answer.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=200, help="The most of them.")
]
Cursor = Annotated[
    str | None, typer.Option("--cursor", metavar="CURSOR", help="Where a page before ended.")
]
TopK = Annotated[
    int | None,
    typer.Option(
        "--top-k",
        "-k",
        min=1,
        max=200,
        help="How much evidence; unless set, 8 to search and 16 to answer.",
    ),
]
DocumentName = Annotated[
    str,
    typer.Argument(metavar="DOCUMENT", help="Its id, the beginning of its id, or its file name."),
]


def of_kind(kind: str) -> Callable[[str], str]:
    """A parser of values of the type of this name in `footnote.validation.constrained_types`.

    It raises typer.BadParameter.
    """

    def value(text: str) -> str:
        # The list of commands is shown without these.
        from pydantic import TypeAdapter, ValidationError

        from footnote.validation import constrained_types
        from footnote.validation.messages import wrong_value

        adapter: TypeAdapter[str] = TypeAdapter(getattr(constrained_types, kind))
        try:
            return adapter.validate_python(text)
        except ValidationError as error:
            raise typer.BadParameter(wrong_value(error.errors(include_url=False)[0])) from None

    return value


Collections = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        parser=of_kind("Name"),
        metavar="NAME",
        help="Only in this one; may be repeated.",
    ),
]
Collection = Annotated[
    str | None,
    typer.Option(
        "--collection", "-c", parser=of_kind("Name"), metavar="NAME", help="The collection."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RootOptions:
    """The options before the command."""

    workspace: str | None
    ask_server: bool


def root_options(context: typer.Context) -> RootOptions:
    """The options before the command, or for all commands in the environment."""
    options = context.find_root().obj
    assert isinstance(options, RootOptions)
    return options


_WORKSPACE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
"""As the database has it; here so that nobody is told to create what cannot be."""


def workspace_name(context: typer.Context, requested: str | None) -> str | None:
    """The workspace named after the command, before it, or in FOOTNOTE_WORKSPACE.

    Raises InvalidRequest for a name that no workspace can have.
    """
    name = root_options(context).workspace if requested is None else requested
    if name is not None and not _WORKSPACE_NAME.fullmatch(name):
        from footnote.errors import InvalidRequest

        raise InvalidRequest(
            f"no workspace is called {name!r}",
            hint="names have 1 to 63 lower-case letters, digits, '-', '_' or '.', and begin with "
            "a letter or digit",
        )
    return name
