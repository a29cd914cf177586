"""A golden set is asked of a real workspace with the real model, end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.domain import SearchFilters
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.evaluation.compare import compare
from footnote.evaluation.gate import baseline_of, regressions
from footnote.evaluation.golden import GoldenSet
from footnote.evaluation.run import Run, Setup, evaluate
from footnote.evaluation.temporary_engine import ingest, temporary_settings
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from tests.evaluation.factories import a_question, a_span

TEXTS = {
    "policy.md": "# Marine policy\n\nA claim must be reported to the insurer within 14 days.\n",
    "minutes.md": "# Minutes\n\nThe launch of the buoy moves from June to September 2025.\n",
    "menu.md": "# Canteen\n\nOn Fridays the canteen serves fish soup with saffron.\n",
}
QUESTIONS = (
    a_question(
        a_span("policy.md", None, "within 14 days"),
        identity="q1",
        question="How soon must a claim be reported to the insurer?",
        kind="fact",
    ),
    a_question(
        a_span("Minutes", None, "September 2025"),
        identity="q2",
        question="When is the launch of the buoy?",
        kind="fact",
    ),
    a_question(identity="q3", question="Who won the chess championship in 1972?", kind="absent"),
    a_question(
        a_span("vanished.md"), identity="q4", question="What is in the vanished file?", kind="gone"
    ),
)
GOLDEN = GoldenSet(name="small.jsonl", questions=QUESTIONS, digest="0" * 16)


@pytest.fixture
async def papers(engine: Engine, workspace: WorkspaceEngine, tmp_path: Path) -> WorkspaceEngine:
    """A workspace with three papers."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    assert (
        await ingest(engine, workspace, [tmp_path / name for name in TEXTS], work_until_resting)
        == ()
    )
    return workspace


def without_times(run: Run) -> dict[str, float | None]:
    return {label: value for label, value in run.figures.items() if not label.endswith("_ms")}


async def test_a_golden_set_is_asked_and_judged(papers: WorkspaceEngine) -> None:
    steps: list[tuple[int, int]] = []
    run = await evaluate(papers, GOLDEN, Setup(), lambda *step: steps.append(step))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [each.golden.identity for each in run.judged] == ["q1", "q2", "q3", "q4"]
    assert run.missing_documents == ("vanished.md",)
    found = {each.golden.identity: each for each in run.judged}
    assert found["q1"].verdict == "right"
    assert found["q1"].citations[0].document == "policy.md"
    assert found["q1"].measures["span_accuracy"].value == 1
    assert found["q3"].verdict == "rightly refused"
    assert found["q4"].measures["recall"].value == 0
    assert run.by_kind["fact"]["recall@10"] == 1
    assert run.figures["quote_found"] == 1
    assert run.figures["refused"] == 1
    assert (run.figures["latency_p95_ms"] or 0) >= (run.figures["latency_p50_ms"] or 0) > 0
    assert regressions(run, baseline_of(run)) == ()


async def test_questions_in_flight_together_change_no_result(papers: WorkspaceEngine) -> None:
    one = await evaluate(papers, GOLDEN, Setup())
    four = await evaluate(papers, GOLDEN, Setup(concurrency=4))
    assert without_times(one) == without_times(four)
    assert [each.golden for each in four.judged] == list(QUESTIONS)
    even = compare(one, four, rounds=100)
    assert {each.p for each in even if each.metric.group != "speed"} == {1.0}


async def test_the_filters_of_a_question_hold(papers: WorkspaceEngine) -> None:
    elsewhere = a_question(
        a_span("policy.md"),
        question="How soon must a claim be reported?",
        filters=SearchFilters(collections=("nowhere",)),
    )
    golden = GoldenSet(name="one.jsonl", questions=(elsewhere,), digest="0" * 16)
    run = await evaluate(papers, golden, Setup())
    assert run.judged[0].results == ()
    assert run.figures["diversity"] is None


async def test_an_unknown_plan_is_refused(papers: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="no-such-plan"):
        await evaluate(papers, GOLDEN, Setup(plan="no-such-plan"))


async def test_an_empty_workspace_cannot_be_judged(workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="has no document"):
        await evaluate(workspace, GOLDEN, Setup())


async def test_files_that_fail_are_named_and_nothing_but_failures_is_refused(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (tmp_path / "menu.md").write_text(TEXTS["menu.md"])
    with pytest.raises(InvalidRequest, match="none of the 1 files"):
        await ingest(engine, workspace, [tmp_path / "broken.pdf"], work_until_resting)
    [failed] = await ingest(
        engine, workspace, [tmp_path / "broken.pdf", tmp_path / "menu.md"], work_until_resting
    )
    assert failed.filename == "broken.pdf"


def test_a_temporary_engine_never_asks_the_database_of_the_user(tmp_path: Path) -> None:
    mine = Settings(home=tmp_path / "mine", database_url="postgresql://mine", top_k=3)
    other = temporary_settings(mine, tmp_path / "other")
    assert other.home == tmp_path / "other"
    assert other.database_url is None
    assert other.owner_database_url is None
    assert other.top_k == 3
