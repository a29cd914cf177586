"""Classify questions: about many documents as a whole, or about something in them.

A logistic regression over the packaged e5's vector of a question, fitted by
`training/global_questions.py`; `whole_questions.md` gives its data and accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load

from footnote.models.sentence_encoder import SentenceEncoder

WEIGHTS_FILE = "whole_questions.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalQuestionClassifier:
    """The weights of the regression."""

    weight: npt.NDArray[np.float32]
    """Shape (384,), for e5's vector of a question."""
    bias: float
    """With the threshold subtracted: a score above 0 means a question about the whole."""

    async def recognises(self, encoder: SentenceEncoder, question: str) -> bool:
        """Return whether the question is about many documents as a whole.

        `encoder` is the packaged e5. Raises LaneUnavailable.
        """
        return float(await encoder.embed_query(question) @ self.weight) + self.bias > 0


@lru_cache(maxsize=1)
def packaged_global_questions() -> GlobalQuestionClassifier:
    """Load the packaged classifier."""
    tensors = load(files("footnote.models").joinpath(WEIGHTS_FILE).read_bytes())
    return GlobalQuestionClassifier(weight=tensors["weight"], bias=float(tensors["bias"][0]))
