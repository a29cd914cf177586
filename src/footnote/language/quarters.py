"""The quarters of years that a text names, each in one form, so that other spellings match."""

from __future__ import annotations

import re

_ORDINALS = {
    name: number
    for number, names in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th"), start=1)
    for name in names.split()
}
_QUARTER = (
    r"(?:Q(?P<{0}a>[1-4])|(?P<{0}b>[1-4])Q"
    rf"|(?P<{{0}}c>{'|'.join(_ORDINALS)})[\s-]+quarter)"
)
_YEAR = r"(?:FY\s?)?(?P<{0}y>(?:19|20)\d{{2}})"
_BETWEEN = r"(?:[\s,/_-]|\b(?:of|fiscal|year|the)\b){0,20}"
_QUARTER_OF_YEAR = re.compile(
    rf"(?<![^\W_])(?:{_QUARTER.format('q')}{_BETWEEN}{_YEAR.format('q')}"
    rf"|{_YEAR.format('r')}{_BETWEEN}{_QUARTER.format('r')})(?![^\W_])",
    re.IGNORECASE,
)


def quarters_in(text: str) -> tuple[str, ...]:
    """Each quarter of a year that a text names, once, as year and quarter.

    >>> quarters_in("the third quarter of 2022, Q1 2023 and 2023-Q2")
    ('2022q3', '2023q1', '2023q2')
    """
    found: dict[str, None] = {}
    for match in _QUARTER_OF_YEAR.finditer(text):
        parts = {name: said for name, said in match.groupdict().items() if said}
        year = next(said for name, said in parts.items() if name.endswith("y"))
        quarter = next(said.lower() for name, said in parts.items() if not name.endswith("y"))
        found[f"{year}q{_ORDINALS.get(quarter, quarter)}"] = None
    return tuple(found)
