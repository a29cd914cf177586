"""Differences between runs are judged as exact enumeration would judge them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.errors import InvalidRequest
from footnote.evaluation.compare import (
    Paired,
    bootstrap_interval,
    compare,
    randomisation_p,
)
from footnote.evaluation.metrics import METRICS, Metric
from footnote.evaluation.run import Setup
from tests.evaluation.factories import a_run

BY_NAME = {metric.name: metric for metric in METRICS}
NDCG = BY_NAME["ndcg"]
ROUNDS = 4_000
SHARES = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=1)


def paired(
    pairs: list[tuple[float, float]], weights: list[tuple[float, float]] | None = None
) -> Paired:
    values, counts = np.array(pairs), np.array(weights or [(1.0, 1.0)] * len(pairs))
    return Paired(
        values_a=values[:, 0], values_b=values[:, 1], weights_a=counts[:, 0], weights_b=counts[:, 1]
    )


def enumerated_p(metric: Metric, pair: Paired) -> float:
    """The share of all ways to swap that bring a difference at least as large."""

    def difference(swap: tuple[bool, ...]) -> float:
        swapped = np.array(swap)
        first = metric.figure(
            np.where(swapped, pair.values_b, pair.values_a),
            np.where(swapped, pair.weights_b, pair.weights_a),
        )
        second = metric.figure(
            np.where(swapped, pair.values_a, pair.values_b),
            np.where(swapped, pair.weights_a, pair.weights_b),
        )
        return abs(float(second - first))

    size = len(pair.values_a)
    observed = difference((False,) * size)
    every = [difference(swap) for swap in product((False, True), repeat=size)]
    return sum(value >= observed - 1e-9 for value in every) / len(every)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_the_p_value_is_that_of_exact_enumeration(pairs: list[tuple[float, float]]) -> None:
    pair = paired(pairs)
    estimated = randomisation_p(NDCG, pair, ROUNDS, seed=1)
    exact = enumerated_p(NDCG, pair)
    # Four standard errors of a share over this many rounds.
    assert estimated == pytest.approx(exact, abs=4 * 0.5 / ROUNDS**0.5)


@pytest.mark.parametrize("name", ["citation_precision", "latency_p50_ms"])
def test_shares_of_citations_and_percentiles_are_tested_alike(name: str) -> None:
    weights = [(1.0, 2.0), (3.0, 1.0), (2.0, 2.0), (1.0, 1.0), (0.0, 2.0), (2.0, 0.0)]
    pairs = [(0.0, 0.5), (1 / 3, 1.0), (0.5, 1.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0)]
    pair = paired(pairs, weights)
    estimated = randomisation_p(BY_NAME[name], pair, ROUNDS, seed=1)
    assert estimated == pytest.approx(enumerated_p(BY_NAME[name], pair), abs=0.035)


def test_a_clear_difference_is_found_and_named() -> None:
    better = [0.5 + 0.4 * (row % 2) for row in range(30)]
    a = a_run({"ndcg": [value - 0.3 for value in better]}, latency=[10.0] * 30)
    b = a_run({"ndcg": better}, latency=[20.0 + row for row in range(30)])
    found = {each.label: each for each in compare(a, b)}
    ndcg = found["ndcg@10"]
    assert (ndcg.better, ndcg.questions) == ("b", 30)
    assert ndcg.difference == pytest.approx(0.3)
    assert ndcg.low <= ndcg.difference <= ndcg.high
    assert ndcg.p < 0.001
    assert found["latency_p50_ms"].better == "a", "less time is better"
    assert "refused" not in found, "no question defines it"


def test_equal_runs_are_even() -> None:
    run = a_run({"ndcg": [0.1, 0.7, 0.4], "right": [1.0, 0.0, 1.0]})
    for each in compare(run, run):
        assert (each.difference, each.low, each.high, each.p) == (0, 0, 0, 1)
        assert each.better is None


@settings(max_examples=25, deadline=None)
@given(SHARES)
def test_swapping_the_runs_turns_the_difference_round(pairs: list[tuple[float, float]]) -> None:
    a = a_run({"recall": [first for first, _ in pairs]})
    b = a_run({"recall": [second for _, second in pairs]})
    there = {each.label: each for each in compare(a, b, rounds=200)}["recall@10"]
    back = {each.label: each for each in compare(b, a, rounds=200)}["recall@10"]
    assert there.difference == -back.difference
    assert there.p == back.p
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_comparison_is_the_same_each_time() -> None:
    a = a_run({"recall": [0.0, 1.0, 0.5, 0.2, 0.9]})
    b = a_run({"recall": [0.5, 1.0, 0.5, 0.6, 0.7]})
    assert compare(a, b) == compare(a, b)


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        first = generator.random(40)
        second = first + generator.normal(0.1, 0.2, 40)
        pair = paired(list(zip(first.tolist(), second.tolist(), strict=True)))
        low, high = bootstrap_interval(NDCG, pair, 400, seed=5)
        covered += low <= 0.1 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_runs_over_other_questions_or_results_are_not_compared() -> None:
    run = a_run({"recall": [0.0, 1.0]})
    with pytest.raises(InvalidRequest, match="different questions"):
        compare(run, a_run({"recall": [0.0]}))
    with pytest.raises(InvalidRequest, match="10 results and the other at 5"):
        compare(run, replace(run, setup=Setup(k=5)))
