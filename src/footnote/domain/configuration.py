"""Settings that a workspace may have of its own, and the changes of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

SettingValue = bool | int | float | str | None
"""What a setting that a workspace may have can be."""


class SettingSource(StrEnum):
    """Where the value of a setting comes from."""

    WORKSPACE = "workspace"
    INSTALLATION = "installation"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSetting:
    """A setting as it holds in a workspace."""

    name: str
    value: SettingValue
    """What holds here."""
    source: SettingSource
    """Whether the workspace has a value of its own, or follows the installation."""
    installation_value: SettingValue
    """What holds where a workspace has no value of its own."""
    variables: tuple[str, ...]
    """The environment variables of the installation's value; each names the setting here, too."""
    description: str
    changed_by: str | None = None
    """Who gave the workspace its value; null where it follows the installation."""
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """A change of a workspace's own value; the records of them are never changed."""

    change_no: int
    """Counts the changes of the workspace from 1."""
    name: str
    value: SettingValue
    """The new value; null, with `is_set` false, where the own value was taken back."""
    is_set: bool
    """Whether the workspace had a value of its own from then on."""
    previous: SettingValue
    """The own value before."""
    was_set: bool
    """Whether there was one."""
    changed_by: str
    changed_at: datetime
