"""Store a workspace's own settings as a log of changes; the last change of each applies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain.configuration import SettingChange, SettingValue
from footnote.store.database import WorkspaceScope, workspace_gone
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("configuration")
_VALUE: TypeAdapter[SettingValue] = TypeAdapter(SettingValue)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSetting:
    """A setting's own value in the workspace, and who set it."""

    value: SettingValue
    changed_by: str
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConfiguration:
    """The workspace's own settings as of one change."""

    change_no: int
    """Number of the last change; 0 before the first."""
    settings: Mapping[str, StoredSetting]


async def read_configuration(scope: WorkspaceScope) -> StoredConfiguration:
    """Read the workspace's own settings. Raises NotFound."""
    rows = await scope.all(_SQL["read"])
    if not rows:
        raise workspace_gone()
    return StoredConfiguration(
        change_no=rows[0]["configuration"],
        settings={
            row["name"]: StoredSetting(
                value=_VALUE.validate_python(row["value"]),
                changed_by=row["changed_by"],
                changed_at=row["changed_at"],
            )
            for row in rows
            if row["name"] is not None
        },
    )


async def change_setting(scope: WorkspaceScope, name: str, value: SettingValue) -> None:
    """Set the workspace's own value of a setting, effective from the next search."""
    await _change(scope, name, Jsonb(value))


async def unset_setting(scope: WorkspaceScope, name: str) -> None:
    """Reset a setting to the installation's value, effective from the next search."""
    await _change(scope, name, None)


async def _change(scope: WorkspaceScope, name: str, value: Jsonb | None) -> None:
    """Append a change to the log, unless the value is the same."""
    # Lock first: what is read after it cannot change concurrently.
    row = await scope.single(_SQL["lock"])
    latest = await scope.one(_SQL["latest"], {"name": name})
    previous = Jsonb(latest["value"]) if latest is not None and latest["is_set"] else None
    if _as_json(previous) == _as_json(value):
        return
    await scope.execute(
        _SQL["change"],
        {
            "change_no": row["configuration"] + 1,
            "name": name,
            "value": value,
            "previous": previous,
        },
    )
    await scope.execute(_SQL["advance"])


def _as_json(value: Jsonb | None) -> str | None:
    """Write a value as JSON for comparison: in Python `True` equals `1`, and null is a value."""
    return None if value is None else json.dumps(value.obj)


async def setting_history(
    scope: WorkspaceScope, name: str | None, limit: int
) -> tuple[SettingChange, ...]:
    """The latest changes of one setting, or of all, latest first."""
    rows = await scope.all(_SQL["history"], {"name": name, "limit": limit})
    return tuple(record_of(SettingChange, row) for row in rows)
