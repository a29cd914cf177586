"""Fit the head that finds names of persons, organisations, places and other things in a text.

    PYTHONPATH=bench python training/mentions.py --data ../shared/data --reader src/footnote/models/reader.safetensors --out src/footnote/models/mentions.safetensors

One hidden layer over the states of a token and its two neighbours in the reader's lower layers, as Footnote itself computes them (so Footnote has to be
installed), says of each token whether a name begins with it, goes on or is absent, and of what kind. It is fitted on four fifths of the documents
of Re-DocRED, wikigold and of loan agreements (fin5), and printed is how it does on the other fifth: F1 of whole names with their kind. What is written was fitted on
the four fifths, so that these figures are its own. Dates, numbers and identifiers have a form and are found by rules.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from probes import opened_probes
from safetensors.numpy import save_file

from footnote.models.batching import plan_batches
from footnote.models.mention_head import LABELS, MentionHead, decoded, neighbourhoods
from footnote.models.reader_probes import WINDOW_TOKENS, Probes
from footnote.models.reader_weights import read_weights
from named_texts import KINDS, Annotated, annotated

RUN_TOKENS = 1024
Floats = npt.NDArray[np.float32]


def labels_of(
    offsets: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int, str]]
) -> list[int]:
    """The label of each token of a text."""
    found = [0] * len(offsets)
    for start, end, kind in spans:
        begun = False
        for at, (first, last) in enumerate(offsets):
            if first < end and last > start:
                found[at] = LABELS.index(("I-" if begun else "B-") + kind)
                begun = True
    return found


def states_of(probes: Probes, documents: Sequence[Annotated]) -> list[tuple[Floats, list[int]]]:
    """Of each document what the head reads of its tokens, with their labels."""
    pieces = [probes.tokenizer.pieces(each.text) for each in documents]
    rows = [
        (number, start)
        for number, each in enumerate(pieces)
        for start in range(0, len(each.ids), WINDOW_TOKENS)
    ]
    ids = [
        [
            probes.tokenizer.begin,
            *pieces[number].ids[start : start + WINDOW_TOKENS],
            probes.tokenizer.end,
        ]
        for number, start in rows
    ]
    found: dict[tuple[int, int], Floats] = {}

    def run(batch: list[int]) -> None:
        for at, states in zip(batch, probes.states([ids[at] for at in batch]), strict=True):
            found[rows[at]] = states[1 : len(ids[at]) - 1].copy()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(each) for each in ids], RUN_TOKENS)))
    return [
        (
            np.concatenate([found[key] for key in rows if key[0] == number]),
            labels_of(each.offsets, documents[number].spans),
        )
        for number, each in enumerate(pieces)
    ]


def fitted(
    rows: Floats, labels: npt.NDArray[np.int64], hidden: int, epochs: int, seed: int
) -> MentionHead:
    torch.manual_seed(seed)
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    inputs = torch.from_numpy((rows - centre) / spread)
    targets = torch.from_numpy(labels)
    network = torch.nn.Sequential(
        torch.nn.Dropout(0.2),
        torch.nn.Linear(rows.shape[1], hidden),
        torch.nn.GELU(),
        torch.nn.Dropout(0.3),
        torch.nn.Linear(hidden, len(LABELS)),
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=2e-2)
    steps = epochs * (len(inputs) // 512)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps + epochs)
    for epoch in range(epochs):
        network.train()
        losses = []
        for batch in torch.randperm(len(inputs)).split(512):
            loss = torch.nn.functional.cross_entropy(
                network(inputs[batch]), targets[batch], label_smoothing=0.02
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}", flush=True)
    first, second = network[1], network[4]
    weight = first.weight.detach().numpy() / spread
    return MentionHead(
        layers=0,
        encoder="",
        hidden=weight.T.astype(np.float32),
        hidden_bias=(first.bias.detach().numpy() - weight @ centre).astype(np.float32),
        labels=second.weight.detach().numpy().T.copy(),
        labels_bias=second.bias.detach().numpy().copy(),
    )


def spans_in(labels: Sequence[int]) -> set[tuple[int, int, str]]:
    """Names that labels say, by first and last token."""
    found, begun = set(), None
    for at, label in enumerate([*labels, 0]):
        name = LABELS[label]
        if begun is not None and (not name.startswith("I-") or name[2:] != begun[1]):
            found.add((begun[0], at, begun[1]))
            begun = None
        if name.startswith("B-"):
            begun = (at, name[2:])
    return found


def judged(
    head: MentionHead, documents: Sequence[Annotated], states: Sequence[tuple[Floats, list[int]]]
) -> None:
    """Print precision, recall and F1 of whole names by source and kind."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for document, (rows, labels) in zip(documents, states, strict=True):
        said = spans_in([int(each) for each in decoded(head.odds(neighbourhoods(rows)))[0]])
        true = spans_in(labels)
        for kind in KINDS.values():
            ours, theirs = ({each for each in one if each[2] == kind} for one in (said, true))
            for key in ((document.source, kind), (document.source, "all")):
                count = counts.setdefault(key, Counter())
                count += Counter(said=len(ours), true=len(theirs), both=len(ours & theirs))
                counts[key] = count
    for (source, kind), count in sorted(counts.items()):
        precision, recall = (
            count["both"] / max(1, count["said"]),
            count["both"] / max(1, count["true"]),
        )
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(
            f"{source} {kind}: precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f} of {count['true']}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    documents = annotated(options.data)
    random.Random(options.seed).shuffle(documents)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, options.layers, Path(folder))
        states = states_of(probes, documents)
    seen = [pair for each, pair in zip(documents, states, strict=True) if not each.is_held_out]
    rows = np.concatenate([neighbourhoods(each) for each, _ in seen])
    labels = np.array([label for _, each in seen for label in each], dtype=np.int64)
    print(
        f"{len(rows)} tokens of {len(seen)} documents; {len(documents) - len(seen)} kept apart",
        flush=True,
    )
    head = fitted(rows, labels, options.hidden, options.epochs, options.seed)
    apart = [at for at, each in enumerate(documents) if each.is_held_out]
    judged(head, [documents[at] for at in apart], [states[at] for at in apart])
    save_file(
        {
            "hidden.weight": np.ascontiguousarray(head.hidden, np.float16),
            "hidden.bias": head.hidden_bias,
            "labels.weight": np.ascontiguousarray(head.labels),
            "labels.bias": head.labels_bias,
        },
        options.out,
        {
            "layers": str(options.layers),
            "encoder": read_weights(options.reader).encoder,
        },
    )
    print(f"wrote {options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
