"""Compare two runs over the same questions: differences, intervals and significance tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from footnote.errors import InvalidRequest
from footnote.evaluation.metrics import METRICS, Measure, Metric, Samples, samples
from footnote.evaluation.run import Run

ROUNDS = 10_000
SEED = 20070806
SIGNIFICANT = 0.05
"""Significance level: a difference with a p-value at or above it is called even."""

_INTERVAL = (2.5, 97.5)
_NUMBERS_AT_ONCE = 2_000_000
_ROUNDING = 1e-9
"""Two sums of the same numbers in another order may differ by less."""


Measured = Sequence[Mapping[str, Measure]]
"""The measures of each question of a run, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference of a metric between run B and run A, on the same questions."""

    metric: Metric
    label: str
    a: float
    b: float
    difference: float
    """b - a."""
    low: float
    """Lower end of the 95 % bootstrap interval of the difference; `high` is the upper end."""
    high: float
    p: float
    """Two-sided p-value, above 0, at most 1."""
    questions: int
    """Questions on which the metric is defined."""

    @property
    def better(self) -> Literal["a", "b"] | None:
        """The better run; None if the difference is not significant."""
        if self.p >= SIGNIFICANT or self.difference == 0:
            return None
        return "b" if (self.difference > 0) == self.metric.higher_is_better else "a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The measures of two runs, question by question; four arrays of one length."""

    values_a: Samples
    weights_a: Samples
    values_b: Samples
    weights_b: Samples


def compare(a: Run, b: Run, *, rounds: int = ROUNDS, seed: int = SEED) -> tuple[Difference, ...]:
    """Each metric that both runs define. Deterministic. Raises InvalidRequest."""
    if [judged.golden for judged in a.judged] != [judged.golden for judged in b.judged]:
        raise InvalidRequest(
            "the two runs answered different questions", hint="compare runs of one golden set"
        )
    if a.setup.k != b.setup.k:
        raise InvalidRequest(
            f"one run looked at {a.setup.k} results and the other at {b.setup.k}",
            hint="compare runs with the same k",
        )
    first, second = ([judged.measures for judged in run.judged] for run in (a, b))
    return compare_measures(first, second, a.setup.k, rounds=rounds, seed=seed)


def compare_measures(
    a: Measured, b: Measured, k: int, *, rounds: int = ROUNDS, seed: int = SEED
) -> tuple[Difference, ...]:
    """Compare the measures of two runs, given by question in the same order."""
    differences = (_difference(metric, a, b, metric.label(k), (rounds, seed)) for metric in METRICS)
    return tuple(difference for difference in differences if difference is not None)


def _difference(
    metric: Metric, a: Measured, b: Measured, label: str, chance: tuple[int, int]
) -> Difference | None:
    rounds, seed = chance
    values_a, weights_a = samples(a, metric.measure)
    values_b, weights_b = samples(b, metric.measure)
    defined = (weights_a > 0) | (weights_b > 0)
    if not (weights_a.any() and weights_b.any()):
        return None
    pair = Paired(
        values_a=values_a[defined],
        weights_a=weights_a[defined],
        values_b=values_b[defined],
        weights_b=weights_b[defined],
    )
    first = float(metric.figure(pair.values_a, pair.weights_a))
    second = float(metric.figure(pair.values_b, pair.weights_b))
    low, high = bootstrap_interval(metric, pair, rounds, seed)
    return Difference(
        metric=metric,
        label=label,
        a=first,
        b=second,
        difference=second - first,
        low=low,
        high=high,
        p=randomisation_p(metric, pair, rounds, seed),
        questions=int(defined.sum()),
    )


def randomisation_p(metric: Metric, pair: Paired, rounds: int, seed: int) -> float:
    """Return the two-sided p of a paired randomisation test (Smucker, Allan, Carterette 2007).

    Under the null hypothesis a question's two results are exchangeable. So each round swaps those
    of each question with probability 1/2, and counts if the difference of the metric is at least
    as large as observed. The observed assignment counts too, so p is never 0 (Phipson, Smyth 2010).
    """
    observed = abs(
        float(
            metric.figure(pair.values_b, pair.weights_b)
            - metric.figure(pair.values_a, pair.weights_a)
        )
    )
    generator = np.random.default_rng(seed)
    as_large = 0
    for count in _batches(rounds, len(pair.values_a)):
        swapped = generator.random((count, len(pair.values_a))) < 0.5
        first = metric.figure(
            np.where(swapped, pair.values_b, pair.values_a),
            np.where(swapped, pair.weights_b, pair.weights_a),
        )
        second = metric.figure(
            np.where(swapped, pair.values_a, pair.values_b),
            np.where(swapped, pair.weights_a, pair.weights_b),
        )
        # A round in which one side is undefined tells nothing against chance, so it counts.
        as_large += int((~(np.abs(second - first) < observed - _ROUNDING)).sum())
    return (1 + as_large) / (1 + rounds)


def bootstrap_interval(metric: Metric, pair: Paired, rounds: int, seed: int) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of b - a (Efron, Tibshirani 1993, chapter 13).

    Questions are drawn with replacement, each with both of its results.
    """
    generator = np.random.default_rng(seed + 1)
    size = len(pair.values_a)
    differences = []
    for count in _batches(rounds, size):
        sampled = generator.integers(0, size, (count, size))
        differences.append(
            metric.figure(pair.values_b[sampled], pair.weights_b[sampled])
            - metric.figure(pair.values_a[sampled], pair.weights_a[sampled])
        )
    low, high = np.nanpercentile(np.concatenate(differences), _INTERVAL)
    return float(low), float(high)


def _batches(rounds: int, size: int) -> Iterator[int]:
    """Yield batch sizes that add up to `rounds`, each small enough for memory."""
    largest = max(1, _NUMBERS_AT_ONCE // max(1, size))
    for start in range(0, rounds, largest):
        yield min(largest, rounds - start)
