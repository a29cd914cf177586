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
    """Graphs of consecutive layers. Every run is in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for lack of memory say.
    """

    reading: Sequence[tuple[int, onnxruntime.InferenceSession]]
    """Each with the number of layers up to its end, in their order, the last with the heads that
    read; without these where only states are asked for."""
    judging: tuple[int, onnxruntime.InferenceSession] | None = None
    """The layers and the head that judge, above so many of the lowest; None where nothing does."""
    ordering: onnxruntime.InferenceSession | None = None
    """The layers below the probe for orders, above those below the other probes; None for none."""
    rewriting: onnxruntime.InferenceSession | None = None
    """The same below what puts questions anew."""
    parting: onnxruntime.InferenceSession | None = None
    """The same below what parts questions."""
    tables: onnxruntime.InferenceSession | None = None
    """The same below what tells what questions ask of tables."""

    def states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Token ids after the lowest `layers`, where a part has to end: (batch, length, width)."""
        ids, mask = padded(batch)
        return self._lower(ids, mask, layers)

    def injection_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Like `states`, after the layers of the probe for orders, too."""
        return self._above(self.ordering, batch, layers)

    def rewriting_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Like `states`, after the layers of what puts questions anew, too."""
        return self._above(self.rewriting, batch, layers)

    def parting_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Like `states`, after the layers of what parts questions, too."""
        return self._above(self.parting, batch, layers)

    def table_states(self, batch: Sequence[Sequence[int]], layers: int) -> _Floats:
        """Like `states`, after the layers of what tells what questions ask of tables, too."""
        return self._above(self.tables, batch, layers)

    def read(
        self,
        batch: Sequence[Sequence[int]],
        on_the_way: Callable[[int, _Floats], None] | None = None,
    ) -> tuple[_Floats, _Floats]:
        """What the heads say of questions with passages as token ids: span, relevance.

        `on_the_way` is handed the states of each part below the last, with its number of layers.
        """
        ids, mask = padded(batch)
        *lower, (layers, upper) = self.reading
        states = self._lower(ids, mask, layers - 1, on_the_way) if lower else ids
        span, relevance = _run(upper, states, mask)
        return span, relevance

    def judge(self, batch: Sequence[Sequence[int]]) -> _Floats:
        """What the head says of statements with quotes as token ids: support."""
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
        on_the_way: Callable[[int, _Floats], None] | None = None,
    ) -> _Floats:
        states: npt.NDArray[Any] = ids
        for end, session in self.reading:
            if end > layers:
                break
            (states,) = _run(session, states, mask)
            if on_the_way is not None:
                on_the_way(end, states)
        return states


def _run(
    session: onnxruntime.InferenceSession, given: npt.NDArray[Any], mask: npt.NDArray[np.int32]
) -> list[_Floats]:
    """What a graph makes of token ids or of states."""
    name = "states" if given.ndim == 3 else "input_ids"  # ids have no width
    try:
        found: list[_Floats] = session.run(None, {name: given, "attention_mask": mask})
    except Exception as error:
        raise ModelUnavailable(
            f"the reader could not read a batch of shape {mask.shape}: {error}",
            hint="free some memory, or set FOOTNOTE_READER=none",
        ) from error
    return found
