"""Compute the measures of one question, and the metrics over many questions; pure functions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float64]
"""One number for each question; shape (questions,) or (rounds, questions)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One question's contribution to a metric."""

    value: float
    weight: float = 1.0
    """Weight in the mean: the number of citations for a share of citations; 0 if undefined."""


UNDEFINED = Measure(value=0.0, weight=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure over many questions."""

    name: str
    measure: str
    """Name of the measure that it aggregates."""
    group: Literal["retrieval", "answers", "speed"]
    meaning: str
    cut: bool = False
    """Whether it looks at the first k results alone; its name then ends in `@k`."""
    percentile: float | None = None
    """Percentile of the values; None for their weighted mean."""
    descriptive: bool = False
    """Whether a higher value may be worse, so that the gate leaves it out."""

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better: true except for times."""
        return self.group != "speed"

    @property
    def range(self) -> str:
        """The range of its values, for reports."""
        return "milliseconds, from 0" if self.group == "speed" else "0…1"

    def label(self, k: int) -> str:
        """Its name in reports, with `@k` where it considers only the first k results."""
        return f"{self.name}@{k}" if self.cut else self.name

    def figure(self, values: Samples, weights: Samples) -> Samples:
        """The figure of each row of questions; nan where nothing is defined."""
        if self.percentile is not None:
            return np.percentile(values, self.percentile, axis=-1)
        total = weights.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            share: Samples = (values * weights).sum(axis=-1) / total
        return share


METRICS: tuple[Metric, ...] = (
    Metric(
        name="ndcg",
        measure="ndcg",
        group="retrieval",
        cut=True,
        meaning="how early the expected places come; 1 when they come first",
    ),
    Metric(
        name="recall",
        measure="recall",
        group="retrieval",
        cut=True,
        meaning="share of the expected places that were found",
    ),
    Metric(
        name="precision",
        measure="precision",
        group="retrieval",
        cut=True,
        meaning="share of the k results that stand in an expected place",
    ),
    Metric(
        name="mrr",
        measure="mrr",
        group="retrieval",
        cut=True,
        meaning="one over the rank of the first expected place",
    ),
    Metric(
        name="diversity",
        measure="diversity",
        group="retrieval",
        descriptive=True,
        meaning="distinct documents per result",
    ),
    Metric(
        name="page_accuracy",
        measure="page_accuracy",
        group="retrieval",
        meaning="how often the best result from an expected document shows an expected page",
    ),
    Metric(
        name="span_accuracy",
        measure="span_accuracy",
        group="retrieval",
        meaning="share of the expected quotes that stand whole in one result",
    ),
    Metric(
        name="citation_precision",
        measure="citation_precision",
        group="answers",
        meaning="share of the citations that answer the question",
    ),
    Metric(
        name="citation_recall",
        measure="citation_recall",
        group="answers",
        meaning="share of the expected quotes that a citation touches",
    ),
    Metric(
        name="quote_found",
        measure="quote_found",
        group="answers",
        meaning="share of the citations whose quote stands verbatim where they say",
    ),
    Metric(
        name="answered",
        measure="answered",
        group="answers",
        descriptive=True,
        meaning="share of the answerable questions that got an answer",
    ),
    Metric(
        name="refused",
        measure="refused",
        group="answers",
        meaning="share of the unanswerable questions that were refused",
    ),
    Metric(
        name="right",
        measure="right",
        group="answers",
        meaning="share of the answerable questions with a citation that answers them",
    ),
    *(
        Metric(
            name=f"{name}_p{percentile}_ms",
            measure=f"{name}_ms",
            group="speed",
            percentile=percentile,
            meaning=meaning,
        )
        for name, what in (("search", "the results"), ("latency", "the answer"))
        for percentile, meaning in (
            (50, f"half of the questions have {what} within"),
            (95, f"95 in 100 questions have {what} within"),
        )
    ),
)
"""Every figure of a run, in the order of reports."""


def novelty_gains(places_by_result: Sequence[Set[Hashable]]) -> list[float]:
    """Return 1 for each result with a place that no earlier result has, else 0.

    `places_by_result` has the expected places of each result, best first. A second passage of the
    same place gains nothing, so it cannot raise the metric.
    """
    covered: set[Hashable] = set()
    gains = []
    for places in places_by_result:
        gains.append(1.0 if places - covered else 0.0)
        covered |= places
    return gains


def ndcg(gains: Sequence[float], ideal: int, k: int) -> float:
    """Return the normalised discounted cumulative gain at k, 0…1 (Järvelin, Kekäläinen 2002).

    `ideal` is the number of results that could gain 1, at least 1. A result gains 1 however many
    new places it has.
    """
    discounts = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    gained = sum(gain * discount for gain, discount in zip(gains, discounts, strict=False))
    return min(1.0, gained / sum(discounts[:ideal]))


def recall(places_by_result: Sequence[Set[Hashable]], places: int, k: int) -> float:
    """The share of the places that the first k results show, 0…1."""
    return len(set().union(*places_by_result[:k])) / places


def precision(places_by_result: Sequence[Set[Hashable]], k: int) -> float:
    """The share of k results that show an expected place, 0…1; results that lack count as not."""
    return sum(bool(places) for places in places_by_result[:k]) / k


def reciprocal_rank(places_by_result: Sequence[Set[Hashable]], k: int) -> float:
    """Return 1 over the rank of the first result with an expected place, 0…1; 0 without one."""
    return next((1 / rank for rank, places in enumerate(places_by_result[:k], 1) if places), 0.0)


def diversity(documents: Sequence[Hashable]) -> Measure:
    """Distinct documents per result, above 0…1; undefined without results."""
    return Measure(value=len(set(documents)) / len(documents)) if documents else UNDEFINED


def share_of(verdicts: Sequence[bool]) -> Measure:
    """Return the share of true verdicts, weighted by their number; undefined without any."""
    if not verdicts:
        return UNDEFINED
    return Measure(value=sum(verdicts) / len(verdicts), weight=float(len(verdicts)))


def samples(
    measures_by_question: Sequence[Mapping[str, Measure]], name: str
) -> tuple[Samples, Samples]:
    """The values and the weights of a measure, question by question."""
    measures = [
        question_measures.get(name, UNDEFINED) for question_measures in measures_by_question
    ]
    return (
        np.array([measure.value for measure in measures], dtype=np.float64),
        np.array([measure.weight for measure in measures], dtype=np.float64),
    )


def figures(
    measures_by_question: Sequence[Mapping[str, Measure]], k: int
) -> dict[str, float | None]:
    """Every metric of these questions by label; None where nothing is defined."""
    figures_by_label: dict[str, float | None] = {}
    for metric in METRICS:
        values, weights = samples(measures_by_question, metric.measure)
        defined = weights > 0
        is_defined = bool(defined.any())
        figure = float(metric.figure(values[defined], weights[defined])) if is_defined else None
        figures_by_label[metric.label(k)] = None if figure is None else round(figure, 4)
    return figures_by_label
