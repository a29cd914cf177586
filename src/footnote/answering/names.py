"""Find the proper names in a text, as far as capital letters show them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from footnote.language.calendar import ABBREVIATED_MONTHS, WEEKDAYS, months_of
from footnote.language.scripts import HAN
from footnote.language.sentences import sentence_spans

_WORD = re.compile(r"[^\W\d_]+(?:['’\-–][^\W\d_]+)*")
_POSSESSIVE = re.compile("['’]s?$")
_CHINESE_NAME = re.compile(
    rf"(?P<given>[{HAN}]{{2}})·(?P<family>[{HAN}]{{2}})|《(?P<title>[^》]{{2,40}})》"
)
_HAN = re.compile(f"[{HAN}]")
_LINKING = frozenset("of the de del la le les von van and y et di du da".split())
_LINKING_NOUNS = frozenset("von van zu".split())
"""Where every noun is capitalised, an article between two of them does not indicate a name."""
_LOOK_BACK = 40
SHORTEST_SHARED = 4
"""Letters that two forms of a name must share from the start."""
MIN_SHARED = 0.75
"""Share of the longer form that they must share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A word of a name."""

    word: str
    """Case-folded, without accents and possessive."""
    sure: bool
    """Whether it is almost certainly a name; a single German noun is capitalised too."""
    initials: str = ""
    """The initials of its run of capitalised words."""
    start: int = 0
    """Its offset in the text."""


def names_of(
    text: str, *, nouns_have_capitals: bool = False, telling: Set[int] | None = None
) -> list[Name]:
    """The words of names in a text, in order.

    A capital at the beginning of a sentence is not certain. `telling` has the offsets of words that
    are not function words: another word that opens a sentence belongs to no name ("Die Frist").

    >>> [name.word for name in names_of("We met Anna Braun's cousin.") if name.sure]
    ['anna', 'braun']
    """
    sentence_starts = {start for start, _ in sentence_spans(text)}
    linking_words = _LINKING_NOUNS if nouns_have_capitals else _LINKING
    names: list[Name] = []
    for words in _capitalised_runs(text, linking_words):
        run = [
            match
            for match in words
            if telling is None
            or match.start() in telling
            or not _opens_clause(text, match.start(), sentence_starts)
        ]
        if not run:
            continue
        first = run[0].group()
        opens_clause = not _is_acronym(first) and _opens_clause(
            text, run[0].start(), sentence_starts
        )
        is_sure = len(run) > 1 or not nouns_have_capitals or _is_acronym(first)
        initials = "".join(match.group()[0] for match in run).casefold() if len(run) > 1 else ""
        names += [
            Name(
                word=word,
                sure=is_sure and not (opens_clause and match is run[0]),
                initials=initials,
                start=match.start(),
            )
            for match in run
            if (word := plain_word(match.group())) not in _NO_NAMES
        ]
    return [*names, *_chinese_names(text)]


def _chinese_names(text: str) -> Iterator[Name]:
    """Foreign names around a middle dot, two characters on either side, and titles of works."""
    for match in _CHINESE_NAME.finditer(text):
        for part in ("given", "family", "title"):
            if match[part]:
                yield Name(word=match[part], sure=True, start=match.start(part))


def holds_name(name: Name, words: frozenset[str], acronyms: frozenset[str], text: str) -> bool:
    """Whether a text has a name: the word itself, an inflected form, or its initials.

    `text` is searched for scripts without spaces.
    """
    if name.word in words or name.word in acronyms or (name.initials and name.initials in words):
        return True
    if _HAN.match(name.word):
        return name.word in text
    prefix = name.word[:SHORTEST_SHARED]
    similar_words = [word for word in words if word.startswith(prefix)]
    return any(_same_stem(name.word, word) for word in similar_words) or (
        # A common noun may also be part of its derivation: Monat, monatlich.
        not name.sure and any(_is_prefix(name.word, word) for word in similar_words)
    )


def words_of(text: str) -> frozenset[str]:
    """The words of a text for comparison with names, including the parts of compounds."""
    words = set()
    for match in _WORD.finditer(text):
        word = plain_word(match.group())
        words.add(word)
        words.update(part for part in re.split("['’–-]", word) if part)
    return frozenset(words)


def acronyms_of(text: str) -> frozenset[str]:
    """The initials of each run of capitalised words, which may be acronyms."""
    return frozenset(
        "".join(match.group()[0] for match in run).casefold()
        for run in _capitalised_runs(text, _LINKING)
        if len(run) > 1
    )


def plain_word(word: str) -> str:
    """A word case-folded, without accents and without the possessive at its end."""
    folded = unicodedata.normalize("NFD", _POSSESSIVE.sub("", word).casefold())
    return "".join(character for character in folded if not unicodedata.combining(character))


_NO_NAMES = frozenset(
    map(
        plain_word,
        (*months_of("en", "de"), *ABBREVIATED_MONTHS, *WEEKDAYS["en"], *WEEKDAYS["de"], "i"),
    )
)
"""Words that are capitalised in English or German, but are no names."""


def _capitalised_runs(text: str, linking: frozenset[str]) -> Iterator[Sequence[re.Match[str]]]:
    """Adjacent capitalised words; small linking words may stand between two of them."""
    run: list[re.Match[str]] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        gap = text[end : match.start()] if run else ""
        if word[0].isupper():
            if run and gap.strip(" \u00a0.") and not _is_linking(gap, linking):
                yield run
                run = []
            run.append(match)
            end = match.end()
        elif run and (word.casefold() not in linking or gap.strip(" ")):
            yield run
            run = []
    if run:
        yield run


def _is_linking(gap: str, linking: frozenset[str]) -> bool:
    words = gap.split()
    return bool(words) and len(words) <= 2 and all(word in linking for word in words)


def _opens_clause(text: str, start: int, starts: set[int]) -> bool:
    """Whether a sentence, a quotation or a clause after a colon begins here."""
    window_start = max(0, start - _LOOK_BACK)
    preceding = text[window_start:start].rstrip(" \u00a0\"'“”„«»‘’(*_")
    return (
        start in starts
        or not preceding
        or preceding[-1] in ".:!?;—–\n¿¡"
        or window_start + len(preceding) in starts
    )


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and sum(map(str.isupper, word)) > 1


def _same_stem(word: str, other: str) -> bool:
    longer_length = max(len(word), len(other))
    least_shared = max(SHORTEST_SHARED, MIN_SHARED * longer_length)
    return (
        min(len(word), len(other)) >= least_shared
        and word[: int(least_shared + 0.999)] == other[: int(least_shared + 0.999)]
    )


def _is_prefix(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) > SHORTEST_SHARED and longer.startswith(shorter)
