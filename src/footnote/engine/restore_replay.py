"""Repeat after a restore what followed the backup: keys, destructions, erasures."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from footnote.domain.backups import DestroyedWorkspace, Manifest
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.engine.installation import Engine
from footnote.engine.key_backup import write_keys
from footnote.errors import UnderLegalHold


@dataclass(frozen=True, slots=True, kw_only=True)
class Reapplied:
    """What was repeated after a restore."""

    keys_restored: int
    destroyed: tuple[str, ...]
    erasures: tuple[ReplayedErasure, ...]
    refused: tuple[str, ...]


async def reapply(
    engine: Engine,
    newest: Manifest,
    extra_erasures: Sequence[ErasureEntry],
    extra_destructions: Collection[DestroyedWorkspace],
) -> Reapplied:
    """Restore the newest wrapping of the keys, and repeat later destructions and erasures.

    A workspace that the newest run does not have was destroyed before it; `extra_erasures` and
    `extra_destructions` are those that no run has. Raises KeyUnavailable for keys that the master
    key does not unwrap.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "keys.json"
        await asyncio.to_thread(write_keys, path, newest.keys)
        keys = await engine.import_keys(path)
    expected_ids = {workspace_keys.workspace_id for workspace_keys in newest.keys} - {
        destruction.workspace_id for destruction in extra_destructions
    }
    destroyed, refused = [], []
    for workspace in await engine.workspaces():
        if workspace.workspace_id in expected_ids:
            continue
        try:
            await engine.destroy_workspace(workspace.name)
            destroyed.append(workspace.name)
        except UnderLegalHold as error:
            refused.append(error.with_hint)
    replayed: list[ReplayedErasure] = []
    erasures = {erasure.certificate_id: erasure for erasure in (*newest.erasures, *extra_erasures)}
    for workspace in await engine.workspaces():
        workspace_erasures = [
            erasure
            for erasure in erasures.values()
            if erasure.workspace_id == workspace.workspace_id
        ]
        if workspace_erasures:
            opened = await engine.workspace(workspace.name)
            replayed += await opened.replay_erasures(
                sorted(workspace_erasures, key=lambda erasure: erasure.erased_at)
            )
    refused += [replay.refusal for replay in replayed if replay.refusal is not None]
    return Reapplied(
        keys_restored=keys.restored,
        destroyed=tuple(destroyed),
        erasures=tuple(replayed),
        refused=tuple(refused),
    )
