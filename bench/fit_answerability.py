"""Fit and judge the coefficients of `footnote.answering.coefficients` on question sets.

Articles, not questions, are split into a half to fit on and a half to judge by;
`answerability_sets` says what is asked of them.

    python bench/fit_answerability.py native=../shared/data/xquad-en \\
        foreign=../shared/data/xquad-de foreign=../shared/data/xquad-es
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from answerability_sets import (
    VARIANTS,
    Asked,
    Floats,
    RememberingAnalyzer,
    RememberingEmbedder,
    ask_all,
)
from footnote.answering.coefficients import ANSWERABILITY, SUPPORT, Logistic, Trust, probability
from footnote.answering.decide import OUTLOOK_NAMES, Outlook, look_out
from footnote.answering.ground import SIGNAL_NAMES, Weighed, rarity, weigh
from footnote.answering.pipeline import EMBEDDED_STATEMENTS, LEAST_ANSWERABILITY
from footnote.answering.select import Selection, by_strength
from footnote.index.analysis import TextAnalyzer
from footnote.models import load_minilm

RIDGE = 1.0
"""L2 penalty on standardised weights: enough to keep correlated signals from opposing signs."""


def fit(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
    """Ridge logistic regression by Newton's method on standardised signals."""
    mean, spread = signals.mean(0), signals.std(0)
    spread[spread == 0] = np.inf
    design = np.column_stack([np.ones(len(signals)), (signals - mean) / spread])
    penalty = np.diag([0.0, *[RIDGE] * len(names)])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-design @ found))
        slope = design.T @ (weights * (chance - right)) + penalty @ found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curve + 1e-9 * np.eye(len(curve)), slope)
    scaled = found[1:] / spread
    return Logistic(
        intercept=round(float(found[0] - scaled @ np.where(np.isinf(spread), 0, mean)), 3),
        weights={
            name: round(float(value), 3) for name, value in zip(names, scaled, strict=True) if value
        },
    )


def weigh_all(asked: Sequence[Asked], trust: Trust) -> list[list[Weighed]]:
    return [
        weigh(
            each.question,
            each.kept,
            vectors=None if trust is Trust.NONE else each.vectors,
            target=each.target,
            trusts=[trust] * len(each.kept),
            rarities=rarity(each.readings),
        )
        for each in asked
    ]


def row_of(record: object, names: Sequence[str]) -> list[float]:
    return [float(getattr(record, name)) for name in names]


def fit_support(asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]]) -> Logistic:
    rows, right = [], []
    for question, statements in zip(asked, weighed, strict=True):
        if not question.held_out:
            rows += [row_of(each.signals, SIGNAL_NAMES) for each in statements]
            right += question.gold
    return fit(np.array(rows), np.array(right, dtype=float), np.ones(len(rows)), SIGNAL_NAMES)


def embedded(asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]]) -> list[list[Weighed]]:
    """What the pipeline would have weighed, best first."""
    return [
        by_strength([each for each, kept in zip(found, question.embedded, strict=True) if kept])
        for question, found in zip(asked, weighed, strict=True)
    ]


def outlooks(asked: Sequence[Asked], ranked: Sequence[Sequence[Weighed]]) -> list[Outlook]:
    return [
        look_out(question.question, question.readings, statements)
        for question, statements in zip(asked, ranked, strict=True)
    ]


def fit_answerability(asked: Sequence[Asked], views: Sequence[Outlook]) -> Logistic:
    """Answerable and unanswerable questions weigh the same in all."""
    used = [
        (view, each.variant == VARIANTS[0])
        for each, view in zip(asked, views, strict=True)
        if not each.held_out
    ]
    right = np.array([good for _, good in used], dtype=float)
    weights = np.where(right == 1, 1.0, right.sum() / (1 - right).sum())
    return fit(
        np.array([row_of(view, OUTLOOK_NAMES) for view, _ in used]), right, weights, OUTLOOK_NAMES
    )


def area_under_curve(good: Floats, bad: Floats) -> float:
    return float(np.mean(good[:, None] > bad[None, :]) + 0.5 * np.mean(good[:, None] == bad[None]))


def judge(
    asked: Sequence[Asked],
    ranked: Sequence[Sequence[Weighed]],
    views: Sequence[Outlook],
    model: Logistic,
) -> None:
    """Print what the held-out half says."""
    chances: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    hits: list[bool] = []
    cited: list[bool] = []
    reached: list[bool] = []
    for question, statements, view in zip(asked, ranked, views, strict=True):
        if not question.held_out:
            continue
        chance = probability(model, {name: getattr(view, name) for name in OUTLOOK_NAMES})
        chances[question.variant].append(chance)
        if question.variant == VARIANTS[0]:
            right = {id(r) for r, g in zip(question.kept, question.gold, strict=True) if g}
            hits.append(id(statements[0].reading) in right)
            reached.append(any(id(each.reading) in right for each in statements))
            if chance >= LEAST_ANSWERABILITY:
                chosen = Selection()(statements, question.question.all_terms)
                cited += [id(each.reading) in right for each in chosen]
    good = np.array(chances[VARIANTS[0]])
    print(f"  one of {EMBEDDED_STATEMENTS} statements holds the answer: {np.mean(reached):.3f}")
    print(f"  best statement holds the answer: {np.mean(hits):.3f} of {len(hits)}")
    print(f"  cited statement holds the answer: {np.mean(cited):.3f} of {len(cited)}")
    for variant in VARIANTS[1:]:
        print(f"  AUC against {variant}: {area_under_curve(good, np.array(chances[variant])):.3f}")
    for threshold in (0.3, 0.4, 0.45, 0.5, 0.6):
        shares = "  ".join(
            f"{variant} {np.mean(np.array(values) >= threshold):.3f}"
            for variant, values in chances.items()
        )
        print(f"  answered at {threshold}: {shares}")


def show(table: Mapping[Trust, tuple[Logistic, Logistic]]) -> None:
    """Print the fitted table as Python."""
    for position, name in enumerate(("SUPPORT", "ANSWERABILITY")):
        print(f"{name}: Mapping[Trust, Logistic] = {{")
        for trust, models in table.items():
            model = models[position]
            print(f"    Trust.{trust.name}: Logistic(")
            print(f"        intercept={model.intercept},\n        weights={{")
            for signal, weight in model.weights.items():
                print(f'            "{signal}": {weight},')
            print("        },\n    ),")
        print("}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", help="native=FOLDER or foreign=FOLDER")
    parser.add_argument("--judge-only", action="store_true", help="judge the committed numbers")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path(tempfile.gettempdir()) / "footnote-bench",
        help="folder of built models",
    )
    arguments = parser.parse_args()
    embedder = RememberingEmbedder(
        load_minilm(arguments.models, "int8", threads=1, batch_tokens=8192),
        arguments.models / "statements.pickle",
    )
    analyzer = RememberingAnalyzer(TextAnalyzer())
    asked: dict[Trust, list[Asked]] = {trust: [] for trust in Trust}
    for each in arguments.sets:
        trust, _, folder = each.partition("=")
        found = await ask_all(Path(folder), embedder, analyzer)
        asked[Trust(trust)] += found
        asked[Trust.NONE] += found
    embedder.keep()
    table = {}
    for trust, questions in asked.items():
        if not questions:
            continue
        print(f"{trust.value}: {len(questions)} questions")
        if not arguments.judge_only:
            SUPPORT[trust] = fit_support(questions, weigh_all(questions, trust))  # type: ignore[index]  # the fitted numbers replace the committed ones for this run
        ranked = embedded(questions, weigh_all(questions, trust))
        views = outlooks(questions, ranked)
        model = (
            ANSWERABILITY[trust] if arguments.judge_only else fit_answerability(questions, views)
        )
        judge(questions, ranked, views, model)
        table[trust] = (SUPPORT[trust], model)
    if not arguments.judge_only:
        show(table)


if __name__ == "__main__":
    asyncio.run(main())
