"""Which part of a file a request wants, so that players can begin in the middle (RFC 9110, 14)."""

from __future__ import annotations

import re

from footnote.interfaces.http.problems import ProblemResponse, problem

_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.IGNORECASE)


def wanted_part(header: str | None, byte_size: int) -> range | None:
    """The bytes that `Range` asks for, of a file of that size; None for the whole of it.

    Several ranges, and what is no range of bytes, may be passed over. An empty range means that
    none of the bytes asked for is there.
    """
    found = _ONE_RANGE.fullmatch(header.strip()) if header else None
    if found is None:
        return None
    first, last = found.groups()
    if not first:
        return range(byte_size - min(int(last), byte_size), byte_size) if last else None
    if last and int(last) < int(first):
        return None
    end = min(int(last) + 1, byte_size) if last else byte_size
    return range(min(int(first), end), end)


def not_satisfiable(byte_size: int) -> ProblemResponse:
    """The answer to a range that a file of that size does not have."""
    return problem(
        416,
        f"The file has {byte_size:,} bytes, and none of those that are asked for.",
        code="range-not-satisfiable",
        hint="Ask for a range within the file, or for all of it.",
        headers={"Content-Range": f"bytes */{byte_size}"},
    )
