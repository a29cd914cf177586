"""Fit what puts follow-up questions so that they stand alone, and put it into the reader's file.

    python training/question_rewriting.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--work FOLDER]

Four layers of their own above the six lowest ones, as Footnote itself computes these (so Footnote has to be installed), and linear heads: how a question
stands to the one before, by the state of its first mark, and what each token belongs to (`footnote.models.question_rewriting`).
They are fitted on the lines of `questions/` (`question_lines.py`), in several spellings, and on ordinary questions of the reading sets, which stand alone.
One in seven lines and one in five sources are in no fit: `question_check.py` tells how it does on them.
"""

from __future__ import annotations

import argparse
import copy
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from encoder import SHARED, Reader, weights_of
from export import quantised_layers
from injection_network import padded
from injection_states import opened_probes
from question_examples import Example, examples
from safetensors import safe_open
from safetensors.numpy import save_file

from footnote.models.batching import plan_batches
from footnote.models.question_rewriting import KINDS, RewritingHead
from footnote.models.question_tokens import BIO_TAGS, EncodedTurns
from footnote.models.reader_probes import Probes

LAYERS, STEPS = 4, 4000
RATE, HEAD_RATE, DECAY = 1.5e-4, 1.5e-3, 2e-2
BATCH = {"moved": 18, "alone": 6, "unlike": 5}
"""Texts of each kind."""
BLANKED = 0.08
"""Share of tokens that are hidden in a batch."""
RUN_TOKENS = 1024
HAS_BF16 = bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)())
"""Whether the processor computes in bf16; others take twenty times as long as in fp32."""
Floats = npt.NDArray[np.float32]


class Rewriting(torch.nn.Module):
    """The layers and heads as they are fitted."""

    def __init__(self, reader: Reader, dropout: float = 0.15) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(each) for each in reader.layers[SHARED : SHARED + LAYERS]
        )
        width = reader.word.weight.shape[1]
        self.kinds = torch.nn.Linear(width, len(KINDS))
        self.labels = torch.nn.Linear(width, len(BIO_TAGS))
        self.drop = torch.nn.Dropout(dropout)

    def forward(
        self, states: torch.Tensor, attention: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-odds of kinds, (texts, kinds), and of what each token belongs to, (texts, tokens, marks)."""
        mask = (1 - attention[:, None, None, :]) * -1e4
        x = self.drop(states)
        for layer in self.layers:
            x = layer(x, mask)
        x = self.drop(x.float())
        return self.kinds(x[:, 0]), self.labels(x)

    def quantise(self) -> dict[str, npt.NDArray[np.generic]]:
        """Take the weights of the layers in 7 bits and return all as the reader's file has them."""
        tensors = quantised_layers(self.layers, "rewriting")
        with torch.no_grad():
            for name, head in (("kinds", self.kinds), ("labels", self.labels)):
                tensors[f"rewriting.{name}"] = np.ascontiguousarray(head.weight.numpy().T)
                tensors[f"rewriting.{name}_bias"] = head.bias.numpy().copy()
        return tensors


def fitted(
    reader: Reader, known: Sequence[Example], states: Sequence[npt.NDArray[np.float16]], seed: int
) -> Rewriting:
    """What is learnt of the examples that are not kept apart."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    network = Rewriting(reader)
    groups = {
        group: [at for at, each in enumerate(known) if each.group == group and not each.apart]
        for group in BATCH
    }
    print({group: len(each) for group, each in groups.items()}, flush=True)
    heads = [*network.kinds.parameters(), *network.labels.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": network.layers.parameters(), "lr": RATE}, {"params": heads, "lr": HEAD_RATE}],
        weight_decay=DECAY,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, HEAD_RATE], total_steps=STEPS, pct_start=0.1)  # fmt: skip
    recent: dict[str, list[float]] = {"kind": [], "marks": []}
    for step in range(1, STEPS + 1):
        batch = [
            at for group, count in BATCH.items() for at in draw.choices(groups[group], k=count)
        ]
        given, attention = padded([states[at].astype(np.float32) for at in batch])
        given *= torch.rand(given.shape[:2])[:, :, None] >= BLANKED
        kinds = torch.tensor([known[at].kind for at in batch])
        labels = torch.full(given.shape[:2], -1)
        for row, at in enumerate(batch):
            labels[row, : len(known[at].labels)] = torch.from_numpy(known[at].labels)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BF16):
            said, tokens = network(given, attention)
        parts = {
            "kind": torch.nn.functional.cross_entropy(said.float(), kinds, label_smoothing=0.05),
            "marks": loss_of(tokens, labels),
        }
        loss = 0.5 * parts["kind"] + 3 * parts["marks"]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        for name, each in parts.items():
            recent[name].append(each.item())
        if step % 200 == 0:
            print(f"  step {step}: " + ", ".join(f"{name} {np.mean(each[-200:]):.4f}" for name, each in recent.items()), flush=True)  # fmt: skip
    return network.eval()


def loss_of(odds: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of tokens that are judged."""
    return torch.nn.functional.cross_entropy(
        odds.float().flatten(0, 1), labels.flatten(), ignore_index=-1
    )


def states_of(probes: Probes, talks: Sequence[EncodedTurns]) -> list[npt.NDArray[np.float16]]:
    """What the shared layers leave of the tokens of each."""
    left: list[npt.NDArray[np.float16]] = [np.zeros((0, 0), np.float16)] * len(talks)

    def run(rows: list[int]) -> None:
        batch = [talks[row].ids for row in rows]
        for row, states in zip(rows, probes.states(batch), strict=True):
            left[row] = states[: len(talks[row].ids)].astype(np.float16)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(each.ids) for each in talks], RUN_TOKENS)))
    return left


def write_into(
    reader: Path, out: Path, name: str, tensors: dict[str, npt.NDArray[np.generic]]
) -> None:
    """Write a reader's file with these tensors in the place of those that begin with the name."""
    with safe_open(reader, "numpy") as opened:
        metadata = dict(opened.metadata())
        kept = {
            each: opened.get_tensor(each)
            for each in opened.keys()  # noqa: SIM118
            if not each.startswith(f"{name}.")
        }
    save_file(tensors | kept, out, metadata)
    print(f"wrote {out}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--reader", type=Path, required=True, help="written anew, with the layers and heads"
    )
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, SHARED, Path(folder))
        known = examples(options.data, probes.tokenizer, random.Random(options.seed))
        print(f"{len(known)} examples, {Counter(each.group for each in known)}", flush=True)
        states = states_of(probes, [each.talk for each in known])
    reader = Reader()
    reader.take(weights_of(options.reader))
    network = fitted(reader, known, states, options.seed)
    tensors = network.quantise()
    RewritingHead.of(tensors)
    write_into(options.reader, options.out or options.reader, "rewriting", tensors)


if __name__ == "__main__":
    main()
