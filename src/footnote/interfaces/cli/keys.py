"""`footnote keys`: credentials of programs and people, made, shown, replaced and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.credentials import NewApiKey
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import Collections, of_kind
from footnote.interfaces.schemas import KeyList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="keys", help="Make and revoke API keys of a workspace.", no_args_is_help=True
)

KeyId = Annotated[
    str, typer.Argument(metavar="KEY", help="The key's id, which `footnote keys list` shows.")
]


@workspace_command(app, "create")
async def create(
    workspace: WorkspaceEngine,
    *,
    name: Annotated[
        str,
        typer.Argument(parser=of_kind("KeyName"), metavar="NAME", help="What the key is for."),
    ],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="RIGHT",
            help="read, write or administer; may be repeated. Read alone if none.",
        ),
    ] = None,
    principal: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Whom it acts as; service:NAME unless given."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="NAME", help="A group it acts with; may be repeated."),
    ] = None,
    collection: Collections = None,
    expires_in_days: Annotated[
        float | None,
        typer.Option("--expires-in-days", metavar="N", help="It never expires unless given."),
    ] = None,
) -> Shown:
    """Make a key and print it, this once."""
    new_key = await workspace.create_key(
        name,
        rights=tuple(scope or ("read",)),
        principal=principal,
        groups=tuple(group or ()),
        collections=tuple(collection or ()),
        expires_in_days=expires_in_days,
    )
    yield new_key
    _show(new_key)


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List the keys, without their secrets."""
    keys = await workspace.keys()
    yield KeyList(keys=keys)
    if not keys:
        present.terminal().print("No keys.")
        return
    listing = present.table("id", "name", "acts as", "may", "in", "state", "expires", "last used")
    for key in keys:
        listing.add_row(
            key.key_id,
            present.plain(key.name),
            present.plain(key.principal),
            ", ".join(key.rights),
            present.plain(", ".join(key.collections) or "the workspace"),
            "revoked" if key.revoked_at else "replaced" if key.replaced_by else "",
            "never" if key.expires_at is None else f"{key.expires_at:%Y-%m-%d %H:%M}",
            "never" if key.last_used_at is None else f"{key.last_used_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


@workspace_command(app, "rotate")
async def rotate(
    workspace: WorkspaceEngine,
    *,
    key: KeyId,
    overlap_hours: Annotated[
        float,
        typer.Option("--overlap-hours", metavar="N", min=0, help="How long both are valid."),
    ] = 24.0,
) -> Shown:
    """Make a key that takes the place of another, and print it, this once."""
    new_key = await workspace.rotate_key(key, overlap_hours=overlap_hours)
    yield new_key
    _show(new_key)


@workspace_command(app, "revoke")
async def revoke(workspace: WorkspaceEngine, *, key: KeyId) -> None:
    """Make a key useless at once."""
    await workspace.revoke_key(key)
    present.show_done(f"Revoked the key {key}.")


def _show(new_key: NewApiKey) -> None:
    present.terminal().print(Text(new_key.secret), soft_wrap=True)
    present.notices().print(
        Text(f"The key {new_key.key.key_id} is not shown again.", style="dim"), soft_wrap=True
    )
