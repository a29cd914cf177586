"""Fits layers of their own above the reader's lowest ones, and attention pooling over what they leave of a sentence's tokens, to
what is a prompt injection. `footnote.models.reader_encoder` runs the layers and `footnote.models.attention_probe` the pooling.

A batch has as many texts with injections as with look-alikes, and ordinary ones, whose every sentence counts. Long texts are cut around
what is labelled.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from attention_network import Pooling, probe_of
from encoder import SHARED, Reader
from export import quantised_layers
from injection_passages import WRITTEN_APART, Sentence
from injection_states import Read

from footnote.models.attention_probe import AttentionProbe

LAYERS, STEPS = 2, 3500
FOLDS = 3
SOURCES = 5
"""One in so many sources of ordinary texts is in no fit, for the threshold."""
INJECTIONS, HARMLESS, ORDINARY = 14, 14, 20
"""Texts of a batch."""
SHARES = {"injection": 0.3, "harmless": 0.35, "background": 0.35}
"""Of the loss."""
STRETCH = 64
"""Tokens of a text, at most."""
RATE, POOLING_RATE, DECAY = 1.5e-4, 1.5e-3, 2e-2
JUDGED_TOKENS = 8192
"""In one run."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The labelled sentences of a text, by where they stand in its tokens."""

    text: int
    spans: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    kind: str
    rows: npt.NDArray[np.int64]
    """Their numbers among those that were read."""


class InjectionNetwork(torch.nn.Module):
    """The head as it is fitted."""

    def __init__(self, reader: Reader, dropout: float = 0.1) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(each) for each in reader.layers[SHARED : SHARED + LAYERS]
        )
        width = reader.word.weight.shape[1]
        self.pooling = Pooling(np.zeros(width, np.float32), np.ones(width, np.float32), 1)
        self.drop = torch.nn.Dropout(dropout)

    def forward(
        self, states: torch.Tensor, attention: torch.Tensor, units: npt.NDArray[np.int64]
    ) -> torch.Tensor:
        """Log-odds of units, each the number of a text, the first token and one past the last."""
        mask = (1 - attention[:, None, None, :]) * -1e4
        x = self.drop(states)
        for layer in self.layers:
            x = layer(x, mask)
        longest = int((units[:, 2] - units[:, 1]).max())
        places = units[:, 1:2] + np.arange(longest)
        inside = torch.from_numpy(places < units[:, 2:3])
        places = torch.from_numpy(np.minimum(places, states.shape[1] - 1))
        own = x.float()[torch.from_numpy(units[:, 0])[:, None], places]
        return self.pooling(own, inside)[:, 0]

    def quantise(self) -> dict[str, npt.NDArray[np.generic]]:
        """Take the weights in 7 bits and return them as the reader's file has them."""
        return quantised_layers(self.layers, "ordering")

    def probe(self) -> AttentionProbe:
        """The pooling as it runs."""
        return probe_of([self.pooling])


def labelled(told: Read, sentences: Sequence[Sentence]) -> list[Labelled]:
    """What is known of each text that was read and is not kept apart."""
    sources = sources_apart(sentences)
    rows: dict[int, list[int]] = {}
    for row, number in enumerate(told.numbers):
        rows.setdefault(sentences[number].text, []).append(row)
    found = []
    for text, own in rows.items():
        known = [sentences[told.numbers[row]] for row in own]
        kind = "injection" if known[0].label else known[0].kind
        if kind != "apart" and known[0].family not in sources:
            found.append(
                Labelled(
                    text=text,
                    spans=told.labelled[own] - told.starts[text],
                    labels=np.array([each.label for each in known]),
                    kind=kind,
                    rows=np.array(own),
                )
            )
    return found


def sources_apart(sentences: Sequence[Sentence]) -> set[str]:
    """Sources of ordinary texts that are in no fit."""
    sources = sorted({each.family for each in sentences if each.kind == "background"})
    return {WRITTEN_APART, *[each for each in sources if "written" not in each][::SOURCES]}


def cut(told: Read, one: Labelled, draw: random.Random) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]:  # fmt: skip
    """A stretch of a text's states, at most `STRETCH` long and with one of its labelled sentences whole, and those inside with their labels."""
    begin, end = told.starts[one.text], told.starts[one.text + 1]
    spans, labels, first = one.spans, one.labels, 0
    if end - begin > STRETCH:
        low, high = spans[draw.randrange(len(spans))]
        first = draw.randint(max(0, high - STRETCH), max(0, min(low, end - begin - STRETCH)))
        inside = (spans[:, 0] >= first) & (spans[:, 1] <= first + STRETCH)
        spans, labels = spans[inside] - first, labels[inside]
    states = told.states[begin + first : min(end, begin + first + STRETCH)]
    return states.astype(np.float32), spans, labels


def fitted_injection_network(
    reader: Reader, told: Read, known: Sequence[Labelled], seed: int, file: Path | None = None
) -> InjectionNetwork:
    """The head of these texts, without a threshold; the one in the file, if there is one, which it is kept in otherwise."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    network = InjectionNetwork(reader)
    if file is not None and file.is_file():
        network.load_state_dict(torch.load(file))
        return network.eval()
    groups = {
        kind: [each for each in known if each.kind == kind]
        for kind in ("injection", "harmless", "background")
    }
    optimiser = torch.optim.AdamW(
        [
            {"params": network.layers.parameters(), "lr": RATE},
            {"params": network.pooling.parameters(), "lr": POOLING_RATE},
        ],
        weight_decay=DECAY,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, POOLING_RATE], total_steps=STEPS, pct_start=0.15
    )
    recent: dict[str, list[float]] = {kind: [] for kind in groups}
    for step in range(1, STEPS + 1):
        drawn = [
            (kind, one)
            for kind, count in zip(groups, (INJECTIONS, HARMLESS, ORDINARY), strict=True)
            for one in draw.sample(groups[kind], count)
        ]
        parts = [cut(told, one, draw) for _, one in drawn]
        states, attention = padded([states for states, *_ in parts])
        units = np.concatenate(
            [np.column_stack([np.full(len(spans), row), spans]) for row, (_, spans, _) in enumerate(parts)]
        )  # fmt: skip
        kinds = np.array([kind for (kind, _), (_, spans, _) in zip(drawn, parts, strict=True) for _ in spans])  # fmt: skip
        wanted = torch.from_numpy(np.concatenate([labels for *_, labels in parts])).float()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = network(states, attention, units)
        lost = torch.nn.functional.binary_cross_entropy_with_logits(
            said.float(), wanted, reduction="none"
        )
        by_kind = {kind: lost[torch.from_numpy(kinds == kind)].mean() for kind in groups}
        loss = torch.stack([SHARES[kind] * each for kind, each in by_kind.items()]).sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        for kind, each in by_kind.items():
            recent[kind].append(each.item())
        if step % 100 == 0:
            told_of = ", ".join(f"{kind} {np.mean(each[-100:]):.4f}" for kind, each in recent.items())  # fmt: skip
            print(f"  step {step}: {told_of}", flush=True)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(network.state_dict(), file)
    return network.eval()


def held_apart(
    reader: Reader, told: Read, sentences: Sequence[Sentence], key: str, work: Path | None
) -> Floats:
    """What heads say of the labelled sentences of whose family or language they saw none."""
    chosen = [sentences[number] for number in told.numbers]
    names = sorted({getattr(each, key) for each in sentences})
    folds = np.array([names.index(getattr(each, key)) % FOLDS for each in chosen])
    texts = np.array([each.text for each in chosen])
    known = labelled(told, sentences)
    held = np.zeros(len(chosen), np.float32)
    for fold in range(FOLDS):
        file = work and work / f"injections-{key}-{fold}.pt"
        seen = [each for each in known if folds[each.rows[0]] != fold]
        head = fitted_injection_network(reader, told, seen, 0, file)
        own = np.flatnonzero(folds == fold)
        held[own] = odds_of_units(head, told, told.labelled[own], texts[own])
    return held


def padded(states: Sequence[Floats]) -> tuple[torch.Tensor, torch.Tensor]:
    """States and attention of texts, as long as the longest."""
    longest = max(map(len, states))
    found = np.zeros((len(states), longest, states[0].shape[1]), np.float32)
    attention = np.zeros((len(states), longest), np.float32)
    for row, each in enumerate(states):
        found[row, : len(each)], attention[row, : len(each)] = each, 1
    return torch.from_numpy(found), torch.from_numpy(attention)


def odds_of_units(
    network: InjectionNetwork,
    told: Read,
    spans: npt.NDArray[np.int64],
    texts: npt.NDArray[np.int64],
) -> Floats:
    """What a head says of stretches of all tokens, each with the number of its text."""
    found = np.zeros(len(spans), np.float32)
    rows_of: dict[int, list[int]] = {}
    for row, text in enumerate(texts):
        rows_of.setdefault(int(text), []).append(row)
    lengths = np.diff(told.starts)
    ordered = sorted(rows_of, key=lambda text: int(lengths[text]))
    batch: list[int] = []
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for place, text in enumerate(ordered):
            batch.append(text)
            following = ordered[place + 1 : place + 2]
            if following and lengths[following[0]] * (len(batch) + 1) <= JUDGED_TOKENS:
                continue
            states, attention = padded(
                [told.states[told.starts[each] : told.starts[each + 1]].astype(np.float32) for each in batch]
            )  # fmt: skip
            rows = [row for each in batch for row in rows_of[each]]
            numbers = [at for at, each in enumerate(batch) for _ in rows_of[each]]
            own = spans[rows] - told.starts[texts[rows]][:, None]
            found[rows] = network(states, attention, np.column_stack([numbers, own])).float()
            batch = []
    return found
