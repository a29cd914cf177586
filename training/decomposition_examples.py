"""The examples that question decomposition is fitted to: the lines of `questions/` in several spellings and about other things, and ordinary questions of the reading sets.

`question_decomposition.py` fits to it.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from question_examples import PER_SOURCE, SOURCES, mark, small
from question_lines import Several, is_kept_apart, several

from footnote.models.question_tokens import PARTS, CharSpan, EncodedTurns, encode_turns
from footnote.models.tokenizing import UnigramPieces

EXCHANGES = 3
"""Tries to put the things of another line in the place of a line's own, half of them in small letters."""
ARTICLE = 4
"""Most letters of a first word that tells how a thing is joined to its question."""
JOINING = {"en": "and", "de": "und", "es": "y", "fr": "et", "it": "e", "pt": "e", "nl": "en", "sv": "och", "ru": "и", "pl": "i", "tr": "ve"}  # fmt: skip
JOINED_LETTERS = 90
"""Most of each of two questions that are put into one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionExample:
    """A question that is run, and its parts."""

    talk: EncodedTurns
    group: str
    apart: bool
    wanted: tuple[str, ...]
    labels: npt.NDArray[np.int64]
    """Of each token: number among `PARTS`, -1 of what is not judged."""


def decomposition_examples(
    data: Path, tokenizer: UnigramPieces, draw: random.Random
) -> list[DecompositionExample]:
    """Everything that is fitted to or judged."""
    found: list[DecompositionExample] = []

    def add(question: Several, group: str, *, apart: bool) -> None:
        talk = encode_turns(tokenizer, question.text)
        labels = labels_of(talk, question)
        found.append(DecompositionExample(talk=talk, group=group, apart=apart, wanted=question.each, labels=labels))  # fmt: skip

    lines = several()
    alike = defaultdict(list)
    for line in lines:
        if line.parts and not is_kept_apart(line.line):
            alike[form_of(line)].append(line)
    for line in lines:
        apart, group = is_kept_apart(line.line), "several" if line.parts else "one"
        add(line, group, apart=apart)
        if not apart:
            add(in_small_letters(line), group, apart=False)
            for _ in range(EXCHANGES if line.parts else 0):
                other = about_others(line, draw.choice(alike[form_of(line)]))
                if other.text != line.text:
                    add(draw.choice([other, in_small_letters(other)]), group, apart=False)
    for number, path in enumerate(sorted((data / "reading").glob("*.jsonl.gz"))):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as opened:
            rows = [json.loads(each) for each in opened]
        asked = [(row["lang"].split(">")[0], [each["question"].strip() for each in row["questions"]]) for row in rows]  # fmt: skip
        asked = [each for each in asked if each[1]]
        for language, own in draw.sample(asked, min(PER_SOURCE, len(asked))):
            one, other = draw.choice(own), draw.choice(draw.choice(asked)[1])
            apart = number % SOURCES == 0
            whole = Several(text=one, parts=(), dropped=(), language=language, line=one)
            add(whole, "ordinary", apart=apart)
            if language in JOINING and one != other and max(len(one), len(other)) < JOINED_LETTERS:
                add(joined(one, other, language, draw), "joined", apart=apart)
    return found


def labels_of(talk: EncodedTurns, question: Several) -> npt.NDArray[np.int64]:
    """What each of its tokens belongs to."""
    labels = np.full(len(talk.ids), -1)
    mark(labels, talk.question, question.parts)
    for at, (start, end) in enumerate(talk.question.offsets):
        row = talk.question.first + at
        if labels[row] == 0 and any(
            max(start, begin) < min(end, stop) and question.text[max(start, begin) : min(end, stop)].strip()
            for begin, stop in question.dropped
        ):  # fmt: skip
            labels[row] = PARTS.index("dropped")
    return labels


def form_of(question: Several) -> tuple[str, ...]:
    """Its language, and how each of its parts begins: with an article or the like, a name, a number, or something else."""
    forms = [question.language]
    for start, end in question.parts:
        words = question.text[start:end].split()
        first = words[0] if words else ""
        if len(words) > 1 and first.islower() and len(first) <= ARTICLE:
            forms.append(first)
        else:
            forms.append("name" if first[:1].isupper() else "number" if first[:1].isdigit() else "")
    return tuple(forms)


def about_others(question: Several, other: Several) -> Several:
    """The question with the parts of another one of its form in the place of its own."""
    text, parts, moved = "", [], []
    at = 0
    for own, new in zip(question.parts, other.parts, strict=True):
        text += question.text[at : own[0]]
        parts.append((len(text), len(text) + new[1] - new[0]))
        text += other.text[new[0] : new[1]]
        at = own[1]
        moved.append((at, len(text) - at))

    def placed(stretch: CharSpan) -> CharSpan:
        by = next((by for start, by in reversed(moved) if stretch[0] >= start), 0)
        return stretch[0] + by, stretch[1] + by

    dropped = tuple(map(placed, question.dropped))
    return replace(question, text=text + question.text[at:], parts=tuple(parts), dropped=dropped)


def in_small_letters(question: Several) -> Several:
    """In small letters and without a question mark."""
    return replace(question, text=small(question.text))


def joined(one: str, other: str, language: str, draw: random.Random) -> Several:
    """Two questions in one."""
    first, second = one.rstrip(" ?"), other.rstrip(" ?")
    between = draw.choice(["? ", f" {JOINING[language]} ", f", {JOINING[language]} ", f"? {JOINING[language].capitalize()} "])  # fmt: skip
    if "?" not in between or len(between) > 2:
        second = second[:1].lower() + second[1:]
    text = f"{first}{between}{second}?"
    begin = len(first) + len(between)
    parts: Sequence[CharSpan] = ((0, len(first)), (begin, begin + len(second)))
    return Several(text=text, parts=tuple(parts), dropped=((len(first), begin),), language=language, line=one)  # fmt: skip
