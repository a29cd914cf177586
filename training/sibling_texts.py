"""Questions with one word exchanged for a sibling that their passage does not speak of, and those questions themselves.

The words of a question that stand in its passage are candidates. In English half of the siblings are other kinds of the same thing in WordNet, as a cat is
beside a dog; elsewhere, and for names, they are near words of other questions of the same source by the packaged embedder. A synonym of WordNet
in place of a word leaves the question about the same, and so does how it is typed.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rewordings import ENDINGS, KEPT, Rewordings, WordNet, inflected

from footnote.ports import Embedder

SOURCES = {
    "squad-train-parts": 420,
    "squad2-dev-half": 240,
    "omosqa-en": 140,
    "tatqa-text": 140,
    "covidqa": 80,
    "nq-open-oracle": 100,
    "piaf": 300,
    "omosqa-fr": 100,
    "squad-es-dev": 260,
    "squad-it-test": 140,
    "squad1-pt-sample": 140,
    "norquad": 140,
    "squad2-sv-dev": 140,
    "tydiqa-goldp-train": 160,
}
"""Questions of each."""
WORD = re.compile(r"[^\W\d_]{3,}")
COMMON = 0.04
"""Share of a source's passages that hold a word, from which on it tells nothing of a passage."""
NEAREST = 12
LONGEST = 900
"""Characters of a passage, around the answer."""
SAME_START = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A question beside a passage; a stretch of it may be about what the passage does not have."""

    question: str
    passage: str
    heading: str
    mismatched: tuple[int, int]
    """Empty where all of it is met."""
    source: str
    language: str


def worded(
    data: Path, wordnet: Path | None, embedder: Embedder, seed: int, apart: bool = False
) -> Iterator[Worded]:
    """Every question as it is or in other words, and with a sibling; `apart` those of the paragraphs left for evaluation."""
    rewordings = Rewordings(wordnet)
    for source, count in SOURCES.items():
        draw = random.Random(f"{seed} {source}")
        rows = list(_rows(data / f"{source}.jsonl.gz", apart))
        draw.shuffle(rows)
        held = Counter(
            word for row in rows for word in {each.casefold() for each in WORD.findall(row[1])}
        )
        most = max(2, COMMON * len(rows))
        near = Near(
            [word for row in rows[: 6 * count] for word in telling(row[0]["question"], held, most)],
            embedder,
        )
        for question, passage, heading, language in rows[: count // (4 if apart else 1)]:
            text, start = question["question"], question["answers"][0]["start"]
            begun = max(0, start - draw.randrange(LONGEST * 3 // 4))
            begun = passage.rfind(" ", 0, begun) + 1
            within = passage[begun : begun + LONGEST]
            known = {"passage": within, "heading": heading, "source": source, "language": language}
            same = rewordings(draw, text, language) if draw.random() < 0.5 else text
            yield Worded(question=same, mismatched=(0, 0), **known)
            words = [
                each
                for each in WORD.finditer(text)
                if is_telling(each.group(), held, most)
                and each.group()[:5].casefold() in within.casefold()
            ]
            draw.shuffle(words)
            for each in words:
                other = _sibling(draw, each.group(), language, rewordings.wordnet, near, within)
                if other is not None:
                    yield Worded(
                        question=text[: each.start()] + other + text[each.end() :],
                        mismatched=(each.start(), each.start() + len(other)),
                        **known,
                    )
                    break


class Near:
    """Words by how near they are, as far as they are asked for."""

    def __init__(self, words: Sequence[str], embedder: Embedder) -> None:
        self.words = list(dict.fromkeys(words))
        vectors = asyncio.run(embedder.embed_documents(self.words))
        self.vectors = vectors - vectors.mean(axis=0)
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)
        self.place = {word: at for at, word in enumerate(self.words)}

    def to(self, word: str) -> list[str]:
        if word not in self.place:
            return []
        similar = self.vectors @ self.vectors[self.place[word]]
        return [self.words[at] for at in np.argsort(-similar)[1 : 4 * NEAREST]]


def _sibling(
    draw: random.Random, word: str, language: str, wordnet: WordNet | None, near: Near, within: str
) -> str | None:
    found: list[str] = []
    if language == "en" and wordnet is not None and word.islower() and draw.random() < 0.7:
        found = co_hyponyms(draw, word, wordnet)
    found = (
        found
        or [each for each in near.to(word) if each[0].isupper() == word[0].isupper()][:NEAREST]
    )
    kept = others(found, word, within)
    return draw.choice(kept) if kept else None


def others(found: Sequence[str], word: str, around: str) -> list[str]:
    """Those that begin otherwise than the word, and do not stand in what is around it."""
    start, there = word[:SAME_START].casefold(), around.casefold()
    return [
        each
        for each in found
        if each[:SAME_START].casefold() != start
        and each.split()[0][: max(SAME_START, len(each) - 2)].casefold() not in there
    ]


def co_hyponyms(draw: random.Random, word: str, wordnet: WordNet) -> list[str]:
    """Other kinds of what a noun is a kind of, with its ending."""
    for ending, instead in (("", ""), *ENDINGS):
        lemma = word[: len(word) - len(ending)] + instead
        senses = [each for each in wordnet.senses.get(lemma, ())[:2] if each[1] == "n"]
        if not word.endswith(ending) or not senses:
            continue
        _, part, offset = senses[0]
        own, pointers = wordnet.line(part, offset)
        above = [at for mark, at, other in pointers if mark == "@" and other == "n"]
        found = set()
        for place in above:
            _, below = wordnet.line("n", place)
            for mark, at, other in below:
                if mark == "~" and other == "n" and at != offset:
                    found |= set(wordnet.line("n", at)[0][:2])
        known = sorted(
            each for each in found if each.islower() and each in wordnet.senses and each not in own
        )
        draw.shuffle(known)
        return [inflected(each, ending) if ending else each for each in known[:NEAREST]]
    return []


def _rows(file: Path, apart: bool) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """One answerable question of each paragraph, that paragraph, its title and language."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            if ((place // 10) % 20 == 19) != apart or (not apart and place % 3):
                continue
            row = json.loads(line)
            language = row["lang"].split(">")[-1].partition("-")[0]
            asked = [
                each for each in row["questions"] if each["answers"] and not each.get("impossible")
            ]
            if asked and ">" not in row["lang"]:
                yield asked[place % len(asked)], row["context"], row.get("title") or "", language


def telling(text: str, held: Counter[str], most: float) -> list[str]:
    return [each for each in WORD.findall(text) if is_telling(each, held, most)]


def is_telling(word: str, held: Counter[str], most: float) -> bool:
    return (
        word.casefold() not in KEPT and held[word.casefold()] <= most and len(word) > SAME_START - 1
    )
