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
from footnote.interfaces.cli.command_runner import in_workspace
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
    claims = list(statements or ())
    if lines is not None:
        claims += [line for line in _read(lines).splitlines() if line.strip()]
    text = None if answer is None else _read(answer)
    sources = [
        GroundingSource(id=path, title=Path(path).name, text=_read(path)) for path in source or ()
    ]
    sources += [GroundingSource(id=key, chunk_id=key) for key in chunk or ()]

    async def work(workspace: WorkspaceEngine) -> GroundingCheck:
        documents = [
            GroundingSource(id=name, document_id=await workspace.document_called(name))
            for name in document or ()
        ]
        return await workspace.check_grounding(
            [*sources, *documents], statements=claims, answer=text
        )

    grounding = in_workspace(context, workspace, work)
    present.show_degraded(grounding.degraded)
    if as_json:
        present.print_json(grounding)
    else:
        _show(present.terminal(), grounding)


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


def _show(console: Console, grounding: GroundingCheck) -> None:
    for claim in grounding.claims:
        verdict = claim.verdict.value.replace("_", " ")
        missing = ", ".join(
            f"{guard.kind.value} {present.plain(guard.text)}".strip() for guard in claim.guards
        )
        reason = f" ({missing})" if missing else ""
        text = present.excerpt(claim.text, 300)
        console.print(
            Text(f"{claim.number}. {verdict} {claim.probability:.2f}{reason}: {text}"),
            soft_wrap=True,
        )
        for quote in claim.quotes[:2]:
            title = quote.document_title or quote.source_id
            location = present.location_line(
                title, quote.heading_path, quote.page, quote.paragraph, quote.start_seconds
            )
            quotation = present.excerpt(quote.quote, 240)
            console.print(
                Text(f"   {quote.relation.value}: “{quotation}” {present.plain(title)} {location}"),
                soft_wrap=True,
            )
    console.print(f"judged by {present.plain(grounding.judge)}", style="dim", soft_wrap=True)
