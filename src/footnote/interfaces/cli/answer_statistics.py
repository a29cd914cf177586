"""`footnote citations` and `footnote unanswered`: what answers cite, and what was not answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from footnote.domain.answer_statistics import DocumentCitations
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import in_workspace
from footnote.interfaces.cli.options import AsJson, Workspace, of_kind
from footnote.interfaces.cli.results import counted

Since = Annotated[
    datetime | None,
    typer.Option("--since", formats=["%Y-%m-%d"], metavar="DAY", help="The first day."),
]
Until = Annotated[
    datetime | None,
    typer.Option("--until", formats=["%Y-%m-%d"], metavar="DAY", help="The last day."),
]


def citations(
    *,
    context: typer.Context,
    since: Since = None,
    until: Until = None,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            parser=of_kind("Name"),
            metavar="COLLECTION",
            help="Of this one alone.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=500, help="The most of each list.")
    ] = 20,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show which documents answers cite most, and which they never do."""
    report = in_workspace(
        context,
        workspace,
        lambda workspace_engine: workspace_engine.citations(
            since=since and since.date(),
            until=until and until.date(),
            collection=collection,
            limit=limit,
        ),
    )
    if as_json:
        present.print_json(report)
        return
    console = present.terminal()
    _show_documents(report.most_cited, "Nothing was cited.")
    console.print(
        f"Never cited from {report.since} to {report.until}: "
        f"{report.never_cited_count:,} of {counted(report.documents, 'document')}"
    )
    _show_documents(report.never_cited, "")


def _show_documents(documents: Sequence[DocumentCitations], empty_text: str) -> None:
    if not documents:
        if empty_text:
            present.terminal().print(empty_text)
        return
    listing = present.table("citations", "answers", "document", "collection", "days there")
    now = datetime.now(UTC)
    for document in documents:
        listing.add_row(
            f"{document.citations:,}",
            f"{document.answers:,}",
            present.plain(document.filename),
            present.plain(document.collection),
            f"{(now - document.created_at).days:,}",
        )
    listing.show(present.terminal())


def unanswered(
    *,
    context: typer.Context,
    since: Since = None,
    until: Until = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=500, help="The most questions.")
    ] = 50,
    golden: Annotated[
        bool, typer.Option("--golden", help="As lines of a golden set, to be completed.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="As comma-separated values.")] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show what was asked in conversations and not answered."""
    if golden + as_csv + as_json > 1:
        raise InvalidRequest(
            "--golden, --csv and --json are three ways to write it", hint="give one of them"
        )
    first, last = since and since.date(), until and until.date()
    if golden or as_csv:
        text = in_workspace(
            context,
            workspace,
            lambda workspace_engine: workspace_engine.export_unanswered(
                "golden" if golden else "csv", since=first, until=last
            ),
        )
        typer.echo(text, nl=False)
        return
    report = in_workspace(
        context,
        workspace,
        lambda workspace_engine: workspace_engine.unanswered_questions(
            since=first, until=last, limit=limit
        ),
    )
    if as_json:
        present.print_json(report)
        return
    if not report.questions:
        present.terminal().print(
            f"No question of a conversation from {report.since} to {report.until} is left "
            "unanswered. Questions outside of conversations, as of `footnote ask`, are not kept.",
            soft_wrap=True,
        )
        return
    listing = present.table("asked", "people", "last", "question", "nearest")
    for question in report.questions:
        listing.add_row(
            f"{question.asked:,}",
            f"{question.people:,}",
            f"{question.last_asked_at:%Y-%m-%d}",
            present.plain(question.question),
            present.plain(", ".join(miss.filename for miss in question.nearest)),
        )
    listing.show(present.terminal())
    if not report.complete:
        present.notices().print(f"Only the latest {report.asked:,} were looked at.")
