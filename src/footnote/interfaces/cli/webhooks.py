"""`footnote webhooks`: where events of documents are sent."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote.domain.events import TOLD_KINDS, NewWebhook
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import Delivery, WebhookList
from footnote.jobs.webhooks import try_webhook

app = typer.Typer(name="webhooks", help="Send events to addresses.", no_args_is_help=True)

WebhookId = Annotated[UUID, typer.Argument(metavar="WEBHOOK", help="The webhook's id.")]


@app.command("add", epilog=EXIT_CODES)
def add(
    *,
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where events are sent.")],
    events: Annotated[
        list[str] | None,
        typer.Option("--event", metavar="EVENT", help="Of this; may be repeated. All if none."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Send events to an address; prints the secret that signs them, this once."""
    kinds = tuple(events or TOLD_KINDS)
    endpoint, secret = in_workspace(
        context, workspace, lambda inside: inside.add_webhook(url, kinds)
    )
    if as_json:
        present.print_json(NewWebhook(endpoint=endpoint, secret=secret))
        return
    present.terminal().print(Text(f"{endpoint.endpoint_id}\nsecret: {secret}"), soft_wrap=True)
    present.notices().print(Text("The secret is not shown again.", style="dim"))


@app.command("list", epilog=EXIT_CODES)
def show(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List where events are sent, and whether they arrive."""
    found = in_workspace(context, workspace, lambda inside: inside.webhooks())
    if as_json:
        present.print_json(WebhookList(webhooks=found))
        return
    if not found:
        present.terminal().print("No webhooks.")
        return
    listing = present.table("id", "address", "events", "state", "last error")
    for each in found:
        state = "active" if each.disabled_at is None else "disabled"
        listing.add_row(
            str(each.endpoint_id),
            present.plain(each.url),
            ", ".join(kind.removeprefix("document.") for kind in each.kinds),
            Text(state, style="" if each.disabled_at is None else "bold red"),
            present.plain(each.last_error or ""),
        )
    listing.show(present.terminal())


@app.command("remove", epilog=EXIT_CODES)
def remove(*, context: typer.Context, webhook_id: WebhookId, workspace: Workspace = None) -> None:
    """Send no more events to an address."""
    in_workspace(context, workspace, lambda inside: inside.remove_webhook(webhook_id))


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
        said = "It took the message." if error is None else f"It did not: {error}."
        present.terminal().print(Text(present.plain(said)), soft_wrap=True)
    if error is not None:
        raise typer.Exit(1)
