"""A run is held against the figures of an earlier one, and what got worse is said."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from footnote.errors import InvalidRequest
from footnote.evaluation.metrics import METRICS, Metric
from footnote.evaluation.run import Run

DEFAULT_TOLERANCE = 0.02
GATED: tuple[Metric, ...] = tuple(
    metric for metric in METRICS if metric.group != "speed" and not metric.descriptive
)
"""Times depend on the machine, so they are compared in one run and never gated."""

_ROUNDING = 1e-9
_DESCRIPTION = "footnote eval … --save writes one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The figures a run must not fall below."""

    k: int
    questions: int
    digest: str
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A metric that got worse by more than is tolerated."""

    label: str
    before: float
    now: float | None
    """None when the run no longer defines it."""
    tolerance: float

    @property
    def sentence(self) -> str:
        """What happened, for people."""
        if self.now is None:
            return f"{self.label} was {self.before:.3f} and can no longer be measured."
        fall = self.before - self.now
        return (
            f"{self.label} fell from {self.before:.3f} to {self.now:.3f}, "
            f"by {fall:.3f}; {self.tolerance:g} is tolerated."
        )


def baseline_of(run: Run) -> Baseline:
    """What a later run will be held against: the shares of this one, without its times."""
    labels = [metric.label(run.setup.k) for metric in GATED]
    measured = run.figures
    return Baseline(
        k=run.setup.k,
        questions=len(run.judged),
        digest=run.golden.digest,
        figures={label: value for label in labels if (value := measured[label]) is not None},
    )


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write it as JSON. Raises InvalidRequest when it cannot be written."""
    record = {
        "k": baseline.k,
        "questions": baseline.questions,
        "golden": baseline.digest,
        "figures": dict(baseline.figures),
    }
    try:
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}", hint="check the path and its rights"
        ) from error


def read_baseline(path: Path, k: int) -> Baseline:
    """A baseline that was written before, of runs that look at k results.

    Raises InvalidRequest.
    """
    try:
        record: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRequest(
            f"the baseline {path} cannot be read: {error.strerror}", hint=_DESCRIPTION
        ) from error
    except ValueError as error:
        raise InvalidRequest(
            f"the baseline {path} is not JSON: {error}", hint=_DESCRIPTION
        ) from error
    baseline = _baseline(path, record)
    if baseline.k != k:
        raise InvalidRequest(
            f"the baseline {path} looked at {baseline.k} results, this run at {k}",
            hint=f"ask with --k {baseline.k}, or save a new baseline",
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
    figures = record.get("figures")
    known = {metric.label(k) for metric in GATED}
    if not isinstance(figures, dict) or not all(
        label in known and _is_share(value) for label, value in figures.items()
    ):
        raise InvalidRequest(
            f"the 'figures' of the baseline {path} are not metrics at k={k}, from 0 to 1",
            hint=_DESCRIPTION,
        )
    return Baseline(k=k, questions=questions, digest=digest, figures=figures)


def _is_share(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value <= 1
    )


def regressions(run: Run, baseline: Baseline, tolerance: float) -> tuple[Regression, ...]:
    """The metrics that are lower than in the baseline of the same k by more than the tolerance."""
    measured = run.figures
    found = []
    for label, before in baseline.figures.items():
        now = measured[label]
        if now is None or before - now > tolerance + _ROUNDING:
            found.append(Regression(label=label, before=before, now=now, tolerance=tolerance))
    return tuple(found)
