"""Open a workspace for a job, as whoever asked for the work."""

from __future__ import annotations

from dataclasses import replace

from footnote.domain import Identity, Workspace
from footnote.engine import Services, WorkspaceEngine
from footnote.engine.access import current_principal
from footnote.store.database import SYSTEM


async def workspace_acting_for(
    engine: Services, within: Workspace, actor: Identity
) -> WorkspaceEngine:
    """Open a workspace as somebody whose credential was verified when they asked for the work.

    What the workspace grants and the directory says counts as it is now. Raises NotAuthenticated
    for a deactivated user.
    """
    claimed = replace(actor.principal, role=actor.role, collections=actor.collections)
    async with engine.database.workspace(within.workspace_id, SYSTEM) as scope:
        principal = await current_principal(engine, scope, claimed)
    return WorkspaceEngine(
        engine=engine,
        workspace=within,
        principal=principal,
        credential=actor.credential,
        claimed=claimed,
        in_background=True,
    )
