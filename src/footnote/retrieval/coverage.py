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
    words: dict[frozenset[str], None] = {}
    for token in text.split():
        # The parts of an identifier and the pairs of an ideographic run are words as well; they are
        # at the same positions whatever the language.
        readings = [analyzer.terms(token, language) for language in (*languages, None)]
        for alternatives in zip_longest(*readings):
            terms = frozenset(term for term in alternatives if term in idf)
            if terms:
                words[terms] = None
    return tuple(words)


def matched_share(
    words: Sequence[frozenset[str]], matched_terms: Collection[str], idf: Mapping[str, float]
) -> float:
    """Share of the words' total idf that is matched, 0…1; a word has the idf of its commonest
    term."""
    weights = [min(idf[term] for term in word) for word in words]
    matched_weights = [
        weight
        for word, weight in zip(words, weights, strict=True)
        if not word.isdisjoint(matched_terms)
    ]
    total = sum(weights)
    return sum(matched_weights) / total if total > 0 else 0.0
