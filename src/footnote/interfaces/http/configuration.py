"""Routes of the settings that a workspace may have of its own, and of their changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field, StrictBool, StrictFloat, StrictInt

from footnote.domain.configuration import WorkspaceSetting
from footnote.engine.configuration import CHANGES_SHOWN, Limit
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import SettingHistory, SettingList
from footnote.validation.constrained_types import StorableText

router = workspace_router("configuration")

_Text = Annotated[StorableText, Field(max_length=200)]


class ChangeSetting(Request):
    """A value of the workspace's own."""

    value: StrictBool | StrictInt | StrictFloat | _Text | None = Field(
        description="As the setting's type has it, or as text like in the environment; null where "
        "the setting may be unset."
    )


@router.get("/v1/config")
async def list_settings(workspace: TheWorkspace) -> SettingList:
    """List the settings that a workspace may have of its own, with what holds here."""
    return SettingList(settings=await workspace.settings_in_use())


@router.get("/v1/config/history")
async def show_history(
    workspace: TheWorkspace,
    name: Annotated[str | None, Query(description="Of this setting alone.", max_length=200)] = None,
    limit: Annotated[Limit, Query(description="The most changes to show.")] = CHANGES_SHOWN,
) -> SettingHistory:
    """Show who changed what when, latest first."""
    return SettingHistory(changes=await workspace.setting_history(name, limit=limit))


@router.get("/v1/config/{name}")
async def show_setting(workspace: TheWorkspace, name: str) -> WorkspaceSetting:
    """Show a setting, by its name or its environment variable."""
    return await workspace.setting(name)


@router.put("/v1/config/{name}")
async def change_setting(
    workspace: TheWorkspace, name: str, change: ChangeSetting
) -> WorkspaceSetting:
    """Give the workspace a value of its own, from the next search on, in every process."""
    return await workspace.change_setting(name, change.value)


@router.delete("/v1/config/{name}")
async def unset_setting(workspace: TheWorkspace, name: str) -> WorkspaceSetting:
    """Take the workspace's own value back; it follows the installation again."""
    return await workspace.unset_setting(name)
