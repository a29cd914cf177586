"""Evaluation runs that a workspace keeps, and how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome:
    """What came of one question of a run."""

    id: str
    question: str
    kind: str
    verdict: str
    """`right`, `partly`, `wrong`, `refused` or `rightly refused`."""
    confidence: float
    measures: Mapping[str, tuple[float, float]]
    """Value and weight of what it adds to each metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvaluationRun:
    """A golden set that was asked, and what came of it."""

    golden_name: str
    golden: str
    """A digest, which differs when the questions do."""
    setup: str
    """The plan with its changes, as reports call it."""
    k: int
    """Results of each search that were looked at."""
    figures: Mapping[str, float | None]
    """Every metric by its label; None where no question defines it."""
    outcomes: tuple[QuestionOutcome, ...]
    """In the order of the golden set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """A run that is kept, with its figures."""

    run_id: UUID
    golden_name: str
    golden: str
    """A digest, which differs when the questions do."""
    setup: str
    """The plan with its changes, as reports call it."""
    k: int
    """Results of each search that were looked at."""
    questions: int
    figures: Mapping[str, float | None]
    """Every metric by its label; None where no question defines it."""
    kept_by: str
    kept_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationDetail:
    """A run with what came of each question."""

    run: EvaluationRun
    outcomes: tuple[QuestionOutcome, ...]
    """In the order of the golden set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """By how much a metric differs between two runs over the same questions."""

    metric: str
    a: float
    b: float
    difference: float
    """b - a."""
    low: float
    """Where the 95 % interval of the difference begins, by the bootstrap."""
    high: float
    """Where it ends."""
    p: float
    """How often chance alone brings a difference at least as large."""
    better: str | None
    """`a` or `b`; None where chance may explain it."""
    questions: int
    """That define the metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """A question that came out differently in two runs."""

    id: str
    question: str
    kind: str
    a: str
    """Its verdict in the first run."""
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationComparison:
    """Two runs over the same questions, side by side."""

    a: EvaluationRun
    b: EvaluationRun
    differences: tuple[MetricDifference, ...]
    changes: tuple[VerdictChange, ...]
    """In the order of the golden set."""
