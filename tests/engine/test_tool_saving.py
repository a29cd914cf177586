"""A document that a model saves does not wait behind others."""

from __future__ import annotations

from footnote.domain import DocumentStatus, SourceType
from footnote.engine import open_engine
from footnote.engine.tools import document_tools
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from tests.engine.shelf import named, work_now


async def test_a_saved_document_is_indexed_before_what_waits(settings: Settings) -> None:
    alone = settings.model_copy(update={"worker_concurrency": 1})
    async with await open_engine(alone) as engine:
        workspace = await engine.workspace()
        waiting = [
            await workspace.receive(f"# Paper {number}\n\nText.".encode(), f"{number}.md")
            for number in range(3)
        ]
        tools = named(document_tools(workspace, index_now=work_now))
        said = await tools["create_document"].call({"title": "First", "content": "Now."})
        assert said.startswith("Document created")
        ids = [each.document.document_id for each in waiting]
        rested = await work_until_resting(engine, workspace, ids, lambda _: None)
        assert {each.status for each in rested.values()} == {DocumentStatus.INDEXED}
        page = await workspace.documents()
        by_time = sorted(page.documents, key=lambda each: each.updated_at)
        assert by_time[0].source_type is SourceType.GENERATED
