"""Measure how many words of a query a chunk contains, weighted by idf."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from footnote.ports import Analyzer


def query_words(
    text: str, idf: Mapping[str, float], languages: Sequence[str], analyzer: Analyzer
) -> tuple[frozenset[str], ...]:
    """Return, for each word of a query, its search terms in the workspace's languages.

    A word matches when one of its terms does, so the stems of other languages do not count as
    missing; nor do terms that are no word of their own, such as joined neighbours.
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
    """Share of the words' total idf that is matched, 0…1; a word has the idf of its commonest
    term."""
    weights = [min(idf[term] for term in word) for word in words]
    found = [
        weight for word, weight in zip(words, weights, strict=True) if not word.isdisjoint(held)
    ]
    asked = sum(weights)
    return sum(found) / asked if asked > 0 else 0.0
