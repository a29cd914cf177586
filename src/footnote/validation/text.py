"""Which text is accepted: Postgres can hold it, and JSON names each member of an object once."""

from __future__ import annotations

from collections.abc import Sequence


class NamedTwice(ValueError):
    """An object of a JSON text has a name twice, of which only the last would count."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is there more than once in one object")
        self.name = name


def members_once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """The members of a JSON object, for `json.loads(object_pairs_hook=…)`. Raises NamedTwice."""
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise NamedTwice(name)
        members[name] = value
    return members


def is_storable(text: str) -> bool:
    """Whether Postgres can hold the text: it has neither NUL nor half a surrogate pair."""
    if "\0" in text:
        return False
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
