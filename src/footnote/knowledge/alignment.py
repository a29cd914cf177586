"""Words that a model says it read become the place in a text where they stand, or none."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

LEAST_SHARE = 0.85
"""Of the words that must stand in the text, in their order, and of the text's words between the
first and the last of them that must be among them."""
EXACT, FOLDED, FUZZY = 1.0, 0.95, 0.75
"""How sure a place is that was found so."""
_MOST_FUZZY_TOKENS = 400
"""Of either side; what is compared grows with their product."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_EVEN = str.maketrans("“”„«»‘’‚‹›–—−‐‑", '"""""' + "'''''" + "-----")


@dataclass(frozen=True, slots=True)
class Aligned:
    """Where words stand in a text: half-open offsets, and 0…1 how sure that is."""

    start: int
    end: int
    certainty: float


def align(words: str, text: str, start: int = 0, end: int | None = None) -> Aligned | None:
    """Where words stand in this part of a text; None where they do not stand there.

    They are looked for as they are, then without regard to case, accents of width, quotation marks
    and white space, then word by word with at most 15 in 100 missing, added or others.

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
    """A text in one case, form and spacing, and where each of its characters was."""
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
    """The stretch of the text that shares most words with these, where that is nearly all."""
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
