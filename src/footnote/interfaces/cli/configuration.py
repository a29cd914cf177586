"""`footnote config`: the settings that a workspace has of its own, and who changed them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.configuration import SettingSource, SettingValue, WorkspaceSetting
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import Shown, workspace_command
from footnote.interfaces.schemas import SettingHistory, SettingList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="config", help="See and change the settings of a workspace.", no_args_is_help=True
)

Which = Annotated[
    str, typer.Argument(metavar="NAME", help="A setting, or its environment variable.")
]


@workspace_command(app, "list")
async def show_settings(inside: WorkspaceEngine) -> Shown:
    """List the settings that a workspace may have of its own."""
    found = await inside.settings_in_use()
    yield SettingList(settings=found)
    listing = present.table("setting", "value", "from", "installation", "changed by", "on")
    for each in found:
        own = each.source is SettingSource.WORKSPACE
        listing.add_row(
            each.name,
            Text(_written(each.value), style="bold" if own else ""),
            each.source,
            _written(each.installation_value),
            present.plain(each.changed_by or ""),
            f"{each.changed_at:%Y-%m-%d %H:%M}" if each.changed_at else "",
        )
    listing.show(present.terminal())


@workspace_command(app, "get")
async def get(inside: WorkspaceEngine, *, name: Which) -> Shown:
    """Show what a setting is in the workspace."""
    found = await inside.setting(name)
    yield found
    _show(found)


@workspace_command(app, "set", negative_numbers=True)
async def change(
    inside: WorkspaceEngine,
    *,
    name: Which,
    value: Annotated[
        str,
        typer.Argument(metavar="VALUE", help="As in the environment; null for none."),
    ],
) -> Shown:
    """Give the workspace a value of its own, from the next search on, in every process."""
    found = await inside.change_setting(name, value)
    yield found
    _show(found)


@workspace_command(app, "unset")
async def unset(inside: WorkspaceEngine, *, name: Which) -> Shown:
    """Follow the installation again."""
    found = await inside.unset_setting(name)
    yield found
    _show(found)


@workspace_command(app, "history")
async def history(
    inside: WorkspaceEngine,
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One setting; all without it.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="The most changes to show.")
    ] = 100,
) -> Shown:
    """Show who changed what when, latest first."""
    found = await inside.setting_history(name, limit=limit)
    yield SettingHistory(changes=found)
    if not found:
        present.terminal().print("Nothing was changed.")
        return
    listing = present.table("no", "setting", "from", "to", "changed by", "on")
    for each in found:
        listing.add_row(
            str(each.change_no),
            present.plain(each.name),
            _written(each.previous) if each.was_set else "installation",
            _written(each.value) if each.is_set else "installation",
            present.plain(each.changed_by),
            f"{each.changed_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


def _show(found: WorkspaceSetting) -> None:
    source = (
        "of the installation"
        if found.source is SettingSource.INSTALLATION
        else f"set here by {present.plain(found.changed_by or '')}; "
        f"the installation has {_written(found.installation_value)}"
    )
    said = f"{found.name} is {_written(found.value)}, {source}."
    present.terminal().print(Text(said), soft_wrap=True)


def _written(value: SettingValue) -> str:
    """A value as `config set` takes it."""
    return present.plain(value) if isinstance(value, str) else json.dumps(value)
