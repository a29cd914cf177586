"""Count the words of a document, and choose as keywords those that distinguish it."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Block, BlockKind
from footnote.language.detection import function_words
from footnote.ports.ingesting import TermCounts

WORD = re.compile(r"[^\W\d_][\w'’\-]*[^\W_]")
"""Two characters at least, the first of them a letter."""
_NEIGHBOURS = re.compile(rf"({WORD.pattern})(?=(?: ({WORD.pattern}))?)")
"""A word, and the next one or nothing: it is optional, as a failure would be retried at each
letter."""
_HEADING_WEIGHT = 3
_PHRASE_WEIGHT = 1.6
_CANDIDATE_WORDS = 500
"""Only this many of the most frequent words can be keywords."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCounts:
    """The words of one document, lower-cased and without function words."""

    language: str | None
    """ISO 639-1 code of the language whose function words are left out."""
    weights: Mapping[str, float]
    """At least 1, growing with the word's frequency; occurrences in headings count more."""
    spellings: Mapping[str, Mapping[str, int]]
    """How often each spelling of a word occurs."""
    pairs: Mapping[tuple[str, str], int]
    """How often two words are adjacent, if at least twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFrequencies:
    """The number of a corpus's chunks that contain each lower-cased word."""

    chunks: int
    by_word: Mapping[str, int]


def count_words(blocks: Sequence[Block], language: str | None) -> WordCounts:
    """Count the words of all blocks but source code."""
    prose = [block for block in blocks if block.kind is not BlockKind.CODE]
    spelling_counts = Counter(word for block in prose for word in WORD.findall(block.text))
    in_headings = Counter(
        word.lower()
        for block in prose
        if block.kind is BlockKind.HEADING
        for word in WORD.findall(block.text)
    )
    stop = function_words(language)
    spellings: dict[str, dict[str, int]] = {}
    for word, count in spelling_counts.items():
        lowered = word.lower()
        if len(lowered) > 2 and lowered not in stop:
            spellings.setdefault(lowered, {})[word] = count
    counts = {
        word: sum(variants.values()) + (_HEADING_WEIGHT - 1) * in_headings[word]
        for word, variants in spellings.items()
    }
    return WordCounts(
        language=language,
        weights={word: 1 + math.log(count) for word, count in counts.items()},
        spellings=spellings,
        pairs={
            (first, second): count
            for (first, second), count in Counter(_neighbours(prose)).items()
            if count > 1 and first in counts and second in counts
        },
    )


def frequent_words(words: WordCounts) -> tuple[str, ...]:
    """Return the candidates for keywords: the most frequent words."""
    weights = words.weights
    return tuple(sorted(weights, key=lambda word: (-weights[word], word))[:_CANDIDATE_WORDS])


def keywords_alone(words: WordCounts) -> tuple[str, ...]:
    """Choose keywords by their frequency in the document."""
    return _keywords(words, words.weights)


def keywords_among(words: WordCounts, corpus: CorpusFrequencies) -> tuple[str, ...]:
    """Choose keywords that are frequent in the document and rare in the corpus."""
    weights = {word: weight * _rarity(word, corpus) for word, weight in words.weights.items()}
    return _keywords(words, weights)


async def choose_keywords(
    words: WordCounts,
    terms: Callable[[str, str | None], Sequence[str]],
    count: Callable[[Sequence[str]], Awaitable[TermCounts]],
) -> tuple[tuple[str, ...], int]:
    """Return a document's keywords relative to its workspace, and the workspace's chunk count."""

    def stem_words() -> dict[str, str]:
        return {word: (terms(word, words.language) or [word])[0] for word in frequent_words(words)}

    candidates = await asyncio.to_thread(stem_words)
    counts = await count(list(candidates.values()))
    corpus = CorpusFrequencies(
        chunks=counts.chunks, by_word=dict(zip(candidates, counts.holding, strict=True))
    )
    return await asyncio.to_thread(keywords_among, words, corpus), counts.chunks


def _neighbours(blocks: Iterable[Block]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        yield from (pair for pair in _NEIGHBOURS.findall(block.text.lower()) if pair[1])


def _rarity(word: str, corpus: CorpusFrequencies) -> float:
    """Return the rarity of a word, above 0; one not counted is taken to be in every chunk."""
    holding = corpus.by_word.get(word, corpus.chunks)
    return math.log(1 + (corpus.chunks + 1) / (holding + 1))


def _keywords(words: WordCounts, weights: Mapping[str, float], limit: int = 8) -> tuple[str, ...]:
    """Choose words and repeated pairs of words, each in its most frequent spelling."""
    scores = dict(weights)
    for (first, second), count in words.pairs.items():
        share = (weights[first] + weights[second]) / 2
        scores[f"{first} {second}"] = share * _PHRASE_WEIGHT * (1 + math.log(count)) / 2
    chosen: list[str] = []
    for term in sorted(scores, key=lambda term: (-scores[term], term)):
        if not any(term in other or other in term for other in chosen):
            chosen.append(term)
        if len(chosen) == limit:
            break
    return tuple(_spelled(term, words.spellings) for term in chosen)


def _spelled(term: str, spellings: Mapping[str, Mapping[str, int]]) -> str:
    return " ".join(
        min(spellings[word].items(), key=lambda item: (-item[1], item[0]))[0]
        for word in term.split(" ")
    )
