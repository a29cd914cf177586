"""Fit the reader's probe for what is a prompt injection and put it into its file.

    python training/probes.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--layers 6] [--seed 0]

It works on states of one of the lower layers, as Footnote itself computes them (so Footnote has to be installed): two layers more and attention
pooling over the tokens of a sentence, in its context (`injection_network.py`).
Printed are figures for texts that a fit did not see: ordinary texts of sources and papers kept apart, from which the threshold
lets through the share `FALSE_ALARMS`, and requests between people. With `--apart` heads are fitted
anew without some languages or some of what is wanted of the model, and judged on those.
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
from encoder import Reader, weights_of
from injection_network import (
    fitted_injection_network,
    held_apart,
    labelled,
    odds_of_units,
    sources_apart,
)
from injection_passages import Sentence, passages
from injection_states import Read, kept, opened_probes, read
from safetensors import safe_open
from safetensors.numpy import save_file

FALSE_ALARMS = 0.0005
"""Of ordinary sentences; a chunk has about ten."""
SHARES = (0.0005, 0.001, 0.002, 0.005)
"""For which the share of injections seen is printed."""

Floats = npt.NDArray[np.float32]


def fit_injection_head(
    reader: Reader, told: Read, sentences: Sequence[Sentence], work: Path | None
) -> dict[str, npt.NDArray[np.generic]]:
    """The head for injections as the file has it, its threshold in its bias; prints what it says to ordinary texts and requests that no fit saw."""
    network = fitted_injection_network(
        reader, told, labelled(told, sentences), 0, work and work / "injections.pt"
    )
    sources = sources_apart(sentences)
    chosen = [sentences[number] for number in told.numbers]
    apart = np.array([each.family in sources or each.kind == "apart" for each in chosen])
    own = np.flatnonzero(apart)
    tensors = network.quantise()
    texts = np.array([each.text for each in chosen])
    said = odds_of_units(network, told, told.labelled[own], texts[own])
    ordinary = np.array([chosen[row].kind == "background" for row in own])
    threshold = np.float32(np.quantile(said[ordinary], 1 - FALSE_ALARMS))
    above = said >= threshold
    print(f"injections: threshold {threshold:.2f}; false {above[ordinary].mean():.5f} of {ordinary.sum()} ordinary sentences of "
          f"{len(sources)} sources, {above[~ordinary].mean():.3f} of {(~ordinary).sum()} requests between people", flush=True)  # fmt: skip
    probe = network.probe()
    return tensors | replace(probe, bias=probe.bias - threshold).tensors("orders")


def show_apart(
    reader: Reader, told: Read, sentences: Sequence[Sentence], key: str, work: Path | None
) -> None:
    """Print what heads say to injections and look-alikes of kinds or languages that they were not fitted to."""
    chosen = [sentences[number] for number in told.numbers]
    labels = np.array([each.label for each in chosen])
    kinds = np.array([each.kind for each in chosen])
    held = held_apart(reader, told, sentences, key, work)
    ordinary, alike = kinds == "background", kinds == "harmless"
    print(f"injections, {key} apart: AUC {area(held[labels == 1], held[labels == 0]):.4f}, against look-alikes {area(held[labels == 1], held[alike]):.4f}")  # fmt: skip
    for share in SHARES:
        above = held >= float(np.quantile(held[ordinary], 1 - share))
        print(f"  with {share} of ordinary sentences: seen {above[labels == 1].mean():.3f}, of BIPIA's {above[kinds == 'planted'].mean():.3f}, look-alikes {above[alike].mean():.3f}")  # fmt: skip


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
    parser.add_argument("--reader", type=Path, required=True, help="written anew, with the probe")
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument(
        "--work", type=Path, help="folder that keeps what the reader leaves of passages, and heads"
    )
    parser.add_argument(
        "--apart",
        nargs="+",
        default=[],
        choices=["family", "language"],
        help="print what heads say to injections of kinds or languages that they did not see, half an hour each",
    )
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    with safe_open(options.reader, "numpy") as opened:
        metadata = dict(opened.metadata())
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    calibration = json.loads(metadata["calibration"])
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, options.layers, Path(folder))
        texts, sentences = passages(options.data, random.Random(options.seed))
        told = kept(
            options.work and options.work / "reader.npz",
            lambda: read(probes, [each.read for each in texts], sentences),
            Read,
        )
        reader = Reader()
        reader.take(weights_of(options.reader))
        tensors = {
            name: value
            for name, value in tensors.items()
            if not name.startswith(("orders.", "ordering."))
        } | fit_injection_head(reader, told, sentences, options.work)
        for key in options.apart:
            show_apart(reader, told, sentences, key, options.work)
    calibration["probes"] = {"layers": options.layers}
    metadata["calibration"] = json.dumps(calibration)
    save_file(tensors, options.out or options.reader, metadata)
    print(f"wrote {options.out or options.reader}")


if __name__ == "__main__":
    main()
