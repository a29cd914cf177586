"""Who is let into a workspace: by what a credential is for, and by a backend that decides."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from footnote.domain import Identity, Principal, Role
from footnote.domain.credentials import Caller, Presented
from footnote.domain.people import WantedGroup, WantedUser
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Forbidden, NoSuchWorkspace, NotFound
from footnote.settings import Settings, settings_from

NOBODY_THERE = "http://127.0.0.1:9"
"""A backend that does not answer, and so denies."""


def caller_of(workspace: WorkspaceEngine, role: Role = Role.READER) -> Caller:
    return Caller(
        identity=Identity(principal=Principal(principal_id="ann", role=None), role=role),
        workspaces=(workspace.workspace.name,),
        presented=Presented(bearer="token"),
    )


def of_directory(name: str) -> Identity:
    """Somebody whose credential says no role."""
    return Identity(principal=Principal(principal_id=name, role=None))


async def test_a_credential_enters_what_it_is_for_and_nothing_else(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    other = await engine.create_workspace("other")
    ann = caller_of(workspace)
    own = workspace.workspace.name
    assert (await engine.enter_as(ann)).workspace.name == own
    assert (await engine.enter_as(ann, user_id="ann")).principal.principal_id == "ann"
    said = []
    for name in (other.name, f"{own}-absent"):
        with pytest.raises(NoSuchWorkspace) as refused:
            await engine.enter_as(ann, name)
        said.append(str(refused.value).replace(name, "…"))
    assert said[0] == said[1]
    with pytest.raises(Forbidden, match="somebody else"):
        await engine.enter_as(ann, user_id="bob")


async def test_a_chunk_whose_collection_the_backend_denies_looks_absent(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(b"The keeper earns EUR 4,100.", "pay.txt", collection="pay")
    denied = f"{received.document.document_id}:1:0"
    within = settings_from(settings, {"identity": "keys", "backend_url": NOBODY_THERE})
    ann, said = caller_of(workspace), []
    async with await open_engine(within) as engine:
        for chunk_id in (denied, f"{uuid4()}:1:0", "nonsense"):
            with pytest.raises(NotFound) as refused:
                await engine.enter_as(ann, chunk_id=chunk_id)
            said.append(str(refused.value).replace(chunk_id, "…"))
        with pytest.raises(Forbidden, match="backend"):
            await engine.enter_as(ann, collections=["pay"])
    assert len(set(said)) == 1


@pytest.mark.parametrize("backend", [None, NOBODY_THERE], ids=["grants decide", "backend decides"])
async def test_groups_of_the_directory_give_no_whole_workspace_that_a_backend_decides_about(
    settings: Settings, workspace: WorkspaceEngine, backend: str | None
) -> None:
    """Save to administrators, as the roles of a credential."""
    for name, group in (("ann", "finance"), ("root", "it-admins")):
        user = await workspace.add_user(WantedUser(user_name=name))
        wanted = WantedGroup(display_name=group, member_ids=(user.user_id,))
        await workspace.add_user_group(wanted)
    changed = {
        "identity": "keys,scim",
        "claims": {"roles": {"finance": "writer", "it-admins": "admin"}},
        "backend_url": backend,
    }
    async with await open_engine(settings_from(settings, changed)) as engine:
        root = await engine.enter_as(replace(caller_of(workspace), identity=of_directory("root")))
        assert root.principal.role is Role.ADMIN
        ann = replace(caller_of(workspace), identity=of_directory("ann"))
        if backend is None:
            assert (await engine.enter_as(ann)).principal.role is Role.WRITER
            return
        with pytest.raises(NoSuchWorkspace):
            await engine.enter_as(ann)
        await workspace.grant_role("group:finance", Role.READER, collection="pay")
        inside = await engine.enter_as(ann)
        assert (inside.principal.role, dict(inside.principal.collections)) == (
            None,
            {"pay": Role.READER},
        )


async def test_without_a_backend_a_chunk_is_asked_of_nobody(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    entered = await engine.enter_as(caller_of(workspace), chunk_id="nonsense")
    assert entered.principal.principal_id == "ann"
