"""Routes for who asks, and for the API keys of a workspace."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field

from footnote.domain import Right
from footnote.domain.credentials import NewApiKey
from footnote.engine.keys import OVERLAP_HOURS, Days, Hours
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import KeyList, WhoAsks
from footnote.validation.constrained_types import GroupName, KeyName, Name, PrincipalId

router = workspace_router("identity")

KeyId = Annotated[str, Path(min_length=1, max_length=63, examples=["3f29a1c07be4d512"])]


class WantedKey(Request):
    """What a new key is for, and what it may be used for."""

    name: KeyName
    rights: tuple[Right, ...] = Field((Right.READ,), min_length=1, max_length=3)
    principal: PrincipalId | None = Field(
        None, description="Whom it acts as: the caller, or a service; `service:NAME` by default."
    )
    groups: tuple[GroupName, ...] = Field((), max_length=100)
    collections: tuple[Name, ...] = Field(
        (), max_length=100, description="Where it may be used; everywhere by default."
    )
    expires_in_days: Days | None = None


class Rotation(Request):
    """How a key is replaced."""

    overlap_hours: Hours = Field(OVERLAP_HOURS, description="How long both keys are valid.")


@router.get("/v1/identity")
async def show_identity(workspace: TheWorkspace) -> WhoAsks:
    """Show who asks, as the credential proved it, and what they may do in the workspace."""
    principal = workspace.principal
    return WhoAsks(
        workspace=workspace.workspace.name,
        principal=principal.principal_id,
        groups=principal.groups,
        role=principal.role,
        collections=dict(principal.collections),
        rights=tuple(right for right in Right if right in workspace.rights),
        credential=workspace.credential,
    )


@router.post("/v1/keys", status_code=201)
async def create_key(workspace: TheWorkspace, key: WantedKey) -> NewApiKey:
    """Make an API key; this answer alone has it."""
    return await workspace.create_key(
        key.name,
        rights=tuple(right.value for right in key.rights),
        principal=key.principal,
        groups=key.groups,
        collections=key.collections,
        expires_in_days=key.expires_in_days,
    )


@router.get("/v1/keys")
async def list_keys(workspace: TheWorkspace) -> KeyList:
    """List the API keys of the workspace, without their secrets."""
    return KeyList(keys=await workspace.keys())


@router.post("/v1/keys/{key_id}/rotate", status_code=201)
async def rotate_key(workspace: TheWorkspace, key_id: KeyId, rotation: Rotation) -> NewApiKey:
    """Make a key that takes the place of another, which stays valid for the overlap."""
    return await workspace.rotate_key(key_id, overlap_hours=rotation.overlap_hours)


@router.delete("/v1/keys/{key_id}", status_code=204)
async def revoke_key(workspace: TheWorkspace, key_id: KeyId) -> None:
    """Revoke a key: it is of no use from the next request on."""
    await workspace.revoke_key(key_id)
