"""A gate lets through what is as good as before, and says in sentences what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.errors import InvalidRequest
from footnote.evaluation.gate import (
    GATED,
    Regression,
    baseline_of,
    read_baseline,
    regressions,
    write_baseline,
)
from footnote.evaluation.golden import read_golden
from tests.evaluation.factories import a_run

ROOT = Path(__file__).parents[2]
BEFORE = a_run({"ndcg": [1.0, 0.5], "right": [1.0, 1.0]})


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(path, baseline_of(BEFORE))
    assert read_baseline(path, 10, BEFORE.golden.digest) == baseline_of(BEFORE)
    assert json.loads(path.read_text())["results"]["ndcg@10"] == [[1.0, 1.0], [0.5, 1.0]]


def test_a_baseline_has_no_times_and_nothing_of_which_more_can_be_worse() -> None:
    run = a_run({"right": [1.0], "answered": [1.0], "diversity": [0.5]}, latency=[3.0])
    assert baseline_of(run).results["right"] == ((1, 1),)
    assert not {"answered", "diversity", "latency_p50_ms"} & set(baseline_of(run).results)


def test_a_run_passes_its_own_gate() -> None:
    assert regressions(BEFORE, baseline_of(BEFORE)) == ()


def test_what_only_rounding_changes_is_no_regression(tmp_path: Path) -> None:
    run = a_run({"ndcg": [2 / 3, 5 / 7, 8 / 9] * 10})
    write_baseline(tmp_path / "baseline.json", baseline_of(run))
    saved = read_baseline(tmp_path / "baseline.json", 10, run.golden.digest)
    assert regressions(run, saved) == ()


@pytest.mark.parametrize(("fallen", "passes"), [(1, True), (5, True), (6, False), (20, False)])
def test_a_fall_is_a_regression_where_chance_does_not_explain_it(fallen: int, passes: bool) -> None:
    before = a_run({"ndcg": [1.0] * 20})
    now = a_run({"ndcg": [0.5] * fallen + [1.0] * (20 - fallen)})
    found = regressions(now, baseline_of(before))
    assert (found == ()) == passes
    for each in found:
        assert each.p < 0.05
        assert each.sentence.startswith(f"ndcg@10 fell from 1.000 to {1 - fallen / 40:.3f}; chance")


def test_falls_that_rises_make_up_for_are_no_regression() -> None:
    before = a_run({"ndcg": [1.0, 0.0] * 10})
    assert regressions(a_run({"ndcg": [0.0, 1.0] * 10}), baseline_of(before)) == ()


def test_a_rise_is_no_regression() -> None:
    before = baseline_of(a_run({"ndcg": [0.0] * 9}))
    assert regressions(a_run({"ndcg": [1.0] * 9}), before) == ()


def test_a_metric_that_is_gone_is_a_regression() -> None:
    [gone] = regressions(a_run({"ndcg": [1.0, 0.5]}), baseline_of(BEFORE)) or [None]
    assert gone == Regression(label="right", before=1.0, now=None, p=0.0)
    assert gone.sentence == "right was 1.000 and can no longer be measured."


def test_a_baseline_of_other_questions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(path, baseline_of(BEFORE))
    with pytest.raises(InvalidRequest, match="has changed"):
        read_baseline(path, 10, "another")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("{", "is not JSON", id="no JSON"),
        pytest.param("[]", "is no object", id="no object"),
        pytest.param('{"k": 10}', "lacks", id="nothing in it"),
        pytest.param(
            '{"k": 10, "questions": 1, "golden": "x", "results": {"speed": [[1, 1]]}}',
            "results",
            id="odd",
        ),
        pytest.param(
            '{"k": 10, "questions": 1, "golden": "x", "results": {"right": [[2, 1]]}}',
            "results",
            id="two",
        ),
        pytest.param(
            '{"k": 5, "questions": 1, "golden": "x", "results": {}}', "5 results", id="other k"
        ),
    ],
)
def test_a_broken_baseline_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(InvalidRequest, match=complaint) as caught:
        read_baseline(path, 10, "x")
    assert caught.value.hint


def test_a_baseline_that_is_absent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_baseline(tmp_path / "absent.json", 10, "x")


def test_the_baseline_of_the_examples_gates_every_metric() -> None:
    golden = read_golden(ROOT / "examples/golden.jsonl")
    baseline = read_baseline(ROOT / "examples/baseline.json", 10, golden.digest)
    assert set(baseline.results) == {metric.label(10) for metric in GATED}
