"""Locate in a text the words that a model claims to quote from it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

MIN_SHARE = 0.85
"""Least share of the words that must match the text in order, and least share of matches among the
text's words from the first match to the last."""
EXACT, FOLDED, FUZZY = 1.0, 0.95, 0.75
"""Certainty of an exact, a folded and a fuzzy match, 0…1."""
_MAX_FUZZY_TOKENS = 400
"""Most tokens of either side of a fuzzy match, whose cost grows with their product."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PUNCTUATION = str.maketrans("“”„«»‘’‚‹›–—−‐‑", '"""""' + "'''''" + "-----")


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

    >>> match = align("employs 450  People", "Acme employs\\n450 people.")
    >>> (match.start, match.end, match.certainty)
    (5, 23, 0.95)
    """
    end = len(text) if end is None else end
    target = words.strip()
    if not target:
        return None
    offset = text.find(target, start, end)
    if offset >= 0:
        return Aligned(offset, offset + len(target), EXACT)
    return _folded(target, text, start, end) or _fuzzy(target, text, start, end)


def fold(text: str) -> tuple[str, list[int]]:
    """Normalise case, Unicode form and white space; also return each character's original
    offset."""
    folded: list[str] = []
    places: list[int] = []
    for offset, character in enumerate(text):
        if character.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                places.append(offset)
            continue
        for folded_character in (
            unicodedata.normalize("NFKC", character).casefold().translate(_PUNCTUATION)
        ):
            folded.append(folded_character)
            places.append(offset)
    return "".join(folded), places


def _folded(words: str, text: str, start: int, end: int) -> Aligned | None:
    target = fold(words)[0].strip()
    folded, places = fold(text[start:end])
    index = folded.find(target) if target else -1
    if index < 0:
        return None
    first, last = places[index], places[index + len(target) - 1]
    return Aligned(start + first, start + last + 1, FOLDED)


def _fuzzy(words: str, text: str, start: int, end: int) -> Aligned | None:
    """Find the span of the text that shares at least `MIN_SHARE` of its words with these."""
    target_tokens = [fold(token)[0] for token in _TOKEN.findall(words)]
    tokens = list(_TOKEN.finditer(text, start, end))
    text_tokens = [fold(token.group())[0] for token in tokens]
    if not target_tokens or max(len(target_tokens), len(text_tokens)) > _MAX_FUZZY_TOKENS:
        return None
    matcher = SequenceMatcher(None, text_tokens, target_tokens, autojunk=False)
    matching = [block for block in matcher.get_matching_blocks() if block.size]
    if not matching:
        return None
    # A word that the text repeats far away must not lengthen the span.
    longest = max(matching, key=lambda block: block.size)
    nearby = [
        block
        for block in matching
        if abs((block.a - block.b) - (longest.a - longest.b))
        <= len(target_tokens) * (1 - MIN_SHARE) + 1
    ]
    shared = sum(block.size for block in nearby)
    first, last = nearby[0].a, nearby[-1].a + nearby[-1].size
    if shared < MIN_SHARE * len(target_tokens) or shared < MIN_SHARE * (last - first):
        return None
    share = shared / max(len(target_tokens), last - first)
    return Aligned(tokens[first].start(), tokens[last - 1].end(), FUZZY * share)
