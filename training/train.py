"""Train the reader's layers and heads; resumes from its checkpoint.

    python training/train.py --data ../shared/data --out reader.pt --examples 40000 --decay 12000 [--start reader.safetensors]

The rate rises over the first examples, stays, and falls to nothing over the last `--decay`. The checkpoint beside
`--out` (`reader.pt.state`) holds weights, optimizer and count, so the same command goes on where it stopped; to go on
longer, give more `--examples`.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterator
from multiprocessing.queues import Queue
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from encoder import Reader, weights_of
from rewordings import Rewordings
from tokenizers import Tokenizer
from torch import Tensor, nn

from examples import Examples, Pair
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener

WARM_UP = 1500  # examples


POOL = 512  # examples that are drawn at once and sorted by length


def draw_pools(
    pools: Queue[list[Pair]],
    data: Path,
    tokenizer: Tokenizer,
    seed: int,
    wordnet: Path | None,
    labelled: Path | None,
    found: Path | None,
    models: Path | None,
    judged: float,
) -> None:
    """Fill the queue from a process of its own, which takes a core while the other one computes."""
    embedder = None
    if models is not None:
        choices = EmbedderChoices(models_folder=models, threads=1)
        opened = Embedders(specs=(parse_spec("multilingual"),), open=opener(choices))
        embedder = asyncio.run(opened.primary())
    examples = Examples(
        data, tokenizer, seed, judged=judged, reword=Rewordings(wordnet), labelled=labelled, found=found,
        embedder=embedder,
    )  # fmt: skip
    pairs = iter(examples)
    while True:
        pools.put([next(pairs) for _ in range(POOL)])


def batches(pools: Queue[list[Pair]], tokens: int, draw: random.Random) -> Iterator[list[Pair]]:
    """Batches of pairs to read or to judge, of like length and at most so many tokens, padding included, in random order."""
    while True:
        groups: list[list[Pair]] = []
        pool = pools.get()
        for judged in (False, True):
            drawn = [pair for pair in pool if (pair.support is not None) == judged]
            begun = len(groups)
            for pair in sorted(drawn, key=lambda p: len(p.ids)):
                if len(groups) == begun or (len(groups[-1]) + 1) * len(pair.ids) > tokens:
                    groups.append([])
                groups[-1].append(pair)
        draw.shuffle(groups)
        yield from groups


def losses(reader: Reader, batch: list[Pair]) -> tuple[Tensor, dict[str, Tensor]]:
    """The summed loss of the labels of a batch, whose pairs are either read or judged, and each by name."""
    length = max(len(p.ids) for p in batch)
    device = reader.word.weight.device
    ids = torch.ones(len(batch), length, dtype=torch.long)
    attention, allowed = torch.zeros_like(ids), torch.zeros(len(batch), length, dtype=torch.bool)
    for i, pair in enumerate(batch):
        n = len(pair.ids)
        ids[i, :n] = torch.tensor(pair.ids)
        attention[i, :n] = 1
        allowed[i, 0] = True  # the first token stands for "none"
        allowed[i, pair.second : n - 1] = True
    ids, attention = ids.to(device), attention.to(device)
    if batch[0].support is not None:
        with torch.autocast(device.type, dtype=torch.bfloat16):
            support = reader.judge(ids, attention)
        target = torch.tensor([p.support for p in batch], device=device)
        loss = F.cross_entropy(support.float(), target)
        return loss, {"support": loss.detach()}
    with torch.autocast(device.type, dtype=torch.bfloat16):
        spans, relevance = reader.read(ids, attention)
    logits = spans.float().masked_fill(~allowed[..., None].to(device), -1e4)
    target = torch.tensor([p.span or (0, 0) for p in batch], device=device)
    span = (
        F.cross_entropy(logits[..., 0], target[:, 0])
        + F.cross_entropy(logits[..., 1], target[:, 1])
    ) / 2
    label = torch.tensor([float(p.relevance or 0) for p in batch], device=device)
    answered = F.binary_cross_entropy_with_logits(relevance.float(), label)
    return span + 0.5 * answered, {"span": span.detach(), "relevance": answered.detach()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--start",
        type=Path,
        help="weights to begin with where there is no checkpoint, also as they ship",
    )
    parser.add_argument("--examples", type=int, required=True)
    parser.add_argument("--decay", type=int, required=True)
    parser.add_argument(
        "--frozen", type=int, default=0, help="lower layers that stay, for speed: 4 save a quarter"
    )
    parser.add_argument(
        "--wordnet",
        type=Path,
        help="the folder `dict` of WordNet 3.1, to put questions in other words",
    )
    parser.add_argument(
        "--labelled",
        type=Path,
        help="a set that `label_reading.py` made, to be read beside the others",
    )
    parser.add_argument(
        "--found",
        type=Path,
        help="claims that `found_answers.py` made, to be judged beside the others",
    )
    parser.add_argument(
        "--average-with",
        type=Path,
        help="weights of which, and of what is trained, the mean is written (Wortsman et al., ICML 2022)",
    )
    parser.add_argument(
        "--models",
        type=Path,
        help="folder of built models; with it some questions speak of a sibling of what their passage does",
    )
    parser.add_argument(
        "--judged",
        type=float,
        default=0.3,
        help="share of examples that train the layers for judging",
    )
    parser.add_argument("--rate", type=float, default=1e-4, help="of learning, where it is highest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=4096, help="of a batch, padding included")
    parser.add_argument("--device", default="cpu", help="where to train: cpu or cuda")
    parser.add_argument(
        "--feeders",
        type=int,
        default=1,
        help="processes that draw examples: as many as there are cores where an accelerator trains",
    )
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)  # not only found missing at the end
    torch.set_flush_denormal(True)
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    reader = Reader().to(options.device)
    trained = [p for p in reader.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=options.rate, weight_decay=0.01)
    for part in (reader.position, reader.norm, *reader.layers[: options.frozen]):
        part.requires_grad_(not options.frozen)
    state_file, seen = options.out.with_suffix(options.out.suffix + ".state"), 0
    if state_file.exists():
        state = torch.load(state_file, map_location=options.device)
        reader.load_state_dict(state["weights"], strict=False)
        optimizer.load_state_dict(state["optimizer"])
        seen = state["seen"]
        print(f"goes on after {seen} examples", flush=True)
    elif options.start:
        print("new heads:", reader.take(weights_of(options.start)), flush=True)
    # A resumed run draws other examples than the first part did.
    pools: Queue[list[Pair]] = multiprocessing.get_context("spawn").Queue(4 * options.feeders)
    for feeder in range(options.feeders):
        multiprocessing.get_context("spawn").Process(
            target=draw_pools,
            args=(
                pools,
                options.data,
                reader.tokenizer,
                options.seed + seen + feeder * 1_000_003,
                options.wordnet,
                options.labelled,
                options.found,
                options.models,
                options.judged,
            ),
            daemon=True,
        ).start()
    begun, first, recent, saved = time.monotonic(), seen, [], time.monotonic()

    def save() -> None:
        kept = {n: v for n, v in reader.state_dict().items() if n != "word.weight"}
        part = state_file.with_suffix(".part")
        torch.save({"weights": kept, "optimizer": optimizer.state_dict(), "seen": seen}, part)
        part.replace(state_file)
        torch.save(reader.own(), options.out)

    for step, batch in enumerate(
        batches(pools, options.tokens, random.Random(options.seed + seen)), 1
    ):
        if seen >= options.examples:
            break
        share = min(1.0, (seen + 1) / WARM_UP) * min(
            1.0, max(0.01, (options.examples - seen) / options.decay)
        )
        for group in optimizer.param_groups:
            group["lr"] = options.rate * share
        loss, parts = losses(reader, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        seen += len(batch)
        recent.append(parts)
        if step % 25 == 0:
            named = {
                n: [float(r[n]) for r in recent if n in r] for n in ("span", "relevance", "support")
            }
            rate = (seen - first) / (time.monotonic() - begun)
            print(
                f"{seen} examples, {rate:.1f}/s, rate {options.rate * share:.1e}, "
                + ", ".join(f"{n} {np.mean(each):.3f}" for n, each in named.items() if each),
                flush=True,
            )
            recent.clear()
        if time.monotonic() - saved > 300:
            save()
            saved = time.monotonic()
    save()
    if options.average_with is not None:
        other = weights_of(options.average_with)
        mean = {
            n: ((v.float().cpu() + other[n].float()) / 2).half() for n, v in reader.own().items()
        }
        torch.save(mean, options.out)


if __name__ == "__main__":
    main()
