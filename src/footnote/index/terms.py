"""Terms become keyed 31-bit numbers, so that an index shows no words and spans no workspaces."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

TERM_ID_LIMIT = 2**31
"""Term ids are in 0 … TERM_ID_LIMIT - 1, which a Postgres `int` holds."""


def term_ids(key: bytes, terms: Iterable[str]) -> list[int]:
    """The ids of the terms, in their order, repeated as they repeat.

    An id is the first 31 bits of BLAKE2b (RFC 7693) of the term under `key`, the workspace's
    own. Two terms share an id with probability 2**-31; they are then searched as one.
    Raises ValueError when the key is longer than the 64 bytes BLAKE2b takes.
    """
    return [_term_id(key, term) for term in terms]


def fresh_term_ids(key: bytes, terms: Iterable[str]) -> list[int]:
    """As `term_ids`, of terms that are not worth remembering."""
    return [_term_id.__wrapped__(key, term) for term in terms]


@lru_cache(maxsize=2**17)
def _term_id(key: bytes, term: str) -> int:
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4, key=key).digest()
    return int.from_bytes(digest, "little") & (TERM_ID_LIMIT - 1)
