"""Fit the decomposition of questions that ask for several things or compare them, and put it into the reader's file.

    python training/question_decomposition.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--out FILE]

Layers of their own above the six lowest ones, as Footnote itself computes these (so Footnote has to be installed), and one linear head: whether a
token belongs to a part, to all or to none (`footnote.models.question_decomposition`). They are fitted on the lines of `questions/` (`question_lines.py`) and on ordinary
questions (`decomposition_examples.py`). One in seven lines and one in five sources are in no fit, and are judged at the end.
"""

from __future__ import annotations

import argparse
import copy
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from decomposition_examples import DecompositionExample, decomposition_examples
from encoder import SHARED, Reader, weights_of
from export import quantised_layers
from injection_network import padded
from injection_states import opened_probes
from question_rewriting import HAS_BF16, loss_of, states_of, write_into

from footnote.models.question_decomposition import DecompositionHead, split_question
from footnote.models.question_tokens import BEGINS, PARTS

LAYERS, STEPS = 4, 3000
RATE, HEAD_RATE, DECAY = 1.5e-4, 1.5e-3, 2e-2
BATCH = {"several": 24, "one": 14, "ordinary": 8, "joined": 3}
"""Texts of each kind."""
LEAST = 0.8
"""Probability from which each part of a question is believed."""
BLANKED = 0.08
"""Share of tokens that are hidden in a batch."""
REPORTED = 200
"""Steps between two lines that tell the loss."""


class DecompositionNetwork(torch.nn.Module):
    """The layers and the head as they are fitted."""

    def __init__(self, reader: Reader, dropout: float = 0.15) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(each) for each in reader.layers[SHARED : SHARED + LAYERS]
        )
        self.labels = torch.nn.Linear(reader.word.weight.shape[1], len(PARTS))
        self.drop = torch.nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        """Log-odds of what each token belongs to, (texts, tokens, parts)."""
        mask = (1 - attention[:, None, None, :]) * -1e4
        x = self.drop(states)
        for layer in self.layers:
            x = layer(x, mask)
        return self.labels(self.drop(x.float()))

    def quantise(self) -> dict[str, npt.NDArray[np.generic]]:
        """Take the weights of the layers in 7 bits and return all as the reader's file has them."""
        tensors = quantised_layers(self.layers, "parting")
        with torch.no_grad():
            tensors["parting.labels"] = np.ascontiguousarray(self.labels.weight.numpy().T)
            tensors["parting.labels_bias"] = self.labels.bias.numpy().copy()
        tensors["parting.least"] = np.array([LEAST], np.float32)
        return tensors


def fitted(
    reader: Reader,
    known: Sequence[DecompositionExample],
    states: Sequence[npt.NDArray[np.float16]],
    seed: int,
) -> DecompositionNetwork:
    """What is learnt of the examples that are not kept apart."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    network = DecompositionNetwork(reader)
    groups = {
        group: [at for at, each in enumerate(known) if each.group == group and not each.apart]
        for group in BATCH
    }
    optimiser = torch.optim.AdamW(
        [
            {"params": network.layers.parameters(), "lr": RATE},
            {"params": network.labels.parameters(), "lr": HEAD_RATE},
        ],
        weight_decay=DECAY,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, HEAD_RATE], total_steps=STEPS, pct_start=0.1)  # fmt: skip
    losses: list[float] = []
    for step in range(1, STEPS + 1):
        batch = [at for group, count in BATCH.items() for at in draw.choices(groups[group], k=count)]  # fmt: skip
        given, attention = padded([states[at].astype(np.float32) for at in batch])
        given *= torch.rand(given.shape[:2])[:, :, None] >= BLANKED
        labels = torch.full(given.shape[:2], -1)
        for row, at in enumerate(batch):
            labels[row, : len(known[at].labels)] = torch.from_numpy(known[at].labels)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BF16):
            odds = network(given, attention)
        loss = loss_of(odds, labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % REPORTED == 0:
            print(f"  step {step}: {np.mean(losses[-REPORTED:]):.4f}", flush=True)
    return network.eval()


def judged(
    network: DecompositionNetwork,
    known: Sequence[DecompositionExample],
    states: Sequence[npt.NDArray[np.float16]],
) -> Counter[tuple[str, str]]:
    """How the examples kept apart come out: to the letter, whole, or parted otherwise."""
    found: Counter[tuple[str, str]] = Counter()
    for each, own in zip(known, states, strict=True):
        if not each.apart:
            continue
        with torch.no_grad():
            odds = network(*padded([own.astype(np.float32)]))[0].float().numpy()
        question = each.talk.question
        words = question.labelled(odds)
        chances = [word.chance for word in words if word.label == BEGINS]
        said: tuple[str, ...] = (question.text,)
        if chances and min(chances) >= LEAST:
            said = split_question(question.text, question.stretches(words), question.dropped(words))
        how = "right" if said == each.wanted else "whole" if len(said) == 1 else "parted otherwise"
        found[each.group, how] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--reader", type=Path, required=True, help="written anew, with the layers and the head"
    )
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, SHARED, Path(folder))
        known = decomposition_examples(options.data, probes.tokenizer, random.Random(options.seed))
        print(f"{len(known)} examples, {Counter(each.group for each in known)}", flush=True)
        states = states_of(probes, [each.talk for each in known])
    reader = Reader()
    reader.take(weights_of(options.reader))
    network = fitted(reader, known, states, options.seed)
    tensors = network.quantise()
    for (group, how), count in sorted(judged(network, known, states).items()):
        print(f"  kept apart, {group}: {count} {how}")
    DecompositionHead.of(tensors)
    write_into(options.reader, options.out or options.reader, "parting", tensors)


if __name__ == "__main__":
    main()
