"""Single texts become what linear probes on the reader's lower layers say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnxruntime

from footnote.errors import ModelUnavailable
from footnote.models.reader_weights import ProbeWeights
from footnote.models.tokenizing import Pieces, UnigramPieces
from footnote.ports import Operation
from footnote.text import sentence_spans

WINDOW_TOKENS = 254
"""Of a text, in one run; what is longer is read in windows."""
WINDOW_OVERLAP = 48
UNIT_TOKENS = 48
"""Most tokens of which the mean is judged: an order in a longer stretch would drown in it."""
QUESTION_TOKENS = 72

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """Token ids of a stretch of a text, its marks included, and the stretches that are judged."""

    ids: list[int]
    units: list[tuple[int, int]]
    """First and one past the last token of each."""
    text: int
    """The number of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The probes, and the layers below them."""

    session: onnxruntime.InferenceSession
    tokenizer: UnigramPieces
    weights: ProbeWeights

    def windows(self, texts: Sequence[str]) -> list[TextWindow]:
        """What is run for texts, each sentence whole in one of the windows if it can be."""
        found = []
        for number, text in enumerate(texts):
            pieces = self.tokenizer.pieces(text)
            units = units_of(text, pieces)
            for start in range(0, max(1, len(pieces.ids)), WINDOW_TOKENS - WINDOW_OVERLAP):
                end = start + WINDOW_TOKENS
                inside = [
                    (max(first, start) - start + 1, min(last, end) - start + 1)
                    for first, last in units
                    if first < end and last > start
                ]
                ids = [self.tokenizer.begin, *pieces.ids[start:end], self.tokenizer.end]
                if inside:
                    found.append(TextWindow(ids=ids, units=inside, text=number))
                if end >= len(pieces.ids):
                    break
        return found

    def orders(self, run: Sequence[TextWindow]) -> list[float]:
        """Of each window how likely its likeliest stretch gives orders to a model."""
        weight, bias = self.weights.orders
        odds = self.states([each.ids for each in run]) @ weight
        return [
            _chance(max(float(row[first:last].mean()) for first, last in each.units) + bias)
            for row, each in zip(odds, run, strict=True)
        ]

    def operation(self, question: str) -> Operation | None:
        """What a question asks of a column."""
        pieces = self.tokenizer.pieces(f"query: {question}").ids[:QUESTION_TOKENS]
        states = self.states([[self.tokenizer.begin, *pieces, self.tokenizer.end]])[0]
        matrix, biases = self.weights.operations
        odds = matrix @ states[1:-1].mean(axis=0) + biases
        chances = np.exp(odds - odds.max())
        chances /= chances.sum()
        best = int(chances.argmax())
        if best == 0 or chances[best] < self.weights.least:
            return None
        return Operation(self.weights.names[best])

    def states(self, batch: Sequence[Sequence[int]]) -> _Floats:
        """The states of a batch's tokens, in the calling thread. Raises ModelUnavailable."""
        shape = (len(batch), max(map(len, batch)))
        ids: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        mask: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        for row, each in enumerate(batch):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        try:
            (states,) = self.session.run(None, {"input_ids": ids, "attention_mask": mask})
        except Exception as error:
            raise ModelUnavailable(
                f"the reader could not read a batch of shape {shape}: {error}",
                hint="free some memory, or set FOOTNOTE_READER=none",
            ) from error
        found: _Floats = states
        return found


def units_of(text: str, pieces: Pieces) -> list[tuple[int, int]]:
    """The tokens of each sentence of a text; of a long one, of stretches that overlap by half."""
    starts = np.array([start for start, _ in pieces.offsets], dtype=np.int64)
    ends = np.array([end for _, end in pieces.offsets], dtype=np.int64)
    units = []
    for start, end in sentence_spans(text):
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(starts, end, side="left"))
        if last - first <= UNIT_TOKENS:
            units += [(first, last)] if first < last else []
            continue
        cuts = [*range(first, last - UNIT_TOKENS, UNIT_TOKENS // 2), last - UNIT_TOKENS]
        units += [(cut, cut + UNIT_TOKENS) for cut in cuts]
    return units


def _chance(odds: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(odds, -60, 60))))
