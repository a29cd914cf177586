"""Find the ciphertext records of stored values, and re-encrypt values under a newer key."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg.types.json import Jsonb

from footnote.ports import CiphertextLocation
from footnote.store.sealing import (
    SEALED_MARK,
    SEALED_METADATA,
    SealedColumn,
    Sealing,
    record_in,
    value_of,
)


def records_of(
    column: SealedColumn, place: CiphertextLocation, stored: object
) -> Iterator[tuple[CiphertextLocation, bytes]]:
    """Yield the ciphertext records of a stored value; none if it is empty or not encrypted."""
    match column.form, stored:
        case "bytes", bytes() if stored:
            yield place, stored
        case "text", str() if stored:
            yield place, record_in(stored, place)
        case "secret", str() if stored.startswith(SEALED_MARK):
            yield place, record_in(stored.removeprefix(SEALED_MARK), place)
        case "words", [str() as first]:
            yield place, record_in(first, place)
        case (("json" | "secret_json"), {"sealed": str() as sealed}):
            yield place, record_in(sealed, place)
        case "metadata", dict():
            for key in sorted(SEALED_METADATA & stored.keys()):
                match stored[key]:
                    case {"sealed": str() as sealed}:
                        yield value_of(place, key), record_in(sealed, place)


def resealed(
    sealing: Sealing, column: SealedColumn, place: CiphertextLocation, stored: object
) -> object:
    """Return the value encrypted under the current data key, as a parameter for its column."""
    value: object
    match column.form, stored:
        case "bytes", bytes():
            value = sealing.content(place, sealing.plain_content(place, stored))
        case "text", str():
            value = sealing.text(place, sealing.plain_text(place, stored))
        case "secret", str():
            value = sealing.secret(place, sealing.plain_secret(place, stored))
        case "words", list():
            value = sealing.words(place, sealing.plain_words(place, stored))
        case "metadata", dict():
            value = Jsonb(sealing.metadata(place, sealing.plain_metadata(place, stored)))
        case "secret_json", _:
            value = Jsonb(sealing.secret_json(place, sealing.plain_secret_json(place, stored)))
        case _:
            value = Jsonb(sealing.json(place, sealing.plain_json(place, stored)))
    return value
