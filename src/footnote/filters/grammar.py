"""The filter language: parse JSON into a condition, and serialise a condition to JSON."""

from __future__ import annotations

from footnote.domain import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    MetadataValue,
    Not,
    Operator,
)
from footnote.errors import InvalidRequest
from footnote.filters.fields import Fault, Kind, kind_of, suggestion
from footnote.filters.json_text import (
    JsonPath,
    MalformedJson,
    line_and_column,
    path_text,
    read_located,
)
from footnote.validation.messages import printable

MAX_DEPTH = 8
"""Conditions inside conditions, the outermost included."""
MAX_COMPARISONS = 64
MAX_VALUES = 200
"""Most values of one `in`."""

_SIMPLEST = 'write it as {"language": "de"}'
_OPERATORS = tuple(operator.value for operator in Operator)
_ORDERING = (Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST)


def condition_from(value: object) -> Condition:
    """The condition that a decoded JSON value stands for.

    Dates and identifiers come out in their canonical form. Raises InvalidRequest, whose
    message begins with the JSON path of what is wrong.

    >>> condition_to_json(condition_from({"language": "de", "page_count": {"lt": 9}}))
    {'all': [{'language': 'de'}, {'page_count': {'lt': 9}}]}
    """
    try:
        return _root_condition(value)
    except Fault as fault:
        raise InvalidRequest(f"{path_text(fault.path)}: {fault}", hint=fault.hint) from fault


def condition_from_text(text: str) -> Condition:
    """Parse JSON text into a condition.

    Raises InvalidRequest, whose message gives line, column and character of the error.
    """
    try:
        located = read_located(text)
    except MalformedJson as error:
        raise InvalidRequest(
            f"the filter is not JSON: {error} ({line_and_column(text, error.offset)})",
            hint=_SIMPLEST,
        ) from error
    try:
        return _root_condition(located.value)
    except Fault as fault:
        offset = (located.names if fault.at_name else located.values)[fault.path]
        raise InvalidRequest(
            f"{path_text(fault.path)}: {fault} ({line_and_column(text, offset)})", hint=fault.hint
        ) from fault


def condition_to_json(condition: Condition) -> dict[str, object]:
    """The JSON value that stands for a condition.

    Law: `condition_from(condition_to_json(condition)) == condition` for whatever
    `condition_from` returns.
    """
    match condition:
        case AllOf():
            return {"all": [condition_to_json(part) for part in condition.conditions]}
        case AnyOf():
            return {"any": [condition_to_json(part) for part in condition.conditions]}
        case Not():
            return {"not": condition_to_json(condition.condition)}
        case Comparison(operator=Operator.EQUALS):
            return {condition.field: condition.value}
        case Comparison():
            value = condition.value
            plain = list(value) if isinstance(value, tuple) else value
            return {condition.field: {condition.operator.value: plain}}


def checked_condition(condition: Condition) -> Condition:
    """Validate a condition built in code, and return its canonical form. Raises InvalidRequest."""
    return condition_from(condition_to_json(condition))


# --- conditions -----------------------------------------------------------------------------


def _root_condition(value: object) -> Condition:
    condition = _condition(value, (), 1)
    count = _comparisons_in(condition)
    if count > MAX_COMPARISONS:
        hint = f"make at most {MAX_COMPARISONS}; an `in` counts as one"
        raise Fault((), f"it makes {count} comparisons", hint)
    return condition


def _comparisons_in(condition: Condition) -> int:
    match condition:
        case AllOf() | AnyOf():
            return sum(map(_comparisons_in, condition.conditions))
        case Not():
            return _comparisons_in(condition.condition)
        case Comparison():
            return 1


def _condition(value: object, path: JsonPath, depth: int) -> Condition:
    """Parse an object, whose members must all hold; a single member needs no `all`."""
    if depth > MAX_DEPTH:
        hint = "flatten it: an `all` in an `all` is one `all`"
        raise Fault(path, f"this is nested more than {MAX_DEPTH} deep", hint)
    if not isinstance(value, dict):
        message = f"{printable(value)} stands here, and a condition is an object"
        raise Fault(path, message, _SIMPLEST)
    parts = [
        part
        for name, member in value.items()
        for part in _member(str(name), member, (*path, str(name)), depth)
    ]
    return parts[0] if len(parts) == 1 else AllOf(conditions=tuple(parts))


def _member(name: str, value: object, path: JsonPath, depth: int) -> list[Condition]:
    match name:
        case "not":
            return [Not(condition=_condition(value, path, depth + 1))]
        case "all":
            return [AllOf(conditions=_conditions(name, value, path, depth))]
        case "any":
            return [AnyOf(conditions=_conditions(name, value, path, depth))]
        case _:
            return [*_comparisons(name, value, path)]


def _conditions(name: str, value: object, path: JsonPath, depth: int) -> tuple[Condition, ...]:
    if not isinstance(value, list):
        raise Fault(
            path,
            f"{printable(value)} stands here, and `{name}` takes an array of conditions",
            f'write it as {{"{name}": [{{"language": "de"}}, {{"language": "en"}}]}}',
        )
    return tuple(
        _condition(part, (*path, position), depth + 1) for position, part in enumerate(value)
    )


# --- comparisons ----------------------------------------------------------------------------


def _comparisons(name: str, value: object, path: JsonPath) -> list[Comparison]:
    kind = kind_of(name, path)
    if isinstance(value, list):
        hint = 'write {"in": […]} for one of several values'
        raise Fault(path, "an array stands here, and one value is needed", hint)
    if not isinstance(value, dict):
        equal = _value(kind, Operator.EQUALS, value, path)
        return [Comparison(field=name, operator=Operator.EQUALS, value=equal)]
    if not value:
        raise Fault(path, "there is no operator", kind.advice)
    comparisons = []
    for word, operand in value.items():
        operator = _operator(kind, str(word), (*path, str(word)))
        compared = _value(kind, operator, operand, (*path, word))
        comparisons.append(Comparison(field=name, operator=operator, value=compared))
    return comparisons


def _operator(kind: Kind, word: str, path: JsonPath) -> Operator:
    if word not in _OPERATORS:
        hint = suggestion(word.lstrip("$"), _OPERATORS) or kind.advice
        raise Fault(path, f"there is no operator {printable(word)}", hint, at_name=True)
    if word not in kind.operators:
        raise Fault(
            path, f"{printable(word)} does not go with {kind.name}", kind.advice, at_name=True
        )
    return Operator(word)


def _value(
    kind: Kind, operator: Operator, value: object, path: JsonPath
) -> MetadataValue | tuple[MetadataValue, ...]:
    match operator:
        case Operator.EXISTS:
            if not isinstance(value, bool):
                raise Fault(path, f"{printable(value)} stands here", "say true or false")
            return value
        case Operator.ONE_OF:
            if not isinstance(value, list):
                raise Fault(
                    path, f"{printable(value)} stands here", "`in` takes an array of values"
                )
            if len(value) > MAX_VALUES:
                raise Fault(path, f"it has {len(value)} values", f"give at most {MAX_VALUES}")
            return tuple(
                kind.read(member, (*path, position)) for position, member in enumerate(value)
            )
        case Operator.CONTAINS:
            return kind.read_part(value, path)
        case _:
            parsed = kind.read(value, path)
            if isinstance(parsed, bool) and operator in _ORDERING:
                raise Fault(path, f"{printable(parsed)} has no order", "compare it with `eq`")
            return parsed
