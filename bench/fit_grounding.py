"""Fit and judge the coefficients of `footnote.answering.grounding_coefficients`.

Articles, not statements, are split into a half to fit on and a half to judge by;
`grounding_sets` says what is stated of them.

    python bench/fit_grounding.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from footnote.answering import grounding_coefficients as committed
from footnote.answering.agreement import AGAINST, FOR, SIGNAL_NAMES, Agreement
from footnote.answering.grounding_coefficients import Basis, Logistic, probability
from footnote.answering.holding import Held, Reader, hold, is_verbatim
from footnote.answering.support import (
    CONFIDENCE_NAMES,
    confidence_signals,
    contradictions,
    needs_vectors,
    signals_of,
    similarity_of,
    support_of,
)
from footnote.domain import Citation, Passage
from footnote.index.analysis import TextAnalyzer
from footnote.models import load_minilm
from footnote.ports import Analyzer
from grounding_sets import FALSE_FORMS, TRUE_FORMS, Statement, crossed, read_set, statements_of
from logistic import area_under_curve, fit
from reading_sets import Floats, RememberingEmbedder, passage_of

NATIVE, FOREIGN = ("en",), ("de", "es", "zh")
LOST = 0.05
GIVEN = 0.005
LONGEST_ANSWER = 5
ANSWERS = 4000
"""Answers put together of held-out statements, to judge the confidence by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A statement with its signals."""

    made: Statement
    held: Held
    by_words: Agreement
    by_vectors: Agreement

    def agreement(self, basis: Basis) -> Agreement:
        return self.by_words if basis is Basis.WORDS else self.by_vectors


def held_of(made: Statement, reader: Reader) -> Held:
    """The statement as the wing sees it."""
    passages: dict[str, Passage] = {}
    citations = []
    for number, (quote, around) in enumerate(
        zip(made.quotes, [*made.around, made.around[-1]], strict=False), start=1
    ):
        passage = passage_of(f"{made.title}-{number}", number, made.title, around, made.language)
        passages[passage.chunk_id] = passage
        start = max(0, around.find(quote))
        citations.append(
            Citation(
                marker=1,
                chunk_id=passage.chunk_id,
                document_id=uuid5(NAMESPACE_URL, made.title),
                document_title=made.title,
                filename="",
                heading_path=(),
                page=None,
                paragraph=1,
                quote=quote,
                char_start=start,
                char_end=start + len(quote),
            )
        )
    return hold(made.text, citations, passages, reader)


async def cases_of(
    made: Sequence[Statement], embedder: RememberingEmbedder, analyzer: Analyzer
) -> list[Case]:
    reader = Reader(analyzer=analyzer)
    helds = [held_of(each, reader) for each in made]
    texts = list(dict.fromkeys(text for held in helds for text in held.embedded_texts))
    rows = [
        await embedder.embed_documents(texts[at : at + 512]) for at in range(0, len(texts), 512)
    ]
    vectors = dict(zip(texts, np.concatenate(rows), strict=True))
    cases = []
    for each, held in zip(made, helds, strict=True):
        statement, *quotes = (vectors[text] for text in held.embedded_texts)
        cases.append(
            Case(
                made=each,
                held=held,
                by_words=held.agreement(),
                by_vectors=held.agreement(similarity_of(statement, quotes)),
            )
        )
    return cases


def fit_support(cases: Sequence[Case], basis: Basis) -> Logistic:
    """The logistic of the half to fit on; no sign may be against what a signal is for."""
    used = [case for case in cases if not case.made.held_out and not is_verbatim(case.held)]
    right = np.array([case.made.true for case in used], dtype=float)
    weights = np.where(right == 1, 1.0, right.sum() / (1 - right).sum())
    names = list(SIGNAL_NAMES)
    while True:
        rows = np.array(
            [[signals_of(case.agreement(basis))[name] for name in names] for case in used]
        )
        model = fit(rows, right, weights, names)
        wrong = [
            name
            for name in names
            if (name in AGAINST and model.weights.get(name, 0) > 0)
            or (name in FOR and model.weights.get(name, 0) < 0)
        ]
        if not wrong:
            return model
        names = [name for name in names if name not in wrong]


def share_true(cases: Sequence[Case], basis: Basis) -> Mapping[str, float]:
    """How many of the statements to fit on hold although a signal says they are contradicted."""
    used = [case for case in cases if not case.made.held_out]
    found: dict[str, list[bool]] = {name: [] for name in committed.CONTRADICTED}
    for case in used:
        for name in contradictions(case.agreement(basis), basis):
            found[name].append(case.made.true)
    return {name: round(float(np.mean(true)), 3) if true else 0.1 for name, true in found.items()}


def balanced_accuracy(cases: Sequence[Case], supports: Floats, threshold: float) -> float:
    true = np.array([case.made.true for case in cases])
    said = supports >= threshold
    return float((said[true].mean() + (~said[~true]).mean()) / 2)


def thresholds(cases: Sequence[Case], basis_of: Callable[[Case], Basis]) -> tuple[float, float]:
    """From where a statement is supported, and from where partly, by the half to fit on.

    The first is the highest whose balanced accuracy is within `GIVEN` of the best: in doubt a
    statement is partly supported. Below the second are `LOST` of the true statements.
    """
    used = [case for case in cases if not case.made.held_out and not is_verbatim(case.held)]
    supports = np.array(
        [support_of(case.agreement(basis_of(case)), basis_of(case)) for case in used]
    )
    steps = [round(0.05 * step, 2) for step in range(6, 19)]
    accuracies = {step: balanced_accuracy(used, supports, step) for step in steps}
    best = max(accuracies.values())
    supported = max(step for step in steps if accuracies[step] >= best - GIVEN)
    true = np.array([case.made.true for case in used])
    partly = max(
        (step for step in steps if np.mean(supports[true] < step) <= LOST), default=steps[0]
    )
    return supported, min(partly, round(supported - 0.2, 2))


def supports_of(cases: Sequence[Case], basis: Basis) -> Floats:
    return np.array([support_of(case.agreement(basis), basis) for case in cases])


def judge(cases: Sequence[Case], basis: Basis) -> None:
    """Print what the held-out half says."""
    kept = [case for case in cases if case.made.held_out and not is_verbatim(case.held)]
    supports = supports_of(kept, basis)
    true = np.array([case.made.true for case in kept])
    forms = np.array([case.made.form for case in kept])
    languages = np.array([case.made.spoken for case in kept])
    good = supports[true]

    def line(name: str, rows: Sequence[bool]) -> str:
        chosen = np.array(rows)
        verdicts = [
            np.mean(supports[chosen] >= committed.SUPPORTED),
            np.mean(
                (supports[chosen] < committed.SUPPORTED) & (supports[chosen] >= committed.PARTLY)
            ),
            np.mean(supports[chosen] < committed.PARTLY),
        ]
        shares = " | ".join(f"{100 * each:.0f} %" for each in verdicts)
        return f"| {name} | {chosen.sum()} | {shares} |"

    accuracy = balanced_accuracy(kept, supports, committed.SUPPORTED)
    print(f"\n{basis.value}: {len(kept)} held-out statements, {len(good)} true")
    print(f"  AUC {area_under_curve(good, supports[~true]):.3f}, balanced accuracy {accuracy:.3f}")
    best = max(np.arange(0.05, 0.96, 0.05), key=lambda at: balanced_accuracy(kept, supports, at))
    print(f"  best threshold here {best:.2f}: {balanced_accuracy(kept, supports, best):.3f}")
    print(f"  calibration error {calibration_error(supports, true):.3f}")
    for language in dict.fromkeys(languages):
        chosen = languages == language
        part = [case for case, kept_ in zip(kept, chosen, strict=True) if kept_]
        area = area_under_curve(supports[chosen & true], supports[chosen & ~true])
        accuracy = balanced_accuracy(part, supports[chosen], committed.SUPPORTED)
        print(f"  {language}: {chosen.sum()}, AUC {area:.3f}, balanced accuracy {accuracy:.3f}")
    print("\n| form | statements | supported | partly | unsupported | AUC |")
    print("|---|---|---|---|---|---|")
    for form in TRUE_FORMS:
        if (forms == form).any():
            print(line(f"true: {form}", forms == form), "|")
    for form in FALSE_FORMS:
        if (forms == form).any():
            area = area_under_curve(good, supports[forms == form])
            print(line(form, forms == form), f"{area:.3f} |")


def calibration_error(chances: Floats, true: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((chances * 10).astype(int), 9)
    return float(
        sum(
            abs(chances[bins == each].mean() - true[bins == each].mean()) * np.mean(bins == each)
            for each in range(10)
            if (bins == each).any()
        )
    )


def answers_of(
    cases: Sequence[Case], basis: Callable[[Case], Basis], *, held_out: bool
) -> tuple[list[Mapping[str, float]], list[bool]]:
    """Answers put together of statements, nine of ten of them true, with what becomes of them."""
    chance = random.Random(1)
    pool = {
        true: [
            (
                1.0
                if is_verbatim(case.held)
                else support_of(case.agreement(basis(case)), basis(case))
            )
            for case in cases
            if case.made.held_out is held_out and case.made.true is true
        ]
        for true in (True, False)
    }
    rows, right = [], []
    for _ in range(ANSWERS):
        share = chance.choice([0.5, 0.8, 0.95])
        truths = [chance.random() < share for _ in range(chance.randint(1, LONGEST_ANSWER))]
        rows.append(confidence_signals([chance.choice(pool[true]) for true in truths]))
        right.append(all(truths))
    return rows, right


def fit_confidence(cases: Sequence[Case], basis: Callable[[Case], Basis]) -> Logistic:
    rows, right = answers_of(cases, basis, held_out=False)
    matrix = np.array([[row[name] for name in CONFIDENCE_NAMES] for row in rows])
    model = fit(matrix, np.array(right, dtype=float), np.ones(len(rows)), CONFIDENCE_NAMES)
    rows, right = answers_of(cases, basis, held_out=True)
    chances = np.array([probability(model, row) for row in rows])
    true = np.array(right)
    print(f"\nconfidence: {len(rows)} held-out answers, {true.mean():.3f} hold throughout")
    print(f"  AUC {area_under_curve(chances[true], chances[~true]):.3f}")
    print(f"  calibration error {calibration_error(chances, true):.3f}")
    return model


def show(table: Mapping[Basis, Logistic], caps: Mapping[str, float], confidence: Logistic) -> None:
    """Print the fitted table as Python."""
    print("\nSUPPORT: Mapping[Basis, Logistic] = {")
    for basis, model in table.items():
        print(f"    Basis.{basis.name}: Logistic(")
        print(f"        intercept={model.intercept},\n        weights={{")
        for signal, weight in model.weights.items():
            print(f'            "{signal}": {weight},')
        print("        },\n    ),")
    print("}")
    print(f"CONTRADICTED: Mapping[str, float] = {dict(caps)}")
    print(f"CONFIDENCE = Logistic(intercept={confidence.intercept}, weights={confidence.weights})")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds xquad-*")
    parser.add_argument("--each", type=int, default=1, help="true and false ones of a question")
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
        arguments.models,
    )
    analyzer = TextAnalyzer()
    asked = {each: read_set(arguments.data / f"xquad-{each}") for each in (*NATIVE, *FOREIGN)}
    made = {
        each: statements_of(items, each, arguments.each, seed=0) for each, items in asked.items()
    }
    moved = [
        *(
            each
            for lang in ("de", "es", "zh")
            for each in crossed(made[lang], asked[lang], asked["en"], "en")
        ),
        *crossed(made["en"], asked["en"], asked["de"], "de"),
    ]
    sets = {
        Basis.NATIVE: [each for lang in NATIVE for each in made[lang]],
        Basis.FOREIGN: [each for lang in FOREIGN for each in made[lang]],
        Basis.CROSSED: moved,
    }
    cases = {basis: await cases_of(each, embedder, analyzer) for basis, each in sets.items()}
    embedder.keep()
    cases[Basis.WORDS] = [*cases[Basis.NATIVE], *cases[Basis.FOREIGN]]
    report(cases, judge_only=arguments.judge_only)


def report(cases: Mapping[Basis, Sequence[Case]], *, judge_only: bool) -> None:
    """Fit unless told otherwise, and print tables and coefficients."""
    everything = cases[Basis.WORDS]
    basis_of = {id(case): basis for basis in (Basis.NATIVE, Basis.FOREIGN) for case in cases[basis]}
    if not judge_only:
        support = {basis: fit_support(cases[basis], basis) for basis in Basis}
        caps = share_true(everything, Basis.WORDS)
        committed.SUPPORT.update(support)  # type: ignore[attr-defined]  # the fitted numbers replace the committed ones for this run
        committed.CONTRADICTED.update(caps)  # type: ignore[attr-defined]  # likewise
        committed.SUPPORTED, committed.PARTLY = thresholds(
            everything, lambda case: basis_of[id(case)]
        )
    print(f"supported from {committed.SUPPORTED}, partly from {committed.PARTLY}")
    for basis in Basis:
        crossing = np.mean([case.held.crossed for case in cases[basis]])
        print(f"\n{basis.value}: {crossing:.3f} read as crossing languages")
        judge(cases[basis], basis)
    open_ = np.mean([needs_vectors(case.by_words, Basis.WORDS) for case in everything])
    print(f"\nwords alone leave {open_:.3f} of the statements open")
    model = fit_confidence(everything, lambda case: basis_of[id(case)])
    if not judge_only:
        show(committed.SUPPORT, committed.CONTRADICTED, model)


if __name__ == "__main__":
    asyncio.run(main())
