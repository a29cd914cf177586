"""A search that goes out from the question's entities finds what stands one document further on."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from footnote.domain import (
    PlanChanges,
    Principal,
    Role,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    Visibility,
)
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting

LETTER = "# Letter\n\nMaria Keller was hired by Northwind Traders Ltd in the spring of last year.\n"
RECORD = "# Record\n\nThe seat of Northwind Traders Ltd is a red house at the harbour of Hull.\n"
OTHERS = tuple(
    f"# Note {number}\n\nWhere people work is said of worker {number} in the list of workplaces.\n"
    for number in range(12)
)
QUESTION = "Where does Maria Keller work?"


SETTINGS = {"entities": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


async def shelf(
    engine: Engine, name: str, others: int = 2
) -> tuple[WorkspaceEngine, dict[str, UUID]]:
    """A workspace with the documents and as many others, read for entities."""
    workspace = await engine.workspace((await engine.create_workspace(name)).name)
    ids = {}
    texts = {"letter.md": LETTER, "record.md": RECORD}
    texts |= {f"note-{number}.md": text for number, text in enumerate(OTHERS[:others])}
    for filename, text in texts.items():
        received = await workspace.receive(text.encode(), filename)
        ids[filename] = received.document.document_id
    await work_until_resting(engine, workspace, list(ids.values()), lambda _: None)
    while await _waiting(workspace):
        await extract_entity_slice(engine, workspace.workspace_id)
    return workspace, ids


async def _waiting(workspace: WorkspaceEngine) -> bool:
    progress = await workspace.entity_progress()
    return progress.done + progress.failed < progress.documents


async def found(
    workspace: WorkspaceEngine, graph: bool | None = True, **filters: object
) -> SearchResponse:
    return await workspace.search(
        SearchRequest(
            query=QUESTION,
            top_k=20,
            filters=SearchFilters(**filters),  # type: ignore[arg-type]  # each has its own type
            changes=PlanChanges(graph=graph, fusion="rrf"),
        )
    )


def reached(response: SearchResponse) -> dict[str, str]:
    """Why each document stands where it stands that was reached by entities."""
    return {
        each.passage.filename: each.why or ""
        for each in response.evidence
        if any(record.stage == "graph" for record in each.explanation)
    }


async def test_what_the_question_names_leads_to_what_stands_beside_it(engine: Engine) -> None:
    workspace, _ = await shelf(engine, "hired", len(OTHERS))
    response = await found(workspace)
    why = reached(response)
    assert why.keys() == {"letter.md", "record.md"}
    assert "1st by what the question names (“Maria Keller”)" in why["letter.md"]
    assert "2nd by what the question names (named beside it)" in why["record.md"]
    assert response.degraded == ()
    places = [each.passage.filename for each in response.evidence]
    plain = await found(workspace, graph=False)
    assert reached(plain) == {}
    before = [each.passage.filename for each in plain.evidence]
    assert places.index("record.md") < before.index("record.md")
    assert response.cached is None
    assert (await found(workspace)).cached is None


async def test_it_is_switched_on_for_a_workspace(engine: Engine) -> None:
    workspace, _ = await shelf(engine, "switched")
    assert reached(await found(workspace, graph=None)) == {}
    await workspace.change_setting("graph_recall", True)
    assert reached(await found(workspace, graph=None)).keys() == {"letter.md", "record.md"}


async def test_filters_hold(engine: Engine) -> None:
    workspace, ids = await shelf(engine, "filtered")
    some = await found(workspace, document_ids=(ids["record.md"], ids["note-1.md"]))
    assert {each.passage.filename for each in some.evidence} == {"record.md", "note-1.md"}
    # Nothing in between is read, and so nothing leads there.
    assert reached(some).keys() <= {"record.md"}
    near = await found(workspace, min_similarity=0.99)
    assert near.evidence == ()


async def test_nobody_is_led_through_what_they_may_not_read(engine: Engine) -> None:
    workspace, ids = await shelf(engine, "guarded")
    await workspace.set_document_access(ids["letter.md"], Visibility.PRIVATE, shared_with=["ann"])
    ann, ben = (
        replace(workspace, principal=Principal(principal_id=each, role=Role.READER))
        for each in ("ann", "ben")
    )
    assert reached(await found(ann)).keys() == {"letter.md", "record.md"}
    hidden = await found(ben)
    assert reached(hidden) == {}
    assert "letter.md" not in {each.passage.filename for each in hidden.evidence}
    # What may be read but lies behind what may not is not reached; the other way it is hidden.
    await workspace.set_document_access(ids["letter.md"], Visibility.WORKSPACE)
    await workspace.set_document_access(ids["record.md"], Visibility.PRIVATE, shared_with=["ann"])
    assert reached(await found(ben)).keys() == {"letter.md"}


async def test_workspaces_do_not_meet(engine: Engine) -> None:
    await shelf(engine, "theirs")
    ours = await engine.workspace((await engine.create_workspace("ours")).name)
    received = await ours.receive(RECORD.encode(), "record.md")
    await work_until_resting(engine, ours, [received.document.document_id], lambda _: None)
    await extract_entity_slice(engine, ours.workspace_id)
    response = await found(ours)
    assert reached(response) == {}
    assert {each.passage.filename for each in response.evidence} == {"record.md"}


async def test_a_deleted_document_leads_nowhere(engine: Engine) -> None:
    workspace, ids = await shelf(engine, "deleted")
    await workspace.delete_document(ids["letter.md"])
    assert reached(await found(workspace)) == {}
