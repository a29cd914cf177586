"""Convert runs to the records that a workspace stores, and compare two stored runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from footnote.domain.evaluations import (
    EvaluationComparison,
    EvaluationOrder,
    MetricDifference,
    NewEvaluationRun,
    QuestionOutcome,
    VerdictChange,
)
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.evaluation.compare import Difference, compare_measures
from footnote.evaluation.golden import GoldenSet, golden_of
from footnote.evaluation.judging import Judged
from footnote.evaluation.metrics import Measure, figures
from footnote.evaluation.run import Run, Setup


def stored_form(run: Run) -> NewEvaluationRun:
    """Return a run as it is stored: metrics and verdicts, without text of documents."""
    return NewEvaluationRun(
        golden_name=run.golden.name,
        golden=run.golden.digest,
        setup=run.setup.name,
        k=run.setup.k,
        figures=run.figures,
        outcomes=tuple(map(outcome_of, run.judged)),
    )


def outcome_of(judged: Judged) -> QuestionOutcome:
    """Return a question's outcome as it is stored."""
    return QuestionOutcome(
        id=judged.golden.identity,
        question=judged.golden.question,
        kind=judged.golden.kind,
        verdict=judged.verdict,
        confidence=round(judged.confidence, 4),
        measures={
            name: (measure.value, measure.weight)
            for name, measure in judged.measures.items()
            if measure.weight > 0
        },
    )


def run_of(
    golden: GoldenSet, setup: Setup, outcomes: Sequence[QuestionOutcome]
) -> NewEvaluationRun:
    """A run of these outcomes, in the order of the golden set."""
    return NewEvaluationRun(
        golden_name=golden.name,
        golden=golden.digest,
        setup=setup.name,
        k=setup.k,
        figures=figures(measures_of(outcomes), setup.k),
        outcomes=tuple(outcomes),
    )


def order_of(text: str, name: str, *, plan: str | None, k: int) -> EvaluationOrder:
    """Return the order for a worker to evaluate a golden set's text. Raises InvalidRequest."""
    golden = golden_of(name, text)
    return EvaluationOrder(
        golden=golden.digest,
        golden_name=golden.name,
        questions=len(golden.questions),
        lines=text,
        plan=plan,
        k=k,
    )


async def compare_evaluations(workspace: WorkspaceEngine, a: UUID, b: UUID) -> EvaluationComparison:
    """Compare two stored runs over the same questions.

    Raises NotFound, Forbidden, and InvalidRequest for runs of different questions or k.
    """
    run_a, run_b = await workspace.evaluation_run(a), await workspace.evaluation_run(b)
    if run_a.run.golden != run_b.run.golden or run_a.run.k != run_b.run.k:
        raise InvalidRequest(
            "the two runs asked other questions, or looked at another number of results",
            hint="compare runs of one golden set with the same k",
        )
    differences = compare_measures(
        measures_of(run_a.outcomes), measures_of(run_b.outcomes), run_a.run.k
    )
    return EvaluationComparison(
        a=run_a.run,
        b=run_b.run,
        differences=tuple(map(_metric_difference, differences)),
        changes=tuple(_changes(run_a.outcomes, run_b.outcomes)),
    )


def measures_of(outcomes: Sequence[QuestionOutcome]) -> list[dict[str, Measure]]:
    """Return the measures of each question, by name."""
    return [
        {
            name: Measure(value=value, weight=weight)
            for name, (value, weight) in outcome.measures.items()
        }
        for outcome in outcomes
    ]


def _metric_difference(difference: Difference) -> MetricDifference:
    return MetricDifference(
        metric=difference.label,
        a=round(difference.a, 4),
        b=round(difference.b, 4),
        difference=round(difference.difference, 4),
        low=round(difference.low, 4),
        high=round(difference.high, 4),
        p=round(difference.p, 4),
        better=difference.better,
        questions=difference.questions,
    )


def _changes(
    outcomes_a: Sequence[QuestionOutcome], outcomes_b: Sequence[QuestionOutcome]
) -> Iterator[VerdictChange]:
    for first, second in zip(outcomes_a, outcomes_b, strict=True):
        if first.verdict != second.verdict:
            yield VerdictChange(
                id=first.id,
                question=first.question,
                kind=first.kind,
                a=first.verdict,
                b=second.verdict,
            )
