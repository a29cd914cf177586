"""A workspace is destroyed while others write to it: wholly, and nothing comes after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO
from uuid import uuid4

import psycopg
import pytest

from footnote.engine import Engine
from footnote.errors import FootnoteError, NotFound
from footnote.ports import Blobs
from tests.conftest import TestDatabase

CLAIM = """
INSERT INTO footnote.blob_claims (workspace_id, blob_key, claim_id)
VALUES (%(workspace)s, %(key)s, %(claim)s)
"""
TAKE_BACK = "DELETE FROM footnote.blob_claims WHERE workspace_id = %(workspace)s"
WAITING_FOR_US = """
SELECT count(*) FROM pg_locks AS waiting JOIN pg_locks AS held USING (transactionid)
WHERE NOT waiting.granted AND held.granted AND held.pid = pg_backend_pid()
"""


@dataclass(frozen=True)
class DestroyedBefore:
    """Stores a file of a workspace that is destroyed between its claim and its bytes."""

    inner: Blobs
    engine: Engine
    workspace: str

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        await self.engine.destroy_workspace(self.workspace)
        await self.inner.put(key, content)

    async def delete(self, key: str) -> None:
        await self.inner.delete(key)

    def list(self, prefix: str = "") -> AsyncIterator[str]:
        return self.inner.list(prefix)


async def test_a_file_that_is_on_its_way_does_not_outlive_its_workspace(
    own_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = await own_engine.create_workspace("doomed")
    workspace, whole = await own_engine.workspace("doomed"), own_engine.blobs
    monkeypatch.setattr(own_engine, "blobs", DestroyedBefore(whole, own_engine, "doomed"))
    with pytest.raises(FootnoteError):
        await workspace.receive(b"The buoy is moored.", "buoy.txt")
    assert [each async for each in whole.list(f"{doomed.workspace_id}/")] == []


async def test_a_deadlock_with_a_writer_does_not_keep_a_workspace(
    own_engine: Engine, own_database: TestDatabase
) -> None:
    doomed = await own_engine.create_workspace("doomed")
    claim = {"workspace": doomed.workspace_id, "key": f"{doomed.workspace_id}/{'0' * 64}"}
    async with await psycopg.AsyncConnection.connect(own_database.superuser_url) as writer:
        await writer.execute(CLAIM, claim | {"claim": uuid4()})
        await writer.commit()
        # So that it is the other who gives way.
        await writer.execute("SET LOCAL deadlock_timeout = '5min'")
        await writer.execute(TAKE_BACK, claim)
        destroying = asyncio.create_task(own_engine.destroy_workspace("doomed"))
        while (await (await writer.execute(WAITING_FOR_US)).fetchone()) == (0,):  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # between looks
        await writer.execute(CLAIM, claim | {"claim": uuid4()})
        await writer.commit()
    assert (await destroying).complete
    with pytest.raises(NotFound):
        await own_engine.workspace("doomed")
