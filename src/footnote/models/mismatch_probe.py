"""Detect questions about something that the passage does not mention (unanswerable ones).

For each word of a question that was read together with a passage, a linear probe on the reader's
lower layers scores whether the passage has at most a related word instead: "cats" for "Dogs are
allowed".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from footnote.errors import ModelUnavailable

UNMET_WORDS_FILE = "unmet_words.safetensors"

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class MismatchProbe:
    """The weights."""

    layers: int
    """Number of the reader's lowest layers that are run below it."""
    encoder: str
    """Digest of the layers that it was fitted to (`ReaderWeights.encoder`)."""
    weight: _Floats
    """Of shape (width,)."""
    bias: float
    """Set so that the median score of questions all of whose words match is 0."""

    def odds(self, states: _Floats) -> float:
        """The score of the worst matching word, in log-odds, for states of shape (tokens,
        width); 0 without tokens."""
        return float((states @ self.weight).max()) + self.bias if len(states) else 0.0


def read_mismatch_probe(file: Path) -> MismatchProbe:
    """Read the probe from a file. Raises ModelUnavailable if it is absent or invalid."""
    try:
        with safe_open(file, "numpy") as weights_file:
            metadata = weights_file.metadata()
            return MismatchProbe(
                layers=int(metadata["layers"]),
                encoder=metadata["encoder"],
                weight=weights_file.get_tensor("weight").astype(np.float32),
                bias=float(weights_file.get_tensor("bias")[0]),
            )
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelUnavailable(
            f"{file} does not hold the weights that find unmet words: {error!r}",
            hint="reinstall Footnote, or write it with training/mismatch_probe.py",
        ) from error
