"""Learns the maps from e5's vectors to MiniLM's, and what tells an English question from others.

    python training/embedder_alignment.py --data ../shared/data/reading --models M --cache V

Both encoders stay as they are; their vectors are made once and kept in the cache. The rotation is
the orthogonal matrix that brings e5's vectors of English texts nearest to MiniLM's (Procrustes).
The map of questions begins as the ridge regression between the two, and is then trained so that
questions find their passages (InfoNCE, van den Oord et al. 2018), in English across both spaces and
in every other language within e5's, while English texts stay near MiniLM's vectors of them. Writes
`src/footnote/models/e5_alignment.safetensors`. Passages of XQuAD are in none of the reading sets;
what `HELD_OUT` names is only measured on. `src/footnote/models/e5_alignment.md` is the card.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional

from footnote.models.aligned import ALIGNMENT_FILE, Alignment, read_alignment
from footnote.models.e5 import load_e5
from footnote.models.minilm import load_minilm
from footnote.models.sentence_encoder import SentenceEncoder

Floats = npt.NDArray[np.float32]
Pair = tuple[str, str]
"""A question, and the passage that answers it."""

SEED = 7
STEPS = 1000
BATCH = 256
RATE = 1e-3
TEMPERATURE = 0.05
RIDGE = 1.0
CUTOFF = 10
TARGET = Path(__file__).resolve().parents[1] / "src/footnote/models" / ALIGNMENT_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A part of a reading set: so many passages after the first ones are left out."""

    file: str
    passages: int
    skip: int = 0
    language: str | None = None
    questions: int = 3
    characters: int = 900


ENGLISH = (
    Source(file="squad-train-parts", passages=1300, questions=4),
    Source(file="nq-open-oracle", passages=250, skip=600),
    Source(file="covidqa", passages=150, skip=300, characters=1000),
)
OTHERS = (
    Source(file="squad-es-dev", passages=450),
    Source(file="squad-it-test", passages=450),
    Source(file="squad2-sv-dev", passages=350),
    Source(file="piaf", passages=250),
    Source(file="squad1-pt-sample", passages=150),
    Source(file="cmrc2018-train", passages=250),
    Source(file="drcd", passages=80),
    Source(file="jsquad", passages=250),
    Source(file="arcd", passages=120),
    Source(file="pquad", passages=100),
    Source(file="iapp-thai", passages=60),
    Source(file="norquad", passages=100),
    Source(file="heq", passages=60),
    Source(file="tquad2", passages=80),
    Source(file="vi-mailong25", passages=100),
    Source(file="facqa", passages=80),
    Source(file="tydiqa-goldp-train", passages=150, language="ru"),
    Source(file="tydiqa-goldp-train", passages=80, language="fi"),
    Source(file="tydiqa-goldp-train", passages=80, language="ko"),
    Source(file="tydiqa-goldp-train", passages=80, language="ar"),
)
HELD_OUT = (
    Source(file="squad2-dev-half", passages=600, questions=6),
    Source(file="piaf", passages=200, skip=260),
    Source(file="cmrc2018", passages=200),
    Source(file="jaquad-dev", passages=200),
    Source(file="tydiqa-goldp-dev", passages=150, language="ru"),
)
HELD_OUT_ENGLISH = frozenset(("squad2-dev-half",))


class Aligner(nn.Module):
    """The map under training; its output has unit length."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.from_numpy(weight))
        self.passage_bias = nn.Parameter(torch.from_numpy(bias))
        self.query_bias = nn.Parameter(torch.from_numpy(bias).clone())

    def passages(self, vectors: torch.Tensor) -> torch.Tensor:
        return functional.normalize(vectors @ self.weight + self.passage_bias, dim=-1)

    def queries(self, vectors: torch.Tensor) -> torch.Tensor:
        return functional.normalize(vectors @ self.weight + self.query_bias, dim=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Vectors by text: of questions and of passages by e5, of English texts by MiniLM."""

    questions: Mapping[str, Floats]
    passages: Mapping[str, Floats]
    english: Mapping[str, Floats]


def read_pairs(folder: Path, source: Source) -> list[Pair]:
    """Questions of a source with the passage that answers each."""
    found: dict[str, list[str]] = {}
    with gzip.open(folder / f"{source.file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if source.language not in (None, row["lang"]):
                continue
            passage = row["context"][: source.characters]
            answered = [
                each["question"]
                for each in row["questions"]
                if each["answers"]
                and not each.get("impossible")
                and each["answers"][0]["start"] + len(each["answers"][0]["text"]) <= len(passage)
            ]
            if answered:
                found.setdefault(passage, []).extend(answered)
    passages = list(found)
    random.Random(SEED).shuffle(passages)
    pairs = []
    for passage in passages[source.skip : source.skip + source.passages]:
        questions = found[passage]
        random.Random(SEED).shuffle(questions)
        pairs += [(question, passage) for question in questions[: source.questions]]
    return pairs


def embedded(
    texts: Sequence[str], embed: Callable[[Sequence[str]], Floats], cache: Path, name: str
) -> dict[str, Floats]:
    """The vector of each text, from the cache as far as it has them."""
    found = {}
    distinct = list(dict.fromkeys(texts))
    for start in range(0, len(distinct), 400):
        part = distinct[start : start + 400]
        digest = hashlib.sha256("\0".join(part).encode()).hexdigest()[:16]
        path = cache / f"{name}-{digest}.npy"
        if not path.exists():
            np.save(path, embed(part))
        found.update(zip(part, np.load(path), strict=True))
    return found


def questions_of(model: SentenceEncoder) -> Callable[[Sequence[str]], Floats]:
    async def embed(texts: Sequence[str]) -> Floats:
        return np.stack([await model.embed_query(text) for text in texts])

    return lambda texts: asyncio.run(embed(texts))


def know(english: Sequence[Pair], others: Sequence[Pair], models: Path, cache: Path) -> Known:
    """Every vector that training and judging need."""
    cache.mkdir(parents=True, exist_ok=True)
    e5, minilm = (load(models, "int8", 1, 8192) for load in (load_e5, load_minilm))
    pairs = [*english, *others]
    known = Known(
        questions=embedded([q for q, _ in pairs], questions_of(e5), cache, "questions"),
        passages=embedded([p for _, p in pairs], e5.encode, cache, "passages"),
        english=embedded([t for pair in english for t in pair], minilm.encode, cache, "english"),
    )
    e5.close()
    minilm.close()
    return known


def english_vectors(english: Sequence[Pair], known: Known) -> tuple[Floats, Floats]:
    """Each English question and passage once: by e5, and by MiniLM."""
    asked = dict.fromkeys(question for question, _ in english)
    held = dict.fromkeys(passage for _, passage in english)
    given = np.stack([known.questions[q] for q in asked] + [known.passages[p] for p in held])
    return given, np.stack([known.english[text] for text in (*asked, *held)])


def rotation(given: Floats, wanted: Floats) -> Floats:
    """The orthogonal matrix that brings the rows of one nearest to those of the other."""
    left, _, right = np.linalg.svd(given.T @ wanted)
    return (left @ right).astype(np.float32)


def ridge(given: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """The map with the least squared error: weight and bias."""
    rows = np.concatenate([given, np.ones((len(given), 1), np.float32)], axis=1)
    solved = np.linalg.solve(rows.T @ rows + RIDGE * np.eye(rows.shape[1]), rows.T @ wanted)
    return solved[:-1].astype(np.float32), solved[-1].astype(np.float32)


def contrast(questions: torch.Tensor, passages: torch.Tensor) -> torch.Tensor:
    """InfoNCE both ways; the other pairs of the batch are what does not belong together."""
    scores = questions @ passages.T / TEMPERATURE
    right = torch.arange(len(scores))
    ways = functional.cross_entropy(scores, right), functional.cross_entropy(scores.T, right)
    return sum(ways, torch.zeros(())) / 2


def batch_of(pairs: Sequence[Pair], chance: np.random.Generator) -> list[Pair]:
    """Pairs by chance, no passage twice."""
    drawn = chance.choice(len(pairs), min(BATCH, len(pairs)), replace=False)
    by_passage = {pairs[place][1]: pairs[place] for place in drawn}
    return list(by_passage.values())


def loss_of(aligner: Aligner, batch: Sequence[Pair], known: Known, english: bool) -> torch.Tensor:
    def rows(table: Mapping[str, Floats], texts: Sequence[str]) -> torch.Tensor:
        return torch.from_numpy(np.stack([table[text] for text in texts]))

    asked, held = [question for question, _ in batch], [passage for _, passage in batch]
    questions = aligner.queries(rows(known.questions, asked))
    passages = aligner.passages(rows(known.passages, held))
    loss = contrast(questions, passages)
    if not english:
        return loss
    native_questions, native_passages = rows(known.english, asked), rows(known.english, held)
    loss = loss + contrast(native_questions, passages) + contrast(questions, native_passages)
    apart = 2 - (questions * native_questions).sum(1) - (passages * native_passages).sum(1)
    return loss / 3 + apart.mean()


def train(english: Sequence[Pair], others: Sequence[Sequence[Pair]], known: Known) -> Aligner:
    """The map, after as many steps over English and two further languages each."""
    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    aligner = Aligner(*ridge(*english_vectors(english, known)))
    optimizer = torch.optim.AdamW(aligner.parameters(), lr=RATE, weight_decay=0.01)
    shares = np.sqrt([len(pairs) for pairs in others])
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, step / 50) * max(0.02, 1 - step / STEPS)
        loss = loss_of(aligner, batch_of(english, chance), known, english=True)
        for place in chance.choice(len(others), 2, replace=False, p=shares / shares.sum()):
            loss = loss + loss_of(aligner, batch_of(others[place], chance), known, english=False)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return aligner


def english_gate(
    english: Sequence[str], others: Sequence[str], known: Known
) -> tuple[Floats, float]:
    """Logistic regression on e5's vectors of questions: weight and bias, above 0 for English."""
    given = torch.from_numpy(np.stack([known.questions[text] for text in (*english, *others)]))
    wanted = torch.cat([torch.ones(len(english)), torch.zeros(len(others))])
    balance = torch.where(wanted > 0, 0.5 / len(english), 0.5 / len(others))
    weight = torch.zeros(given.shape[1], requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        each = functional.binary_cross_entropy_with_logits(
            given @ weight + bias, wanted, reduction="none"
        )
        loss = (each * balance).sum() + 1e-4 * (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weight.detach().numpy(), float(bias.detach())


def judge(questions: Floats, passages: Floats, right: Sequence[int]) -> str:
    """nDCG and recall at 10, one passage right for each question."""
    scores = questions @ passages.T
    ranks = (scores > scores[np.arange(len(right)), right][:, None]).sum(axis=1)
    gains = np.where(ranks < CUTOFF, 1 / np.log2(ranks + 2), 0)
    return f"{gains.mean():.3f} / {(ranks < CUTOFF).mean():.3f}"


def report(name: str, pairs: Sequence[Pair], alignment: Alignment, known: Known) -> None:
    """Print the measures of e5 alone and of the lane, and how often the language is told."""
    passages = list(dict.fromkeys(passage for _, passage in pairs))
    places = {passage: place for place, passage in enumerate(passages)}
    right = [places[passage] for _, passage in pairs]
    asked = np.stack([known.questions[question] for question, _ in pairs])
    held = np.stack([known.passages[passage] for passage in passages])
    mapped = np.stack([alignment.query(vector) for vector in asked])
    native = name in HELD_OUT_ENGLISH
    figures = {"e5": judge(asked, held, right)}
    if native:
        own = np.stack([known.english[passage] for passage in passages])
        figures["as if not English"] = judge(mapped, own, right)
    else:
        figures["lane"] = judge(mapped, alignment.passages(held), right)
    told = np.mean([alignment.is_english(vector) == native for vector in asked])
    print(f"{name} ({len(passages)} passages): {figures}, told rightly {told:.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--models", type=Path, required=True, help="folder of built models")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    options = parser.parse_args()
    english = [pair for source in ENGLISH for pair in read_pairs(options.data, source)]
    others = [read_pairs(options.data, source) for source in OTHERS]
    held_out = {source.file: read_pairs(options.data, source) for source in HELD_OUT}
    judged_english = [pair for name in HELD_OUT_ENGLISH for pair in held_out[name]]
    judged_others = [
        pair for name, pairs in held_out.items() if name not in HELD_OUT_ENGLISH for pair in pairs
    ]
    known = know(
        [*english, *judged_english],
        [pair for pairs in (*others, judged_others) for pair in pairs],
        options.models,
        options.cache,
    )
    aligner = train(english, others, known)
    foreign = [question for pairs in others for question, _ in pairs]
    weight, bias = english_gate([question for question, _ in english], foreign, known)
    content = {
        "rotation": rotation(*english_vectors(english, known)),
        "query_weight": aligner.weight.detach().numpy(),
        "query_bias": aligner.query_bias.detach().numpy(),
        "english_weight": weight,
        "english_bias": np.array([bias], dtype=np.float32),
    }
    save_file({name: value.astype(np.float16) for name, value in content.items()}, TARGET)
    alignment = read_alignment(TARGET.read_bytes())
    for name, pairs in held_out.items():
        report(name, pairs, alignment, known)


if __name__ == "__main__":
    main()
