"""Exchanges a word of a question for a sibling: in the question, in its passage, or in both, or for a synonym.

Where one of the two alone has the sibling, the passage does not answer; where both have it, the passage answers as before, so that an odd
word by itself tells nothing. The word stands in both, in one form alone. Siblings are other kinds of the same thing in WordNet for English
common nouns, and near words by the packaged embedder for names and in other languages.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from office_texts import Asked
from rewordings import Rewordings
from sibling_texts import (
    COMMON,
    SAME_START,
    WORD,
    Near,
    co_hyponyms,
    is_telling,
    others,
    telling,
)

from footnote.ports import Embedder

WAYS = {"question": 0.33, "both": 0.35, "passage": 0.17, "synonym": 0.15}
"""What gets the sibling, and how often; a question with one is as likely to be answered as not."""
MAX_WORDS = 1500
"""Words of a language that siblings are sought among."""
TOO_NEAR = 2
"""The nearest words, which are often other forms of a word or mean the same."""
FARTHEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """A question with its passage after an exchange."""

    asked: Asked
    """Its answer is where it was, also where the question is about something else by now."""
    met: bool
    """Whether it answers."""
    thing: str
    """What the passage speaks of in place of the word, or the word."""


@dataclass(frozen=True, slots=True)
class Known:
    """The words of one kind of texts in one language."""

    near: Near
    held: Counter[str]
    most: float


class Siblings:
    """Makes exchanges; `learn` comes before the first of each kind of texts."""

    def __init__(self, draw: random.Random, rewordings: Rewordings, embedder: Embedder) -> None:
        self.random, self.rewordings, self.embedder = draw, rewordings, embedder
        self.known: dict[str, Known] = {}

    def learn(
        self, name: str, language: str, words: Iterable[str], passages: Sequence[str]
    ) -> None:
        """Count the words of passages, and find how near those of `words` are that tell something."""
        held = Counter(
            word for text in passages for word in {each.casefold() for each in WORD.findall(text)}
        )
        most = max(2, COMMON * len(passages))
        told = list(dict.fromkeys(w for each in words for w in telling(each, held, most)))
        if language == "en":  # other words of English have siblings in WordNet
            told = [each for each in told if each[0].isupper()]
        self.random.shuffle(told)
        self.known[name] = Known(Near(told[:MAX_WORDS], self.embedder), held, most)

    def exchange(self, name: str, language: str, asked: Asked) -> Exchanged | None:
        """One in a way that is drawn; None where no word of the question allows every way."""
        known, question, text, heading = (
            self.known[name], asked.question, asked.text, asked.heading
        )  # fmt: skip
        answer = asked.answer
        assert answer
        words = [
            each
            for each in WORD.finditer(question)
            if is_telling(each.group(), known.held, known.most)
            and stands_alone(each.group(), text, heading, answer)
        ]
        if not words:
            return None
        found = self.random.choice(words)
        word = found.group()
        if found.start() == 0 and language == "en":
            word = word[:1].lower() + word[1:]
        other = self.sibling(known, word, language, f"{question}\n{heading}\n{text}")
        way = self.random.choices(list(WAYS), list(WAYS.values()))[0]
        if way == "synonym":
            other = self.rewordings.other(self.random, word, language)
        if other is None:
            return None
        if way != "passage":
            question = replaced(question, word, other)
        within = way in ("both", "passage")
        if within:
            end = answer["start"] + len(answer["text"])
            before = replaced(text[: answer["start"]], word, other)
            text = before + answer["text"] + replaced(text[end:], word, other)
            answer = {"text": answer["text"], "start": len(before)}
            heading = replaced(heading, word, other)
        return Exchanged(
            asked=Asked(question=question, text=text, heading=heading, answer=answer),
            met=way in ("both", "synonym"),
            thing=other if within else word,
        )

    def sibling(self, known: Known, word: str, language: str, around: str) -> str | None:
        """A word for another thing of the same kind."""
        if language == "en" and word.islower():
            wordnet = self.rewordings.wordnet
            found = co_hyponyms(self.random, word, wordnet) if wordnet is not None else []
        else:
            near = known.near.to(word)[TOO_NEAR:FARTHEST]
            found = [each for each in near if each[0].isupper() == word[0].isupper()]
        kept = others(found, word, around)
        return self.random.choice(kept) if kept else None


def stands_alone(word: str, text: str, heading: str, answer: dict) -> bool:
    """Whether a passage has the word in this form alone, and outside of the answer."""
    begun = re.compile(rf"(?<!\w){re.escape(word[: SAME_START + 1])}\w*", re.IGNORECASE)
    there, end = list(begun.finditer(text)), answer["start"] + len(answer["text"])
    return (
        bool(there)
        and all(
            each.group().casefold() == word.casefold()
            for each in [*there, *begun.finditer(heading)]
        )
        and all(each.end() <= answer["start"] or each.start() >= end for each in there)
    )


def replaced(text: str, word: str, other: str) -> str:
    """The text with another word, capital where the word is."""
    return re.sub(
        rf"(?<!\w){re.escape(word)}(?!\w)",
        lambda found: other[:1].upper() + other[1:] if found.group()[0].isupper() else other,
        text,
        flags=re.IGNORECASE,
    )
