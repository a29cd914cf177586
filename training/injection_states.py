"""Reads passages by the reader's lower layers, and keeps what comes of it in a folder for other runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from injection_passages import Sentence

from footnote.models.attention_probe import AttentionProbe
from footnote.models.batching import plan_batches
from footnote.models.e5 import WORDS, shared_files
from footnote.models.model_store import open_session
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.reader_graph import reader_graph
from footnote.models.reader_probes import UNIT_TOKENS, WINDOW_TOKENS, Probes, units_of, widened
from footnote.models.reader_weights import ProbeWeights, read_weights
from footnote.models.tokenizing import UnigramPieces

RUN_TOKENS = 1024

Floats = npt.NDArray[np.float32]
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What the reader's lower layers leave of texts."""

    states: npt.NDArray[np.float16]
    """Of tokens, (tokens, width), one text after the other, each between its marks."""
    starts: npt.NDArray[np.int64]
    """The first token of each text, and the end."""
    units: npt.NDArray[np.int64]
    """First and one past the last token of each sentence, as its probe judges them."""
    unit_text: npt.NDArray[np.int64]
    unit_spans: npt.NDArray[np.int64]
    """Where each stands in its text, (sentences, 2)."""
    labelled: npt.NDArray[np.int64]
    """The same as `units`, of those labelled sentences that a window reaches."""
    numbers: npt.NDArray[np.int64]
    """Of those."""


def read(reader: Probes, texts: Sequence[str], sentences: Sequence[Sentence]) -> Read:
    """Read each text once, as much as goes in one window."""
    pieces = [reader.tokenizer.pieces(text) for text in texts]
    ids = [[reader.tokenizer.begin, *each.ids[:WINDOW_TOKENS], reader.tokenizer.end] for each in pieces]  # fmt: skip
    left = [np.zeros((0, reader.weights.orders.inner.shape[1]), np.float16)] * len(texts)

    def take(row: int, states: Floats) -> None:
        left[row] = states.astype(np.float16)

    encoded(reader, ids, take)
    starts = np.cumsum([0, *map(len, left)])
    units, unit_text, spans = [], [], []
    divided: list[list[tuple[int, int]]] = [[] for _ in texts]
    for row, each in enumerate(pieces):
        count, begun = len(left[row]) - 2, starts[row] + 1
        for first, end in units_of(texts[row], each):
            if first < count:
                last = min(end, count)
                divided[row].append((first, last))
                units.append((begun + first, begun + last))
                unit_text.append(row)
                spans.append((each.offsets[first][0], each.offsets[last - 1][1]))
    labelled, numbers = [], []
    for number, one in enumerate(sentences):
        count, offsets = len(left[one.text]) - 2, pieces[one.text].offsets
        begun = starts[one.text] + 1
        inside = [at for at in range(count) if offsets[at][0] < one.end and offsets[at][1] > one.start]  # fmt: skip
        if inside:
            first, last = widened(inside[0], inside[:UNIT_TOKENS][-1] + 1, count)
            # As it is divided when it runs, where that is the sentence for the most part.
            first, last = max(
                ((first, last), *divided[one.text]),
                key=lambda each: (
                    _shared(each, (inside[0], inside[-1] + 1)),
                    each != (first, last),
                ),
            )
            labelled.append((begun + first, begun + last))
            numbers.append(number)
    return Read(
        states=np.concatenate(left),
        starts=starts,
        units=np.array(units),
        unit_text=np.array(unit_text),
        unit_spans=np.array(spans),
        labelled=np.array(labelled),
        numbers=np.array(numbers),
    )


def _shared(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Of the tokens of either the share that both have."""
    both = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, both) / (max(one[1], other[1]) - min(one[0], other[0]))


def encoded(
    probes: Probes, ids: Sequence[Sequence[int]], take: Callable[[int, Floats], None]
) -> None:
    """Hand the states of each row of tokens to `take`."""

    def run(rows: list[int]) -> None:
        for row, states in zip(rows, probes.states([ids[row] for row in rows]), strict=True):
            take(row, states[: len(ids[row])])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(row) for row in ids], RUN_TOKENS)))


def opened_probes(reader: Path, layers: int, folder: Path) -> Probes:
    """The lower layers of a reader, with probes that say nothing yet."""
    weights = read_weights(reader)
    shared = shared_files(folder)
    graph = shared.folder / f"fitting-{weights.digest[:12]}-{layers}.onnx"
    part = reader_graph(weights, "int8", WORDS, range(layers))
    graph.write_bytes(part.SerializeToString())
    width = weights.shape.width
    silent = AttentionProbe(
        inner=np.zeros((1, width, 1), np.float32),
        inner_bias=np.zeros((1, 1, 1), np.float32),
        heads=np.zeros((1, 1, 1), np.float32),
        hidden=np.zeros((1, 1, 1), np.float32),
        hidden_bias=np.zeros((1, 1, 1), np.float32),
        odds=np.zeros((1, 1, 1), np.float32),
        bias=np.zeros(1, np.float32),
    )
    nothing = ProbeWeights(
        layers=layers,
        orders=silent,
        injection_probe_digest="",
    )
    tokenizer = UnigramPieces(shared.tokenizer.read_bytes())
    encoder = ReaderEncoder(reading=((layers, open_session(graph)),))
    return Probes(encoder=encoder, tokenizer=tokenizer, weights=nothing)


def kept(file: Path | None, make: Callable[[], Kept], kind: type[Kept]) -> Kept:
    """What is in the file, or what is made and then kept there."""
    if file is not None and file.is_file():
        with np.load(file) as stored:
            return kind(**dict(stored))
    made = make()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, **{name: getattr(made, name) for name in kind.__slots__})
    return made
