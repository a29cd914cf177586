"""`footnote models` and `footnote mcp-servers`: what answers, and with whose tools."""

from __future__ import annotations

from typing import Annotated, TypeVar

import typer
from rich.text import Text

from footnote.domain.models_in_use import ModelsInUse
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import McpServerList, Models

T = TypeVar("T")

models = typer.Typer(
    name="models", help="Which models answer in the workspace.", no_args_is_help=True
)
servers = typer.Typer(
    name="mcp-servers",
    help="The MCP servers whose tools the workspace's agents may use.",
    no_args_is_help=True,
)


@models.command("show", epilog=EXIT_CODES)
def show(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Show which models there are, and which of them answer."""
    _print(in_workspace(context, workspace, lambda inside: inside.models_in_use()), as_json=as_json)


@models.command("use", epilog=EXIT_CODES)
def use(
    *,
    context: typer.Context,
    names: Annotated[
        str,
        typer.Argument(
            metavar="NAME,...",
            help="Configured models, in the order in which they are asked; or extractive.",
        ),
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Answer with these models in this workspace."""
    wanted = tuple(each for each in names.split(",") if each.strip())
    chosen = in_workspace(context, workspace, lambda inside: inside.use_models(wanted))
    _print(chosen, as_json=as_json)


@models.command("reset", epilog=EXIT_CODES)
def reset(*, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Answer with what the installation is set to again."""
    _print(in_workspace(context, workspace, lambda inside: inside.reset_models()), as_json=as_json)


@servers.command("add", epilog=EXIT_CODES)
def add(
    *,
    context: typer.Context,
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
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Offer the tools of an MCP server to the workspace's agents."""
    sent = _headers(headers or [])
    added = in_workspace(
        context, workspace, lambda inside: inside.add_mcp_server(server, url, sent)
    )
    if as_json:
        present.print_json(added)
        return
    said = f"Its tools are offered as {added.name}_…"
    present.terminal().print(Text(present.plain(said)), soft_wrap=True)


@servers.command("list", epilog=EXIT_CODES)
def list_all(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the servers, without what their headers say."""
    found = in_workspace(context, workspace, lambda inside: inside.mcp_servers())
    if as_json:
        present.print_json(McpServerList(mcp_servers=found))
        return
    if not found:
        present.terminal().print("No MCP servers.")
        return
    listing = present.table("name", "address", "headers")
    for each in found:
        listing.add_row(each.name, present.plain(each.url), ", ".join(sorted(each.headers)))
    listing.show(present.terminal())


@servers.command("remove", epilog=EXIT_CODES)
def remove(
    *,
    context: typer.Context,
    server: Annotated[str, typer.Argument(metavar="NAME", help="The server's name.")],
    workspace: Workspace = None,
) -> None:
    """Offer a server's tools no more."""
    in_workspace(context, workspace, lambda inside: inside.remove_mcp_server(server))


def _headers(given: list[str]) -> dict[str, str]:
    """Raises InvalidRequest for one without a colon, which is not repeated: it may be a key."""
    pairs = [each.partition(":") for each in given]
    if not all(colon for _, colon, _ in pairs):
        raise InvalidRequest(
            "a header has no colon", hint="write --header 'Authorization: Bearer …'"
        )
    return {name.strip(): value.strip() for name, _, value in pairs}


def _print(in_use: ModelsInUse, *, as_json: bool) -> None:
    shape = Models.from_domain(in_use)
    if as_json:
        present.print_json(shape)
        return
    listing = present.table("asked", "model")
    for place, used in enumerate(shape.used, 1):
        listing.add_row(str(place), present.plain(used))
    for other in shape.configured:
        if other not in shape.used:
            listing.add_row("", present.plain(other))
    listing.show(present.terminal())
    lost = [name for name in in_use.chosen or () if name not in in_use.configured]
    if lost:
        said = f"Chosen, but no longer configured: {', '.join(lost)}."
        present.notices().print(Text(present.plain(said), style="yellow"))
