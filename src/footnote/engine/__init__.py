"""The composition root: wires the rooms into the verbs of the product."""

from __future__ import annotations

from footnote.engine.installation import Engine
from footnote.engine.opening import database_urls, open_engine
from footnote.engine.services import Services
from footnote.engine.workspace import WorkspaceEngine

__all__ = ["Engine", "Services", "WorkspaceEngine", "database_urls", "open_engine"]
