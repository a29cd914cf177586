"""What stands still ends by itself: a stage with its document, a process with all it holds."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.domain import DocumentStatus, Stage
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.ports import Vectors
from tests.jobs.stages import Around, notes, skip, stages

STUCK = """
import asyncio, re
from footnote.jobs.process import ending_when_stuck

async def main():
    async with ending_when_stuck(0.5):
        await asyncio.sleep(0)
        re.match("(a|a)+$", "a" * 64 + "b")

asyncio.run(main())
"""


async def test_a_process_ends_whose_event_loop_is_stuck_in_one_call() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", STUCK, stderr=PIPE)
    _, told = await process.communicate()
    assert process.returncode == 1
    assert b"Timeout" in told


@dataclass(frozen=True)
class Silent(Around):
    """Says nothing of some texts until long after everybody's patience."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any("poison" in text for text in texts):
            skip(86_400.0)
            await asyncio.Event().wait()
        return await super().embed_documents(texts)


async def test_a_document_that_its_embedder_never_answers_for_fails_alone(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    limit = engine.settings.limits.attempts
    async with stages(engine, Silent(engine.embedder)) as ingestion:
        for name, text in (("stuck.txt", b"This is poison."), ("buoys.txt", notes(1))):
            received = await workspace.receive(text, name)
            job = IngestionJob(
                workspace_id=workspace.workspace.workspace_id,
                document_id=received.document.document_id,
                version=1,
                attempt=limit - 1,
            )
            await ingest_version(engine, ingestion, job)
    documents = {each.filename: each for each in (await workspace.documents()).documents}
    assert documents["buoys.txt"].status is DocumentStatus.INDEXED
    stuck = documents["stuck.txt"]
    assert stuck.status is DocumentStatus.FAILED
    assert stuck.failure is not None
    assert stuck.failure.stage is Stage.EMBED
    assert stuck.failure.retryable
    assert stuck.failure.cause == "“stuck.txt” did not come forward for 900 seconds"
