"""`footnote access`: roles, who sees a document, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain import AccessExplanation, DocumentAccess, Role, Visibility
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import GrantList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="access", help="Grant roles, and see and change who sees a document.", no_args_is_help=True
)

Who = Annotated[
    str, typer.Argument(metavar="NAME", help="A principal, or group: and a group's name.")
]
Where = Annotated[
    str | None,
    typer.Option(
        "--collection", metavar="COLLECTION", help="There alone; the workspace without it."
    ),
]
WhichDocument = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="An id, its beginning, or a file name.")
]


@app.command("grant", epilog=EXIT_CODES)
def grant(
    *,
    context: typer.Context,
    subject: Who,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help="reader, writer or admin.")],
    collection: Where = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Grant a role, in the place of one granted there before."""
    made = in_workspace(
        context,
        workspace,
        lambda inside: inside.grant_role(subject, role, collection=collection),
    )
    if as_json:
        present.print_json(made)
    else:
        where = "the workspace" if collection is None else f"the collection {collection}"
        said = f"{present.plain(subject)} is {role} in {present.plain(where)}."
        present.terminal().print(Text(said), soft_wrap=True)


@app.command("revoke", epilog=EXIT_CODES)
def revoke(
    *,
    context: typer.Context,
    subject: Who,
    collection: Where = None,
    workspace: Workspace = None,
) -> None:
    """Revoke a role."""
    in_workspace(
        context, workspace, lambda inside: inside.revoke_role(subject, collection=collection)
    )


@app.command("list", epilog=EXIT_CODES)
def show_grants(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the roles that were granted."""
    found = in_workspace(context, workspace, lambda inside: inside.grants())
    if as_json:
        present.print_json(GrantList(grants=found))
        return
    if not found:
        present.terminal().print("No roles were granted.")
        return
    listing = present.table("name", "role", "collection", "granted by", "on")
    for each in found:
        listing.add_row(
            present.plain(each.subject),
            each.role,
            present.plain(each.collection or ""),
            present.plain(each.granted_by),
            f"{each.granted_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


@app.command("show", epilog=EXIT_CODES)
def show(
    *,
    context: typer.Context,
    document: WhichDocument,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show who sees a document."""

    async def read(inside: WorkspaceEngine) -> DocumentAccess:
        return await inside.document_access(await inside.document_called(document))

    _print_access(in_workspace(context, workspace, read), as_json=as_json)


@app.command("set", epilog=EXIT_CODES)
def change(
    *,
    context: typer.Context,
    document: WhichDocument,
    visibility: Annotated[
        Visibility, typer.Argument(metavar="VISIBILITY", help="workspace, collection or private.")
    ],
    share_with: Annotated[
        list[str] | None,
        typer.Option("--share-with", metavar="NAME", help="Who sees it too; may be repeated."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Change who sees a document and its attachments, from the next search on."""

    async def write(inside: WorkspaceEngine) -> DocumentAccess:
        document_id = await inside.document_called(document)
        return await inside.set_document_access(
            document_id, visibility, shared_with=share_with or ()
        )

    _print_access(in_workspace(context, workspace, write), as_json=as_json)


@app.command("explain", epilog=EXIT_CODES)
def explain(
    *,
    context: typer.Context,
    document: WhichDocument,
    principal: Annotated[str, typer.Argument(metavar="PRINCIPAL", help="Who it is about.")],
    groups: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="GROUP", help="A group of theirs; may be repeated."),
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option(metavar="ROLE", help="What their credential says of the workspace."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Say why somebody sees a document, or does not."""

    async def read(inside: WorkspaceEngine) -> AccessExplanation:
        document_id = await inside.document_called(document)
        return await inside.explain_access(document_id, principal, groups=groups or (), role=role)

    found = in_workspace(context, workspace, read)
    if as_json:
        present.print_json(found)
        return
    sees = "sees" if found.visible else "does not see"
    lines = [f"{present.plain(principal)} {sees} {found.document_id}:"]
    lines += [f"  {present.plain(reason)}" for reason in found.reasons]
    present.terminal().print(Text("\n".join(lines)), soft_wrap=True)


def _print_access(found: DocumentAccess, *, as_json: bool) -> None:
    if as_json:
        present.print_json(found)
        return
    seen_by = {
        Visibility.WORKSPACE: "every role in the workspace, or in its collection",
        Visibility.COLLECTION: f"roles in the collection {found.collection}, administrators and "
        f"{found.owner}",
        Visibility.PRIVATE: found.owner,
    }[found.visibility]
    lines = [f"{found.document_id}: {found.visibility}", f"  seen by {present.plain(seen_by)}"]
    if found.shared_with:
        lines.append(f"  shared with {present.plain(', '.join(found.shared_with))}")
    present.terminal().print(Text("\n".join(lines)), soft_wrap=True)
