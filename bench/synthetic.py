"""Makes text with the statistics that matter to a search engine, the same for the same seed.

Words: those of the packaged model's tokenizer in its order, which is about that of their
frequency in English, continued with compounds and identifiers that nobody ever wrote. A word's
chance follows Zipf and Mandelbrot, p(rank) ∝ 1 / (rank + 2.7), so function words make up a third
of the text, as they do. A document has words of its own that return in it, which gives terms the
burstiness of real text. Chunk lengths are log-normal.

Vectors: mixtures of real embeddings of synthetic chunks plus noise, hence clustered and in the
region of the model's space where its queries fall, at a thousandth of the model's time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.models.minilm import packaged_folder
from footnote.ports import Analyzer, Embedder, Vectors

VOCABULARY = 200_000
FIRST_WORD = 1996  # The tokenizer's marks and single characters lie before.
TAIL_OF_ZIPF = 2.7
IDENTIFIER_SHARE = 0.03
MEDIAN_WORDS = 170
"""About 120 terms once the function words are gone."""
SPREAD_OF_LENGTH = 0.4
SHORTEST, LONGEST = 12, 900
OWN_WORDS = 250
OWN_SHARE = 0.25
COMMONEST_QUERY_RANK = 100
CENTRES = 512
MIXED_CENTRES = 3
NOISE = 0.55
"""Length of the noise against a mixture of length 1: neighbours of one centre have cosine 0.8."""

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticDocument:
    """Chunks of a document, as text and as terms."""

    texts: list[str]
    terms: list[list[str]]


class SyntheticLanguage:
    """A vocabulary of Zipfian words, each analysed once it is used."""

    def __init__(self, analyzer: Analyzer, *, seed: int = 0, vocabulary: int = VOCABULARY) -> None:
        chance = np.random.default_rng(seed)
        self.words = _vocabulary(chance, vocabulary)
        self._analyzer = analyzer
        self._terms: dict[int, list[str]] = {}
        weights = 1.0 / (np.arange(len(self.words)) + TAIL_OF_ZIPF)
        self._cumulated = np.cumsum(weights / weights.sum())

    def ranks(self, chance: np.random.Generator, count: int) -> Integers:
        """Words by their frequency."""
        drawn: Integers = np.searchsorted(self._cumulated, chance.random(count))
        return np.minimum(drawn, len(self.words) - 1)

    def document(self, chance: np.random.Generator, chunks: int) -> SyntheticDocument:
        """A document whose chunks share a quarter of their words."""
        lengths = chance.lognormal(np.log(MEDIAN_WORDS), SPREAD_OF_LENGTH, chunks)
        counts = np.clip(lengths, SHORTEST, LONGEST).astype(np.int64)
        total = int(counts.sum())
        ranks = self.ranks(chance, total)
        own = self.ranks(chance, OWN_WORDS)
        returning = chance.random(total) < OWN_SHARE
        ranks[returning] = own[chance.integers(0, own.size, int(returning.sum()))]
        words, terms = self.words, self._terms
        for place in set(ranks.tolist()) - terms.keys():
            terms[place] = self._analyzer.terms(words[place], "en")
        texts, analysed = [], []
        for piece in np.split(ranks, np.cumsum(counts)[:-1]):
            places = piece.tolist()
            texts.append(" ".join([words[place] for place in places]))
            analysed.append([term for place in places for term in terms[place]])
        return SyntheticDocument(texts=texts, terms=analysed)

    def query(self, chance: np.random.Generator) -> str:
        """Two to eight words from all over the range of frequencies, evenly on a log scale."""
        count = int(chance.integers(2, 9))
        commonest, rarest = np.log(COMMONEST_QUERY_RANK), np.log(len(self.words))
        ranks = np.exp(chance.uniform(commonest, rarest, count)).astype(np.int64)
        return " ".join(self.words[rank] for rank in np.minimum(ranks, len(self.words) - 1))

    def sentence(self, chance: np.random.Generator, own: Integers) -> str:
        """A sentence in which some of a document's own words may return."""
        ranks = self.ranks(chance, int(chance.integers(8, 26)))
        returning = chance.random(ranks.size) < OWN_SHARE
        ranks[returning] = chance.choice(own, int(returning.sum()))
        words = " ".join(self.words[rank] for rank in ranks)
        return words[0].upper() + words[1:] + "."


class SyntheticVectors:
    """Vectors around centres that the real model made."""

    def __init__(self, centres: Vectors) -> None:
        self._centres = centres

    def __call__(self, chance: np.random.Generator, count: int) -> Vectors:
        """Float32 of shape (count, dimensions), unit length."""
        chosen = chance.integers(0, len(self._centres), (count, MIXED_CENTRES))
        weights = chance.dirichlet(np.full(MIXED_CENTRES, 0.5), count).astype(np.float32)
        mixed = np.einsum("nc,ncd->nd", weights, self._centres[chosen])
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        noise = chance.standard_normal(mixed.shape, dtype=np.float32)
        vectors = mixed + noise * (NOISE / np.sqrt(mixed.shape[1]))
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit.astype(np.float32)


async def vectors_like(
    embedder: Embedder, language: SyntheticLanguage, chance: np.random.Generator
) -> SyntheticVectors:
    """Vectors around real embeddings of short synthetic texts."""
    texts = [language.query(chance) + " " + language.query(chance) for _ in range(CENTRES)]
    return SyntheticVectors(await embedder.embed_documents(texts))


def _vocabulary(chance: np.random.Generator, size: int) -> list[str]:
    with (packaged_folder() / "tokenizer.json").open(encoding="utf-8") as file:
        numbers: dict[str, int] = json.load(file)["model"]["vocab"]
    known = sorted(numbers, key=lambda word: numbers[word])[FIRST_WORD:]
    whole = [word for word in known if word.isascii() and word.isalpha() and len(word) > 1]
    endings = [word[2:] for word in known if word.startswith("##") and word[2:].isalpha()]
    words = dict.fromkeys(whole[:size])
    while len(words) < size:
        words[_invented(chance, whole, endings)] = None
    return list(words)


def _invented(chance: np.random.Generator, whole: Sequence[str], endings: Sequence[str]) -> str:
    if chance.random() < IDENTIFIER_SHARE:
        letters = "".join(chance.choice(list("ABCDEFGHKLMNPRSTVX"), 3))
        return f"{letters}-{chance.integers(1000, 99999)}"
    return whole[int(chance.integers(len(whole)))] + endings[int(chance.integers(len(endings)))]
