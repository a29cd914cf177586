"""Fit the reader's probes and put them into its file: what gives orders to a model, and what is asked of a column.

    python training/probes.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--layers 6] [--seed 0]

Both see states of one of the lower layers, as Footnote itself computes them (so Footnote has to be installed): a small network those
of the tokens of a sentence, in its context, for orders (`order_network.py`); a linear one the mean over a question's tokens for
operations. Printed are figures for texts that a fit did not see: by language (the fit saw none of that language's), by what is wanted
of the model (the fit saw no such order), and the planted instructions of BIPIA. The threshold for orders lets through the share
`FALSE_ALARMS` of the sentences kept apart, and no more than `LOOK_ALIKES` of the look-alikes. The probes that are written are fitted on
everything.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from operation_texts import ENGLISH_WORDS, OPERATIONS, QUESTIONS
from order_network import Stretches, fitted, odds_of
from order_passages import Sentence, passages
from order_states import Read, encoded, kept, opened_probes, read
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy.optimize import minimize

from footnote.models.order_probe import OrderProbe
from footnote.models.reader_probes import QUESTION_TOKENS, Probes

FALSE_ALARMS = 0.0005
"""Of ordinary sentences; a chunk has about ten."""
LOOK_ALIKES = 0.06
"""Of sentences between people that share words with orders."""
OTHER_SHARES = (0.001, 0.002, 0.005)
"""For which the share of orders seen is printed as well."""
FALSE_OPERATIONS = 0.003
"""Of ordinary questions."""
OPERATION_PENALTY = 3e-3
FOLDS, ORDER_FOLDS = 7, 4
FITS = 3
"""Of the probe for orders that is written."""

Floats = npt.NDArray[np.float32]


def operation_questions(data: Path, draw: random.Random) -> list[tuple[str, str, str, str, int]]:
    """Questions with operation, kind, language and the number of their group."""
    found = []
    for place, report in enumerate(json.loads((data / "tables" / "tatqa-dev.json").read_text())):
        named = [(each["question"], operation_of(each)) for each in report["questions"]]
        found += [(asked, name, "reports", "en", place // 20) for asked, name in named if name]
    for place, (language, by_name) in enumerate(QUESTIONS.items()):
        for name, questions in by_name.items():
            for question in questions:
                for _ in range(8 if "{" in question else 2):
                    filled = question
                    for slot, words in ENGLISH_WORDS.items():
                        filled = filled.replace(slot, draw.choice(words))
                    found.append((filled, name, "written", language, place))
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        questions = [(r["lang"].split(">")[0], q["question"]) for r in rows for q in r["questions"]]
        for language, question in draw.sample(questions, min(120, len(questions))):
            found.append((question, "none", "reading", language, draw.randrange(FOLDS)))
    return found


def operation_of(question: dict) -> str | None:
    """What the derivation of a question about a report does; None where it compares in an unknown direction."""
    derived = re.sub(r"[\s$,]", "", question["derivation"] or "")
    number = r"[\(\[]*-?[\d.]+\)?%?\)?"
    if question["answer_type"] == "count":
        return "count"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*", derived):
        return "sum"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*/\d", derived):
        return "average"
    if re.fullmatch(rf"{number}(>{number})+", derived):
        return "largest"
    if re.fullmatch(rf"{number}(<{number})+", derived):
        return "smallest"
    return None if "<" in derived or ">" in derived else "none"


def question_states(probes: Probes, questions: Sequence[str]) -> Floats:
    """The mean state of each question."""
    tokenizer = probes.tokenizer
    ids = [
        [tokenizer.begin, *tokenizer.pieces(f"query: {q}").ids[:QUESTION_TOKENS], tokenizer.end]
        for q in questions
    ]
    means = np.zeros((len(ids), probes.weights.operations[0].shape[1]), dtype=np.float32)

    def take(row: int, states: Floats) -> None:
        means[row] = states[1:-1].mean(axis=0)

    encoded(probes, ids, take)
    return means


def fit(
    rows: Floats, labels: Sequence[int], weights: Floats, classes: int, penalty: float
) -> tuple[Floats, Floats]:
    """Multinomial logistic regression: (width, classes) and biases, for rows as they are."""
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    scaled = ((rows - centre) / spread).astype(np.float32)
    hot = np.eye(classes, dtype=np.float32)[np.asarray(labels)]
    share = (weights / weights.sum()).astype(np.float32)
    cut = rows.shape[1] * classes

    def loss(parameters: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        single = parameters.astype(np.float32)
        matrix = single[:cut].reshape(-1, classes)
        odds = scaled @ matrix + single[cut:]
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        value = (
            -(share * np.log((chances * hot).sum(axis=1) + 1e-9)).sum()
            + penalty * (matrix**2).sum() / 2
        )
        slope = (chances - hot) * share[:, None]
        return float(value), np.concatenate(
            [(scaled.T @ slope + penalty * matrix).ravel(), slope.sum(axis=0)]
        ).astype(float)

    found = minimize(
        loss, np.zeros(cut + classes), jac=True, method="L-BFGS-B", options={"maxiter": 80}
    ).x
    matrix = found[:cut].reshape(-1, classes) / spread[:, None]
    return matrix.astype(np.float32), (found[cut:] - centre @ matrix).astype(np.float32)


def fit_orders(stretches: Stretches, sentences: list[Sentence]) -> OrderProbe:
    """The probe for orders, its threshold in its bias; prints what it says to what a fit did not see."""
    labels = np.array([each.label for each in sentences])
    kinds = np.array([each.kind for each in sentences])
    ordinary, alike = kinds == "background", kinds == "harmless"
    thresholds = {}
    for name in ("language", "family"):
        held = held_apart(stretches, sentences, name)[0]
        threshold = thresholds[name] = threshold_of(held, kinds)
        above = held >= threshold
        print(f"orders, {name} apart: seen {above[labels == 1].mean():.3f}, of BIPIA's {above[kinds == 'planted'].mean():.3f}; "
              f"false {above[ordinary].mean():.5f} of ordinary sentences, {above[alike].mean():.3f} of look-alikes; "
              f"AUC {area(held[labels == 1], held[labels == 0]):.4f}, against look-alikes "
              f"{area(held[labels == 1], held[alike]):.4f}")  # fmt: skip
        for share in OTHER_SHARES:
            at = float(np.quantile(held[ordinary], 1 - share))
            print(
                f"  with {share} of ordinary sentences: seen {(held[labels == 1] >= at).mean():.3f}, "
                f"look-alikes {(held[alike] >= at).mean():.3f}"
            )
        for value in sorted(
            {getattr(each, name) for each in sentences if each.kind != "background"}
        ):
            own = np.array([getattr(each, name) == value for each in sentences])
            parts = [
                f"{word} {above[chosen].mean():.3f} of {chosen.sum()}"
                for word, chosen in (("seen", own & (labels == 1)), ("look-alikes", own & alike),
                                     ("ordinary", own & ordinary))
                if chosen.any()
            ]  # fmt: skip
            print(f"  {value}: {', '.join(parts)}", flush=True)
    probe = fitted(stretches, labels, kinds, np.arange(len(sentences)), range(FITS))
    # Documents and orders will be unknown, languages less so.
    return replace(probe, bias=probe.bias - thresholds["family"])


def held_apart(
    stretches: Stretches, sentences: Sequence[Sentence], key: str
) -> tuple[Floats, npt.NDArray[np.int64], list[OrderProbe]]:
    """What probes say of sentences of whose family or language they saw none; the fold of each, and the probes."""
    names = sorted({getattr(each, key) for each in sentences})
    folds = np.array([names.index(getattr(each, key)) % ORDER_FOLDS for each in sentences])
    labels = np.array([each.label for each in sentences])
    kinds = np.array([each.kind for each in sentences])
    held = np.zeros(len(sentences), np.float32)
    found = []
    for fold in range(ORDER_FOLDS):
        found.append(fitted(stretches, labels, kinds, np.flatnonzero(folds != fold)))
        own = np.flatnonzero(folds == fold)
        held[own] = odds_of(found[-1], stretches, own)
    return held, folds, found


def threshold_of(held: Floats, kinds: npt.NDArray[np.str_]) -> float:
    """From which sentences kept apart are taken for orders."""
    ordinary = np.quantile(held[kinds == "background"], 1 - FALSE_ALARMS)
    return float(max(ordinary, np.quantile(held[kinds == "harmless"], 1 - LOOK_ALIKES)))


def fit_operations(
    rows: Floats, questions: list[tuple[str, str, str, str, int]]
) -> tuple[Floats, Floats, float]:
    """The probe for operations and the probability from which it is believed; prints as `fit_orders`."""
    labels = np.array([OPERATIONS.index(each[1]) for each in questions])
    kinds = np.array([each[2] for each in questions])
    counts = Counter(labels.tolist())
    weights = np.array([counts[label] ** -0.5 for label in labels], dtype=np.float32)
    folds = np.array([each[4] % FOLDS for each in questions])
    chances = np.zeros((len(rows), len(OPERATIONS)), dtype=np.float32)
    for fold in range(FOLDS):
        matrix, biases = fit(
            rows[folds != fold],
            labels[folds != fold],
            weights[folds != fold],
            len(OPERATIONS),
            OPERATION_PENALTY,
        )
        odds = rows[folds == fold] @ matrix + biases
        exponents = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances[folds == fold] = exponents / exponents.sum(axis=1, keepdims=True)
    said, sure = chances.argmax(axis=1), chances.max(axis=1)
    ordinary = (kinds == "reading") & (said > 0)
    wrong = np.sort(sure[ordinary])[::-1]
    allowed = int(FALSE_OPERATIONS * (kinds == "reading").sum())
    least = max(0.5, float(wrong[allowed]) + 1e-4 if allowed < len(wrong) else 0.5)
    believed = np.where(sure >= least, said, 0)
    print(f"operations, language apart: probability from {least:.3f}")
    for kind in ("written", "reports", "reading"):
        own, asked = kinds == kind, labels > 0
        right = (
            f"right {(believed == labels)[own & asked].mean():.3f} of {(own & asked).sum()}, "
            if (own & asked).any()
            else ""
        )
        wrongly = own & asked & (believed > 0)
        other = f"another {(believed != labels)[wrongly].mean():.3f}, " if wrongly.any() else ""
        print(
            f"  {kind}: {right}{other}false {(believed > 0)[own & ~asked].mean():.4f} of {(own & ~asked).sum()}"
        )
    for language in QUESTIONS:
        own = (kinds == "written") & np.array([each[3] == language for each in questions])
        print(f"  {language}: right {(believed == labels)[own & (labels > 0)].mean():.3f} of {(own & (labels > 0)).sum()}, "
              f"false {(believed > 0)[own & (labels == 0)].mean():.3f} of {(own & (labels == 0)).sum()}")  # fmt: skip
    matrix, biases = fit(rows, labels, weights, len(OPERATIONS), OPERATION_PENALTY)
    return matrix.T, biases, least


def area(positive: Floats, negative: Floats) -> float:
    """AUC: how often a positive scores above a negative."""
    order = np.sort(negative)
    return float(
        (
            (np.searchsorted(order, positive) + np.searchsorted(order, positive, side="right")) / 2
        ).mean()
        / len(order)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True, help="written anew, with the probes")
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument(
        "--work", type=Path, help="folder that keeps what the reader leaves of passages"
    )
    parser.add_argument("--only", choices=("orders", "operations"), help="the other stays as it is")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with safe_open(options.reader, "numpy") as opened:
        metadata = dict(opened.metadata())
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    calibration = json.loads(metadata["calibration"])
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, options.layers, Path(folder))
        if options.only != "operations":
            texts, sentences = passages(options.data, random.Random(options.seed))
            told = kept(
                options.work and options.work / "reader.npz",
                lambda: read(probes, [each.read for each in texts], sentences),
                Read,
            )
            order = fit_orders(told.stretches, [sentences[number] for number in told.numbers])
            tensors = {
                name: value for name, value in tensors.items() if not name.startswith("orders.")
            }
            tensors |= order.tensors()
        if options.only != "orders":
            questions = operation_questions(options.data, random.Random(options.seed))
            asked = question_states(probes, [each[0] for each in questions])
            operation, biases, least = fit_operations(asked, questions)
            tensors["operation.weight"] = np.ascontiguousarray(operation, np.float32)
            tensors["operation.bias"] = np.ascontiguousarray(biases, np.float32)
            calibration["probes"] = {
                "layers": options.layers,
                "operations": OPERATIONS,
                "least": round(least, 4),
            }
    metadata["calibration"] = json.dumps(calibration)
    save_file(tensors, options.out or options.reader, metadata)
    print(f"wrote {options.out or options.reader}")


if __name__ == "__main__":
    main()
