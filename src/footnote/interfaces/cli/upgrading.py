"""`footnote upgrade`: the database brought up to date before servers and workers start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from footnote import __version__
from footnote.domain.upgrading import StepKind, Upgrade
from footnote.engine.upgrading import upgrade as upgrade_database
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
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
    done = wait_for(
        upgrade_database(
            prepared(), check=check, tell=lambda line: notices.print(present.plain(line))
        )
    )
    if as_json:
        present.print_json(done)
    else:
        for line in _lines(done):
            present.terminal().print(present.plain(line))
    if not done.applied:
        raise typer.Exit(_PENDING)


def _lines(done: Upgrade) -> Iterator[str]:
    if not done.steps:
        yield f"The database is up to date with Footnote {__version__}."
    elif done.applied:
        yield f"Applied: {', '.join(done.steps)}."
    else:
        yield "Not applied yet:"
        for step in done.pending:
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
    if done.oldest_program is not None:
        then = "" if done.applied else ", once that is applied"
        yield f"Programs that know {done.oldest_program} may use the database{then}."
    if done.older_programs:
        yield (
            f"{counted(done.older_programs, 'connection')} of older programs: end those servers "
            "and workers first."
        )
    for each in done.older_formats:
        more = " (footnote backfill show)"
        if each.what == "documents":
            more = ", whose rows do not say yet who may see them"
        yield (
            f"Workers write anew in the background: {each.amount:,} {each.what} of "
            f"{counted(each.workspaces, 'workspace')}{more}."
        )
