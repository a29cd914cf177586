"""The composition root: wires the other packages into the verbs of the product."""

from __future__ import annotations

from footnote.engine.installation import Engine
from footnote.engine.opening import database_urls, open_engine
from footnote.engine.services import Services, WorkspaceAccess
from footnote.engine.workspace import WorkspaceEngine, WorkspaceVerbs, as_system

__all__ = [
    "Engine",
    "Services",
    "WorkspaceAccess",
    "WorkspaceEngine",
    "WorkspaceVerbs",
    "as_system",
    "database_urls",
    "open_engine",
]
