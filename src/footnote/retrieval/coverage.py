"""The words of a query as a recall seeks them, and how many of them a chunk holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from footnote.ports import Analyzer


def query_words(
    text: str, idf: Mapping[str, float], languages: Sequence[str], analyzer: Analyzer
) -> tuple[frozenset[str], ...]:
    """For each word of a query, the terms it was sought by in the workspace's languages.

    A word is found when one of its terms is, so the stems of other languages do not count as
    missing; nor do terms that stand for no word of their own, such as neighbours in one piece.
    """
    found: dict[frozenset[str], None] = {}
    for token in text.split():
        # The parts of an identifier and the pairs of an ideographic run are words as well; they
        # stand at the same places whatever the language.
        readings = [analyzer.terms(token, each) for each in (*languages, None)]
        for place in zip_longest(*readings):
            sought = frozenset(term for term in place if term in idf)
            if sought:
                found[sought] = None
    return tuple(found)


def share_held(
    words: Sequence[frozenset[str]], held: Collection[str], idf: Mapping[str, float]
) -> float:
    """How much of the words' idf is held, 0…1; a word weighs what its commonest term does."""
    weights = [min(idf[term] for term in word) for word in words]
    found = [
        weight for word, weight in zip(words, weights, strict=True) if not word.isdisjoint(held)
    ]
    asked = sum(weights)
    return sum(found) / asked if asked > 0 else 0.0
