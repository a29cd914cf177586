"""Find names in texts by a small network over the states of the reader's lower layers.

For each token it predicts, from its state and those of its two neighbours, whether a name begins,
continues or is absent, and of what kind; Viterbi decoding gives the likeliest sequence in which
every name has a beginning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from footnote.errors import ModelUnavailable
from footnote.models.reader_probes import WINDOW_OVERLAP, TokenWindow
from footnote.ports import NamedSpan

MENTIONS_FILE = "mentions.safetensors"
NAMED_KINDS = ("person", "organisation", "place", "other")
LABELS = ("O", *(f"{part}-{kind}" for kind in NAMED_KINDS for part in "BI"))

_Floats = npt.NDArray[np.float32]
_IMPOSSIBLE = -1e9
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
"""A paragraph break, over which no name continues."""
_CONTINUES = np.array([label.startswith("I-") for label in LABELS])


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionHead:
    """The weights of the network."""

    layers: int
    """Number of the reader's lowest layers that are run below it."""
    encoder: str
    """Digest of the layers that it was fitted to (`ReaderWeights.encoder`)."""
    hidden: _Floats
    """Of shape (3 · width, hidden), with its biases."""
    hidden_bias: _Floats
    labels: _Floats
    """Of shape (hidden, labels), with its biases."""
    labels_bias: _Floats

    def odds(self, rows: _Floats) -> _Floats:
        """Return log-probabilities of each label, for rows of `neighbourhoods`."""
        inner = rows @ self.hidden + self.hidden_bias
        # The tanh approximation of GELU; the exact form needs SciPy's erf, and differs in the
        # fourth digit.
        inner *= 0.5 * (1 + np.tanh(0.7978845608 * (inner + 0.044715 * inner**3)))
        odds = inner @ self.labels + self.labels_bias
        odds -= odds.max(axis=1, keepdims=True)
        log_probabilities: _Floats = odds - np.log(np.exp(odds).sum(axis=1, keepdims=True))
        return log_probabilities


def read_mention_head(file: Path) -> MentionHead:
    """Read the head from a file. Raises ModelUnavailable if it is absent or invalid."""
    try:
        with safe_open(file, "numpy") as opened:
            metadata = opened.metadata()
            tensors = {
                name: opened.get_tensor(name).astype(np.float32)
                for name in opened.keys()  # noqa: SIM118
            }
        head = MentionHead(
            layers=int(metadata["layers"]),
            encoder=metadata["encoder"],
            hidden=tensors["hidden.weight"],
            hidden_bias=tensors["hidden.bias"],
            labels=tensors["labels.weight"],
            labels_bias=tensors["labels.bias"],
        )
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelUnavailable(
            f"{file} does not hold the weights that find names: {error!r}",
            hint="reinstall Footnote, or write it with training/mentions.py",
        ) from error
    return head


def neighbourhoods(states: _Floats) -> _Floats:
    """Concatenate each token's state with its neighbours', zero at the ends: (n, 3 · width)."""
    around = np.zeros((len(states) + 2, states.shape[1]), np.float32)
    around[1:-1] = states
    return np.concatenate([around[1:-1], around[:-2], around[2:]], axis=1)


def decoded(odds: _Floats) -> tuple[list[int], list[float]]:
    """Return the likeliest valid sequence of labels, and the probability of each label alone."""
    if not len(odds):
        return [], []
    best = np.where(_BEGINS, odds[0], _IMPOSSIBLE)
    came_from = np.zeros(odds.shape, np.int64)
    for at in range(1, len(odds)):
        through = best[:, None] + _TRANSITIONS
        came_from[at] = through.argmax(axis=0)
        best = through.max(axis=0) + odds[at]
    path = [int(best.argmax())]
    for at in range(len(odds) - 1, 0, -1):
        path.append(int(came_from[at, path[-1]]))
    path.reverse()
    return path, [float(np.exp(odds[at, label])) for at, label in enumerate(path)]


def named_spans(
    windows: Sequence[TokenWindow], odds: Sequence[_Floats], texts: Sequence[str]
) -> list[list[NamedSpan]]:
    """Return the names in each text, from the log-probabilities of its windows in their order.

    Where two windows overlap, each decides the half that is further from its edge.
    """
    rows: list[list[_Floats]] = [[] for _ in texts]
    places: list[list[tuple[int, int]]] = [[] for _ in texts]
    for window, window_odds in zip(windows, odds, strict=True):
        skipped = 0
        if len(places[window.text]) > window.first:
            skipped = WINDOW_OVERLAP // 2
            middle = window.first + skipped
            del places[window.text][middle:]
            rows[window.text] = [np.concatenate(rows[window.text])[:middle]]
        rows[window.text].append(window_odds[skipped:])
        places[window.text] += window.offsets[skipped:]
    return [
        _spans(text, np.concatenate(text_rows), offsets) if text_rows else []
        for text, text_rows, offsets in zip(texts, rows, places, strict=True)
    ]


def _spans(text: str, odds: _Floats, offsets: Sequence[tuple[int, int]]) -> list[NamedSpan]:
    odds = odds.copy()
    for at in range(1, len(offsets)):
        # The token of a word may include the white space before it.
        if _PARAGRAPH.search(text, offsets[at - 1][1], offsets[at][1]):
            odds[at, _CONTINUES] = _IMPOSSIBLE
    labels, chances = decoded(odds)
    spans: list[NamedSpan] = []
    span_start = -1
    for at, label in enumerate([*labels, 0]):
        if span_start >= 0 and not LABELS[label].startswith("I-"):
            start, end = offsets[span_start][0], offsets[at - 1][1]
            # The first token of a word includes the space before it.
            start += len(text[start:end]) - len(text[start:end].lstrip())
            if start < end:
                kind = LABELS[labels[span_start]][2:]
                probability = min(chances[span_start:at])
                spans.append(NamedSpan(start=start, end=end, kind=kind, probability=probability))
            span_start = -1
        if LABELS[label].startswith("B-"):
            span_start = at
    return spans


def _transition_scores() -> _Floats:
    """Return a score for each pair of labels: 0, or `_IMPOSSIBLE` if the second may not follow."""
    allowed = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for second, name in enumerate(LABELS):
        for first, previous in enumerate(LABELS):
            if name.startswith("I-") and previous[2:] != name[2:]:
                allowed[first, second] = _IMPOSSIBLE
    return allowed


_TRANSITIONS = _transition_scores()
_BEGINS = np.array([not name.startswith("I-") for name in LABELS])
