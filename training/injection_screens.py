"""Fit the screens that tell from an embedder's own states which passages surely hold no prompt injection.

    python training/injection_screens.py --data ../shared/data --reader src/footnote/models/reader.safetensors \
        --out src/footnote/models/injection_screens.safetensors [--work FOLDER] [--seed 0]

A screen is a small network over the states of a packaged embedder's tokens in one inner layer; the passage's likeliest token
counts. It is fitted to what the reader's head for injections (`probes.py`) says of each sentence, so that the reader need only read passages that it
might mark. Passages are ordinary ones of all sources, and such with written or planted sentences in them. Kept apart in turn
are families of what injections want and sources of ordinary passages, from the screen: printed
is what reader and screen see together there, and how many ordinary passages go on to the reader. The threshold is chosen on these, too, so
that of injections that the reader alone sees the share `KEPT` goes on. What is written is fitted on everything. It takes some fifteen minutes of
processor time; `--work` keeps the states for another run, and `--apart family language` judges by languages kept apart as well.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from encoder import Reader, weights_of
from injection_network import InjectionNetwork, fitted_injection_network, labelled, odds_of_units
from injection_passages import Passage, Sentence, passages
from injection_states import Read, kept, opened_probes, read
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from footnote.language.detection import is_english
from footnote.models import e5, minilm
from footnote.models.batching import padded, plan_batches
from footnote.models.bert_graph import GraphBuilder, encoder
from footnote.models.model_store import open_session
from footnote.models.reader_weights import read_weights

SOME_ENGLISH = 4
"""Of English passages one in so many is e5's, too."""
TOKENS = 250
"""Of a passage, as many as are read."""
RUN_TOKENS = 512
WIDTH = 384
FOLDS = 4
KEPT = 0.98
OTHER_KEPT = (0.95, 0.99, 0.995)
STEPS = {"minilm": 800, "e5": 600}
BATCH, STRETCH = 48, 128
"""Texts, and tokens of each."""
RATE = 4e-3
HIDDEN, CHANNELS, AROUND = 64, 32, 5
MARGIN = 1.0
"""Log-odds below the probe's threshold that are to be told apart as well as those at it."""

Floats = npt.NDArray[np.float32]
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """A packaged embedder, and the passages its screen is for."""

    name: str
    layer: int
    run: Callable[[Sequence[Sequence[int]]], Floats]
    pieces: Callable[[str], tuple[list[int], Sequence[tuple[int, int]]]]
    marks: tuple[int, int]
    prefix: list[int]
    above: bool
    """Whether it tells of titles and headings, too."""


def students(folder: Path, layers: dict[str, int], wanted: Sequence[str]) -> list[Student]:
    """The packaged embedders in int8, each up to the layer that is read."""
    found = []
    package = minilm.packaged_folder()
    words = Tokenizer.from_file(str(package / "tokenizer.json"))
    words.no_truncation()
    words.no_padding()

    def word_pieces(text: str) -> tuple[list[int], Sequence[tuple[int, int]]]:
        read = words.encode(text, add_special_tokens=False)
        return read.ids, read.offsets

    e5_package = e5.read_packaged()
    shared = e5.shared_files(folder)
    unigrams = e5.e5_tokenizer(shared.tokenizer)

    def unigram_pieces(text: str) -> tuple[list[int], Sequence[tuple[int, int]]]:
        read = unigrams.pieces(text)
        return read.ids, read.offsets

    for name, weights, shape, table, pieces, marks, prefix in (
        ("minilm", load_file(package / "model.safetensors"), minilm.SHAPE, None, word_pieces,
         (words.token_to_id("[CLS]"), words.token_to_id("[SEP]")), ""),
        ("e5", e5_package.weights(), e5_package.shape, e5.WORDS, unigram_pieces,
         (unigrams.begin, unigrams.end), e5.DOCUMENT_PREFIX),
    ):  # fmt: skip
        if name not in wanted:
            continue
        graph = GraphBuilder(weights, shape, "int8")
        encoded = encoder(graph, table, range(layers[name]))
        by_text = graph.apply("Concat", [encoded.shape, graph.integers(WIDTH)], axis=0)
        graph.apply("Reshape", [encoded.hidden, by_text], output="left")
        file = shared.folder / f"screening-{name}-{layers[name]}.onnx"
        model = graph.model("screening", {"left": ("batch", "length", WIDTH)})
        file.write_bytes(model.SerializeToString())
        session = open_session(file)

        def run(batch: Sequence[Sequence[int]], session=session) -> Floats:
            ids, mask = padded(batch)
            return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]

        found.append(
            Student(name=name, layer=layers[name], run=run, pieces=pieces, marks=marks, prefix=pieces(prefix)[0],
                    above=name == "e5")
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an embedder's layer leaves of the tokens of texts, one text after the other."""

    texts: npt.NDArray[np.int64]
    """The numbers of the texts."""
    starts: npt.NDArray[np.int64]
    """The first token of each, and the end."""
    states: npt.NDArray[np.float16]
    units: npt.NDArray[np.int64]
    """The reader's sentence that each token stands in; -1 for none."""


def see(student: Student, texts: Sequence[Passage], numbers: Sequence[int], told: Read) -> Seen:
    """Run the embedder over the passages of these numbers."""
    first, last = student.marks
    pieces = [student.pieces(texts[number].embedded) for number in numbers]
    room = TOKENS - len(student.prefix)
    ids = [[first, *student.prefix, *each[0][:room], last] for each in pieces]
    starts = np.cumsum([0, *map(len, ids)])
    states = np.zeros((starts[-1], WIDTH), np.float16)
    units = np.full(starts[-1], -1, np.int64)
    at_text = np.searchsorted(told.unit_text, range(len(texts) + 1))
    for row, number in enumerate(numbers):
        begun = starts[row] + 1 + len(student.prefix)
        places = texts[number].read_places(pieces[row][1][:room])
        own = units[begun : begun + len(places)]
        begins = 0 if student.above else texts[number].begins
        for unit in range(at_text[number], at_text[number + 1]):
            low, high = told.unit_spans[unit]
            if high <= begins:
                continue
            own[(places[:, 0] < high) & (places[:, 1] > max(low, 0))] = unit

    def run(batch: list[int]) -> None:
        for row, left in zip(batch, student.run([ids[row] for row in batch]), strict=True):
            states[starts[row] : starts[row + 1]] = left[: len(ids[row])]

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(each) for each in ids], RUN_TOKENS)))
    return Seen(texts=np.array(numbers), starts=starts, states=states, units=units)


class Network(torch.nn.Module):
    """The screen as it is fitted; `footnote.models.bert_graph` has it as a graph."""

    def __init__(self, centre: Floats, spread: Floats) -> None:
        super().__init__()
        self.centre, self.spread = torch.from_numpy(centre), torch.from_numpy(spread)
        self.hidden = torch.nn.Linear(WIDTH, HIDDEN)
        self.around = torch.nn.Conv1d(HIDDEN, CHANNELS, AROUND, padding=AROUND // 2)
        self.odds = torch.nn.Conv1d(CHANNELS, 1, 1)
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Of (texts, tokens, width) what is said of each token."""
        scaled = self.drop((states - self.centre) / self.spread)
        hidden = torch.nn.functional.gelu(self.hidden(scaled)) * mask[:, :, None]
        near = torch.nn.functional.gelu(self.around(hidden.transpose(1, 2)))
        return self.odds(self.drop(near))[:, 0].masked_fill(mask == 0, -1e4)

    def tensors(self) -> dict[str, Floats]:
        """As `footnote.models.injection_screen` reads them, for states as they are."""
        weight = self.hidden.weight.detach() / self.spread
        bias = self.hidden.bias.detach() - weight @ self.centre
        found = {"hidden": weight.T, "hidden_bias": bias, "around": self.around.weight,
                 "around_bias": self.around.bias, "odds": self.odds.weight, "odds_bias": self.odds.bias}  # fmt: skip
        return {name: value.detach().numpy().astype(np.float32) for name, value in found.items()}


def batch_of(
    seen: Seen, rows: Sequence[int], draw: random.Random | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """States, mask and sentences of texts, padded to the longest; of long ones a drawn stretch."""
    longest = max(int(seen.starts[row + 1] - seen.starts[row]) for row in rows)
    longest = min(longest, STRETCH) if draw else longest
    states = np.zeros((len(rows), longest, WIDTH), np.float32)
    mask = np.zeros((len(rows), longest), np.float32)
    units = np.full((len(rows), longest), -1, np.int64)
    for at, row in enumerate(rows):
        begin, end = seen.starts[row], seen.starts[row + 1]
        if draw and end - begin > longest:
            begin += draw.randrange(end - begin - longest + 1)
            end = begin + longest
        states[at, : end - begin], mask[at, : end - begin] = seen.states[begin:end], 1
        units[at, : end - begin] = seen.units[begin:end]
    return torch.from_numpy(states), torch.from_numpy(mask), torch.from_numpy(units)


def trained(seen: Seen, rows: Sequence[int], odds: Floats, seed: int, count: int) -> Network:
    """A screen fitted in so many batches to the probe's log-odds of the sentences in the texts of these rows."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    sample = seen.states[:: max(1, len(seen.states) // 50_000)].astype(np.float32)
    network = Network(sample.mean(axis=0), sample.std(axis=0) + 1e-3)
    wanted = torch.from_numpy(1 / (1 + np.exp(-(odds.astype(np.float32) + MARGIN))))
    # What the probe is near to taking for injections weighs as much as all the rest.
    inside = np.unique(np.concatenate([seen.units[seen.starts[r] : seen.starts[r + 1]] for r in rows]))  # fmt: skip
    share = float(wanted[inside[inside >= 0]].mean())
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-2)
    lengths = np.diff(seen.starts)
    epochs = -(-count * BATCH // len(rows))
    steps = epochs * -(-len(rows) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)

    def loss_of(said: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        weight = target * (1 - share) / share + (1 - target)
        lost = torch.nn.functional.binary_cross_entropy_with_logits(said, target, reduction="none")
        return (lost * weight).sum() / weight.sum()

    for epoch in range(epochs):
        losses = []
        # Texts of like length beside each other, in batches that come in any order.
        ordered = sorted(rows, key=lambda row: lengths[row] + draw.random() * 20)
        batches = [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
        draw.shuffle(batches)
        for batch in batches:
            states, mask, units = batch_of(seen, batch, draw)
            said = network(states, mask)
            there = units >= 0
            numbers, places = torch.unique(units[there], return_inverse=True)
            best = torch.full((len(numbers),), -1e4).scatter_reduce(0, places, said[there], "amax")
            text = torch.arange(len(batch))[:, None].expand_as(units)[there]
            whole = torch.zeros(len(batch)).scatter_reduce(0, text, wanted[units[there]], "amax")
            loss = loss_of(best, wanted[numbers]) + 0.5 * loss_of(said.amax(dim=1), whole)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        if epoch in (0, epochs // 2, epochs - 1):
            print(f"  epoch {epoch + 1}: loss {np.mean(losses):.4f}", flush=True)
    return network.eval()


def said_of(network: Network, seen: Seen, rows: Sequence[int]) -> Floats:
    """Of each text what is said of its likeliest token."""
    found = []
    with torch.no_grad():
        for at in range(0, len(rows), 256):
            states, mask, _ = batch_of(seen, rows[at : at + 256])
            found.append(network(states, mask).amax(dim=1).numpy())
    return np.concatenate(found)


def folds_of(sentences: Sequence[Sentence], texts: int, key: str) -> npt.NDArray[np.int64]:
    """The fold of each text, by the family or the language of what is labelled in it."""
    names = sorted({getattr(each, key) for each in sentences})
    folds = np.zeros(texts, np.int64)
    for each in sentences:
        folds[each.text] = names.index(getattr(each, key)) % FOLDS
    return folds


def unit_odds(network: InjectionNetwork, told: Read) -> Floats:
    """What a head says of each sentence of the texts."""
    return odds_of_units(network, told, told.units, told.unit_text)


def judged(
    student: Student,
    seen: Seen,
    parts: dict[str, npt.NDArray[np.int64]],
    odds: Floats,
    told: Read,
    sentences: Sequence[Sentence],
    english: Sequence[bool],
    begins: npt.NDArray[np.int64],
) -> float:
    """Print what reader and screen see together of texts that the screen was not fitted on, by the fold of each text, and the
    reader's log-odds of each sentence; the threshold."""
    texts = len(english)
    kind = np.array(["background"] * texts, dtype=object)
    family = np.array([""] * texts, dtype=object)
    language = np.array([""] * texts, dtype=object)
    for each in sentences:
        kind[each.text], family[each.text], language[each.text] = each.kind, each.family, each.language  # fmt: skip
    own = seen.texts
    for_whom = np.array([english[at] == (student.name == "minilm") for at in own])
    found: dict[str, tuple[Floats, Floats]] = {}
    for key, folds in parts.items():
        said, reader = np.zeros(len(own), np.float32), np.zeros(len(own), np.float32)
        for at in range(FOLDS):
            rest = np.flatnonzero(folds[own] != at)
            held = np.flatnonzero(folds[own] == at)
            network = trained(seen, rest, odds, at, STEPS[student.name])
            said[held] = said_of(network, seen, held)
            best = np.full(texts, -np.inf, np.float32)
            own_units = (told.unit_spans[:, 1] > begins[told.unit_text]) | student.above
            np.maximum.at(best, told.unit_text[own_units], odds[own_units])
            reader[held] = best[own[held]]
        found[key] = said, reader
    injections = np.isin(kind[own], ("injection", "planted")) & for_whom
    alone = begins[own] == 0

    def cut_for(share: float) -> float:
        """The threshold that lets through the share of injections, be they below a title or not."""
        found_in = ([said[injections & (reader >= 0) & form] for said, reader in found.values()] for form in (alone, ~alone))  # fmt: skip
        return min(float(np.quantile(np.concatenate(each), 1 - share)) for each in found_in)

    threshold = cut_for(KEPT)
    for key, (said, reader) in found.items():
        for share in (*OTHER_KEPT, KEPT):
            cut = cut_for(share)
            on = said >= cut
            words = []
            for name in ("injection", "planted", "harmless", "background"):
                own_kind = (kind[own] == name) & for_whom
                if own_kind.any():
                    words.append(
                        f"{name} of {own_kind.sum()}: reader {(reader >= 0)[own_kind].mean():.4f}, "
                        f"both {((reader >= 0) & on)[own_kind].mean():.4f}, read {on[own_kind].mean():.4f}"
                    )
            print(f"{student.name}, {key} apart, {share} of injections kept: " + "; ".join(words))
        on = said >= threshold
        form = np.where(begins == 0, "bare", "below a title").astype(object)
        for name, value in (("form", form), ("language", language), ("source", family)):
            for one in sorted(set(value[own][for_whom])):
                some = (value[own] == one) & for_whom
                seen_injections, plain = some & injections & (reader >= 0), some & (kind[own] == "background")  # fmt: skip
                if name != "source" or plain.any():
                    kept_share = f"{on[seen_injections].mean():.3f} of {seen_injections.sum()}" if seen_injections.any() else "-"  # fmt: skip
                    read_share = f"{on[plain].mean():.3f} of {plain.sum()}" if plain.any() else "-"
                    print(f"    {name} {one}: kept {kept_share}, read {read_share}")
    return threshold


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="folder that keeps the states")
    parser.add_argument(
        "--embedder", nargs="*", default=["minilm", "e5"], help="others stay as --out has them"
    )
    parser.add_argument("--apart", nargs="+", default=["family"], choices=["family", "language"])
    parser.add_argument("--minilm-layer", type=int, default=4)
    parser.add_argument("--e5-layer", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    draw = random.Random(options.seed)
    texts, sentences = passages(options.data, draw)
    layers = {"minilm": options.minilm_layer, "e5": options.e5_layer}
    work = options.work
    tensors = load_file(options.out) if options.out.is_file() else {}
    weights = read_weights(options.reader)
    reader = Reader()
    reader.take(weights_of(options.reader))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        told = kept(
            work and work / "reader.npz",
            lambda: read(
                opened_probes(options.reader, 6, folder), [each.read for each in texts], sentences
            ),
            Read,
        )
        english = [is_english(each.embedded) for each in texts]
        begins = np.array([each.begins for each in texts])
        # The head that was written, its threshold in the bias there.
        head = fitted_injection_network(
            reader, told, labelled(told, sentences), 0, work and work / "injections.pt"
        )
        odds = unit_odds(head, told) + (weights.probes.orders.bias - head.probe().bias)
        print(f"{len(texts)} passages, {sum(english)} of them English, {len(told.units)} sentences")
        for student in students(folder, layers, options.embedder):
            # e5 embeds English where it is chosen alone.
            some = [yes == (student.name == "minilm") or (yes and at % SOME_ENGLISH == 0) for at, yes in enumerate(english)]  # fmt: skip
            numbers = [int(at) for at in np.flatnonzero(some)]
            file = work and work / f"{student.name}-{student.layer}.npz"
            seen = kept(file, partial(see, student, texts, numbers, told), Seen)
            parts = {key: folds_of(sentences, len(texts), key) for key in options.apart}
            threshold = judged(student, seen, parts, odds, told, sentences, english, begins)
            network = trained(seen, range(len(seen.texts)), odds, options.seed, STEPS[student.name])
            found = network.tensors() | {"layer": np.array([student.layer], np.float32)}
            found["odds_bias"] = found["odds_bias"] - threshold
            for part, value in found.items():
                tensors[f"{student.name}.{part}"] = np.ascontiguousarray(value, np.float16)
            print(f"{student.name}: threshold {threshold:.3f}", flush=True)
    fitted_to = {"encoder": weights.encoder, "orders": weights.probes.injection_probe_digest}
    save_file(tensors, options.out, fitted_to)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
