"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

EXIT_CODES = (
    "Exit codes: 0 done · 1 a document failed, or something unexpected · 2 wrong usage or an "
    "invalid request · 3 not found · 4 database or model not ready · 130 interrupted"
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
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
TopK = Annotated[
    int | None,
    typer.Option("--top-k", "-k", min=1, max=200, help="How much evidence; 8 unless set."),
]
Collections = Annotated[
    list[str] | None,
    typer.Option("--collection", "-c", metavar="NAME", help="Only in this one; may be repeated."),
]
Collection = Annotated[
    str | None, typer.Option("--collection", "-c", metavar="NAME", help="The collection.")
]


def chosen_workspace(context: typer.Context, named: str | None) -> str | None:
    """The workspace named after the command, before it, or in FOOTNOTE_WORKSPACE."""
    if named is not None:
        return named
    root = context.find_root().obj
    assert root is None or isinstance(root, str)
    return root
