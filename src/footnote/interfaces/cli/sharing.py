"""`footnote share`: links to a collection or a conversation, made, shown and revoked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote.domain.sharing import NewShareLink
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.cli.options import of_kind
from footnote.interfaces.schemas import ShareLinkList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="share",
    help="Share a collection or a conversation by a link that expires.",
    no_args_is_help=True,
)

Hours = Annotated[
    float, typer.Option("--expires-in-hours", metavar="N", help="At most 8760, which is 365 days.")
]
WEEK = 168.0


@workspace_command(app, "collection")
async def share_collection(
    workspace: WorkspaceEngine,
    *,
    name: Annotated[
        str,
        typer.Argument(parser=of_kind("Name"), metavar="NAME", help="The collection's name."),
    ],
    expires_in_hours: Hours = WEEK,
) -> Shown:
    """Make a link to search, ask and read a collection, and print it, this once."""
    new_link = await workspace.share_collection(name, expires_in_hours=expires_in_hours)
    yield new_link
    _show(new_link)


@workspace_command(app, "conversation")
async def share_conversation(
    workspace: WorkspaceEngine,
    *,
    conversation_id: Annotated[
        UUID, typer.Argument(metavar="CONVERSATION", help="The conversation's id.")
    ],
    expires_in_hours: Hours = WEEK,
) -> Shown:
    """Make a link that shows a conversation, and print it, this once."""
    new_link = await workspace.share_conversation(
        conversation_id, expires_in_hours=expires_in_hours
    )
    yield new_link
    _show(new_link)


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List the links, without their tokens."""
    links = await workspace.share_links()
    yield ShareLinkList(share_links=links)
    if not links:
        present.terminal().print("No links.")
        return
    now = datetime.now(UTC)
    listing = present.table("id", "shows", "shared by", "state", "expires", "last opened")
    for link in links:
        shows = f"conversation {link.conversation_id}"
        if link.collection is not None:
            shows = f"collection {link.collection}"
        listing.add_row(
            link.link_id,
            present.plain(shows),
            present.plain(link.owner),
            "revoked" if link.revoked_at else "expired" if link.expires_at <= now else "",
            f"{link.expires_at:%Y-%m-%d %H:%M}",
            "never" if link.opened_at is None else f"{link.opened_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


@workspace_command(app, "revoke")
async def revoke(
    workspace: WorkspaceEngine,
    *,
    link: Annotated[
        str,
        typer.Argument(metavar="LINK", help="The link's id, which `footnote share list` shows."),
    ],
) -> None:
    """Make a link useless at once."""
    await workspace.revoke_share_link(link)
    present.show_done(f"Revoked the link {link}.")


def _show(new_link: NewShareLink) -> None:
    present.terminal().print(Text(new_link.url or new_link.token), soft_wrap=True)
    ends = f"{new_link.link.expires_at:%Y-%m-%d %H:%M} UTC"
    message = f"The link {new_link.link.link_id} is not shown again, and ends at {ends}."
    present.notices().print(Text(message, style="dim"), soft_wrap=True)
