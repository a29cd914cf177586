"""Words that mean alike, in five languages: a small thesaurus of office life, written by hand.

It lets "pet" find "dogs" and "deposit" find "Kaution" where no model knows the two are kin. The
words are in `thesaurus.txt`, one meaning a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import Protocol

LANGUAGES = ("en", "de", "fr", "es", "it")
"""The columns of the file, ISO 639-1."""
LONGEST_PHRASE = 3
"""Terms of the longest entry that is looked up."""

_COMPOUNDING = "de"
_SHORTEST_PART = 4
_LINKS = ("", "s", "n", "e", "es")

Entry = tuple[str, ...]


class Analyzing(Protocol):
    """The part of an analyzer that is needed; equal ones share what was read."""

    def terms(self, text: str, language: str | None) -> list[str]:
        """Every term of the text, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedWords:
    """The thesaurus in the terms of one analyzer; a meaning is the number of its line."""

    entries: Mapping[str, Mapping[Entry, frozenset[int]]]
    """For each language, the meanings of each entry."""
    wordings: Mapping[str, Mapping[int, tuple[str, ...]]]
    """For each language, the terms of the single words of each meaning."""

    def meanings(self, terms: Sequence[str], language: str | None) -> list[frozenset[int]]:
        """For each term, in order, what it can mean alone or in a phrase with its neighbours."""
        known = self.entries.get(language or "")
        if known is None:
            return [frozenset()] * len(terms)
        found: list[frozenset[int]] = [frozenset()] * len(terms)
        for size in range(1, LONGEST_PHRASE + 1):
            for start in range(len(terms) - size + 1):
                here = known.get(tuple(terms[start : start + size]))
                if here:
                    for position in range(start, start + size):
                        found[position] |= here
        if language == _COMPOUNDING:
            return [
                here or _of_compound(term, known) for here, term in zip(found, terms, strict=True)
            ]
        return found

    def all_meanings(self, terms: Sequence[str], language: str | None) -> frozenset[int]:
        """What any of the terms can mean."""
        return frozenset(chain.from_iterable(self.meanings(terms, language)))

    def words_for(self, meanings: Iterable[int], language: str) -> list[str]:
        """The distinct terms by which a language says these meanings, in the order of the file."""
        known = self.wordings.get(language, {})
        return list(
            dict.fromkeys(chain.from_iterable(known.get(each, ()) for each in sorted(meanings)))
        )


def related_words(analyzer: Analyzing) -> RelatedWords:
    """The thesaurus as this analyzer sees it; read once for equal ones."""
    return _read(analyzer)  # type: ignore[arg-type]  # a Protocol hides that its classes hash


@lru_cache(maxsize=4)
def _read(analyzer: Analyzing) -> RelatedWords:
    entries: dict[str, dict[Entry, set[int]]] = {each: defaultdict(set) for each in LANGUAGES}
    wordings: dict[str, dict[int, tuple[str, ...]]] = {each: {} for each in LANGUAGES}
    for meaning, row in enumerate(_rows()):
        for language, words in zip(LANGUAGES, row, strict=True):
            found = [entry for word in words if (entry := tuple(analyzer.terms(word, language)))]
            for entry in found:
                entries[language][entry].add(meaning)
            wordings[language][meaning] = tuple(entry[0] for entry in found if len(entry) == 1)
    return RelatedWords(
        entries={
            language: {entry: frozenset(held) for entry, held in known.items()}
            for language, known in entries.items()
        },
        wordings=wordings,
    )


def _rows() -> list[list[list[str]]]:
    """The words of each meaning, by language."""
    text = files("footnote.language").joinpath("thesaurus.txt").read_text(encoding="utf-8")
    return [
        [[word.strip() for word in column.split(",")] for column in line.split("|")]
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


def _of_compound(term: str, known: Mapping[Entry, Collection[int]]) -> frozenset[int]:
    """What the known halves of a German compound mean: `urlaubstag` has that of `urlaub`."""
    found: set[int] = set()
    for cut in range(_SHORTEST_PART, len(term) - _SHORTEST_PART + 1):
        found.update(known.get((term[cut:],), ()))
        for link in _LINKS:
            if term[:cut].endswith(link):
                found.update(known.get((term[: cut - len(link)],), ()))
    return frozenset(found)
