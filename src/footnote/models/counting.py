"""Counts tokens slice by slice, so that what is held meanwhile does not grow with the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

SLICE_CHARACTERS = 65_536
"""An encoding takes some 300 bytes for each character: 485 MB for a line of 1 MB at once."""


def count_in_slices(
    encode: Callable[[list[str]], Sequence[int]], texts: Sequence[str]
) -> list[int]:
    """The tokens of each text, where `encode` counts those of a few short ones.

    A text longer than a slice is divided at white space, which changes nothing for tokenizers
    that never join words; a word longer than a slice counts once for each slice it goes through.
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
        found = encode([part for _, part in batch])
        for (position, _), tokens in zip(batch, found, strict=True):
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
