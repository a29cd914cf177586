"""Administrators are told what a running server stands on, and its operator in detail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from footnote.doctor import examine
from footnote.domain import Principal, Role
from footnote.engine import WorkspaceEngine, open_engine
from footnote.engine.diagnosis import identity_secret_checks, optional_checks
from footnote.errors import Forbidden
from footnote.security.secrets import FILE, pepper_from
from footnote.settings import Settings, settings_from


async def test_a_running_server_says_what_doctor_says(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    found, doctors = await workspace.examine_installation(), await examine(settings)
    told = {each.name: (each.ok, each.hint) for each in found.checks}
    assert told == {each.name: (each.ok, each.hint) for each in doctors.checks}
    assert found.ready == doctors.ready


def test_the_secret_of_credentials_is_looked_at_where_callers_prove_who_they_are(
    settings: Settings, tmp_path: Path
) -> None:
    def found(**changes: object) -> list[tuple[bool, str]]:
        checks = identity_secret_checks(settings_from(settings, {"home": tmp_path, **changes}))
        return [(each.ok, each.detail) for each in checks]

    def kept() -> list[bool]:
        changed = settings_from(settings, {"home": tmp_path, "identity": "keys"})
        checks = optional_checks(changed)
        return [each.ok for each in checks if each.name == "identity secret's file"]

    path = tmp_path / FILE
    assert found() == []
    assert found(identity="keys") == [
        (True, f"no {path} yet; if keys were handed out before, bring theirs back")
    ]
    assert not path.exists()
    assert found(identity="keys", identity_secret="x" * 32) == [
        (True, "set by FOOTNOTE_IDENTITY_SECRET")
    ]
    pepper_from(None, tmp_path)
    assert found(identity="keys") == [(True, str(path))]
    assert kept() == [True]
    path.chmod(0o644)
    assert kept() == [False]
    path.write_bytes(b"short")
    ((ok, detail),) = found(identity="keys")
    assert (ok, "damaged" in detail) == (False, True)


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
