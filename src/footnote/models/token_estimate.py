"""Estimates how many tokens a model sees in a text whose tokenizer is not at hand."""

from __future__ import annotations

import re

_PIECE = re.compile(r"(?P<latin>[A-Za-z]+)|\d{1,3}|[⺀-鿿가-힯]|(?P<letters>[^\W\d_]+)|[^\w\s]|_")
_LATIN_LETTERS = 6  # Of a word in one token; hosted vocabularies hold most common words whole.
_OTHER_LETTERS = 2


def estimate_tokens(text: str) -> int:
    """About how many tokens the text has, rather too many than too few; 0 for none.

    A Latin word counts one for each six letters begun, other letters one for each two, an
    ideograph, a punctuation mark and up to three digits one each.
    """
    return sum(map(_tokens, _PIECE.finditer(text)))


def beginning(text: str, tokens: int) -> str:
    """As much of the text, cut between pieces, as is estimated at no more than `tokens`."""
    spent = 0
    for piece in _PIECE.finditer(text):
        spent += _tokens(piece)
        if spent > tokens:
            return text[: piece.start()].rstrip()
    return text


def _tokens(piece: re.Match[str]) -> int:
    letters = {"latin": _LATIN_LETTERS, "letters": _OTHER_LETTERS}.get(piece.lastgroup or "")
    if letters is None:
        return 1
    return -(-(piece.end() - piece.start()) // letters)
