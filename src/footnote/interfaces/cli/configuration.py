"""`footnote config`: the settings that a workspace has of its own, and who changed them."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from footnote.domain.configuration import SettingSource, SettingValue, WorkspaceSetting
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import SettingHistory, SettingList

app = typer.Typer(
    name="config", help="See and change the settings of a workspace.", no_args_is_help=True
)

Which = Annotated[
    str, typer.Argument(metavar="NAME", help="A setting, or its environment variable.")
]


@app.command("list", epilog=EXIT_CODES)
def show_settings(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the settings that a workspace may have of its own."""
    found = in_workspace(context, workspace, lambda inside: inside.settings_in_use())
    if as_json:
        present.print_json(SettingList(settings=found))
        return
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


@app.command("get", epilog=EXIT_CODES)
def get(
    *, context: typer.Context, name: Which, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Show what a setting is in the workspace."""
    _show(in_workspace(context, workspace, lambda inside: inside.setting(name)), as_json=as_json)


@app.command("set", epilog=EXIT_CODES)
def change(
    *,
    context: typer.Context,
    name: Which,
    value: Annotated[
        str,
        typer.Argument(metavar="VALUE", help="As in the environment; null for none."),
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Give the workspace a value of its own, from the next search on, in every process."""
    changed = in_workspace(context, workspace, lambda inside: inside.change_setting(name, value))
    _show(changed, as_json=as_json)


@app.command("unset", epilog=EXIT_CODES)
def unset(
    *, context: typer.Context, name: Which, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Follow the installation again."""
    found = in_workspace(context, workspace, lambda inside: inside.unset_setting(name))
    _show(found, as_json=as_json)


@app.command("history", epilog=EXIT_CODES)
def history(
    *,
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One setting; all without it.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="The most changes to show.")
    ] = 100,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show who changed what when, latest first."""
    found = in_workspace(
        context, workspace, lambda inside: inside.setting_history(name, limit=limit)
    )
    if as_json:
        present.print_json(SettingHistory(changes=found))
        return
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


def _show(found: WorkspaceSetting, *, as_json: bool) -> None:
    if as_json:
        present.print_json(found)
        return
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
