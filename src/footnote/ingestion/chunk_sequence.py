"""The chunks of a document, made one at a time, so that a long text is not held twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from footnote.domain import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class ChunkSequence(Sequence[Chunk]):
    """So many chunks, each made when it is asked for and as often as it is."""

    length: int
    make: Callable[[int], Chunk]
    """The chunk of an ordinal, the same one each time."""

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, index: int | slice) -> Chunk | tuple[Chunk, ...]:
        found = range(self.length)[index]
        return self.make(found) if isinstance(found, int) else tuple(map(self.make, found))

    def __iter__(self) -> Iterator[Chunk]:
        return map(self.make, range(self.length))

    def changed(self, change: Callable[[Chunk], Chunk]) -> ChunkSequence:
        """The same chunks, each changed when it is made."""
        return ChunkSequence(self.length, lambda ordinal: change(self.make(ordinal)))
