"""Which models answer in a workspace, and the servers whose tools its agents may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server of further tools."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
