"""Whether the master key at hand unwraps what is stored; as doctor and a running server say."""

from __future__ import annotations

from footnote.domain import Check
from footnote.store.data_keys import KeyRing
from footnote.store.key_backup import all_stored_keys

_NAMED = 5
"""How many workspaces are named."""


async def master_key_check(keys: KeyRing, owner_url: str) -> Check:
    """Whether the data keys of all workspaces can be unwrapped."""
    name = "master key"
    stored = [each for each in await all_stored_keys(owner_url) if each.keys]
    refused = [(each.workspace, error) for each in stored if (error := await keys.refusal(each))]
    if not refused:
        detail = f"workspaces whose data keys it unwraps: {len(stored):,}"
        return Check(name=name, ok=True, detail=detail if stored else "nothing is under one yet")
    named = ", ".join(workspace for workspace, _ in refused[:_NAMED])
    more = ", …" if len(refused) > _NAMED else ""
    return Check(
        name=name,
        ok=False,
        detail=f"data keys of {len(refused):,} of {len(stored):,} workspaces ({named}{more}) "
        f"cannot be unwrapped: {refused[0][1]}",
        hint="bring back the master key that they are under, or name it in FOOTNOTE_MASTER_KEY; "
        "see footnote encryption status",
    )
