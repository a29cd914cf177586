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
    others: Sequence[ErasureEntry],
    gone: Collection[DestroyedWorkspace],
) -> Reapplied:
    """Restore the newest wrapping of the keys, and repeat later destructions and erasures.

    A workspace that the newest run does not have was destroyed before it; `others` and `gone` are
    erasures and destructions that no run has. Raises KeyUnavailable for keys that the master key
    does not unwrap.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "keys.json"
        await asyncio.to_thread(write_keys, path, newest.keys)
        keys = await engine.import_keys(path)
    there = {each.workspace_id for each in newest.keys} - {each.workspace_id for each in gone}
    destroyed, refused = [], []
    for each in await engine.workspaces():
        if each.workspace_id in there:
            continue
        try:
            await engine.destroy_workspace(each.name)
            destroyed.append(each.name)
        except UnderLegalHold as error:
            refused.append(error.with_hint)
    replayed: list[ReplayedErasure] = []
    known = {each.certificate_id: each for each in (*newest.erasures, *others)}
    for workspace in await engine.workspaces():
        mine = [each for each in known.values() if each.workspace_id == workspace.workspace_id]
        if mine:
            inside = await engine.workspace(workspace.name)
            replayed += await inside.replay_erasures(sorted(mine, key=lambda one: one.erased_at))
    refused += [each.refusal for each in replayed if each.refusal is not None]
    return Reapplied(
        keys_restored=keys.restored,
        destroyed=tuple(destroyed),
        erasures=tuple(replayed),
        refused=tuple(refused),
    )
