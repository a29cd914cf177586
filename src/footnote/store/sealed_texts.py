"""Canonical texts of encrypted versions, stored in pieces, so that a span needs only a few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from footnote.store.database import WorkspaceScope
from footnote.store.sealing import PIECE
from footnote.store.statements import load_statements

PIECE_CHARACTERS = 4096
"""Length of each piece but the last; `sql/passages.sql` uses the same number."""
_SQL = load_statements("sealed_texts")
_ROWS_AT_ONCE = 500


async def store_sealed_text(
    scope: WorkspaceScope, document_id: UUID, version: int, text: str
) -> None:
    """Keep the text of a version in place of any it had."""
    parameters: dict[str, object] = {"document_id": document_id, "version": version}
    await scope.execute(_SQL["remove"], parameters)
    await scope.execute(_SQL["note_length"], parameters | {"characters": len(text)})
    count = -(-len(text) // PIECE_CHARACTERS)
    for batch_start in range(0, count, _ROWS_AT_ONCE):
        await scope.execute_many(
            _SQL["insert"],
            (
                parameters
                | {
                    "piece": piece,
                    "sealed": scope.sealing.content(
                        PIECE.of(document_id, version, piece),
                        text[piece * PIECE_CHARACTERS :][:PIECE_CHARACTERS].encode(),
                    ),
                }
                for piece in range(batch_start, min(batch_start + _ROWS_AT_ONCE, count))
            ),
        )


async def load_pieces(
    scope: WorkspaceScope, document_id: UUID, version: int, numbers: Iterable[int]
) -> Mapping[int, str]:
    """Load the pieces that exist, by number."""
    rows = await scope.all(
        _SQL["pieces"],
        {"document_id": document_id, "version": version, "pieces": sorted(set(numbers))},
        binary=True,
    )
    return {
        row["piece"]: plain_piece(scope, document_id, version, row["piece"], row["sealed"])
        for row in rows
    }


def plain_piece(
    scope: WorkspaceScope, document_id: UUID, version: int, piece: int, sealed: bytes
) -> str:
    """The text of a piece."""
    place = PIECE.of(document_id, version, piece)
    return scope.sealing.plain_content(place, bytes(sealed)).decode()


def pieces_of(start: int, end: int) -> range:
    """Return the numbers of the pieces that cover a span of characters."""
    return range(max(start, 0) // PIECE_CHARACTERS, -(-end // PIECE_CHARACTERS))


def stretch(pieces: Mapping[int, str], start: int, end: int) -> str:
    """Cut the text of a span from the pieces that cover it."""
    covering = pieces_of(start, end)
    text = "".join(pieces.get(piece, "") for piece in covering)
    offset = covering.start * PIECE_CHARACTERS
    return text[max(start, 0) - offset : max(end - offset, 0)]
