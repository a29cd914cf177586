"""How a wrong filter is talked about."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from footnote.filters.json_text import JsonPath

_SHOWN_CHARACTERS = 60


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
