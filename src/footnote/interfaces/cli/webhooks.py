"""`footnote webhooks`: who is told of what happens to documents."""

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

app = typer.Typer(
    name="webhooks", help="Have addresses told of what happens.", no_args_is_help=True
)

WebhookId = Annotated[UUID, typer.Argument(metavar="WEBHOOK", help="The webhook's id.")]


@app.command("add", epilog=EXIT_CODES)
def add(
    *,
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="What is told.")],
    events: Annotated[
        list[str] | None,
        typer.Option("--event", metavar="EVENT", help="Of this; may be repeated. All if none."),
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Have an address told of events; prints the secret that signs them, this once."""
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
    """List who is told, and how that fares."""
    found = in_workspace(context, workspace, lambda inside: inside.webhooks())
    if as_json:
        present.print_json(WebhookList(webhooks=found))
        return
    if not found:
        present.terminal().print("No webhooks.")
        return
    listing = present.table("id", "address", "events", "state", "last error")
    for each in found:
        state = "told" if each.disabled_at is None else "disabled"
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
    """Tell an address nothing any more."""
    in_workspace(context, workspace, lambda inside: inside.remove_webhook(webhook_id))


@app.command("test", epilog=EXIT_CODES)
def send_trial(
    *,
    context: typer.Context,
    webhook_id: WebhookId,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Send a trial message now; an address that was disabled and takes it is told again."""
    error = in_workspace(context, workspace, lambda inside: try_webhook(inside, webhook_id))
    if as_json:
        present.print_json(Delivery(delivered=error is None, error=error))
    else:
        said = "It took the message." if error is None else f"It did not: {error}."
        present.terminal().print(Text(present.plain(said)), soft_wrap=True)
    if error is not None:
        raise typer.Exit(1)
