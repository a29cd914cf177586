"""Metrics agree with the field's own tool, stay in their ranges and obey their laws."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.evaluation import metrics
from footnote.evaluation.metrics import METRICS, UNDEFINED, Measure

PLACES = [f"place {number}" for number in range(6)]
CUTS = st.integers(1, 15)
SHOWN = st.lists(st.sets(st.sampled_from(PLACES), max_size=2), max_size=15)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[str], set[str]]:
    """Results, each another document, and those of all documents that are expected."""
    documents = [f"document {number}" for number in range(12)]
    ranked = draw(st.permutations(documents))[: draw(st.integers(1, 12))]
    return ranked, draw(st.sets(st.sampled_from(documents), min_size=1))


@given(rankings(), CUTS)
def test_ranking_metrics_are_those_of_ir_measures(
    ranking: tuple[list[str], set[str]], k: int
) -> None:
    ranked, expected = ranking
    reference = ir_measures.calc_aggregate(
        [
            ir_measures.nDCG @ k,
            ir_measures.R @ k,
            ir_measures.P @ k,
            ir_measures.RR @ k,
        ],
        {"q": dict.fromkeys(expected, 1)},
        {"q": {document: -float(rank) for rank, document in enumerate(ranked)}},
    )
    shown = [{document} & expected for document in ranked]
    gains = metrics.novelty_gains(shown)
    measured = {
        f"nDCG@{k}": metrics.ndcg(gains, len(expected), k),
        f"R@{k}": metrics.recall(shown, len(expected), k),
        f"P@{k}": metrics.precision(shown, k),
        f"RR@{k}": metrics.reciprocal_rank(shown, k),
    }
    assert measured == pytest.approx({str(name): value for name, value in reference.items()})


@given(SHOWN, CUTS)
def test_every_share_lies_between_nothing_and_all(shown: list[set[str]], k: int) -> None:
    gains = metrics.novelty_gains(shown)
    values = [
        metrics.ndcg(gains, len(PLACES), k),
        metrics.recall(shown, len(PLACES), k),
        metrics.precision(shown, k),
        metrics.reciprocal_rank(shown, k),
    ]
    assert all(0 <= value <= 1 for value in values)


@given(SHOWN, CUTS)
def test_a_place_that_is_shown_again_gains_nothing(shown: list[set[str]], k: int) -> None:
    gains = metrics.novelty_gains(shown)
    assert metrics.novelty_gains([*shown, *shown]) == gains + [0.0] * len(shown)
    assert sum(gains) <= len(set().union(*shown))
    assert metrics.recall([*shown, *shown], 6, 2 * k) >= metrics.recall(shown, 6, k)


@given(SHOWN, CUTS)
def test_what_helps_is_worth_more_when_it_comes_earlier(shown: list[set[str]], k: int) -> None:
    earlier = sorted(metrics.novelty_gains(shown), reverse=True)
    assert metrics.ndcg(earlier, 6, k) >= metrics.ndcg(metrics.novelty_gains(shown), 6, k)


def test_one_result_that_shows_everything_is_a_perfect_answer_first() -> None:
    shown = [set(PLACES[:2]), set()]
    assert metrics.recall(shown, 2, 10) == 1
    assert metrics.reciprocal_rank(shown, 10) == 1
    assert 0.5 < metrics.ndcg(metrics.novelty_gains(shown), 2, 10) < 1


def test_diversity_is_the_share_of_distinct_documents() -> None:
    assert metrics.diversity(["a", "b", "a", "a"]) == Measure(value=0.5)
    assert metrics.diversity([]) == UNDEFINED


def test_a_share_of_citations_counts_every_citation() -> None:
    measured = [
        {"citation_precision": metrics.share_of([True])},
        {"citation_precision": metrics.share_of([False, False, True])},
        {"citation_precision": metrics.share_of([])},
    ]
    assert metrics.figures(measured, 10)["citation_precision"] == 0.5


def test_what_no_question_defines_has_no_figure() -> None:
    found = metrics.figures([{"refused": Measure(value=1.0)}, {}], 5)
    assert found.pop("refused") == 1.0
    assert set(found.values()) == {None}
    assert "ndcg@5" in found


@given(st.lists(st.floats(0.01, 1e4), min_size=1, max_size=50))
def test_times_are_percentiles(times: list[float]) -> None:
    measured = [{"latency_ms": Measure(value=time)} for time in times]
    found = metrics.figures(measured, 10)
    middle, late = (float(value) for value in np.percentile(times, (50, 95)))
    assert found["latency_p50_ms"] == pytest.approx(middle, abs=1e-3)
    assert found["latency_p95_ms"] == pytest.approx(late, abs=1e-3)


def test_every_metric_says_what_it_means_and_which_values_it_takes() -> None:
    labels = [metric.label(10) for metric in METRICS]
    assert len(set(labels)) == len(labels)
    assert {"ndcg@10", "recall@10", "precision@10", "mrr@10", "latency_p50_ms"} <= set(labels)
    assert all(metric.meaning and metric.range for metric in METRICS)
    assert {m.name for m in METRICS if not m.higher_is_better} == {
        f"{name}_p{percentile}_ms" for name in ("search", "latency") for percentile in (50, 95)
    }
