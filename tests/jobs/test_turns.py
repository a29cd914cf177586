"""Workspaces take turns: the backlog of one does not keep the others waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from footnote.domain import Document, DocumentStatus
from footnote.engine import WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.jobs.queue import NEWCOMERS
from footnote.jobs.worker import work_on_queue
from footnote.ports import Vectors
from footnote.settings import Settings
from tests.jobs.stages import Around, stages

pytestmark = pytest.mark.usefixtures("own_database")

BACKLOG = 20
PATIENCE_SECONDS = 600


@dataclass(frozen=True)
class Endless(Around):
    """Never comes to an end with a text that says endless."""

    in_hand: set[str] = field(default_factory=set)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if endless := [text for text in texts if "endless" in text]:
            self.in_hand.update(endless)
            await asyncio.Event().wait()
        return await super().embed_documents(texts)


async def rested(workspace: WorkspaceEngine, document_id: UUID) -> Document:
    async with asyncio.timeout(PATIENCE_SECONDS):
        document = await workspace.document(document_id)
        while document.status not in (DocumentStatus.INDEXED, DocumentStatus.FAILED):
            await asyncio.sleep(0.05)  # between looks
            document = await workspace.document(document_id)
    return document


async def test_documents_that_never_end_keep_no_other_workspace_waiting(
    settings: Settings,
) -> None:
    """Though every place of the worker is taken when the other one comes."""
    async with await open_engine(settings.model_copy(update={"worker_concurrency": 2})) as engine:
        await engine.create_workspace("busy")
        busy, calm = await engine.workspace("busy"), await engine.workspace()
        for number in range(2 + NEWCOMERS):
            await busy.receive(f"This is endless, part {number}.".encode(), f"{number}.md")
        embedder, stop = Endless(engine.embedder), asyncio.Event()
        async with stages(engine, embedder) as ingestion:
            working = asyncio.create_task(work_on_queue(engine, ingestion, stop))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while len(embedder.in_hand) < 2:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.05)
            for number in range(2):
                late = await calm.receive(f"Just one, {number}.".encode(), f"{number}.md")
                document = await rested(calm, late.document.document_id)
                assert document.status is DocumentStatus.INDEXED
            by_status = (await busy.stats()).documents_by_status
            assert by_status == {"ingesting": 2, "queued": NEWCOMERS}
            stop.set()
            await working


async def test_a_file_does_not_wait_behind_the_backlog_of_another_workspace(
    settings: Settings,
) -> None:
    alone = settings.model_copy(update={"worker_concurrency": 1})
    async with await open_engine(alone) as engine:
        await engine.create_workspace("busy")
        busy, calm = await engine.workspace("busy"), await engine.workspace()
        waiting = [
            (await busy.receive(f"Paper {number}.".encode(), f"{number}.md")).document.document_id
            for number in range(BACKLOG)
        ]
        late = (await calm.receive(b"Just one.", "one.md")).document.document_id
        one = (await work_until_resting(engine, calm, [late], lambda _: None))[late]
        assert one.status is DocumentStatus.INDEXED
        # Nothing is lost.
        rested = await work_until_resting(engine, busy, waiting, lambda _: None)
        assert {each.status for each in rested.values()} == {DocumentStatus.INDEXED}
        assert any(each.updated_at > one.updated_at for each in rested.values())
