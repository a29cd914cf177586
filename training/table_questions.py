"""Fit what tells what a question asks of a table, and put it into the reader's file.

    python training/table_questions.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--out FILE]

Layers of their own above the six lowest ones, as Footnote itself computes these (so Footnote has to be installed), and linear heads: which column a question is about,
which end of it, which of the question's words say the rows, whether a range of these is meant, and which operation it asks for, alone and beside a table (`footnote.models.table_questions`). They are
fitted on the lines of `questions/` (`table_lines.py`), on questions over columns (`operation_questions.py`) and on ordinary questions (`table_examples.py`). One in
seven lines and one in five sources are in no fit: `question_check.py` tells how it does on them.
"""

from __future__ import annotations

import argparse
import copy
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from encoder import SHARED, Reader, weights_of
from export import quantised_layers
from injection_network import padded
from injection_states import opened_probes
from question_rewriting import HAS_BF16, loss_of, states_of, write_into
from safetensors.torch import load_file
from table_examples import TableExample, table_examples

from footnote.models.question_tokens import BIO_TAGS
from footnote.models.table_questions import BOUNDS, EXTREMES, OPERATIONS, RANGES, TablesHead

LAYERS = 4
RATE, HEAD_RATE, DECAY = 1.2e-4, 1e-3, 2e-2
BESIDE = {"titles": 5, "cells": 8, "ranges": 8, "bounds": 12}
ALONE = {"operating": 8, "plain": 5, "ordinary": 3}
"""Texts of each kind in a batch."""
MIN_COLUMN, MIN_OPERATION = 0.5, 0.5
"""Probabilities from which a column and an operation are believed. Nothing is computed where no column is meant, too."""
RUNS = 4
"""In which the texts beside tables are run, the short ones apart from the long ones: a run is as wide as its longest."""
OF_OTHERS = 0.25
"""How much a question that was not written for ranges of rows, or for bounds, counts in theirs."""
BLANKED = 0.08
"""Share of tokens that are hidden in a batch."""
REPORTED = 100
"""Steps between two lines that tell the losses."""

Losses = dict[str, torch.Tensor]


class Asking(torch.nn.Module):
    """The layers and heads as they are fitted."""

    def __init__(self, reader: Reader, dropout: float = 0.15) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(each) for each in reader.layers[SHARED : SHARED + LAYERS]
        )
        width = reader.word.weight.shape[1]
        outputs = {"columns": 2, "extremes": len(EXTREMES), "narrowing": len(BIO_TAGS)}
        outputs |= {"operations": len(OPERATIONS), "operations_beside": len(OPERATIONS)}
        outputs |= {"ranges": len(RANGES), "bounds": len(BOUNDS), "bounded": 2}
        self.heads = torch.nn.ModuleDict(
            {name: torch.nn.Linear(width, count) for name, count in outputs.items()}
        )
        self.drop = torch.nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        """The states of the highest layer, (texts, tokens, width)."""
        mask = (1 - attention[:, None, None, :]) * -1e4
        x = self.drop(states)
        for layer in self.layers:
            x = layer(x, mask)
        return self.drop(x.float())

    def take(self, tensors: Mapping[str, torch.Tensor], start: str) -> None:
        """Go on from what a reader's file has below this name, as `quantise` gives it."""
        own: dict[str, torch.Tensor] = {}
        for name, value in tensors.items():
            kind, _, part = name.partition(".")
            if kind != start or part == "least" or part.endswith(".scale"):
                continue
            if part[0].isdecimal():
                scale = tensors.get(f"{name.removesuffix('weight')}scale")
                whole = value.float() if scale is None else value.float() * scale[:, None]
                own[f"layers.{part}"] = whole
            else:
                head, is_bias = part.removesuffix("_bias"), part.endswith("_bias")
                if head not in self.heads:
                    continue
                own[f"heads.{head}.{'bias' if is_bias else 'weight'}"] = (
                    value if is_bias else value.T
                )
        # A file of before has no heads for ranges of rows and bounds.
        self.load_state_dict(self.state_dict() | own)

    def quantise(self) -> dict[str, npt.NDArray[np.generic]]:
        """Take the weights of the layers in 7 bits and return all as the reader's file has them."""
        tensors = quantised_layers(self.layers, "tables")
        with torch.no_grad():
            for name, head in self.heads.items():
                tensors[f"tables.{name}"] = np.ascontiguousarray(head.weight.numpy().T)
                tensors[f"tables.{name}_bias"] = head.bias.numpy().copy()
        tensors["tables.least"] = np.array([MIN_COLUMN, MIN_OPERATION], np.float32)
        return tensors


def batches(
    known: Sequence[TableExample], steps: int, seed: int
) -> list[tuple[list[int], list[int]]]:
    """What is fitted to at each step, by numbers of the examples: beside tables, the short ones first, and without."""
    draw = random.Random(seed)
    groups = {
        group: [at for at, each in enumerate(known) if each.group == group and not each.apart]
        for group in BESIDE | ALONE
    }
    weights = {group: [known[at].weight for at in each] for group, each in groups.items()}
    print({group: len(each) for group, each in groups.items()}, flush=True)

    def drawn(counts: dict[str, int]) -> list[int]:
        return [
            at
            for group, count in counts.items()
            for at in draw.choices(groups[group], weights[group], k=count)
        ]

    return [
        (sorted(drawn(BESIDE), key=lambda at: len(known[at].talk.ids)), drawn(ALONE))
        for _ in range(steps)
    ]


def fit(
    network: Asking,
    known: Sequence[TableExample],
    states: Mapping[int, npt.NDArray[np.float16]],
    plan: Sequence[tuple[list[int], list[int]]],
) -> None:
    """Learn these batches."""
    optimiser = torch.optim.AdamW(
        [
            {"params": network.layers.parameters(), "lr": RATE},
            {"params": network.heads.parameters(), "lr": HEAD_RATE},
        ],
        weight_decay=DECAY,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, HEAD_RATE], total_steps=len(plan), pct_start=0.1)  # fmt: skip

    def run(batch: Sequence[int]) -> tuple[torch.Tensor, list[TableExample]]:
        given, attention = padded([states[at].astype(np.float32) for at in batch])
        given *= torch.rand(given.shape[:2])[:, :, None] >= BLANKED
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BF16):
            return network(given, attention), [known[at] for at in batch]

    recent: dict[str, list[float]] = {}
    for step, (beside, others) in enumerate(plan, 1):
        optimiser.zero_grad(set_to_none=True)
        share = -(-len(beside) // RUNS)
        parts: dict[str, float] = {}
        for first in range(0, len(beside), share):
            losses = losses_beside(network, *run(beside[first : first + share]))
            torch.stack([*losses.values()]).sum().div(RUNS).backward()
            for name, each in losses.items():
                parts[name] = parts.get(name, 0) + each.item() / RUNS
        x, alone = run(others)
        loss = 0.5 * operation_loss(network.heads["operations"](x[:, 0]), alone)
        loss.backward()
        parts["operations"] = loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        for name, each in parts.items():
            recent.setdefault(name, []).append(each)
        if step % REPORTED == 0:
            print(f"  step {step}: " + ", ".join(f"{name} {np.mean(each[-REPORTED:]):.4f}" for name, each in recent.items()), flush=True)  # fmt: skip
    network.eval()


def losses_beside(network: Asking, x: torch.Tensor, tables: Sequence[TableExample]) -> Losses:
    """Of questions beside tables, by what they are of, as they are added up."""
    said, ends, marks = (network.heads[name](x) for name in ("columns", "extremes", "narrowing"))
    bounding = network.heads["bounded"](x)
    labels = torch.full(x.shape[:2], -1)
    columns, extremes, bounded = [], [torch.zeros(())], [torch.zeros(())]
    for row, each in enumerate(tables):
        places = [each.talk.asked.tokens_of(place) for place in each.places]
        columns.append(column_loss(said[row], places[1:], each.wanted))
        if each.bounded >= 0:
            bounded.append(column_loss(bounding[row], places, each.bounded))
        if each.extreme >= 0:
            odds = ends[row, places[each.wanted + 1]].mean(dim=0)
            extremes.append(torch.nn.functional.cross_entropy(odds[None], torch.tensor([each.extreme])))  # fmt: skip
        if each.narrowing is not None:
            labels[row, : len(each.narrowing)] = torch.from_numpy(each.narrowing)
    return {
        "columns": torch.stack(columns).mean(),
        "ends": 0.5 * torch.stack(extremes).sum() / max(1, len(extremes) - 1),
        "narrowing": 2 * loss_of(marks, labels),
        "beside": 0.5 * operation_loss(network.heads["operations_beside"](x[:, 0]), tables),
        "ranges": rows_loss(network.heads["ranges"](x), tables, "ranges", [each.range for each in tables]),
        "bounds": rows_loss(network.heads["bounds"](x), tables, "bounds", [each.bound for each in tables]),
        "bounded": torch.stack(bounded).sum() / max(1, len(bounded) - 1),
    }  # fmt: skip


def column_loss(said: torch.Tensor, places: Sequence[list[int]], wanted: int) -> torch.Tensor:
    """Of the column that is meant, by what each token says for its column and the first mark for none."""
    # What has no token is never meant.
    each = [said[own, 0].mean() if own else said.new_tensor(-1e4) for own in places]
    odds = torch.stack([*each, said[0, 1]])
    return torch.nn.functional.cross_entropy(odds[None], torch.tensor([wanted]))


def operation_loss(odds: torch.Tensor, asked: Sequence[TableExample]) -> torch.Tensor:
    """Of the operations that questions ask for, where that is known."""
    wanted = torch.tensor([each.operation for each in asked])
    return torch.nn.functional.cross_entropy(odds, wanted, ignore_index=-1, label_smoothing=0.05)


def rows_loss(odds: torch.Tensor, asked: Sequence[TableExample], group: str, wanted: Sequence[int]) -> torch.Tensor:  # fmt: skip
    """Of the ranges of rows or the bounds that questions mean, where that is known; most that were not written for these mean none."""
    told = [row for row, each in enumerate(wanted) if each >= 0]
    if not told:
        return torch.zeros(())
    weights = torch.tensor([1.0 if asked[row].group == group else OF_OTHERS for row in told])
    best = torch.stack([odds[row, : asked[row].talk.question.end].amax(dim=0) for row in told])
    labels = torch.tensor([wanted[row] for row in told])
    losses = torch.nn.functional.cross_entropy(best, labels, label_smoothing=0.05, reduction="none")
    return (losses * weights).sum() / weights.sum()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--reader", type=Path, required=True, help="written anew, with the layers and heads"
    )
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument("--anew", action="store_true", help="from the layers that read, not from those that the file has for this")  # fmt: skip
    parser.add_argument("--steps", type=int, default=1400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, SHARED, Path(folder))
        known = table_examples(options.data, probes.tokenizer, random.Random(options.seed))
        print(f"{len(known)} examples, {Counter(each.group for each in known)}", flush=True)
        plan = batches(known, options.steps, options.seed)
        needed = sorted({at for step in plan for own in step for at in own})
        run = states_of(probes, [known[at].talk for at in needed])
    reader = Reader()
    reader.take(weights_of(options.reader))
    network = Asking(reader)
    shipped = load_file(options.reader)
    # In files of before, what puts questions anew told tables as well.
    start = next((each for each in ("tables", "rewriting") if f"{each}.columns" in shipped), None)
    if start is not None and not options.anew:
        network.take(shipped, start)
    torch.manual_seed(options.seed)
    fit(network, known, dict(zip(needed, run, strict=True)), plan)
    tensors = network.quantise()
    TablesHead.of(tensors)
    write_into(options.reader, options.out or options.reader, "tables", tensors)


if __name__ == "__main__":
    main()
