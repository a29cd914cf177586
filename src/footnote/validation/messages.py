"""Describe invalid values in messages: what is expected, and what was given."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from enum import EnumType
from itertools import groupby
from typing import TYPE_CHECKING

from footnote import domain

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_UUID = "a UUID such as 0b9f5c1e-3a52-4d0e-9c3b-6f1d2a7e8b90"
_MOMENT = "a date and time such as 2024-05-31T09:30:00Z"
_DATE = "a date such as 2024-05-31"
_NEEDED = {
    "string": "text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "finite_number": "a finite number",
    "uuid": _UUID,
    "datetime": _MOMENT,
    "timezone": _MOMENT,
    "date": _DATE,
    "list": "an array",
    "tuple": "an array",
    "set": "an array",
    "frozen_set": "an array",
    "iterable": "an array",
    "dict": "an object",
    "mapping": "an object",
    "model": "an object",
    "url": "an address such as https://example.com",
    "bytes": "bytes",
    "none_required": "null",
    "callable": "a function",
    "sequence_str": "an array",
    "dataclass": "an object",
}
"""Expected kinds of values, by the prefix of pydantic's error type."""
_CONDITION = "what footnote.condition_from gives"
_CLASSES = {
    "Sequence": "an array",
    "Mapping": "an object",
    "UUID": "a uuid.UUID",
    "Path": "a pathlib.Path",
    "WorkspaceAccess": "a footnote.WorkspaceEngine",
    **dict.fromkeys(("Comparison", "AllOf", "AnyOf", "Not"), _CONDITION),
}
"""Names for Python callers of the classes that are not in the public API."""
_CLAUSES = {
    "missing": "it is required, and missing",
    "extra_forbidden": "there is no such field",
    "string_unicode": "it holds a character that cannot be stored",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
    "multiple_of": ("multiple_of", "a multiple of"),
}
_KIND = re.compile(r"(?:bool|int|float|str)$|(?:function-\w+|tuple|list|dict|literal)\[")
"""Matches pydantic's labels of a union's members, as the last part of an error's location."""
_INNER_KIND = re.compile(r"(?:function-\w+|tagged-union|tuple|list|dict)\[")
"""The same within a location, where no field name has this form."""
_LINE_AND_COLUMN = re.compile(r"line (\d+) column (\d+)")

_SHOWN_CHARACTERS = 60
_SHOWN_VALUES = 3
"""Most values of one array shown if more have the same error."""
_SHOWN_NUMBER = 2**128
_NOT = ", not "
"""Precedes the given value, at the end of a clause."""

Wrong = Mapping[str, object]
"""One error as pydantic describes it: `type`, `loc`, `msg`, `input` and `ctx`."""


def wrong_value(wrong: Wrong | ErrorDetails, *, with_value: bool = True) -> str:
    """A clause about one value, such as `it must be a whole number, not 'many'`.

    Without its value where that may be a secret. No words of pydantic's appear in it, but those
    our own validators raised do.
    """
    kind = str(wrong["type"])
    if kind in ("value_error", "assertion_error"):
        return str(wrong["msg"]).partition("rror, ")[2] or str(wrong["msg"])
    context = _context_of(wrong)
    if kind == "json_invalid":
        error = str(context.get("error", ""))
        too_deep = error.startswith("recursion limit")
        return "it is nested too deeply" if too_deep else f"it is not JSON{_position_in(error)}"
    if kind == "union_tag_invalid":
        expected = f"its {context.get('discriminator')} must be {context.get('expected_tags')}"
        return f"{expected}, not {printable(context.get('tag'))}"
    clause = _CLAUSES.get(kind) or _sized(kind, context, wrong.get("input"))
    return clause or _mismatch(_needed(kind, context), wrong, with_value=with_value)


def _mismatch(needed: str, wrong: Wrong | ErrorDetails, *, with_value: bool) -> str:
    if not with_value or "input" not in wrong:
        return f"it must be {needed}" if needed else "its value is not accepted here"
    value = describe_value(wrong["input"])
    if wrong["type"] in _BOUNDS:
        value = value.strip("'")  # a command line and a query string hold numbers as text
    return f"it must be {needed}, not {value}" if needed else f"{value} is not accepted here"


def describe_value(value: object) -> str:
    """Describe a value in a message."""
    is_plain = value is None or isinstance(value, (str, int, float, list, tuple, dict))
    if is_plain:
        return printable(value)
    kind = type(value).__name__
    kind = {"UploadFile": "file", "object": "Python object"}.get(kind, kind)
    # Names of classes that begin with U are said as in "a user".
    return f"{'an' if kind[0] in 'AEIOaeio' else 'a'} {kind}"


def printable(value: object) -> str:
    """A value in a message: short, and safe to print."""
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


def invalid_locations(
    wrong: Sequence[Wrong | ErrorDetails],
) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the location of each invalid value, and the clause about it.

    The errors of a union's members become one, and so does the same error of many values of one
    array.
    """
    places: list[tuple[tuple[str | int, ...], str]] = []
    for location, group in groupby(wrong, key=_location_of):
        errors = list(group)
        if len(errors) == 1:
            places.append((_full_location_of(errors[0]), wrong_value(errors[0])))
        elif _is_of_union(errors):
            places.append((location, _union_clause(errors)))
        else:
            places += [(_full_location_of(error), wrong_value(error)) for error in errors]
    merged: list[tuple[tuple[str | int, ...], str]] = []
    for (array, clause), similar in groupby(places, key=_without_value):
        alike = list(similar)
        hidden = len(alike) - _SHOWN_VALUES
        if hidden <= 0 or not isinstance(alike[0][0][-1], int):
            merged += alike
        elif alike[0][1] == clause:
            merged.append((array, f"{clause} ({len(alike):,} values)"))
        else:
            first = ", ".join(value.rpartition(_NOT)[2] for _, value in alike[:_SHOWN_VALUES])
            merged.append((array, f"{clause}{_NOT}{first} and {hidden:,} others"))
    return merged


def _without_value(entry: tuple[tuple[str | int, ...], str]) -> tuple[tuple[str | int, ...], str]:
    """Return the location of a value's array, and the clause without the value."""
    location, clause = entry
    return location[:-1], clause.rpartition(_NOT)[0] or clause


def _full_location_of(wrong: Wrong | ErrorDetails) -> tuple[str | int, ...]:
    location = wrong["loc"]
    assert isinstance(location, tuple), "as pydantic has it"
    path = location[:-1] if location[-1:] == ("[key]",) else location
    names = (part for part in path[:-1] if not (isinstance(part, str) and _INNER_KIND.match(part)))
    return (*names, *path[-1:])


def _location_of(wrong: Wrong | ErrorDetails) -> tuple[str | int, ...]:
    return _full_location_of(wrong)[:-1]


def _is_of_union(wrong: Sequence[Wrong | ErrorDetails]) -> bool:
    """Return whether these are the errors of one value for each member of a union."""
    return all(
        _KIND.match(last := str(_full_location_of(error)[-1]))
        or _context_of(error).get("class_name") == last
        for error in wrong
    )


def _union_clause(wrong: Sequence[Wrong | ErrorDetails]) -> str:
    needed = dict.fromkeys(
        filter(None, (_needed(str(error["type"]), _context_of(error)) for error in wrong))
    )
    return f"it must be {' or '.join(needed)}, not {describe_value(wrong[0].get('input'))}"


def _context_of(wrong: Wrong | ErrorDetails) -> Wrong:
    context = wrong.get("ctx")
    return context if isinstance(context, Mapping) else {}


def _needed(kind: str, context: Wrong) -> str:  # noqa: PLR0911  # one for each sort of error
    """Return what is expected; empty for an unknown error type."""
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"{words} {context.get(name)}"
    if kind in ("literal_error", "enum"):
        return f"{context.get('expected')}"
    if kind in ("is_instance_of", "dataclass_exact_type"):
        name = str(context.get("class") or context.get("class_name"))
        kind_of_ours = getattr(domain, name, None)
        if isinstance(kind_of_ours, EnumType):
            return f"a footnote.{name}, such as {name}.{next(iter(kind_of_ours)).name}"
        return _CLASSES.get(name, f"a footnote.{name}")
    if kind == "string_pattern_mismatch":
        return f"text that matches {context.get('pattern')}"
    if kind == "json_type":
        return "JSON text"
    begun = (name for name in _NEEDED if kind == name or kind.startswith(f"{name}_"))
    return _NEEDED[name] if (name := max(begun, key=len, default="")) else ""


def _sized(kind: str, context: Wrong, value: object) -> str:
    """Return the clause about a wrong length; empty for other errors."""
    unit = "characters" if kind.startswith("string_") or isinstance(value, str) else "values"
    length = context.get("actual_length")
    if length is None and isinstance(value, (str, list, tuple, dict)):
        length = len(value)
    not_so_many = "" if length is None else f", not {length:,}"
    if kind in ("string_too_short", "too_short"):
        minimum = context.get("min_length")
        if length == 0 and minimum == 1:
            return "it must not be empty"
        return f"it must have at least {minimum:,} {unit}{not_so_many}"
    if kind in ("string_too_long", "too_long"):
        return f"it must have at most {context.get('max_length'):,} {unit}{not_so_many}"
    return ""


def _position_in(parser_said: str) -> str:
    match = _LINE_AND_COLUMN.search(parser_said)
    return f" (line {match[1]}, column {match[2]})" if match else ""
