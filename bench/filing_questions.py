"""The questions about the filings, with the figures and names of their answers to be found."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

HALVES = ("development", "held-out")
_SOURCE = re.compile(r"\(?\bSOURCE(?:\(S\)|S)?:.*", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?P<sign>[$€]\s?)?(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?![\w,]*\d)(?:\s?(?P<scale>%|percent\b|billion\b|million\b|B\b))?"
)
_NAME = re.compile(r"[A-Z][\w&’'-]+(?: (?:(?:of|and|the|for) )?[A-Z][\w&’'-]+)+")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_BILLIONS = ("billion", "B")
_FEWEST_DIGITS = 2
"""A single digit stands in too many passages to tell anything."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of an answer, as it is written there."""

    digits: str
    billions: bool
    """Whether documents may write it in millions."""

    def stands_in(self, text: str) -> bool:
        """Whether a text has it, as written or, rounded like it, as a number of millions."""
        if re.search(rf"(?<![\d.,]){re.escape(self.digits)}(?![\d]|[.,]\d)", text):
            return True
        _, _, decimals = self.digits.partition(".")
        if not self.billions or not decimals:
            return False
        value = float(self.digits.replace(",", ""))
        millions = (float(each.replace(",", "")) for each in _GROUPED.findall(text))
        return any(round(each / 1000, len(decimals)) == value for each in millions)


@dataclass(frozen=True, slots=True)
class Name:
    """A name of several words."""

    words: str

    def stands_in(self, text: str) -> bool:
        """Whether a text has it, whatever white space is between its words."""
        return self.words in " ".join(text.split())


Gold = Figure | Name


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingQuestion:
    """A question, the filings that answer it, and what its answer names."""

    question: str
    kind: str
    sources: tuple[str, ...]
    """File names."""
    half: str
    gold: tuple[Gold, ...]
    """Of its answer, what stands in the sources and not in the question itself."""


def read_questions(path: Path, texts: Mapping[str, str]) -> list[FilingQuestion]:
    """The questions about the files whose texts are given, by file name."""
    whole = {name: " ".join(text.split()) for name, text in texts.items()}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    questions = []
    for row in rows:
        patterns = [each.strip() for each in row["Source Docs"].split(",")]
        sources = tuple(
            name for name in sorted(texts) if any(fnmatchcase(name, each) for each in patterns)
        )
        if not sources:
            continue
        asked = row["Question"].strip()
        told = [whole[name] for name in sources]
        questions.append(
            FilingQuestion(
                question=asked,
                kind=f"{row['Question Type']}, {row['Source Chunk Type']}".lower(),
                sources=sources,
                half=half_of(patterns),
                gold=tuple(_gold(asked, _SOURCE.sub("", row["Answer"]), told)),
            )
        )
    return questions


def half_of(patterns: Sequence[str]) -> str:
    """The half that a question's documents are in: all of one company are in one half."""
    company = patterns[0].strip("*").split()[-1]
    return HALVES[hashlib.sha256(company.encode()).digest()[0] % 2]


def share_found(gold: Collection[Gold], texts: Sequence[str]) -> float:
    """The share of the figures and names that stand in any of the texts."""
    return sum(any(each.stands_in(text) for text in texts) for each in gold) / len(gold)


def _gold(question: str, answer: str, told: Sequence[str]) -> Iterator[Gold]:
    for each in dict.fromkeys((*_figures(answer), *_names(answer))):
        if not each.stands_in(question) and any(each.stands_in(text) for text in told):
            yield each


def _figures(answer: str) -> Iterator[Gold]:
    """Amounts, shares and grouped numbers; years, days and numbers of lists are none of them."""
    for found in _FIGURE.finditer(answer):
        digits = found["digits"]
        if sum(map(str.isdigit, digits)) < _FEWEST_DIGITS:
            continue
        if found["sign"] or found["scale"] or "," in digits or "." in digits:
            yield Figure(digits, found["scale"] in _BILLIONS)


def _names(answer: str) -> Iterator[Gold]:
    for found in _NAME.finditer(answer):
        yield Name(found.group())
