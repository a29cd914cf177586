"""Screen passages for prompt injections from an embedder's hidden states.

A screen is a small network over the states of a passage's tokens in one layer, fitted by
`training/injection_screens.py` to the reader's predictions for its sentences; `bert_graph` adds it
to the embedder's graph. Passages that it does not clear are classified by the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load

from footnote.errors import LaneUnavailable

SCREENS_FILE = "order_screens.safetensors"
SCREEN_OUTPUT = "orders"
"""Name of the embedder graph's output: log-odds of each text; texts below 0 are clear."""

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionScreen:
    """The weights for one embedder."""

    layer: int
    """Number of the layer whose states are read, from 1."""
    hidden: _Floats
    """Of shape (width, hidden), with its biases."""
    hidden_bias: _Floats
    around: _Floats
    """Of shape (channels, hidden, tokens): over a token and its neighbours, with its biases."""
    around_bias: _Floats
    odds: _Floats
    """Of shape (1, channels, 1), with its bias, which includes the threshold."""
    odds_bias: _Floats


def packaged_injection_screen(embedder: str) -> InjectionScreen | None:
    """Load the screen of an embedder, `minilm` or `e5`; None if its weights are not installed.

    Raises LaneUnavailable for an invalid file.
    """
    content = _screens_content()
    if content is None:
        return None
    try:
        tensors = {name: tensor.astype(np.float32) for name, tensor in load(content).items()}
        weights = {
            name: tensors[f"{embedder}.{name}"]
            for name in InjectionScreen.__slots__
            if name != "layer"
        }
        return InjectionScreen(layer=int(tensors[f"{embedder}.layer"][0]), **weights)
    except (SafetensorError, KeyError, ValueError) as error:
        raise LaneUnavailable(
            f"{SCREENS_FILE} does not hold what tells passages without orders: {error!r}",
            hint="reinstall Footnote, or write it with training/injection_screens.py",
        ) from error


@cache
def screens_digest() -> str:
    """Return the first 8 hexadecimal digits of the file's SHA-256, for the names of its graphs."""
    content = _screens_content()
    return "none" if content is None else sha256(content).hexdigest()[:8]


def _screens_content() -> bytes | None:
    file = files("footnote.models").joinpath(SCREENS_FILE)
    return file.read_bytes() if file.is_file() else None
