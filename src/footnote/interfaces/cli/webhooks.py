"""`footnote webhooks`: who is told of what happens to documents."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote import open as opened
from footnote.domain.events import TOLD_KINDS, NewWebhook, WebhookEndpoint
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, chosen_workspace
from footnote.interfaces.schemas import Delivery, WebhookList
from footnote.jobs.webhooks import try_webhook
from footnote.settings import Settings

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
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> tuple[WebhookEndpoint, str]:
        async with opened(settings) as engine:
            return await (await engine.workspace(name)).add_webhook(
                url, tuple(events or TOLD_KINDS)
            )

    endpoint, secret = wait_for(work())
    if as_json:
        present.print_json(NewWebhook(endpoint=endpoint, secret=secret))
        return
    present.terminal().print(Text(f"{endpoint.endpoint_id}\nsecret: {secret}"), soft_wrap=True)
    present.notices().print(Text("The secret is not shown again.", style="dim"))


@app.command("list", epilog=EXIT_CODES)
def show(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List who is told, and how that fares."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> tuple[WebhookEndpoint, ...]:
        async with opened(settings) as engine:
            return await (await engine.workspace(name)).webhooks()

    found = wait_for(work())
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
    settings, name = prepared(), chosen_workspace(context, workspace)
    wait_for(_remove(settings, name, webhook_id))


async def _remove(settings: Settings, name: str | None, webhook_id: UUID) -> None:
    async with opened(settings) as engine:
        await (await engine.workspace(name)).remove_webhook(webhook_id)


@app.command("test", epilog=EXIT_CODES)
def send_trial(
    *,
    context: typer.Context,
    webhook_id: WebhookId,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Send a trial message now; an address that was disabled and takes it is told again."""
    settings, name = prepared(), chosen_workspace(context, workspace)

    async def work() -> str | None:
        async with opened(settings) as engine:
            return await try_webhook(await engine.workspace(name), webhook_id)

    error = wait_for(work())
    if as_json:
        present.print_json(Delivery(delivered=error is None, error=error))
    else:
        said = "It took the message." if error is None else f"It did not: {error}."
        present.terminal().print(Text(present.plain(said)), soft_wrap=True)
    if error is not None:
        raise typer.Exit(1)
