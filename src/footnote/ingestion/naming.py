"""Find the names of a document besides its title: its file name and its main subject.

A report of a company rarely has the company's name in its title, and almost never in its tables.
The names are indexed with its chunks, and a question that mentions one is routed to the document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from footnote.domain import Block, BlockKind
from footnote.ingestion.keywords import WORD
from footnote.language.detection import function_words

LONG_DOCUMENT = 50
"""Fewest chunks of a document whose names are indexed. The few chunks of a shorter one are found by
its title and their own words; names in each would only make them alike (`examples/golden.jsonl`:
recall@10 .940 without, .924 with)."""
MAX_NAME_CHARACTERS = 80
_PAGES_BEHIND_A_COVER = 5
_MAX_HEADINGS = 10
_MAX_WORDS = 3
"""Most words of a heading that is a name: "Form 10-Q", "Bramble Inc."; longer ones say more than a
name."""
_SUBJECTS = 1
_MIN_MENTIONS = 10
_CAPITAL_SHARE = 0.9
"""Least share of a name's mentions that have a capital; in web addresses it has none."""
_OPENING_CHARACTERS = 3000
_LONGEST_LINE = 120
_NOUNS_HAVE_CAPITALS = frozenset(("de", "lb"))
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST)
_POSSESSIVE = re.compile(r"['’]s$")
_NUMBERED = re.compile(rf"({WORD.pattern})(?=( \d)?)")
_MAX_NUMBERED = 0.2
"""Share of a word's mentions followed by a number from which it is no name: it is a month, or what
numbered parts are called."""
_LETTERS = re.compile(r"[^\W\d_]{2}")


def other_names(
    blocks: Sequence[Block], filename: str, title: str, language: str | None
) -> tuple[str, ...]:
    """Return the names of a document that its title does not contain."""
    title_words = _words(title)
    names: list[str] = []
    for name in (_stem(filename), *_subjects(blocks, language)):
        if name and not set(_words(name)) <= {*title_words, *_words(" ".join(names))}:
            names.append(name)
    return tuple(names)


def cover_headings(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return the short headings on the first page: what the document is, and whose.

    Empty for a document of fewer than `_PAGES_BEHIND_A_COVER` pages.
    """
    last = next((block.page for block in reversed(blocks) if block.page is not None), None) or 0
    if last < _PAGES_BEHIND_A_COVER:
        return ()
    return tuple(
        block.text
        for block in blocks
        if block.page == 1
        and block.kind is BlockKind.HEADING
        and len(block.text.split()) <= _MAX_WORDS
    )[:_MAX_HEADINGS]


def _stem(filename: str) -> str:
    """Return the file name's stem as words; empty for a number or an overlong name."""
    stem = " ".join(re.split(r"[\s_]+", PurePath(filename.replace("\\", "/")).stem)).strip()
    return stem if _LETTERS.search(stem) and len(stem) <= MAX_NAME_CHARACTERS else ""


def _subjects(blocks: Sequence[Block], language: str | None) -> tuple[str, ...]:
    """Return the name mentioned most in the prose, of those in short lines at the beginning.

    A name is a word that nearly always has a capital. Empty for languages that capitalise all
    nouns, where this does not distinguish names.
    """
    if language in _NOUNS_HAVE_CAPITALS:
        return ()
    counts: Counter[str] = Counter()
    numbered: Counter[str] = Counter()
    for block in blocks:
        if block.kind in _PROSE:
            counts.update(_POSSESSIVE.sub("", word) for word in WORD.findall(block.text))
            numbered.update(word for word, number in _NUMBERED.findall(block.text) if number)
    mentions: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    spellings: dict[str, str] = {}
    for word, count in counts.most_common():
        mentions[word.lower()] += count
        if word[0].isupper():
            capitals[word.lower()] += count
            spellings.setdefault(word.lower(), word)
    opening_words = {
        _POSSESSIVE.sub("", word).lower()
        for block in blocks
        if block.char_start < _OPENING_CHARACTERS and len(block.text) <= _LONGEST_LINE
        for word in WORD.findall(block.text)
    }
    stop = function_words(language)
    names = [
        word
        for word, count in mentions.most_common()
        if count >= _MIN_MENTIONS
        and capitals[word] >= _CAPITAL_SHARE * count
        and numbered[spellings[word]] < _MAX_NUMBERED * count
        and word in opening_words
        and word not in stop
    ]
    return tuple(spellings[word] for word in names[:_SUBJECTS])


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))
