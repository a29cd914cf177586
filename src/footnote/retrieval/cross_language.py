"""A question's words become those that say the same in the other languages of the documents."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.language.thesaurus import LANGUAGES, related_words
from footnote.ports import Analyzer


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
