"""Detect that a text quotes others: by shared terms, names and runs of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.index.analysis import TextAnalyzer

_WORD = re.compile(r"\w+")
RUN = 6
"""Consecutive words whose match is no coincidence."""
_SHORTEST_NAME = 5  # Characters; a shorter one is part of other words.

Runs = npt.NDArray[np.int64]
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Quotable:
    """An index of what can be quoted from some texts; about ten bytes per word."""

    terms: frozenset[str]
    runs: Runs
    """Rising hashes of `RUN` consecutive words; valid only within this process."""
    names: Mapping[str, frozenset[Words]]
    """Names of the texts, split into words, by their first word."""
    languages: frozenset[str | None]
    """Languages in which the texts were analysed."""

    def shared_terms(self, text: str) -> frozenset[str]:
        """Return the terms that a text shares with the texts, and those of their names in it."""
        shared = set(self.terms & frozenset(_terms(text, self.languages)))
        words = _words(text)
        for position, word in enumerate(words):
            for name in self.names.get(word, ()):
                if words[position : position + len(name)] == name:
                    shared.update(_terms(" ".join(name), self.languages))
        return frozenset(shared)

    def has_run_of(self, text: str) -> bool:
        """Whether a text shares a run of `RUN` words with the texts."""
        runs = _runs_of(text)
        positions = np.searchsorted(self.runs, runs)
        in_range = positions < self.runs.size
        return bool((self.runs[positions[in_range]] == runs[in_range]).any())


def quotable(text: str, names: Iterable[str], language: str | None) -> Quotable:
    """Index a text in a language, and its names."""
    names_by_word: dict[str, set[Words]] = {}
    for name in names:
        if len(name) >= _SHORTEST_NAME and (words := _words(name)):
            names_by_word.setdefault(words[0], set()).add(words)
    return Quotable(
        terms=frozenset(_terms(text, (language,))),
        runs=_runs_of(text),
        names={first: frozenset(sequences) for first, sequences in names_by_word.items()},
        languages=frozenset((language,)),
    )


def all_quotable(indexes: Sequence[Quotable]) -> Quotable:
    """Merge several indexes."""
    names: dict[str, frozenset[Words]] = {}
    for index in indexes:
        for first, word_names in index.names.items():
            names[first] = names.get(first, frozenset()) | word_names
    runs = [index.runs for index in indexes]
    return Quotable(
        terms=frozenset[str]().union(*(index.terms for index in indexes)),
        runs=np.unique(np.concatenate(runs)) if runs else _runs_of(""),
        names=names,
        languages=frozenset[str | None]().union(*(index.languages for index in indexes)),
    )


def _terms(text: str, languages: Iterable[str | None]) -> Iterator[str]:
    for language in languages:
        yield from TextAnalyzer().terms(text, language)


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _runs_of(text: str) -> Runs:
    words = _words(text)
    hashed = (hash(words[start : start + RUN]) for start in range(len(words) - RUN + 1))
    return np.unique(np.fromiter(hashed, dtype=np.int64))
