"""`footnote grounding check`: hold statements against files, documents and passages."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.engine import WorkspaceEngine
from footnote.engine.grounding import MAX_SOURCE_CHARACTERS
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace

app = typer.Typer(name="grounding", help="Check statements against sources.", no_args_is_help=True)

_STDIN = "-"
_MAX_BYTES = 4 * MAX_SOURCE_CHARACTERS
"""No text that is allowed has more in UTF-8; what is longer is not read whole."""


@app.command("check", epilog=EXIT_CODES)
def check(
    *,
    context: typer.Context,
    statements: Annotated[
        list[str] | None, typer.Argument(metavar="[STATEMENT]...", help="What is to be checked.")
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A text to split into its statements; - reads stdin."),
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Statements, one a line; - reads stdin."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A text file to check against; may be repeated."),
    ] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DOCUMENT",
            help="A document of the workspace, by id, beginning of an id or file name; may be "
            "repeated.",
        ),
    ] = None,
    chunk: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="One passage of a document; may be repeated."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Say of each statement whether the sources support it, contradict it, or neither."""
    if [answer, lines, *(source or ())].count(_STDIN) > 1:
        raise InvalidRequest("stdin can be read once", hint="name files for the others")
    stated = list(statements or ())
    if lines is not None:
        stated += [each for each in _read(lines).splitlines() if each.strip()]
    whole = None if answer is None else _read(answer)
    given = [
        GroundingSource(id=each, title=Path(each).name, text=_read(each)) for each in source or ()
    ]
    given += [GroundingSource(id=each, chunk_id=each) for each in chunk or ()]

    async def work(inside: WorkspaceEngine) -> GroundingCheck:
        named = [
            GroundingSource(id=each, document_id=await inside.document_called(each))
            for each in document or ()
        ]
        return await inside.check_grounding([*given, *named], statements=stated, answer=whole)

    found = in_workspace(context, workspace, work)
    present.show_degraded(found.degraded)
    if as_json:
        present.print_json(found)
    else:
        _show(present.terminal(), found)


def _read(name: str) -> str:
    """The text of a file, or of stdin. Raises InvalidRequest."""
    try:
        with nullcontext(sys.stdin.buffer) if name == _STDIN else Path(name).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(
            f"{name} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    if len(content) > _MAX_BYTES:
        raise InvalidRequest(
            f"{name} is longer than the {MAX_SOURCE_CHARACTERS:,} characters that are allowed",
            hint="ingest it, and name it with --document",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"{name} is no text in UTF-8",
            hint="ingest it, and name it with --document",
        ) from error


def _show(console: Console, found: GroundingCheck) -> None:
    for claim in found.claims:
        verdict = claim.verdict.value.replace("_", " ")
        missing = ", ".join(
            f"{each.kind.value} {present.plain(each.text)}".strip() for each in claim.guards
        )
        why = f" ({missing})" if missing else ""
        said = present.excerpt(claim.text, 300)
        console.print(
            Text(f"{claim.number}. {verdict} {claim.probability:.2f}{why}: {said}"), soft_wrap=True
        )
        for quote in claim.quotes[:2]:
            title = quote.document_title or quote.source_id
            where = present.place(
                title, quote.heading_path, quote.page, quote.paragraph, quote.start_seconds
            )
            words = present.excerpt(quote.quote, 240)
            console.print(
                Text(f"   {quote.relation.value}: “{words}” {present.plain(title)} {where}"),
                soft_wrap=True,
            )
    console.print(f"judged by {present.plain(found.judge)}", style="dim", soft_wrap=True)
