"""Administrators are told what a running server stands on, and its operator in detail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.doctor import examine
from footnote.domain import Principal, Role
from footnote.engine import WorkspaceEngine, open_engine
from footnote.errors import Forbidden
from footnote.settings import Settings, settings_from


async def test_a_running_server_says_what_doctor_says(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    found, doctors = await workspace.examine_installation(), await examine(settings)
    told = {each.name: (each.ok, each.hint) for each in found.checks}
    assert told == {each.name: (each.ok, each.hint) for each in doctors.checks}
    assert found.ready == doctors.ready


async def test_only_administrators_of_the_whole_workspace_are_told(
    workspace: WorkspaceEngine,
) -> None:
    for principal in (
        Principal(principal_id="ann", role=Role.WRITER),
        Principal(principal_id="ann", role=None, collections=(("pay", Role.ADMIN),)),
    ):
        with pytest.raises(Forbidden):
            await replace(workspace, principal=principal).examine_installation()


async def test_where_people_prove_who_they_are_details_of_the_machine_are_left_out(
    settings: Settings,
) -> None:
    async with await open_engine(settings_from(settings, {"identity": "keys"})) as engine:
        found = await (await engine.workspace()).examine_installation()
    assert {each.detail for each in found.checks} == {""}
    assert all(each.ok or each.hint for each in found.checks)
