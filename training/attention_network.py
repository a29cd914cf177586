"""Fits attention pooling over the states of a stretch's tokens, which `footnote.models.attention_probe` runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from footnote.models.attention_probe import AttentionProbe

INNER, HEADS, HIDDEN = 96, 4, 32
STEPS, BATCH, RATE, DECAY = 700, 64, 2e-3, 5e-2
JUDGED = 1024
"""Stretches in one run."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """What the reader leaves of texts' tokens, one text after the other, and the stretches that are judged."""

    states: npt.NDArray[np.float16]
    """(tokens, width)."""
    spans: npt.NDArray[np.int64]
    """First and one past the last token of each, (stretches, 2)."""

    def padded(self, rows: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """States and mask of these stretches, as long as the longest."""
        spans = self.spans[rows]
        longest = int((spans[:, 1] - spans[:, 0]).max())
        states = np.zeros((len(spans), longest, self.states.shape[1]), np.float32)
        mask = np.zeros((len(spans), longest), bool)
        for at, (first, last) in enumerate(spans):
            states[at, : last - first], mask[at, : last - first] = self.states[first:last], True
        return torch.from_numpy(states), torch.from_numpy(mask)


class Pooling(torch.nn.Module):
    """The probe as it is fitted."""

    def __init__(self, centre: Floats, spread: Floats, outputs: int) -> None:
        super().__init__()
        self.centre, self.spread = torch.from_numpy(centre), torch.from_numpy(spread)
        self.inner = torch.nn.Linear(len(centre), INNER)
        self.heads = torch.nn.Linear(INNER, HEADS, bias=False)
        self.hidden = torch.nn.Linear(HEADS * INNER, HIDDEN)
        self.odds = torch.nn.Linear(HIDDEN, outputs)
        self.drop, self.drop_more = torch.nn.Dropout(0.2), torch.nn.Dropout(0.3)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Log-odds of each output, (stretches, outputs), of (stretches, tokens, width)."""
        inner = torch.relu(self.inner(self.drop((states - self.centre) / self.spread)))
        shares = self.heads(inner).masked_fill(~mask[:, :, None], -1e4).softmax(dim=1)
        pooled = (shares.transpose(1, 2) @ inner).flatten(1)
        return self.odds(self.drop_more(torch.relu(self.hidden(pooled))))


def fitted(
    stretches: Stretches,
    outputs: int,
    drawn: Callable[[np.random.Generator], npt.NDArray[np.int64]],
    loss_of: Callable[[torch.Tensor, npt.NDArray[np.int64]], torch.Tensor],
    seeds: Sequence[int] = (0,),
    steps: int = STEPS,
) -> AttentionProbe:
    """The probe of batches that are drawn so, by the loss of what is said of their stretches."""
    sample = stretches.states[:: max(1, len(stretches.states) // 40_000)].astype(np.float32)
    networks = []
    for seed in seeds:
        torch.manual_seed(seed)
        draw = np.random.default_rng(seed)
        network = Pooling(sample.mean(axis=0), sample.std(axis=0) + 1e-3, outputs)
        optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
        for _ in range(steps):
            batch = drawn(draw)
            loss = loss_of(network(*stretches.padded(batch)), batch)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        networks.append(network.eval())
    return probe_of(networks)


def probe_of(networks: Sequence[Pooling]) -> AttentionProbe:
    """The same for states as they are."""

    def stacked(parts: Sequence[torch.Tensor]) -> Floats:
        return np.ascontiguousarray(torch.stack(list(parts)).detach().numpy(), np.float32)

    inner = [each.inner.weight / each.spread for each in networks]
    return AttentionProbe(
        inner=stacked([each.T for each in inner]),
        inner_bias=stacked([(own.inner.bias - each @ own.centre)[None] for own, each in zip(networks, inner, strict=True)]),
        heads=stacked([each.heads.weight.T for each in networks]),
        hidden=stacked([each.hidden.weight.T for each in networks]),
        hidden_bias=stacked([each.hidden.bias[None] for each in networks]),
        odds=stacked([each.odds.weight.T for each in networks]),
        bias=stacked([each.odds.bias for each in networks]).mean(axis=0),
    )  # fmt: skip


def odds_of(probe: AttentionProbe, stretches: Stretches, rows: npt.NDArray[np.int64]) -> Floats:
    """What a probe says of these stretches, (stretches, outputs)."""
    found = np.zeros((len(rows), len(probe.bias)), np.float32)
    lengths = stretches.spans[rows, 1] - stretches.spans[rows, 0]
    for each in np.array_split(np.argsort(lengths, kind="stable"), -(-len(rows) // JUDGED)):
        states = [stretches.states[first:last] for first, last in stretches.spans[rows[each]]]
        ends = np.cumsum([0, *map(len, states)])
        units = list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        found[each] = probe(np.concatenate(states).astype(np.float32), units)
    return found
