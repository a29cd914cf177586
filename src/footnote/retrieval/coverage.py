"""The words of a query as a recall seeks them, also in other languages, and what a chunk holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from footnote.language.thesaurus import LANGUAGES, related_words
from footnote.ports import Analyzer


def query_words(
    text: str, rarities: Mapping[str, float], languages: Sequence[str], analyzer: Analyzer
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
            sought = frozenset(term for term in place if term in rarities)
            if sought:
                found[sought] = None
    return tuple(found)


def share_held(
    words: Sequence[frozenset[str]], held: Collection[str], rarities: Mapping[str, float]
) -> float:
    """How much of the words' idf is held, 0…1; a word weighs what its commonest term does."""
    weights = [min(rarities[term] for term in word) for word in words]
    found = [
        weight for word, weight in zip(words, weights, strict=True) if not word.isdisjoint(held)
    ]
    asked = sum(weights)
    return sum(found) / asked if asked > 0 else 0.0


def cross_language_terms(text: str, languages: Sequence[str], analyzer: Analyzer) -> list[str]:
    """Terms of the thesaurus for a text, in each of these languages but its own.

    Empty unless the text's function words tell its language, and for words the thesaurus
    (`footnote.language.thesaurus`) does not know.
    """
    spoken = spoken_language(text, languages, analyzer)
    others = [each for each in dict.fromkeys(languages) if each in LANGUAGES and each != spoken]
    if not spoken or not others:
        return []
    related = related_words(analyzer)
    meanings = related.all_meanings(analyzer.terms(text, spoken), spoken)
    return [term for language in others for term in related.words_for(meanings, language)]


def spoken_language(text: str, languages: Sequence[str], analyzer: Analyzer) -> str | None:
    """The language whose function words are most in a text; None when none has more than others."""
    candidates = list(dict.fromkeys([*languages, *LANGUAGES]))
    first = analyzer.language_of(text, candidates)
    return first if first == analyzer.language_of(text, candidates[::-1]) else None
