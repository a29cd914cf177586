"""Run the reader's encoder in parts, with heads on its lower and upper layers."""

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
    """Graphs of consecutive layers, run in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for example for lack of memory.
    """

    reading: Sequence[tuple[int, onnxruntime.InferenceSession]]
    """Sessions in order, each with the number of layers up to its end. The last has the reading
    heads, unless only states are needed."""
    judging: tuple[int, onnxruntime.InferenceSession] | None = None
    """The number of lowest layers below, and the layers and head for judging; None without them."""
    ordering: onnxruntime.InferenceSession | None = None
    """Layers of the injection probe, above those shared by the probes; None without them."""
    rewriting: onnxruntime.InferenceSession | None = None
    """The same for question rewriting."""
    parting: onnxruntime.InferenceSession | None = None
    """The same for question decomposition."""
    tables: onnxruntime.InferenceSession | None = None
    """The same for questions over tables."""

    def states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Run the lowest `layers`, where a graph has to end; returns (batch, length, width)."""
        ids, mask = padded(batch)
        return self._lower(ids, mask, layers)

    def injection_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """As `states`, followed by the layers of the injection probe."""
        return self._above(self.ordering, batch, layers)

    def rewriting_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """As `states`, followed by the layers for question rewriting."""
        return self._above(self.rewriting, batch, layers)

    def parting_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """As `states`, followed by the layers for question decomposition."""
        return self._above(self.parting, batch, layers)

    def table_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """As `states`, followed by the layers for questions over tables."""
        return self._above(self.tables, batch, layers)

    def read(
        self,
        batch: Sequence[Sequence[int]],
        on_states: Callable[[int, _Floats], None] | None = None,
    ) -> tuple[_Floats, _Floats]:
        """Run the reading heads on questions with passages as token ids: span, relevance.

        `on_states` is called with the states of each part below the last, and its number of
        layers.
        """
        ids, mask = padded(batch)
        *lower, (layers, upper) = self.reading
        states = self._lower(ids, mask, layers - 1, on_states) if lower else ids
        span, relevance = _run(upper, states, mask)
        return span, relevance

    def judge(self, batch: Sequence[Sequence[int]]) -> _Floats:
        """Run the judging head on statements with quotes as token ids: support."""
        assert self.judging is not None, "a whole reader judges"
        ids, mask = padded(batch)
        shared, upper = self.judging
        (support,) = _run(upper, self._lower(ids, mask, shared) if shared else ids, mask)
        return support

    def _above(
        self,
        upper: onnxruntime.InferenceSession | None,
        batch: Sequence[Sequence[int]],
        layers: int,
    ) -> _Floats:
        ids, mask = padded(batch)
        states = self._lower(ids, mask, layers)
        return states if upper is None else _run(upper, states, mask)[0]

    def _lower(
        self,
        ids: npt.NDArray[np.int32],
        mask: npt.NDArray[np.int32],
        layers: int,
        on_states: Callable[[int, _Floats], None] | None = None,
    ) -> _Floats:
        states: npt.NDArray[Any] = ids
        for end, session in self.reading:
            if end > layers:
                break
            (states,) = _run(session, states, mask)
            if on_states is not None:
                on_states(end, states)
        return states


def _run(
    session: onnxruntime.InferenceSession, inputs: npt.NDArray[Any], mask: npt.NDArray[np.int32]
) -> list[_Floats]:
    """Run a graph on token ids or on states."""
    name = "states" if inputs.ndim == 3 else "input_ids"  # ids have no width
    try:
        outputs: list[_Floats] = session.run(None, {name: inputs, "attention_mask": mask})
    except Exception as error:
        raise ModelUnavailable(
            f"the reader could not read a batch of shape {mask.shape}: {error}",
            hint="free some memory, or set FOOTNOTE_READER=none",
        ) from error
    return outputs
