"""What a condition means, said as plainly as Python can: the reference for the compiled one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from operator import ge, gt, le, lt
from typing import Any

from footnote.domain import AllOf, AnyOf, Comparison, Condition, Not, Operator
from tests.store.papers import Paper

_ORDER: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.LESS: lt,
    Operator.AT_MOST: le,
    Operator.GREATER: gt,
    Operator.AT_LEAST: ge,
}


def holds(condition: Condition, paper: Paper) -> bool:
    """Whether the condition is true of the paper."""
    match condition:
        case AllOf():
            dates = [
                each
                for each in condition.conditions
                if isinstance(each, Comparison) and _wants_a_date(each)
            ]
            others = [each for each in condition.conditions if each not in dates]
            on_one_date = not dates or any(
                all(_compare(day, each) for each in dates) for day in paper.dates
            )
            return on_one_date and all(holds(each, paper) for each in others)
        case AnyOf():
            return any(holds(each, paper) for each in condition.conditions)
        case Not():
            return not holds(condition.condition, paper)
        case Comparison(operator=Operator.DIFFERS):
            equal = Comparison(
                field=condition.field, operator=Operator.EQUALS, value=condition.value
            )
            return not holds(equal, paper)
        case Comparison(operator=Operator.EXISTS):
            return bool(_values(paper, condition.field)) == condition.value
        case Comparison():
            return any(_compare(each, condition) for each in _values(paper, condition.field))


def _wants_a_date(comparison: Comparison) -> bool:
    opposed = {Operator.DIFFERS, Operator.EXISTS}
    return comparison.field == "date" and comparison.operator not in opposed


def _values(paper: Paper, name: str) -> Sequence[object]:
    """The values a paper has of a field; none when it lacks it."""
    if name.startswith("metadata."):
        key = name.removeprefix("metadata.")
        return [paper.metadata[key]] if key in paper.metadata else []
    match name:
        case "tags":
            return paper.tags
        case "date":
            return paper.dates
        case "author":
            return _person(paper, "author", "from")
        case "sender":
            return _person(paper, "from", "sender")
    value = getattr(paper, {"class": "document_class"}.get(name, name))
    return [] if value is None else [value]


def _person(paper: Paper, *keys: str) -> list[str]:
    named = [str(paper.metadata.get(key, "")).strip() for key in keys]
    return [name for name in named if name][:1]


def _names(person: str) -> set[str]:
    match = re.fullmatch(r"(.*)<(.*)>", person)
    parts = [person, *(match.groups() if match else ())]
    return {part.strip(' "').lower() for part in parts if part.strip()}


def _compare(value: object, comparison: Comparison) -> bool:
    match comparison.operator:
        case Operator.EQUALS:
            return _equal(value, comparison.field, comparison.value)
        case Operator.ONE_OF:
            assert isinstance(comparison.value, tuple)
            return any(_equal(value, comparison.field, each) for each in comparison.value)
        case Operator.CONTAINS:
            return _contains(value, comparison)
        case operator:
            return _ordered(value, operator, comparison.value)


def _equal(value: object, field: str, wanted: object) -> bool:
    if field in {"author", "sender"}:
        return str(wanted).lower() in _names(str(value))
    if isinstance(value, datetime):
        begins, ends = _span(str(wanted))
        return begins <= value < ends
    if field in {"document_id", "parent_id"}:
        return str(value) == wanted
    return _type(value) == _type(wanted) and value == wanted


def _contains(value: object, comparison: Comparison) -> bool:
    if comparison.field == "tags":
        return value == comparison.value
    return isinstance(value, str) and str(comparison.value).lower() in value.lower()


def _ordered(value: object, operator: Operator, wanted: object) -> bool:
    compare = _ORDER[operator]
    if isinstance(value, datetime):
        begins, ends = _span(str(wanted))
        last = max(begins, ends - timedelta(microseconds=1))
        return compare(value, begins if operator in {Operator.LESS, Operator.AT_LEAST} else last)
    return _type(value) == _type(wanted) and compare(value, wanted)


def _span(text: str) -> tuple[datetime, datetime]:
    """From the first moment of a day or an instant to the one behind it."""
    if len(text) == len("2024-05-31"):
        begins = datetime.combine(date.fromisoformat(text), time(), UTC)
        return begins, begins + timedelta(days=1)
    instant = datetime.fromisoformat(text)
    return instant, instant + timedelta(microseconds=1)


def _type(value: object) -> str:
    """Whole numbers and others are of one JSON type; true and false are not numbers."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "text"
