"""`footnote webhooks`: where events of documents are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote.domain.events import WEBHOOK_KINDS, NewWebhook
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import Delivery, WebhookList
from footnote.jobs.webhooks import try_webhook

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(name="webhooks", help="Send events to addresses.", no_args_is_help=True)

WebhookId = Annotated[UUID, typer.Argument(metavar="WEBHOOK", help="The webhook's id.")]


@workspace_command(app, "add")
async def add(
    workspace: WorkspaceEngine,
    *,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where events are sent.")],
    events: Annotated[
        list[str] | None,
        typer.Option("--event", metavar="EVENT", help="Of this; may be repeated. All if none."),
    ] = None,
) -> Shown:
    """Send events to an address; prints the secret that signs them, this once."""
    endpoint, secret = await workspace.add_webhook(url, tuple(events or WEBHOOK_KINDS))
    yield NewWebhook(endpoint=endpoint, secret=secret)
    present.terminal().print(Text(f"{endpoint.endpoint_id}\nsecret: {secret}"), soft_wrap=True)
    present.notices().print(Text("The secret is not shown again.", style="dim"))


@workspace_command(app, "list")
async def show(workspace: WorkspaceEngine) -> Shown:
    """List where events are sent, and whether they arrive."""
    endpoints = await workspace.webhooks()
    yield WebhookList(webhooks=endpoints)
    if not endpoints:
        present.terminal().print("No webhooks.")
        return
    listing = present.table("id", "address", "events", "state", "last error")
    for endpoint in endpoints:
        state = "active" if endpoint.disabled_at is None else "disabled"
        listing.add_row(
            str(endpoint.endpoint_id),
            present.plain(endpoint.url),
            ", ".join(kind.removeprefix("document.") for kind in endpoint.kinds),
            Text(state, style="" if endpoint.disabled_at is None else "bold red"),
            present.plain(endpoint.last_error or ""),
        )
    listing.show(present.terminal())


@workspace_command(app, "remove")
async def remove(workspace: WorkspaceEngine, *, webhook_id: WebhookId) -> None:
    """Send no more events to an address."""
    await workspace.remove_webhook(webhook_id)
    present.show_done(f"Removed the webhook {webhook_id}.")


@app.command("test", epilog=EXIT_CODES)
def send_trial(
    *,
    context: typer.Context,
    webhook_id: WebhookId,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Send a trial message now; one that succeeds enables a disabled address again."""
    error = in_workspace(context, workspace, lambda inside: try_webhook(inside, webhook_id))
    if as_json:
        present.print_json(Delivery(delivered=error is None, error=error))
    else:
        message = "It took the message." if error is None else f"It did not: {error}."
        present.terminal().print(Text(present.plain(message)), soft_wrap=True)
    if error is not None:
        raise typer.Exit(1)
