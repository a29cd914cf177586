"""Tells which document of a series a question is for, and whether it wants a figure.

The first by attention over what a lower layer of the packaged e5 leaves of the question's tokens
when it is embedded, the second by its vector; `training/question_kind.py` fits both, and
`question_kind.md` says from what, and how well they tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load

from footnote.models.attention_probe import AttentionProbe
from footnote.ports import Period, QuestionKind, Vector

WEIGHTS_FILE = "question_kind.safetensors"
STATES_OUTPUT = "states"
"""Of the embedder's graph."""
STATES_LAYER = 6
"""Whose states they are, of twelve."""
_PERIODS: tuple[Period | None, ...] = (None, "latest", "earliest")

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClassifier:
    """The probe, and when it is believed."""

    probe: AttentionProbe
    """Log-odds of no period, the latest and the earliest; more that it has are not looked at."""
    least: float
    """The chance from which a period is believed."""
    figure: _Floats
    """The weights of a regression over the vector, of shape (width,)."""
    figure_bias: float
    """With the threshold taken off: what comes out above 0 asks for a figure."""

    def __call__(self, states: _Floats, vector: Vector) -> QuestionKind:
        """What a question asks for, by its tokens' states, (tokens, width), and its vector."""
        odds = self.probe(states, [(0, len(states))])[0, : len(_PERIODS)]
        chances = np.exp(odds - odds.max())
        chances /= chances.sum()
        best = int(chances.argmax())
        return QuestionKind(
            period=_PERIODS[best] if chances[best] >= self.least else None,
            asks_for_number=float(vector @ self.figure) + self.figure_bias > 0,
        )


@lru_cache(maxsize=1)
def packaged_question_kinds() -> QuestionClassifier | None:
    """Those that come with the package; None where the weights were left out."""
    file = files("footnote.models").joinpath(WEIGHTS_FILE)
    if not file.is_file():
        return None
    tensors = load(file.read_bytes())
    return QuestionClassifier(
        probe=AttentionProbe.of(tensors, "period"),
        least=float(tensors["least"][0]),
        figure=tensors["figure"],
        figure_bias=float(tensors["figure_bias"][0]),
    )
