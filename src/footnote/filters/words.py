"""How a wrong filter is talked about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches

from footnote.filters.json_text import JsonPath

_SHOWN_CHARACTERS = 60
_SHOWN_NUMBER = 2**128


class Fault(Exception):
    """What is wrong at a path; `at_name` when it is the name there rather than the value."""

    def __init__(self, path: JsonPath, message: str, hint: str, *, at_name: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint
        self.at_name = at_name


def suggestion(word: str, known: Sequence[str]) -> str | None:
    """What was probably meant, as a question."""
    near = get_close_matches(word[:_SHOWN_CHARACTERS].lower(), known, n=1)
    return f"did you mean `{near[0]}`?" if near else None


def shown(value: object) -> str:
    """A value as a message names it: short, and safe to print."""
    if isinstance(value, str):
        long = len(value) > _SHOWN_CHARACTERS
        return repr(value[:_SHOWN_CHARACTERS] + "…" if long else value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    if isinstance(value, (int, float)):
        return repr(value) if abs(value) < _SHOWN_NUMBER else "a huge number"
    return "an object" if isinstance(value, dict) else "an array"
