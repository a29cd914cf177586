"""`footnote upgrade`: the database brought up to date before servers and workers start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from footnote import __version__
from footnote.domain.upgrading import StepKind, Upgrade
from footnote.engine.upgrading import upgrade as upgrade_database
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import prepared, wait_for
from footnote.interfaces.cli.options import AsJson
from footnote.interfaces.cli.results import counted

_PENDING = 1


def upgrade(
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; the exit code is 1 if there is a step left."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Apply the steps of migration that the database lacks, or say what they would do.

    Servers and workers apply them when they start; this does it by itself, as the owner of the
    tables.
    """
    notices = present.notices()
    result = wait_for(
        upgrade_database(
            prepared(), check=check, tell=lambda line: notices.print(present.plain(line))
        )
    )
    if as_json:
        present.print_json(result)
    else:
        for line in _lines(result):
            present.terminal().print(present.plain(line))
    if not result.applied:
        raise typer.Exit(_PENDING)


def _lines(result: Upgrade) -> Iterator[str]:
    if not result.steps:
        yield f"The database is up to date with Footnote {__version__}."
    elif result.applied:
        yield f"Applied: {', '.join(result.steps)}."
    else:
        yield "Not applied yet:"
        for step in result.pending:
            kind = (
                "only adds"
                if step.kind is StepKind.EXPAND
                else f"leaves out what lacks {step.needs}"
            )
            yield f"  {step.name}: {kind}"
            for lock in step.locks:
                yield (
                    f"    {lock.table} (about {lock.rows:,} rows, {lock.bytes / 1e6:,.1f} MB): "
                    f"{lock.mode.value}"
                )
    if result.oldest_program is not None:
        condition = "" if result.applied else ", once that is applied"
        yield f"Programs that know {result.oldest_program} may use the database{condition}."
    if result.older_programs:
        yield (
            f"{counted(result.older_programs, 'connection')} of older programs: end those servers "
            "and workers first."
        )
    for outdated in result.older_formats:
        detail = " (footnote backfill show)"
        if outdated.what == "documents":
            detail = ", whose rows do not say yet who may see them"
        yield (
            f"Workers write anew in the background: {outdated.amount:,} {outdated.what} of "
            f"{counted(outdated.workspaces, 'workspace')}{detail}."
        )
