"""Keywords are chosen anew once a workspace has become another one, counted and filtered by."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.backfill import BackfillProgress, BackgroundWork
from footnote.domain.search import SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.jobs.backfilling import keyword_slice
from footnote.jobs.inline import work_until_resting
from footnote.store.database import SYSTEM

OTHERS = ("crane", "ferry", "pilot", "quay", "tug")


SETTINGS: dict[str, str] = {}


@pytest.fixture(scope="module", params=["off", "on"], ids=["plain", "encrypted"])
def encryption(request: pytest.FixtureRequest) -> str:
    """Both: keywords are counted where they can be read alone."""
    return str(request.param)


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("shelf")).name)


async def put(workspace: WorkspaceEngine, *subjects: str) -> list[UUID]:
    """Ingest documents that all speak of a harbour, each with a word of its own."""
    ids = []
    for subject in subjects:
        text = f"# Notes\n\nThe harbour has a {subject}. This harbour and that {subject}.\n"
        received = await workspace.receive(text.encode(), f"{subject}.md")
        ids.append(received.document.document_id)
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    return ids


async def keywords(workspace: WorkspaceEngine, document_id: UUID) -> tuple[str, ...]:
    return (await workspace.document(document_id)).keywords


async def progress(workspace: WorkspaceEngine) -> BackfillProgress:
    kinds = (await workspace.backfill()).kinds
    return next(each for each in kinds if each.kind is BackgroundWork.KEYWORDS)


async def test_keywords_are_chosen_anew_once_there_is_twice_as_much(
    workspace: WorkspaceEngine,
) -> None:
    [first] = await put(workspace, "berth")
    # Alone, what stands in its heading goes before.
    assert (await keywords(workspace, first))[0] == "Notes"
    async with workspace.engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await scope.execute(
            "UPDATE documents SET keywords_among = NULL WHERE workspace_id = %(workspace_id)s"
        )
    await put(workspace, *OTHERS)
    at = await progress(workspace)
    assert at.enabled
    assert at.done + at.waiting == at.documents == 1 + len(OTHERS)
    assert at.waiting
    assert at.oldest_waiting is not None
    bob = replace(workspace, principal=Principal(principal_id="bob", role=Role.WRITER))
    await workspace.set_document_access(first, Visibility.PRIVATE, shared_with=["ann"])
    assert (await progress(bob)).documents == len(OTHERS)
    await workspace.pause_backfill((BackgroundWork.KEYWORDS,))
    await keyword_slice(workspace.engine, workspace.workspace_id)
    assert (await progress(workspace)).waiting == at.waiting
    await workspace.resume_backfill((BackgroundWork.KEYWORDS,))
    assert (await progress(workspace)).running
    await keyword_slice(workspace.engine, workspace.workspace_id)
    assert (await progress(workspace)).waiting == 0
    # What every document says, tells it from none.
    assert (await keywords(workspace, first))[0] == "berth"
    before = await keywords(workspace, first)
    await keyword_slice(workspace.engine, workspace.workspace_id)
    assert await keywords(workspace, first) == before


async def test_keywords_are_counted_and_filtered_by_where_they_can_be_read(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    [first, other] = await put(workspace, "berth", "crane")
    asked = SearchRequest(query="harbour", facets=("keywords",))
    if engine.settings.encryption == "on":
        with pytest.raises(InvalidRequest, match="encrypted"):
            await workspace.search(asked)
        return
    found = await workspace.search(asked)
    counted = {each.value: each.documents for each in found.facets["keywords"]}
    assert (counted["harbour"], counted["berth"], counted["crane"]) == (2, 1, 1)
    where = condition_from({"keywords": "berth"})
    within = await workspace.search(replace(asked, filters=replace(asked.filters, where=where)))
    assert {each.passage.document_id for each in within.evidence} == {first}
    await workspace.set_document_access(other, Visibility.PRIVATE, shared_with=["ann"])
    bob = replace(workspace, principal=Principal(principal_id="bob", role=Role.WRITER))
    seen = await bob.search(asked)
    assert "crane" not in {each.value for each in seen.facets["keywords"]}
