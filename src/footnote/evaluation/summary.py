"""Convert runs and their differences to plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.evaluation.compare import Difference
from footnote.evaluation.judging import Judged
from footnote.evaluation.run import Run

Value = None | bool | int | float | str | Sequence["Value"] | dict[str, "Value"]
"""What JSON can hold."""


def summary(run: Run) -> dict[str, Value]:
    """Return every metric by its label, then by kind, then the measures of each question.

    A metric that no question defines is None. Times are in milliseconds.
    """
    return {
        **run.figures,
        "questions": len(run.judged),
        "k": run.setup.k,
        "plan": run.setup.name,
        "golden": run.golden.digest,
        "missing_documents": list(run.missing_documents),
        "degraded": list(run.degraded),
        "by_kind": {kind: dict(figures) for kind, figures in run.by_kind.items()},
        "by_question": [_question(judged) for judged in run.judged],
    }


def differences_summary(differences: Sequence[Difference]) -> dict[str, Value]:
    """Each difference by the label of its metric."""
    return {
        difference.label: {
            "a": round(difference.a, 4),
            "b": round(difference.b, 4),
            "difference": round(difference.difference, 4),
            "interval": [round(difference.low, 4), round(difference.high, 4)],
            "p": round(difference.p, 4),
            "better": difference.better,
            "questions": difference.questions,
        }
        for difference in differences
    }


def _question(judged: Judged) -> dict[str, Value]:
    defined = {
        name: round(measure.value, 4)
        for name, measure in judged.measures.items()
        if measure.weight > 0
    }
    return {
        "id": judged.golden.identity,
        "kind": judged.golden.kind,
        "verdict": judged.verdict,
        "confidence": round(judged.confidence, 4),
        **defined,
    }
