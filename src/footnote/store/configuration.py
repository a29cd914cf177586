"""What a workspace set of the installation's settings: a log of changes, the last of which hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain.configuration import SettingChange, SettingValue
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("configuration")
_VALUE: TypeAdapter[SettingValue] = TypeAdapter(SettingValue)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSetting:
    """A value of the workspace's own, and who gave it."""

    value: SettingValue
    changed_by: str
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConfiguration:
    """The values of a workspace's own, as of one change."""

    change_no: int
    """The last change; 0 before the first."""
    settings: Mapping[str, StoredSetting]


async def read_configuration(scope: WorkspaceScope) -> StoredConfiguration:
    """What the workspace set. Raises NotFound."""
    rows = await scope.all(_SQL["read"])
    if not rows:
        raise NotFound("the workspace is gone")
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
    """Give a setting a value of the workspace's own, from the next search on."""
    await _change(scope, name, Jsonb(value))


async def unset_setting(scope: WorkspaceScope, name: str) -> None:
    """Have a setting follow the installation again, from the next search on."""
    await _change(scope, name, None)


async def _change(scope: WorkspaceScope, name: str, value: Jsonb | None) -> None:
    """Log a change, unless nothing changes by it."""
    # First: what is read after it is changed by nobody else.
    row = await scope.single(_SQL["lock"])
    known = await scope.one(_SQL["latest"], {"name": name})
    before = Jsonb(known["value"]) if known is not None and known["is_set"] else None
    if _written(before) == _written(value):
        return
    await scope.execute(
        _SQL["change"],
        {
            "change_no": row["configuration"] + 1,
            "name": name,
            "value": value,
            "previous": before,
        },
    )
    await scope.execute(_SQL["advance"])


def _written(value: Jsonb | None) -> str | None:
    """A value as it is compared: to Python `True` equals `1`, and null is a value, too."""
    return None if value is None else json.dumps(value.obj)


async def setting_history(
    scope: WorkspaceScope, name: str | None, limit: int
) -> tuple[SettingChange, ...]:
    """The latest changes of one setting, or of all, latest first."""
    rows = await scope.all(_SQL["history"], {"name": name, "limit": limit})
    return tuple(record_of(SettingChange, row) for row in rows)
