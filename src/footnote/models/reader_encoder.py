"""The reader's encoder in parts: what its lower layers leave goes on, or is read off there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from footnote.errors import ModelUnavailable
from footnote.models.batching import padded

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderEncoder:
    """Graphs of consecutive layers, the heads in the last. Every run is in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for lack of memory say.
    """

    parts: Sequence[tuple[int, onnxruntime.InferenceSession]]
    """Each with the number of layers up to its end, in their order."""

    def states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Token ids after the lowest `layers`, where a part has to end: (batch, length, width)."""
        (states,) = self._run(batch, layers)
        return states

    def heads(
        self,
        batch: Sequence[Sequence[int]],
        on_the_way: Callable[[int, _Floats], None] | None = None,
    ) -> tuple[_Floats, _Floats, _Floats]:
        """What the heads say to token ids: span, relevance, support.

        `on_the_way` is handed the states of each part below the last, with its number of layers.
        """
        span, relevance, support = self._run(batch, self.parts[-1][0], on_the_way)
        return span, relevance, support

    def _run(
        self,
        batch: Sequence[Sequence[int]],
        layers: int,
        on_the_way: Callable[[int, _Floats], None] | None = None,
    ) -> list[_Floats]:
        ids, mask = padded(batch)
        name = "input_ids"
        outputs: list[npt.NDArray[Any]] = [ids]
        for end, session in self.parts:
            if end > layers:
                break
            try:
                outputs = session.run(None, {name: outputs[0], "attention_mask": mask})
            except Exception as error:
                raise ModelUnavailable(
                    f"the reader could not read a batch of shape {ids.shape}: {error}",
                    hint="free some memory, or set FOOTNOTE_READER=none",
                ) from error
            name = "states"
            if on_the_way is not None and end < self.parts[-1][0]:
                on_the_way(end, outputs[0])
        return outputs
