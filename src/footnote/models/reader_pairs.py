"""Build the reader's inputs: a question or a claim paired with each window of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.models.reader_spans import Window
from footnote.models.tokenizing import TokenizedText, UnigramPieces
from footnote.ports import PassageText

PAIR_TOKENS = 384
"""Most tokens of a pair, special tokens included; training uses 256, attention is quadratic."""
QUESTION_TOKENS = 72
HEADING_TOKENS = 32
WINDOW_OVERLAP = 64
"""Tokens that two windows of one long passage share; an answer has at most 30."""
READ_TOKENS = 4096
"""Most tokens of all pairs of one question: 1.3 s of processor time where 1,864 tokens took 0.64. A
budget in tokens and not in time, so that a busy machine gives the same answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Token ids of two texts, and the window of the second that they cover."""

    ids: list[int]
    window: Window
    text: int
    """The index of the passage."""
    words: range
    """The positions of the first text's tokens after its prefix."""


def pairs_of(
    tokenizer: UnigramPieces, question: str, passages: Sequence[PassageText]
) -> list[Pair]:
    """Pair each passage's windows with the question, within `READ_TOKENS`."""
    pairs: list[Pair] = []
    token_count = 0
    for number, passage in enumerate(passages):
        windows = windows_of(tokenizer, f"query: {question}", passage, number)
        token_count += sum(len(window.ids) for window in windows)
        if pairs and token_count > READ_TOKENS:
            break
        pairs += windows
    return pairs


def windows_of(
    tokenizer: UnigramPieces, first: str, passage: PassageText, number: int
) -> list[Pair]:
    """Pair a text with each window of a passage; every window follows the passage's heading."""
    begin, end = tokenizer.begin, tokenizer.end
    first_pieces = tokenizer.pieces(first)
    first_ids = [begin, *first_pieces.ids[:QUESTION_TOKENS], end, end]
    prefix_count = sum(stop <= first.find(" ") + 1 for _, stop in first_pieces.offsets)
    heading_ids = tokenizer.pieces(passage.heading).ids[:HEADING_TOKENS]
    pieces = tokenizer.pieces(passage.text)
    room = PAIR_TOKENS - len(first_ids) - len(heading_ids) - 1
    return [
        Pair(
            ids=[*first_ids, *heading_ids, *pieces.ids[start : start + room], end],
            window=Window(
                text=passage.text,
                first=len(first_ids) + len(heading_ids),
                offsets=pieces.offsets[start : start + room],
                stretches=passage.allowed_spans,
            ),
            text=number,
            words=range(1 + prefix_count, len(first_ids) - 2),
        )
        for start in _window_starts(pieces, room)
    ]


def _window_starts(pieces: TokenizedText, room: int) -> list[int]:
    """Return the first token of each window of a text; empty for a text without tokens."""
    count = len(pieces.ids)
    if count <= room:
        return [0] if count else []
    return [*range(0, count - room, room - WINDOW_OVERLAP), count - room]
