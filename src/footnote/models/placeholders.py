"""Replace personal data in the texts of one request by placeholders, and restore it in replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field

from footnote.domain.redaction import PersonalData
from footnote.language.personal_data import personal_data_in

_NAMES = "|".join(kind.name for kind in PersonalData)
_PLACEHOLDER = re.compile(rf"\[(?:{_NAMES})_\d+\]")
_BEGINNING = re.compile(r"\[[A-Z_]{0,16}\d{0,9}\Z")

Written = Callable[[str], str]
"""Encodes a value for the place where it is inserted."""


def as_text(value: str) -> str:
    """Return the value for a plain text."""
    return value


def as_json(value: str) -> str:
    """Escape the value for a string of JSON."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


@dataclass(slots=True, kw_only=True)
class Placeholders:
    """The placeholders of one request, in which equal values have the same one.

    Law: `restored` gives back the text from which `redacted` was made, and a redacted text has no
    personal data of these kinds. A text without any is returned unchanged.
    """

    kinds: Set[PersonalData]
    taken: Set[str] = frozenset()
    """Strings like placeholders that the texts themselves contain; they are never assigned."""
    _of_value: dict[tuple[PersonalData, str], str] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)
    _counts: dict[PersonalData, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything was redacted."""
        return bool(self._values)

    def redacted(self, text: str) -> str:
        """Replace each piece of personal data by a placeholder."""
        # A replacement may change what is recognised beside it, so repeat until nothing is found.
        while matches := personal_data_in(text, self.kinds):
            parts, end = [], 0
            for match in matches:
                parts += [
                    text[end : match.start],
                    self._placeholder(match.kind, text[match.start : match.end]),
                ]
                end = match.end
            text = "".join((*parts, text[end:]))
        return text

    def restored(self, text: str, encode: Written = as_text) -> str:
        """Replace placeholders by their values; unknown ones, which the text invented, stay."""
        if not self._values:
            return text
        return _PLACEHOLDER.sub(
            lambda match: (
                encode(self._values[match.group()])
                if match.group() in self._values
                else match.group()
            ),
            text,
        )

    def _placeholder(self, kind: PersonalData, value: str) -> str:
        existing = self._of_value.get((kind, value))
        if existing is not None:
            return existing
        count = self._counts.get(kind, 0) + 1
        while (placeholder := f"[{kind.name}_{count}]") in self.taken:
            count += 1
        self._counts[kind] = count
        self._of_value[kind, value] = placeholder
        self._values[placeholder] = value
        return placeholder


def placeholders_for(texts: Iterable[str], kinds: Set[PersonalData]) -> Placeholders:
    """Return placeholders for a request with these texts, none of which occurs in them."""
    return Placeholders(
        kinds=kinds,
        taken=frozenset(
            placeholder for text in texts for placeholder in _PLACEHOLDER.findall(text)
        ),
    )


@dataclass(slots=True, kw_only=True)
class RestoredStream:
    """Restores a text that is streamed, in which a placeholder may be split anywhere."""

    placeholders: Placeholders
    written: Written = as_text
    _pending: str = ""

    def add(self, piece: str) -> str:
        """Add a piece; return the text so far but for an end that may begin a placeholder."""
        text = self._pending + piece
        beginning = _BEGINNING.search(text)
        cut = len(text) if beginning is None else beginning.start()
        self._pending = text[cut:]
        return self.placeholders.restored(text[:cut], self.written)

    def end(self) -> str:
        """Return the text that was held back, which is not a placeholder."""
        pending, self._pending = self._pending, ""
        return pending
