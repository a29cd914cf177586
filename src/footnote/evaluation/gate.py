"""Compare a run with an earlier one, question by question, and report significant regressions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footnote.errors import InvalidRequest
from footnote.evaluation.compare import ROUNDS, SEED, SIGNIFICANT, Paired, randomisation_p
from footnote.evaluation.metrics import METRICS, Metric, Samples, samples
from footnote.evaluation.run import Run

GATED: tuple[Metric, ...] = tuple(
    metric for metric in METRICS if metric.group != "speed" and not metric.descriptive
)
"""The metrics of the gate. Times are not among them, as they depend on the machine and are only
comparable within one session."""

_DESCRIPTION = "footnote eval … --save writes one"
_DIGITS = 6
"""Decimals to which both sides are rounded, so that rounding makes no difference."""

Results = tuple[tuple[float, float], ...]
"""Value (0…1) and weight of a measure for each question, in the order of the golden set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The results of an earlier run on each question."""

    k: int
    questions: int
    digest: str
    """Of the golden set."""
    results: Mapping[str, Results]
    """By the label of the metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A metric that got worse by more than chance explains."""

    label: str
    before: float
    now: float | None
    """None if the run no longer defines the metric; `p` is then 0."""
    p: float
    """Two-sided p-value, at most 1."""

    @property
    def sentence(self) -> str:
        """The regression as a sentence for reports."""
        if self.now is None:
            return f"{self.label} was {self.before:.3f} and can no longer be measured."
        return (
            f"{self.label} fell from {self.before:.3f} to {self.now:.3f}; chance alone brings such "
            f"a difference in {self.p:.1%} of cases, less than {SIGNIFICANT:.0%}."
        )


def baseline_of(run: Run) -> Baseline:
    """Return a run's results for later comparison, without its times."""
    results: dict[str, Results] = {}
    for metric in GATED:
        values, weights = _rounded(run, metric)
        if weights.any():
            results[metric.label(run.setup.k)] = tuple(
                zip(values.tolist(), weights.tolist(), strict=True)
            )
    return Baseline(
        k=run.setup.k, questions=len(run.judged), digest=run.golden.digest, results=results
    )


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline as JSON, one line per metric. Raises InvalidRequest if it cannot."""
    head = {"k": baseline.k, "questions": baseline.questions, "golden": baseline.digest}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    results = [
        f"    {json.dumps(label)}: {json.dumps(values, separators=(',', ':'))}"
        for label, values in baseline.results.items()
    ]
    text = "\n".join(["{", *lines, '  "results": {', ",\n".join(results), "  }", "}"]) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}", hint="check the path and its rights"
        ) from error


def read_baseline(path: Path, k: int, digest: str) -> Baseline:
    """Read a baseline, which must be of the same k and of the golden set with this digest.

    Raises InvalidRequest.
    """
    try:
        record: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRequest(
            f"the baseline {path} cannot be read: {error.strerror}", hint=_DESCRIPTION
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"the baseline {path} is not JSON: {error}", hint=_DESCRIPTION
        ) from error
    baseline = _baseline(path, record)
    if baseline.k != k:
        raise InvalidRequest(
            f"the baseline {path} looked at {baseline.k} results, this run at {k}",
            hint=f"ask with --k {baseline.k}, or save a new baseline",
        )
    if baseline.digest != digest:
        raise InvalidRequest(
            f"the golden set has changed since the baseline {path} was saved",
            hint="save a new baseline with --save",
        )
    return baseline


def _baseline(path: Path, record: object) -> Baseline:
    if not isinstance(record, dict):
        raise InvalidRequest(f"the baseline {path} is no object", hint=_DESCRIPTION)
    k, questions, digest = (record.get(key) for key in ("k", "questions", "golden"))
    if not (isinstance(k, int) and isinstance(questions, int) and isinstance(digest, str)):
        raise InvalidRequest(
            f"the baseline {path} lacks a usable 'k', 'questions' or 'golden'", hint=_DESCRIPTION
        )
    results = record.get("results")
    labels = {metric.label(k) for metric in GATED}
    if not isinstance(results, dict) or not all(
        label in labels and _are_results(values, questions) for label, values in results.items()
    ):
        raise InvalidRequest(
            f"the 'results' of the baseline {path} are not a value from 0 to 1 and a weight for "
            f"each question, by metrics at k={k}",
            hint=_DESCRIPTION,
        )
    return Baseline(
        k=k,
        questions=questions,
        digest=digest,
        results={
            label: tuple((float(value), float(weight)) for value, weight in values)
            for label, values in results.items()
        },
    )


def _are_results(rows: object, questions: int) -> bool:
    return (
        isinstance(rows, list)
        and len(rows) == questions
        and all(
            isinstance(row, list) and len(row) == 2 and all(map(_is_number, row)) and row[0] <= 1
            for row in rows
        )
    )


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def regressions(run: Run, baseline: Baseline) -> tuple[Regression, ...]:
    """The metrics that fell significantly since the baseline, by a paired randomisation test.

    The baseline is of the same questions.
    """
    fallen = []
    for metric in GATED:
        label = metric.label(run.setup.k)
        if label not in baseline.results:
            continue
        values_a, weights_a = np.array(baseline.results[label], dtype=np.float64).T
        values_b, weights_b = _rounded(run, metric)
        earlier = float(metric.figure(values_a[weights_a > 0], weights_a[weights_a > 0]))
        if not weights_b.any():
            fallen.append(Regression(label=label, before=earlier, now=None, p=0.0))
            continue
        now = float(metric.figure(values_b[weights_b > 0], weights_b[weights_b > 0]))
        if now >= earlier:
            continue
        defined = (weights_a > 0) | (weights_b > 0)
        pair = Paired(
            values_a=values_a[defined],
            weights_a=weights_a[defined],
            values_b=values_b[defined],
            weights_b=weights_b[defined],
        )
        p = randomisation_p(metric, pair, ROUNDS, SEED)
        if p < SIGNIFICANT:
            fallen.append(Regression(label=label, before=earlier, now=now, p=p))
    return tuple(fallen)


def _rounded(run: Run, metric: Metric) -> tuple[Samples, Samples]:
    values, weights = samples([judged.measures for judged in run.judged], metric.measure)
    return values.round(_DIGITS), weights.round(_DIGITS)
