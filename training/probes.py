"""Fit the reader's probes and put them into its file: what gives orders to a model, and what is asked of a column.

    python training/probes.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--layers 6] [--seed 0]

Both are small networks (`attention_network.py`) on states of one of the lower layers, as Footnote itself computes them (so Footnote has to be
installed): of the tokens of a sentence, in its context, for orders, and of those of a question for operations (`operation_probe.py`).
Printed are figures for texts that a fit did not see: by language (the fit saw none of that language's), by what is wanted
of the model (the fit saw no such order), by wording (of operations), and the planted instructions of BIPIA. The threshold for orders lets through the share
`FALSE_ALARMS` of the sentences kept apart, and no more than `LOOK_ALIKES` of the look-alikes. The probes that are written are fitted on
everything.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from attention_network import Stretches, fitted_to_orders, odds_of
from operation_probe import fit_operations, operation_questions, question_states
from operation_texts import OPERATIONS
from order_passages import Sentence, passages
from order_states import Read, kept, opened_probes, read
from safetensors import safe_open
from safetensors.numpy import save_file

from footnote.models.attention_probe import AttentionProbe

FALSE_ALARMS = 0.0005
"""Of ordinary sentences; a chunk has about ten."""
LOOK_ALIKES = 0.06
"""Of sentences between people that share words with orders."""
OTHER_SHARES = (0.001, 0.002, 0.005)
"""For which the share of orders seen is printed as well."""
FOLDS = 4
FITS = 3
"""Of the probe for orders that is written."""

Floats = npt.NDArray[np.float32]


def fit_orders(stretches: Stretches, sentences: list[Sentence]) -> AttentionProbe:
    """The probe for orders, its threshold in its bias; prints what it says to what a fit did not see."""
    labels = np.array([each.label for each in sentences])
    kinds = np.array([each.kind for each in sentences])
    ordinary, alike = kinds == "background", kinds == "harmless"
    thresholds = {}
    for name in ("language", "family"):
        # The mean of several fits strays less far than one, and its threshold is lower.
        seeds = range(FITS) if name == "family" else (0,)
        held = held_apart(stretches, sentences, name, seeds)[0]
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
    probe = fitted_to_orders(stretches, labels, kinds, np.arange(len(sentences)), range(FITS))
    # Documents and orders will be unknown, languages less so.
    return replace(probe, bias=probe.bias - thresholds["family"])


def held_apart(
    stretches: Stretches, sentences: Sequence[Sentence], key: str, seeds: Sequence[int] = (0,)
) -> tuple[Floats, npt.NDArray[np.int64], list[AttentionProbe]]:
    """What probes say of sentences of whose family or language they saw none; the fold of each, and the probes."""
    names = sorted({getattr(each, key) for each in sentences})
    folds = np.array([names.index(getattr(each, key)) % FOLDS for each in sentences])
    labels = np.array([each.label for each in sentences])
    kinds = np.array([each.kind for each in sentences])
    held = np.zeros(len(sentences), np.float32)
    found = []
    for fold in range(FOLDS):
        found.append(
            fitted_to_orders(stretches, labels, kinds, np.flatnonzero(folds != fold), seeds)
        )
        own = np.flatnonzero(folds == fold)
        held[own] = odds_of(found[-1], stretches, own)[:, 0]
    return held, folds, found


def threshold_of(held: Floats, kinds: npt.NDArray[np.str_]) -> float:
    """From which sentences kept apart are taken for orders."""
    ordinary = np.quantile(held[kinds == "background"], 1 - FALSE_ALARMS)
    return float(max(ordinary, np.quantile(held[kinds == "harmless"], 1 - LOOK_ALIKES)))


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
            tensors |= order.tensors("orders")
        if options.only != "orders":
            questions = operation_questions(options.data, random.Random(options.seed))
            asked = question_states(probes, [each.text for each in questions])
            operation, least = fit_operations(asked, questions)
            tensors = {
                name: value for name, value in tensors.items() if not name.startswith("operation.")
            }
            tensors |= operation.tensors("operation")
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
