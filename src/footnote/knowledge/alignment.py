"""Locate in a text the words that a model claims to quote from it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

LEAST_SHARE = 0.85
"""Least share of the words that must match the text in order, and least share of matches among the
text's words from the first match to the last."""
EXACT, FOLDED, FUZZY = 1.0, 0.95, 0.75
"""Certainty of an exact, a folded and a fuzzy match, 0…1."""
_MOST_FUZZY_TOKENS = 400
"""Most tokens of either side of a fuzzy match, whose cost grows with their product."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_EVEN = str.maketrans("“”„«»‘’‚‹›–—−‐‑", '"""""' + "'''''" + "-----")


@dataclass(frozen=True, slots=True)
class Aligned:
    """The place of words in a text: half-open offsets, and the certainty, 0…1."""

    start: int
    end: int
    certainty: float


def align(words: str, text: str, start: int = 0, end: int | None = None) -> Aligned | None:
    """Locate words in this part of a text; None if they are not there.

    Tries an exact match, then one without regard to case, character width, quotation marks and
    white space, then a match of words with at most 15 in 100 missing, added or replaced.

    >>> found = align("employs 450  People", "Acme employs\\n450 people.")
    >>> (found.start, found.end, found.certainty)
    (5, 23, 0.95)
    """
    end = len(text) if end is None else end
    bare = words.strip()
    if not bare:
        return None
    place = text.find(bare, start, end)
    if place >= 0:
        return Aligned(place, place + len(bare), EXACT)
    return _folded(bare, text, start, end) or _fuzzy(bare, text, start, end)


def fold(text: str) -> tuple[str, list[int]]:
    """Normalise case, Unicode form and white space; also return each character's original
    offset."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                places.append(place)
            continue
        for each in unicodedata.normalize("NFKC", character).casefold().translate(_EVEN):
            folded.append(each)
            places.append(place)
    return "".join(folded), places


def _folded(words: str, text: str, start: int, end: int) -> Aligned | None:
    wanted = fold(words)[0].strip()
    held, places = fold(text[start:end])
    found = held.find(wanted) if wanted else -1
    if found < 0:
        return None
    first, last = places[found], places[found + len(wanted) - 1]
    return Aligned(start + first, start + last + 1, FOLDED)


def _fuzzy(words: str, text: str, start: int, end: int) -> Aligned | None:
    """Find the span of the text that shares at least `LEAST_SHARE` of its words with these."""
    wanted = [fold(each)[0] for each in _TOKEN.findall(words)]
    tokens = list(_TOKEN.finditer(text, start, end))
    held = [fold(each.group())[0] for each in tokens]
    if not wanted or max(len(wanted), len(held)) > _MOST_FUZZY_TOKENS:
        return None
    matcher = SequenceMatcher(None, held, wanted, autojunk=False)
    matching = [each for each in matcher.get_matching_blocks() if each.size]
    if not matching:
        return None
    # A word that the text repeats far away must not stretch what was found.
    longest = max(matching, key=lambda each: each.size)
    near = [
        each
        for each in matching
        if abs((each.a - each.b) - (longest.a - longest.b)) <= len(wanted) * (1 - LEAST_SHARE) + 1
    ]
    shared = sum(each.size for each in near)
    first, last = near[0].a, near[-1].a + near[-1].size
    if shared < LEAST_SHARE * len(wanted) or shared < LEAST_SHARE * (last - first):
        return None
    share = shared / max(len(wanted), last - first)
    return Aligned(tokens[first].start(), tokens[last - 1].end(), FUZZY * share)
