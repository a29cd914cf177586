"""Fit and judge the coefficients of `footnote.answering.coefficients` on question sets.

Articles, not questions, are split into a half to fit on and a half to judge by;
`answerability_sets` says what is asked of them.

    python bench/fit_answerability.py native@4=../shared/data/xquad-en \\
        foreign@10=../shared/data/xquad-de cross@10=../shared/data/xquad-de:../shared/data/xquad-en
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from answerability_office import ask_office
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
from footnote.answering.ground import SIGNAL_NAMES, Weighed, weigh
from footnote.answering.pipeline import EMBEDDED_STATEMENTS, LEAST_ANSWERABILITY
from footnote.answering.reading import rarity
from footnote.answering.select import Selection, by_strength
from footnote.index.analysis import TextAnalyzer
from footnote.models import load_minilm

RIDGE = 3.0
"""L2 penalty on standardised weights: few questions are a user's, so no weight may lean far."""
SPEAKS_FOR = (
    "similarity",
    "coverage",
    "nearness",
    "fits_kind",
    "meaning",
    "support",
    "lead",
    "beyond",
    "own_",
    "told",
)
"""A signal whose name holds one of these can only speak for an answer."""
SPEAKS_AGAINST = ("lacks", "unseen", "only_names")
"""And one whose name begins so only against it."""


def fit(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
    """Ridge logistic regression; a signal that would speak the wrong way is left out."""
    used = list(range(len(names)))
    while True:
        model = solve(signals[:, used], right, weights, [names[each] for each in used])
        wrong = [each for each in used if speaks_wrongly(names[each], model.weights)]
        if not wrong:
            return model
        used = [each for each in used if each not in wrong]


FORMS = ("is_row", "is_label", "newness")
"""What a statement looks like; hardly a row of a table is foreign in what is fitted on."""


def named(names: Sequence[str], trust: Trust) -> list[str]:
    """The signals that are fitted for a trust."""
    foreign = trust in (Trust.FOREIGN, Trust.CROSS)
    return [name for name in names if not (foreign and name in FORMS)]


def speaks_wrongly(name: str, weights: Mapping[str, float]) -> bool:
    weight = weights.get(name, 0.0)
    if name.startswith(SPEAKS_AGAINST):
        return weight > 0
    return weight < 0 and any(part in name for part in SPEAKS_FOR)


def solve(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
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


def weigh_all(asked: Sequence[Asked]) -> list[list[Weighed]]:
    """Every kept statement with its signals and its support."""
    return [
        weigh(
            each.question,
            each.kept,
            vectors=each.vectors,
            target=each.target,
            trusts=each.trusts,
            rarities=rarity(each.readings),
        )
        for each in asked
    ]


def as_seen(
    asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]], *, blind: bool
) -> list[list[Weighed]]:
    """The same statements with the support that the numbers of now give; blind without vectors."""
    seen = []
    for question, statements in zip(asked, weighed, strict=True):
        again = []
        for each, trust in zip(statements, question.trusts, strict=True):
            signals = replace(each.signals, similarity=0.0) if blind else each.signals
            values = {name: getattr(signals, name) for name in SIGNAL_NAMES}
            support = probability(SUPPORT[Trust.NONE if blind else trust], values)
            again.append(replace(each, signals=signals, support=support))
        seen.append(again)
    return seen


def row_of(record: object, names: Sequence[str]) -> list[float]:
    return [float(getattr(record, name)) for name in names]


def fit_support(
    asked: Sequence[Asked], weighed: Sequence[Sequence[Weighed]], trust: Trust
) -> Logistic:
    """On the statements of that trust; on all of them where there are no vectors."""
    rows, right, weights = [], [], []
    names = named(SIGNAL_NAMES, trust)
    for question, statements in zip(asked, weighed, strict=True):
        if question.held_out:
            continue
        for each, gold, held in zip(statements, question.gold, question.trusts, strict=True):
            if trust in (Trust.NONE, held):
                rows.append(row_of(each.signals, names))
                right.append(gold)
                weights.append(question.weight)
    return fit(np.array(rows), np.array(right, dtype=float), np.array(weights), names)


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


def best_is_right(question: Asked, ranked: Sequence[Weighed]) -> bool:
    """Whether the best statement answers: what is said is believed, so nothing less will do."""
    right = {id(each) for each, gold in zip(question.kept, question.gold, strict=True) if gold}
    return id(ranked[0].reading) in right


def fit_answerability(
    asked: Sequence[Asked],
    ranked: Sequence[Sequence[Weighed]],
    views: Sequence[Outlook],
    trust: Trust,
) -> Logistic:
    """Questions whose best statement answers and others weigh the same in all."""
    names = named(OUTLOOK_NAMES, trust)
    used = [
        (row_of(view, names), best_is_right(each, statements), each.weight)
        for each, statements, view in zip(asked, ranked, views, strict=True)
        if not each.held_out
    ]
    right = np.array([good for _, good, _ in used], dtype=float)
    weights = np.array([weight for _, _, weight in used])
    share = float((weights * right).sum() / (weights * (1 - right)).sum())
    return fit(
        np.array([row for row, _, _ in used]),
        right,
        np.where(right == 1, weights, weights * share),
        names,
    )


def trust_of(question: Asked, statement: Weighed) -> Trust:
    """How far the vector of one of a question's statements can be believed."""
    held = zip(question.kept, question.trusts, strict=True)
    return next(trust for reading, trust in held if reading is statement.reading)


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
    parser.add_argument(
        "sets",
        nargs="+",
        help="native=FOLDER, foreign=FOLDER, or cross=FOLDER:FOLDER whose wordings are asked; "
        "native@4=FOLDER takes each fourth question only",
    )
    parser.add_argument(
        "--fold", type=int, help="fold of the office papers to judge by, from 0; else none is"
    )
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
    asked = await ask_office(embedder, analyzer, arguments.models, arguments.fold)
    for each in arguments.sets:
        kind, _, folders = each.partition("=")
        trust, _, every = kind.partition("@")
        folder, _, asking = folders.partition(":")
        asked += await ask_all(
            Path(folder),
            embedder,
            analyzer,
            trust=Trust(trust),
            asking=Path(asking) if asking else None,
            every=int(every or 1),
        )
    embedder.keep()
    weighed = weigh_all(asked)
    seen = {blind: as_seen(asked, weighed, blind=blind) for blind in (False, True)}
    if not arguments.judge_only:
        for trust in Trust:
            weighed = seen[trust is Trust.NONE]
            SUPPORT[trust] = fit_support(asked, weighed, trust)  # type: ignore[index]  # the fitted numbers replace the committed ones for this run
        seen = {blind: as_seen(asked, seen[blind], blind=blind) for blind in seen}
    table = {}
    for trust in Trust:
        ranked = embedded(asked, seen[trust is Trust.NONE])
        chosen = [
            position
            for position, (question, statements) in enumerate(zip(asked, ranked, strict=True))
            if trust in (Trust.NONE, trust_of(question, statements[0]))
        ]
        questions, best = [asked[each] for each in chosen], [ranked[each] for each in chosen]
        views = outlooks(questions, best)
        print(f"{trust.value}: {len(questions)} questions")
        model = (
            ANSWERABILITY[trust]
            if arguments.judge_only
            else fit_answerability(questions, best, views, trust)
        )
        judge(questions, best, views, model)
        table[trust] = (SUPPORT[trust], model)
    if not arguments.judge_only:
        show(table)


if __name__ == "__main__":
    asyncio.run(main())
