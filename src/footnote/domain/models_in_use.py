"""Which models answer in a workspace, and the servers whose tools its agents may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.domain.json_form import json_form

EXTRACTIVE = "extractive"
"""The name of answering with quotes, without any model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsInUse:
    """Which models answer in a workspace."""

    configured: tuple[str, ...]
    """What the installation has, in the order in which they are asked unless chosen otherwise."""
    chosen: tuple[str, ...] | None
    """What the workspace chose; None if it follows the installation, empty for quotes alone."""

    @property
    def used(self) -> tuple[str, ...]:
        """What is asked; empty for quotes alone.

        A chosen model that is no longer configured is not replaced by another, which might be one
        that the workspace must not send its documents to.
        """
        if self.chosen is None:
            return self.configured
        return tuple(name for name in self.chosen if name in self.configured)


@json_form(hidden=("headers",), computed=("header_names",))
@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server whose tools a workspace's agents may use, as `NAME_TOOL`."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def header_names(self) -> tuple[str, ...]:
        """What is sent with each request; the values are not shown."""
        return tuple(sorted(self.headers))
