"""`footnote models` and `footnote mcp-servers`: what answers, and with whose tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.models_in_use import ModelsInUse
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.schemas import McpServerList, Models

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

models = typer.Typer(
    name="models", help="Which models answer in the workspace.", no_args_is_help=True
)
servers = typer.Typer(
    name="mcp-servers",
    help="The MCP servers whose tools the workspace's agents may use.",
    no_args_is_help=True,
)


@workspace_command(models, "show")
async def show(workspace: WorkspaceEngine) -> Shown:
    """Show which models there are, and which of them answer."""
    in_use = await workspace.models_in_use()
    yield Models.from_domain(in_use)
    _print(in_use)


@workspace_command(models, "use")
async def use(
    workspace: WorkspaceEngine,
    *,
    names: Annotated[
        str,
        typer.Argument(
            metavar="NAME,...",
            help="Configured models, in the order in which they are asked; or extractive.",
        ),
    ],
) -> Shown:
    """Answer with these models in this workspace."""
    in_use = await workspace.use_models(tuple(name for name in names.split(",") if name.strip()))
    yield Models.from_domain(in_use)
    _print(in_use)


@workspace_command(models, "reset")
async def reset(workspace: WorkspaceEngine) -> Shown:
    """Answer with what the installation is set to again."""
    in_use = await workspace.reset_models()
    yield Models.from_domain(in_use)
    _print(in_use)


@workspace_command(servers, "add")
async def add(
    workspace: WorkspaceEngine,
    *,
    server: Annotated[
        str, typer.Argument(metavar="NAME", help="What its tools are prefixed with.")
    ],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where it speaks streamable HTTP.")],
    headers: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            metavar="NAME: VALUE",
            help="Sent with each request, such as a key; may be repeated. Not shown again.",
        ),
    ] = None,
) -> Shown:
    """Offer the tools of an MCP server to the workspace's agents."""
    pairs = [header.partition(":") for header in (headers or [])]
    if not all(colon for _, colon, _ in pairs):
        raise InvalidRequest(
            "a header has no colon", hint="write --header 'Authorization: Bearer …'"
        )
    header_values = {name.strip(): value.strip() for name, _, value in pairs}
    added = await workspace.add_mcp_server(server, url, header_values)
    yield added
    message = f"Its tools are offered as {added.name}_…"
    present.terminal().print(Text(present.plain(message)), soft_wrap=True)


@workspace_command(servers, "list")
async def list_all(workspace: WorkspaceEngine) -> Shown:
    """List the servers, without what their headers say."""
    registered = await workspace.mcp_servers()
    yield McpServerList(mcp_servers=registered)
    if not registered:
        present.terminal().print("No MCP servers.")
        return
    listing = present.table("name", "address", "headers")
    for server in registered:
        listing.add_row(server.name, present.plain(server.url), ", ".join(sorted(server.headers)))
    listing.show(present.terminal())


@workspace_command(servers, "remove")
async def remove(
    workspace: WorkspaceEngine,
    *,
    server: Annotated[str, typer.Argument(metavar="NAME", help="The server's name.")],
) -> None:
    """Offer a server's tools no more."""
    await workspace.remove_mcp_server(server)
    present.show_done(f"Removed the MCP server {server}.")


def _print(in_use: ModelsInUse) -> None:
    shape = Models.from_domain(in_use)
    listing = present.table("asked", "model")
    for position, model in enumerate(shape.used, 1):
        listing.add_row(str(position), present.plain(model))
    for model in shape.configured:
        if model not in shape.used:
            listing.add_row("", present.plain(model))
    listing.show(present.terminal())
    missing = [name for name in in_use.chosen or () if name not in in_use.configured]
    if missing:
        message = f"Chosen, but no longer configured: {', '.join(missing)}."
        present.notices().print(Text(present.plain(message), style="yellow"))
