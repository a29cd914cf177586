"""`footnote access`: roles, who sees a document, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain import DocumentAccess, Role, Visibility
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import of_kind
from footnote.interfaces.schemas import GrantList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="access", help="Grant roles, and see and change who sees a document.", no_args_is_help=True
)

SubjectName = Annotated[
    str, typer.Argument(metavar="NAME", help="A principal, or group: and a group's name.")
]
CollectionOption = Annotated[
    str | None,
    typer.Option(
        "--collection",
        parser=of_kind("Name"),
        metavar="COLLECTION",
        help="There alone; the workspace without it.",
    ),
]
DocumentArgument = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="An id, its beginning, or a file name.")
]


@workspace_command(app, "grant")
async def grant(
    workspace: WorkspaceEngine,
    *,
    subject: SubjectName,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help="reader, writer or admin.")],
    collection: CollectionOption = None,
) -> Shown:
    """Grant a role, in the place of one granted there before."""
    granted = await workspace.grant_role(subject, role, collection=collection)
    yield granted
    present.show_done(f"{subject} is {role} in {_scope(collection)}.")


@workspace_command(app, "revoke")
async def revoke(
    workspace: WorkspaceEngine, *, subject: SubjectName, collection: CollectionOption = None
) -> None:
    """Revoke a role."""
    await workspace.revoke_role(subject, collection=collection)
    present.show_done(f"{subject} has no role in {_scope(collection)} any more.")


@workspace_command(app, "list")
async def show_grants(workspace: WorkspaceEngine) -> Shown:
    """List the roles that were granted."""
    grants = await workspace.grants()
    yield GrantList(grants=grants)
    if not grants:
        present.terminal().print("No roles were granted.")
        return
    listing = present.table("name", "role", "collection", "granted by", "on")
    for entry in grants:
        listing.add_row(
            present.plain(entry.subject),
            entry.role,
            present.plain(entry.collection or ""),
            present.plain(entry.granted_by),
            f"{entry.granted_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


@workspace_command(app, "show")
async def show(workspace: WorkspaceEngine, *, document: DocumentArgument) -> Shown:
    """Show who sees a document."""
    access = await workspace.document_access(await workspace.document_called(document))
    yield access
    _print_access(access)


@workspace_command(app, "set")
async def change(
    workspace: WorkspaceEngine,
    *,
    document: DocumentArgument,
    visibility: Annotated[
        Visibility, typer.Argument(metavar="VISIBILITY", help="workspace, collection or private.")
    ],
    share_with: Annotated[
        list[str] | None,
        typer.Option("--share-with", metavar="NAME", help="Who sees it too; may be repeated."),
    ] = None,
) -> Shown:
    """Change who sees a document and its attachments, from the next search on."""
    document_id = await workspace.document_called(document)
    access = await workspace.set_document_access(
        document_id, visibility, shared_with=share_with or ()
    )
    yield access
    _print_access(access)


@workspace_command(app, "explain")
async def explain(
    workspace: WorkspaceEngine,
    *,
    document: DocumentArgument,
    principal: Annotated[str, typer.Argument(metavar="PRINCIPAL", help="Who it is about.")],
    groups: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="GROUP", help="A group of theirs; may be repeated."),
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option(metavar="ROLE", help="What their credential says of the workspace."),
    ] = None,
) -> Shown:
    """Say why somebody sees a document, or does not."""
    document_id = await workspace.document_called(document)
    explanation = await workspace.explain_access(
        document_id, principal, groups=groups or (), role=role
    )
    yield explanation
    sees = "sees" if explanation.visible else "does not see"
    lines = [f"{present.plain(principal)} {sees} {explanation.document_id}:"]
    lines += [f"  {present.plain(reason)}" for reason in explanation.reasons]
    present.terminal().print(Text("\n".join(lines)), soft_wrap=True)


def _scope(collection: str | None) -> str:
    return "the workspace" if collection is None else f"the collection {collection}"


def _print_access(access: DocumentAccess) -> None:
    audience = {
        Visibility.WORKSPACE: "every role in the workspace, or in its collection",
        Visibility.COLLECTION: f"roles in the collection {access.collection}, administrators and "
        f"{access.owner}",
        Visibility.PRIVATE: access.owner,
    }[access.visibility]
    lines = [f"{access.document_id}: {access.visibility}", f"  seen by {present.plain(audience)}"]
    if access.shared_with:
        lines.append(f"  shared with {present.plain(', '.join(access.shared_with))}")
    present.terminal().print(Text("\n".join(lines)), soft_wrap=True)
