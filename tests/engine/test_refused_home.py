"""A home that cannot be used is told of, and nothing is made on the way to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from footnote.doctor import examine
from footnote.engine import open_engine
from footnote.errors import StoreUnavailable
from footnote.settings import Settings


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account for Postgres")
async def test_a_home_that_is_refused_leaves_nothing_behind(session_home: Path) -> None:
    closed = session_home / "closed"
    closed.mkdir(mode=0o700)
    settings = Settings(home=closed / "below" / "home", database_url=None)
    with pytest.raises(StoreUnavailable, match="another user may not enter") as caught:
        await open_engine(settings)
    assert "FOOTNOTE_HOME" in (caught.value.hint or "")
    assert list(closed.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account for Postgres")
async def test_doctor_tells_of_a_refused_home_and_makes_nothing_in_it(session_home: Path) -> None:
    shut = session_home / "shut"
    shut.mkdir(mode=0o700)
    found = await examine(Settings(home=shut / "home", database_url=None))
    assert not found.ready
    (home,) = (check for check in found.checks if check.name == "home")
    assert "another user may not enter" in home.detail
    assert "FOOTNOTE_HOME" in (home.hint or "")
    assert list(shut.iterdir()) == []
