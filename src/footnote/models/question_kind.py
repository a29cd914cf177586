"""Classify which document of a series a question is for, and whether it asks for a number.

The first is an attention probe over the states of the question's tokens in a lower layer of the
packaged e5, the second a regression over its vector; `training/question_kind.py` fits both, and
`question_kind.md` gives their data and accuracy.
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
"""Name of the output of the embedder's graph."""
STATES_LAYER = 6
"""Number of the layer, of twelve, whose states are the output."""
_PERIODS: tuple[Period | None, ...] = (None, "latest", "earliest")

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClassifier:
    """The probe and the regression, with their thresholds."""

    probe: AttentionProbe
    """Log-odds of no period, the latest and the earliest; further outputs are ignored."""
    least: float
    """Least probability of a predicted period."""
    figure: _Floats
    """The weights of a regression over the vector, of shape (width,)."""
    figure_bias: float
    """With the threshold subtracted: a score above 0 asks for a number."""

    def __call__(self, states: _Floats, vector: Vector) -> QuestionKind:
        """Classify a question by its tokens' states, (tokens, width), and its vector."""
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
    """Load the packaged classifier; None if its weights are not installed."""
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
