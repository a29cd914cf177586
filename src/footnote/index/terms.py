"""Map terms to keyed 31-bit hashes, so that an index reveals no words and spans no workspaces."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

TERM_ID_LIMIT = 2**31
"""Term ids are in 0 … TERM_ID_LIMIT - 1, which a Postgres `int` holds."""


def term_ids(key: bytes, terms: Iterable[str]) -> list[int]:
    """Return the ids of the terms in the same order, repetitions included.

    An id is the low 31 bits of a 4-byte BLAKE2b (RFC 7693) of the term, keyed with the workspace's
    key. Two terms collide with probability 2**-31; they are then searched as one.
    Raises ValueError when the key is longer than the 64 bytes BLAKE2b takes.
    """
    return list(map(_cached_ids(key).__getitem__, terms))


def fresh_term_ids(key: bytes, terms: Iterable[str]) -> list[int]:
    """As `term_ids`, without caching, for terms that are unlikely to come again."""
    hash_of = blake2b(digest_size=4, key=key)
    return [_term_id(hash_of, term) for term in terms]


_MAX_CACHED = 2**16
"""Most ids cached for one key; a full cache is emptied."""


class _CachedIds(dict[str, int]):
    """Cache of the ids under one key: a look-up takes a fifth of the time of an `lru_cache`."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self._hash_of = blake2b(digest_size=4, key=key)

    def __missing__(self, term: str) -> int:
        number = _term_id(self._hash_of, term)
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[term] = number
        return number


@lru_cache(maxsize=8)
def _cached_ids(key: bytes) -> _CachedIds:
    return _CachedIds(key)


def _term_id(hash_of: blake2b, term: str) -> int:
    keyed = hash_of.copy()  # Copying a keyed hash takes half the time of keying a new one.
    keyed.update(term.encode("utf-8", "surrogatepass"))
    return int.from_bytes(keyed.digest(), "little") & (TERM_ID_LIMIT - 1)
