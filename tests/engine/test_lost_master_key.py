"""A master key that is missing is never replaced by another one, and what it locks is named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import psycopg
import pytest

from footnote.doctor import examine
from footnote.domain import Check
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Conflict, KeyUnavailable
from footnote.settings import Settings
from tests.conftest import TestDatabase

HOOK = "https://93.184.215.14/told"


@pytest.fixture
def encrypting(own_settings: Settings) -> Settings:
    return own_settings.model_copy(update={"encryption": "on"})


@pytest.fixture
async def engine(encrypting: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(encrypting, models_at_first_use=True) as opened:
        yield opened


def lost(engine: Engine) -> Path:
    """Where the master key was, which is elsewhere now."""
    place = engine.settings.home / "master.key"
    place.rename(place.with_name("kept"))
    return place


async def titles(workspace: WorkspaceEngine) -> list[str | None]:
    return [each.title for each in (await workspace.conversations()).conversations]


async def test_a_missing_master_key_is_refused_and_not_made_anew(engine: Engine) -> None:
    await engine.create_workspace("one")
    await (await engine.workspace("one")).create_conversation(title="Cider")
    place = lost(engine)
    async with await open_engine(engine.settings, models_at_first_use=True) as again:
        with pytest.raises(KeyUnavailable) as searching:
            await titles(await again.workspace("one"))
        for call in (
            again.create_workspace("two"),
            again.rotate_master_key(),
            again.rotate_data_key("one"),
        ):
            with pytest.raises(KeyUnavailable) as refused:
                await call
            assert refused.value.with_hint == searching.value.with_hint
        assert "bring back the file" in searching.value.with_hint
        assert not place.exists()
        assert [each.name for each in await again.workspaces()] == ["one"]
        place.with_name("kept").rename(place)
        await again.create_workspace("two")
        for name in ("one", "two"):
            await (await again.workspace(name)).create_conversation(title="Perry")
        assert await titles(await again.workspace("one")) == ["Perry", "Cider"]


async def test_credentials_make_no_other_master_key_either(own_settings: Settings) -> None:
    async with await open_engine(own_settings, models_at_first_use=True) as engine:
        for name in ("one", "two"):
            await engine.create_workspace(name)
        assert not (own_settings.home / "master.key").exists()
        with pytest.raises(Conflict, match="no data key"):
            await engine.rotate_data_key("one")
        await (await engine.workspace("one")).add_webhook(HOOK)
        place = lost(engine)
        with pytest.raises(KeyUnavailable, match="there is no master key"):
            await (await engine.workspace("two")).add_webhook(HOOK)
        assert not place.exists()


async def test_lost_data_keys_are_waited_for(engine: Engine, own_database: TestDatabase) -> None:
    await engine.create_workspace("one")
    place = lost(engine)
    with psycopg.connect(own_database.superuser_url) as connection:
        connection.execute("DELETE FROM footnote.data_keys")
    with pytest.raises(KeyUnavailable, match="there is no master key"):
        await engine.create_workspace("two")
    assert not place.exists()


async def test_of_two_homes_that_begin_at_once_one_makes_the_master_key(
    encrypting: Settings, tmp_path: Path
) -> None:
    homes = [encrypting.home, *(tmp_path / name for name in ("second", "third", "fourth"))]
    async with AsyncExitStack() as stack:
        engines = [
            await stack.enter_async_context(
                await open_engine(
                    encrypting.model_copy(update={"home": home}), models_at_first_use=True
                )
            )
            for home in homes
        ]
        done = await asyncio.gather(
            *(each.create_workspace(f"w{number}") for number, each in enumerate(engines)),
            return_exceptions=True,
        )
    assert len([each for each in done if isinstance(each, KeyUnavailable)]) == len(homes) - 1
    assert len([home for home in homes if (home / "master.key").exists()]) == 1


async def test_processes_of_one_home_that_begin_at_once_use_one_master_key(
    encrypting: Settings,
) -> None:
    async with AsyncExitStack() as stack:
        engines = [
            await stack.enter_async_context(await open_engine(encrypting, models_at_first_use=True))
            for _ in range(3)
        ]
        await asyncio.gather(
            *(each.create_workspace(f"w{number}") for number, each in enumerate(engines))
        )
        status = await engines[0].encryption_status()
    assert [each.unavailable for each in status.workspaces] == [None] * 3


async def test_what_cannot_be_unwrapped_is_named(engine: Engine) -> None:
    async def checked() -> tuple[bool, list[Check]]:
        found = await examine(engine.settings)
        return found.ready, [each for each in found.checks if each.name == "master key"]

    assert await checked() == (
        True,
        [Check(name="master key", ok=True, detail="nothing is under one yet")],
    )
    await engine.create_workspace("one")
    place = lost(engine)
    with pytest.raises(KeyUnavailable) as refused:
        await engine.create_workspace("two")
    ready, [check] = await checked()
    assert not ready
    assert "1 of 1 workspaces (one)" in check.detail
    assert "there is no master key" in check.detail
    [workspace] = (await engine.encryption_status()).workspaces
    assert workspace.unavailable == refused.value.with_hint
    place.with_name("kept").rename(place)
    ready, [check] = await checked()
    assert ready
    assert check.detail == "workspaces whose data keys it unwraps: 1"
    assert [each.unavailable for each in (await engine.encryption_status()).workspaces] == [None]
