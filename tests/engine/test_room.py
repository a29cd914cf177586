"""The disk of an installation: /health says of it what doctor says."""

from __future__ import annotations

import shutil
from collections import namedtuple

import pytest

from footnote.doctor import examine
from footnote.engine import Engine

Usage = namedtuple("Usage", "total used free")


async def test_health_says_of_a_full_disk_what_doctor_says(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    roomy = await engine.health()
    assert roomy.ready
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 0))
    health, doctor = await engine.health(), await examine(engine.settings)
    [said], [advised] = (
        [check for check in each.checks if check.name == "home"] for each in (health, doctor)
    )
    assert (health.ready, doctor.ready) == (False, False)
    assert "0.0 GiB free" in said.detail
    assert said.detail in advised.detail
    assert said.hint == advised.hint
    assert said.hint is not None
    assert str(engine.settings.home) not in said.detail, "who asks over HTTP need not know it"
