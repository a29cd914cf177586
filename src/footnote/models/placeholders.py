"""Personal data in the texts of one request becomes placeholders, and is put back into replies."""

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
"""How a value is written where it stands."""


def as_text(value: str) -> str:
    """A value as it stands in a text."""
    return value


def as_json(value: str) -> str:
    """A value as it stands within a string of JSON."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


@dataclass(slots=True, kw_only=True)
class Placeholders:
    """The placeholders of one request: each value has the same one wherever it stands in it.

    Law: what `restored` makes of `redacted` is the text that was redacted, and in what `redacted`
    gives stands nothing of these kinds. A text in which nothing stands is given as it is.
    """

    kinds: Set[PersonalData]
    taken: Set[str] = frozenset()
    """What looks like a placeholder in the texts themselves, and is never given out."""
    _of_value: dict[tuple[PersonalData, str], str] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)
    _counts: dict[PersonalData, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything was redacted."""
        return bool(self._values)

    def redacted(self, text: str) -> str:
        """The text with a placeholder for each piece of personal data."""
        # What a placeholder now stands beside may be read in another way than before.
        while found := personal_data_in(text, self.kinds):
            parts, done = [], 0
            for each in found:
                parts += [
                    text[done : each.start],
                    self._placeholder(each.kind, text[each.start : each.end]),
                ]
                done = each.end
            text = "".join((*parts, text[done:]))
        return text

    def restored(self, text: str, written: Written = as_text) -> str:
        """The text with what its placeholders stand for; those it made up itself stay."""
        if not self._values:
            return text
        return _PLACEHOLDER.sub(
            lambda match: (
                written(self._values[match.group()])
                if match.group() in self._values
                else match.group()
            ),
            text,
        )

    def _placeholder(self, kind: PersonalData, value: str) -> str:
        known = self._of_value.get((kind, value))
        if known is not None:
            return known
        count = self._counts.get(kind, 0) + 1
        while (made := f"[{kind.name}_{count}]") in self.taken:
            count += 1
        self._counts[kind] = count
        self._of_value[kind, value] = made
        self._values[made] = value
        return made


def placeholders_for(texts: Iterable[str], kinds: Set[PersonalData]) -> Placeholders:
    """Placeholders for a request of these texts, none of which stands in them already."""
    return Placeholders(
        kinds=kinds,
        taken=frozenset(found for text in texts for found in _PLACEHOLDER.findall(text)),
    )


@dataclass(slots=True, kw_only=True)
class RestoredStream:
    """Restores a text that comes in pieces, in which a placeholder may be cut anywhere."""

    placeholders: Placeholders
    written: Written = as_text
    _held: str = ""

    def add(self, piece: str) -> str:
        """What can be given by now: all but an end that may be the beginning of a placeholder."""
        text = self._held + piece
        beginning = _BEGINNING.search(text)
        cut = len(text) if beginning is None else beginning.start()
        self._held = text[cut:]
        return self.placeholders.restored(text[:cut], self.written)

    def end(self) -> str:
        """What was held back, which was no placeholder."""
        held, self._held = self._held, ""
        return held
