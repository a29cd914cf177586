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
from tests.evaluation.factories import a_run

ROOT = Path(__file__).parents[2]
BEFORE = a_run({"ndcg": [1.0, 0.5], "right": [1.0, 1.0]})


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(path, baseline_of(BEFORE))
    assert read_baseline(path, 10) == baseline_of(BEFORE)
    assert json.loads(path.read_text())["figures"]["ndcg@10"] == 0.75


def test_a_baseline_has_no_times_and_nothing_of_which_more_can_be_worse() -> None:
    run = a_run({"right": [1.0], "answered": [1.0], "diversity": [0.5]}, latency=[3.0])
    assert baseline_of(run).figures["right"] == 1
    assert not {"answered", "diversity", "latency_p50_ms"} & set(baseline_of(run).figures)


def test_a_run_passes_its_own_gate() -> None:
    assert regressions(BEFORE, baseline_of(BEFORE), 0.0) == ()


@pytest.mark.parametrize(("tolerance", "passes"), [(0.1, True), (0.05, True), (0.04, False)])
def test_a_fall_is_tolerated_up_to_the_tolerance(tolerance: float, passes: bool) -> None:
    now = a_run({"ndcg": [0.9, 0.5], "right": [1.0, 1.0]})
    found = regressions(now, baseline_of(BEFORE), tolerance)
    assert (found == ()) == passes
    for each in found:
        assert each.sentence == ("ndcg@10 fell from 0.750 to 0.700, by 0.050; 0.04 is tolerated.")


def test_a_rise_is_no_regression() -> None:
    assert regressions(a_run({"ndcg": [1.0, 1.0]}), baseline_of(a_run({"ndcg": [0.0]})), 0) == ()


def test_a_metric_that_is_gone_is_a_regression() -> None:
    [gone] = regressions(a_run({"ndcg": [1.0, 0.5]}), baseline_of(BEFORE), 1.0) or [None]
    assert gone == Regression(label="right", before=1.0, now=None, tolerance=1.0)
    assert gone.sentence == "right was 1.000 and can no longer be measured."


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("{", "is not JSON", id="no JSON"),
        pytest.param("[]", "is no object", id="no object"),
        pytest.param('{"k": 10}', "lacks", id="nothing in it"),
        pytest.param(
            '{"k": 10, "questions": 1, "golden": "x", "figures": {"speed": 1}}', "figures", id="odd"
        ),
        pytest.param(
            '{"k": 10, "questions": 1, "golden": "x", "figures": {"right": 2}}', "figures", id="two"
        ),
        pytest.param(
            '{"k": 5, "questions": 1, "golden": "x", "figures": {}}', "5 results", id="other k"
        ),
    ],
)
def test_a_broken_baseline_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(InvalidRequest, match=complaint) as caught:
        read_baseline(path, 10)
    assert caught.value.hint


def test_a_baseline_that_is_absent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_baseline(tmp_path / "absent.json", 10)


def test_the_baseline_of_the_examples_gates_every_metric() -> None:
    baseline = read_baseline(ROOT / "examples/baseline.json", 10)
    assert set(baseline.figures) == {metric.label(10) for metric in GATED}
