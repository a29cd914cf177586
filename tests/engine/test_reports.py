"""Of a series of reports the newest is found where it is asked for, and the row with a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from footnote.domain import Evidence, PlanChanges, Principal, Role, SearchRequest, Visibility
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting

SETTINGS: Mapping[str, object] = {}
REPORT = """# Interim report of Norvane

## Business

Norvane sells pumps for harbours and lakes. Sales of pumps went {moved} in the quarter.

## Stored goods

Stored goods of Norvane are pumps, parts of pumps and copper. The stored goods are counted at the
end of each quarter, and their amount follows what harbours order. Norvane is careful with stored
goods, since an amount of stored goods that is too high costs rent.

## Statement of assets

| In thousands | This quarter | A year ago |
| --- | --- | --- |
| Cash at banks | {cash} | 1,010 |
| Trade receivables | 877 | 904 |
| Stored goods | {stored} | 4,444 |
| Machines | 9,120 | 9,330 |
"""
QUARTERS = {
    "2022 Q4 Norvane.md": REPORT.format(moved="up", cash="1,204", stored="4,310"),
    "2023 Q2 Norvane.md": REPORT.format(moved="down", cash="1,377", stored="3,725"),
    "2023 Q1 Norvane.md": REPORT.format(moved="sideways", cash="1,295", stored="3,980"),
}
NOTES = "# Notes of the harbour master\n\n" + "\n\n".join(
    f"## Berth {number}\n\nThe rope of berth {number} was changed on day {number} by the watch."
    for number in range(60)
)
"""So that words of the reports are rarer than they are in them."""
TEXTS = {**QUARTERS, "notes.md": NOTES}
NEWEST = "2023 Q2 Norvane.md"
OLDEST = "2022 Q4 Norvane.md"


@pytest.fixture
async def reports(encrypted_engine: Engine) -> WorkspaceEngine:
    engine = encrypted_engine
    workspace = await engine.workspace((await engine.create_workspace("reports")).name)
    received = [await workspace.receive(text.encode(), name) for name, text in TEXTS.items()]
    await work_until_resting(
        engine, workspace, [each.document.document_id for each in received], lambda _: None
    )
    return workspace


async def found(workspace: WorkspaceEngine, query: str, **changes: object) -> list[Evidence]:
    response = await workspace.search(
        SearchRequest(
            query=query,
            top_k=6,
            changes=PlanChanges(cache=False, diversity="none", **changes),  # type: ignore[arg-type]
        )
    )
    assert not response.degraded
    return list(response.evidence)


def stages(evidence: Evidence) -> dict[str, Mapping[str, object]]:
    return {record.stage: record.detail for record in evidence.explanation}


@pytest.mark.parametrize(
    ("question", "filename"),
    [
        ("What does the latest report say about sales of pumps?", NEWEST),
        ("Was steht im neuesten Bericht über den Verkauf von Pumpen?", NEWEST),
        ("What did the oldest report say about sales of pumps?", OLDEST),
    ],
)
async def test_the_report_that_is_asked_for_comes_first(
    reports: WorkspaceEngine, question: str, filename: str
) -> None:
    evidence = await found(reports, question)
    assert evidence[0].passage.filename == filename
    assert stages(evidence[0])["series"]["documents"] == 3
    assert "in the one that is asked for of 3 documents alike" in evidence[0].why


@pytest.mark.parametrize(
    "question",
    [
        "How have the stored goods changed from quarter to quarter?",
        "What does the report for Q4 2022 say about sales of pumps?",
    ],
)
async def test_several_reports_and_a_stated_one_are_left_alone(
    reports: WorkspaceEngine, question: str
) -> None:
    evidence = await found(reports, question)
    assert all("series" not in stages(each) for each in evidence)
    assert len({each.passage.filename for each in evidence}) == 3


async def test_the_row_that_has_the_figure_comes_before_prose_that_speaks_of_it(
    reports: WorkspaceEngine,
) -> None:
    evidence = await found(reports, "How high was the amount of stored goods in the latest report?")
    assert "| Stored goods | 3,725 |" in evidence[0].passage.text
    assert stages(evidence[0])["rows"] == {"row": "Stored goods"}
    assert "a table with the row “Stored goods”" in evidence[0].why
    prose = [each for each in evidence if "counted at the" in each.passage.text]
    assert prose
    assert all("rows" not in stages(each) for each in prose)


async def test_what_asks_for_no_figure_leaves_tables_where_they_are(
    reports: WorkspaceEngine,
) -> None:
    evidence = await found(reports, "Who buys the pumps of Norvane?")
    assert all("rows" not in stages(each) for each in evidence)


@pytest.mark.parametrize("fusion", ["dense_only", "lexical_only"])
async def test_one_recall_alone_is_taken_as_it_is(reports: WorkspaceEngine, fusion: str) -> None:
    evidence = await found(
        reports, "How high are the stored goods in the latest report?", fusion=fusion
    )
    assert all({"rows", "series"}.isdisjoint(stages(each)) for each in evidence)


async def test_a_newer_report_that_may_not_be_seen_changes_nothing(
    reports: WorkspaceEngine,
) -> None:
    hidden = await reports.receive(
        REPORT.format(moved="away", cash="1", stored="2").encode(),
        "2024 Q1 Norvane.md",
        visibility=Visibility.PRIVATE,
        shared_with=["ann"],
    )
    await work_until_resting(reports.engine, reports, [hidden.document.document_id], lambda _: None)
    question = "What does the latest report say about sales of pumps?"
    ann, ben = (
        replace(reports, principal=Principal(principal_id=each, role=Role.READER))
        for each in ("ann", "ben")
    )
    assert (await found(ann, question))[0].passage.filename == "2024 Q1 Norvane.md"
    evidence = await found(ben, question)
    assert evidence[0].passage.filename == NEWEST
    assert stages(evidence[0])["series"]["documents"] == 3
