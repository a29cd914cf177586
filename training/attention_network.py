"""Fits attention pooling over the states of a stretch's tokens, which `footnote.models.attention_probe` runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from footnote.models.attention_probe import AttentionProbe

INNER, HEADS, HIDDEN = 96, 4, 32

Floats = npt.NDArray[np.float32]


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
