"""Opens a workspace's transaction for verbs that live beside `WorkspaceEngine`."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from footnote.store.database import WorkspaceScope

if TYPE_CHECKING:
    from footnote.engine.workspace import WorkspaceEngine


def scope_of(workspace: WorkspaceEngine) -> AbstractAsyncContextManager[WorkspaceScope]:
    """A transaction in the workspace, as its principal. Raises NotReady once it was closed."""
    workspace.require_open()
    return workspace.engine.database.workspace(
        workspace.workspace.workspace_id, workspace.principal
    )
