"""Count the tokens of a text by its tokenizer, or estimate them from its letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

SLICE_CHARACTERS = 65_536
"""Most characters encoded at once; each takes some 300 bytes: 485 MB for a line of 1 MB."""
_PIECE = re.compile(r"(?P<latin>[A-Za-z]+)|\d{1,3}|[⺀-鿿가-힯]|(?P<letters>[^\W\d_]+)|[^\w\s]|_")
_LATIN_LETTERS = 6  # Per token; in hosted vocabularies most common words are one token.
_OTHER_LETTERS = 2


def count_in_slices(
    encode: Callable[[list[str]], Sequence[int]], texts: Sequence[str]
) -> list[int]:
    """Count the tokens of each text, where `encode` counts those of a few short ones.

    Memory does not grow with the text: one longer than a slice is split at white space, which
    changes nothing for tokenizers that never merge words; a word longer than a slice is split, and
    its parts are counted separately.
    """
    counts = [0] * len(texts)
    batch: list[tuple[int, str]] = []
    characters = 0
    for position, text in enumerate(texts):
        for part in _slices(text):
            if batch and characters + len(part) > SLICE_CHARACTERS:
                _add(encode, batch, counts)
                batch, characters = [], 0
            batch.append((position, part))
            characters += len(part)
    _add(encode, batch, counts)
    return counts


def _add(
    encode: Callable[[list[str]], Sequence[int]], batch: list[tuple[int, str]], counts: list[int]
) -> None:
    if batch:
        encoded = encode([part for _, part in batch])
        for (position, _), tokens in zip(batch, encoded, strict=True):
            counts[position] += tokens


def _slices(text: str) -> Iterator[str]:
    if len(text) <= SLICE_CHARACTERS:
        yield text
        return
    start = 0
    while start < len(text):
        end = min(start + SLICE_CHARACTERS, len(text))
        if end < len(text):
            window = text[start:end]
            end = start + (max(window.rfind(space) for space in " \n\t") + 1 or SLICE_CHARACTERS)
        yield text[start:end]
        start = end


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few; 0 for none.

    A Latin word counts one for each six letters begun, other letters one for each two, an
    ideograph, a punctuation mark and up to three digits one each.
    """
    return sum(map(_tokens, _PIECE.finditer(text)))


def beginning(text: str, tokens: int) -> str:
    """Return the longest beginning, cut between pieces, that is estimated at most `tokens`."""
    count = 0
    for piece in _PIECE.finditer(text):
        count += _tokens(piece)
        if count > tokens:
            return text[: piece.start()].rstrip()
    return text


def _tokens(piece: re.Match[str]) -> int:
    letters = {"latin": _LATIN_LETTERS, "letters": _OTHER_LETTERS}.get(piece.lastgroup or "")
    if letters is None:
        return 1
    return -(-(piece.end() - piece.start()) // letters)
