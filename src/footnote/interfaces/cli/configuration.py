"""`footnote config`: the settings that a workspace has of its own, and who changed them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.configuration import SettingSource, SettingValue, WorkspaceSetting
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, workspace_command
from footnote.interfaces.schemas import SettingHistory, SettingList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="config", help="See and change the settings of a workspace.", no_args_is_help=True
)

SettingName = Annotated[
    str, typer.Argument(metavar="NAME", help="A setting, or its environment variable.")
]


@workspace_command(app, "list")
async def show_settings(workspace: WorkspaceEngine) -> Shown:
    """List the settings that a workspace may have of its own."""
    settings = await workspace.settings_in_use()
    yield SettingList(settings=settings)
    listing = present.table("setting", "value", "from", "installation", "changed by", "on")
    for setting in settings:
        is_overridden = setting.source is SettingSource.WORKSPACE
        listing.add_row(
            setting.name,
            Text(_setting_text(setting.value), style="bold" if is_overridden else ""),
            setting.source,
            _setting_text(setting.installation_value),
            present.plain(setting.changed_by or ""),
            f"{setting.changed_at:%Y-%m-%d %H:%M}" if setting.changed_at else "",
        )
    listing.show(present.terminal())


@workspace_command(app, "get")
async def get(workspace: WorkspaceEngine, *, name: SettingName) -> Shown:
    """Show what a setting is in the workspace."""
    setting = await workspace.setting(name)
    yield setting
    _show(setting)


@workspace_command(app, "set", negative_numbers=True)
async def change(
    workspace: WorkspaceEngine,
    *,
    name: SettingName,
    value: Annotated[
        str,
        typer.Argument(metavar="VALUE", help="As in the environment; null for none."),
    ],
) -> Shown:
    """Give the workspace a value of its own, from the next search on, in every process."""
    setting = await workspace.change_setting(name, value)
    yield setting
    _show(setting)


@workspace_command(app, "unset")
async def unset(workspace: WorkspaceEngine, *, name: SettingName) -> Shown:
    """Follow the installation again."""
    setting = await workspace.unset_setting(name)
    yield setting
    _show(setting)


@workspace_command(app, "history")
async def history(
    workspace: WorkspaceEngine,
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One setting; all without it.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="The most changes to show.")
    ] = 100,
) -> Shown:
    """Show who changed what when, latest first."""
    changes = await workspace.setting_history(name, limit=limit)
    yield SettingHistory(changes=changes)
    if not changes:
        present.terminal().print("Nothing was changed.")
        return
    listing = present.table("no", "setting", "from", "to", "changed by", "on")
    for entry in changes:
        listing.add_row(
            str(entry.change_no),
            present.plain(entry.name),
            _setting_text(entry.previous) if entry.was_set else "installation",
            _setting_text(entry.value) if entry.is_set else "installation",
            present.plain(entry.changed_by),
            f"{entry.changed_at:%Y-%m-%d %H:%M}",
        )
    listing.show(present.terminal())


def _show(setting: WorkspaceSetting) -> None:
    source = (
        "of the installation"
        if setting.source is SettingSource.INSTALLATION
        else f"set here by {present.plain(setting.changed_by or '')}; "
        f"the installation has {_setting_text(setting.installation_value)}"
    )
    message = f"{setting.name} is {_setting_text(setting.value)}, {source}."
    present.terminal().print(Text(message), soft_wrap=True)


def _setting_text(value: SettingValue) -> str:
    """A value as `config set` takes it."""
    return present.plain(value) if isinstance(value, str) else json.dumps(value)
