"""Evaluation runs that a workspace keeps, and how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.json_form import json_form


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


class EvaluationState(StrEnum):
    """How far an evaluation that a worker asks has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    """Its run is kept."""
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOrder:
    """What a worker is to ask: a golden set, or one that was asked before."""

    golden: str
    """A digest, which differs when the questions do."""
    golden_name: str = ""
    questions: int = 0
    lines: str | None = None
    """The golden set as lines of JSON; None takes that of the latest order with this digest, with
    its name."""
    plan: str | None = None
    """How to search; None takes the default plan."""
    k: int = 10
    """Results of each search that are looked at."""


@json_form(computed=("is_under_way",))
@dataclass(frozen=True, slots=True, kw_only=True)
class StartedEvaluation:
    """An evaluation that a worker asks, or asked."""

    run_id: UUID
    """That of the run that is kept when it is done."""
    golden_name: str
    golden: str
    """A digest, which differs when the questions do."""
    plan: str | None
    """None stands for the default plan."""
    k: int
    """Results of each search that are looked at."""
    questions: int
    asked: int
    """Questions with an outcome."""
    cost_usd: float
    """Of what was asked so far and has a price."""
    state: EvaluationState
    failure: str | None
    """Why it failed, and what to do."""
    started_by: str
    started_at: datetime
    ended_at: datetime | None

    @property
    def is_under_way(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (EvaluationState.QUEUED, EvaluationState.RUNNING)
