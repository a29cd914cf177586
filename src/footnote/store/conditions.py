"""Compile a condition on documents to SQL over their table, with all values bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import LiteralString
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from footnote.domain import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    MetadataValue,
    Not,
    Operator,
    SearchFilters,
)
from footnote.filters import METADATA, checked_condition
from footnote.store.statements import load_statements

_SQL = load_statements("conditions")

_DAY_CHARACTERS = len("2024-05-31")
_SIGNS = {
    Operator.EQUALS: sql.SQL("="),
    Operator.LESS: sql.SQL("<"),
    Operator.AT_MOST: sql.SQL("<="),
    Operator.GREATER: sql.SQL(">"),
    Operator.AT_LEAST: sql.SQL(">="),
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A piece of SQL that is true or false for each row of `documents`, and its parameters."""

    text: sql.Composable
    parameters: Mapping[str, object]


Titles = Mapping[UUID, str]
"""Titles of all visible documents, for a workspace whose titles are encrypted in the database."""


def admitted(filters: SearchFilters, titles: Titles | None = None) -> Compiled:
    """Select the published documents that match the filters; kinds of chunk are ignored.

    Raises InvalidRequest for an invalid condition.
    """
    condition = Compiled(sql.SQL("true"), {})
    if filters.where is not None:
        condition = compile_condition(filters.where, titles)
    return Compiled(
        sql.SQL(_SQL["admitted"]).format(condition=condition.text),
        {
            "collections": list(filters.collections) or None,
            "document_ids": list(filters.document_ids) or None,
            "source_types": [source_type.value for source_type in filters.source_types] or None,
            **condition.parameters,
        },
    )


def compile_condition(condition: Condition, titles: Titles | None = None) -> Compiled:
    """Compile a condition to SQL that is never null. Raises InvalidRequest.

    A missing value makes a comparison false and its negation, `ne` or `not`, true. Titles are
    compared in Python where they are given.
    """
    bound = _Bound("where", titles=titles)
    text = _compiled(checked_condition(condition), bound)
    return Compiled(text, bound.values)


def value_of(name: str) -> Compiled:
    """Return the SQL of a field's value; it may be null, and an array for `tags` and `keywords`."""
    bound = _Bound("value")
    return Compiled(_subject(name, bound).column, bound.values)


@dataclass(frozen=True, slots=True)
class _Bound:
    """Collects the parameters of a statement."""

    prefix: str
    values: dict[str, object] = field(default_factory=dict)
    titles: Titles | None = None

    def __call__(self, value: object) -> sql.Composable:
        name = f"{self.prefix}_{len(self.values)}"
        self.values[name] = list(value) if isinstance(value, tuple) else value
        return sql.Placeholder(name)


Value = MetadataValue | tuple[MetadataValue, ...]
Rule = Callable[[sql.Composable, Operator, Value, _Bound], sql.Composable]
"""Compiles a comparison of a column with a value, other than `ne` and `exists`."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """The column of a field and its comparison rule."""

    column: sql.Composable
    rule: Rule
    presence: str = "has_value"
    """Name of the statement that tests whether there is a value."""


def _fill(name: str, **parts: sql.Composable) -> sql.Composed:
    return sql.SQL(_SQL[name]).format(**parts)


# --- conditions -----------------------------------------------------------------------------


def _compiled(condition: Condition, bound: _Bound) -> sql.Composable:
    match condition:
        case AllOf():
            return _all_of(condition.conditions, bound)
        case AnyOf():
            return _joined(" OR ", [_compiled(operand, bound) for operand in condition.conditions])
        case Not():
            return sql.SQL("NOT {}").format(_compiled(condition.condition, bound))
        case Comparison():
            return _comparison(condition, bound)


def _all_of(conditions: Sequence[Condition], bound: _Bound) -> sql.Composable:
    dates = [
        condition
        for condition in conditions
        if isinstance(condition, Comparison) and _is_date_comparison(condition)
    ]
    pieces = [_compiled(condition, bound) for condition in conditions if condition not in dates]
    if dates:
        pieces.append(_some_date(dates, bound))
    return _joined(" AND ", pieces)


def _joined(word: LiteralString, pieces: Sequence[sql.Composable]) -> sql.Composable:
    if not pieces:
        return sql.SQL("true" if word == " AND " else "false")
    return sql.SQL("({})").format(sql.SQL(word).join(pieces))


def _comparison(comparison: Comparison, bound: _Bound) -> sql.Composable:
    name, operator, value = comparison.field, comparison.operator, comparison.value
    if operator is Operator.DIFFERS:
        equal = Comparison(field=name, operator=Operator.EQUALS, value=value)
        return sql.SQL("NOT {}").format(_comparison(equal, bound))
    if _is_date_comparison(comparison):
        return _some_date([comparison], bound)
    subject = _subject(name, bound)
    if operator is Operator.EXISTS:
        presence = _fill(subject.presence, column=subject.column)
        return _fill("exists", presence=presence, value=bound(value))
    return _fill("missing", comparison=subject.rule(subject.column, operator, value, bound))


def _is_date_comparison(comparison: Comparison) -> bool:
    return comparison.field == "date" and comparison.operator not in {
        Operator.DIFFERS,
        Operator.EXISTS,
    }


def _some_date(comparisons: Sequence[Comparison], bound: _Bound) -> sql.Composable:
    day = sql.SQL(_SQL["day"])
    pieces = [
        _date(day, comparison.operator, comparison.value, bound) for comparison in comparisons
    ]
    return _fill("some_date", comparisons=_joined(" AND ", pieces))


# --- comparisons ----------------------------------------------------------------------------


def _rule_of_kind(kind: str) -> Rule:
    """Return the rule whose statements are named `{kind}_{operator}`."""

    def compare(
        column: sql.Composable, operator: Operator, value: Value, bound: _Bound
    ) -> sql.Composable:
        return _fill(f"{kind}_{operator.value}", column=column, value=bound(value))

    return compare


def _ordered_rule(kind: str) -> Rule:
    """Return the rule of an ordered type."""

    def compare(
        column: sql.Composable, operator: Operator, value: Value, bound: _Bound
    ) -> sql.Composable:
        if operator is Operator.ONE_OF:
            return _fill(f"{kind}_in", column=column, value=bound(value))
        sign = _SIGNS[operator]
        return _fill(f"{kind}_order", column=column, operator=sign, value=bound(value))

    return compare


_date = _ordered_rule("date")


def _moment(
    column: sql.Composable, operator: Operator, value: Value, bound: _Bound
) -> sql.Composable:
    """Compare a timestamp; a day without a time is the half-open interval of that day."""
    placeholder = bound(value)
    if len(str(value)) > _DAY_CHARACTERS:
        return _fill("moment_order", column=column, operator=_SIGNS[operator], value=placeholder)
    begins, ends = _fill("day_begins", value=placeholder), _fill("day_ends", value=placeholder)
    edges = {
        Operator.EQUALS: [(">=", begins), ("<", ends)],
        Operator.LESS: [("<", begins)],
        Operator.AT_MOST: [("<", ends)],
        Operator.GREATER: [(">=", ends)],
        Operator.AT_LEAST: [(">=", begins)],
    }
    pieces = [
        _fill("moment_order", column=column, operator=sql.SQL(sign), value=edge)
        for sign, edge in edges[operator]
    ]
    return _joined(" AND ", pieces)


def _metadata(
    column: sql.Composable, operator: Operator, value: Value, bound: _Bound
) -> sql.Composable:
    """Compare a metadata value with values of its own JSON type only."""
    match operator, value:
        case Operator.EQUALS, _:
            return _fill("metadata_in", column=column, value=bound([Jsonb(value)]))
        case Operator.ONE_OF, tuple():
            return _fill("metadata_in", column=column, value=bound([*map(Jsonb, value)]))
        case Operator.CONTAINS, _:
            return _fill("metadata_contains", column=column, value=bound(value))
        case _, str():
            return _ordered_rule("metadata_text")(column, operator, value, bound)
        case _:
            # As text: a binary float would be rounded when cast to numeric.
            number = str(value)
            return _ordered_rule("metadata_number")(column, operator, number, bound)


def _title_rule(titles: Titles) -> Rule:
    """Return the rule that matches titles in Python as `text_…` would in SQL."""

    def compare(
        column: sql.Composable, operator: Operator, value: Value, bound: _Bound
    ) -> sql.Composable:
        if operator is Operator.CONTAINS:
            part = str(value).lower()
            document_ids = [
                document_id for document_id, title in titles.items() if part in title.lower()
            ]
        else:
            expected = value if isinstance(value, tuple) else (value,)
            document_ids = [
                document_id for document_id, title in titles.items() if title in expected
            ]
        return _fill("uuid_in", column=column, value=bound(document_ids))

    return compare


# --- fields ---------------------------------------------------------------------------------


def _subject(name: str, bound: _Bound) -> _Subject:
    if name == "title" and bound.titles is not None:
        return _Subject(_column("document_id"), _title_rule(bound.titles))
    if not name.startswith(METADATA):
        return _SUBJECTS[name]
    key = bound(name.removeprefix(METADATA))
    return _Subject(_fill("metadata_value", key=key), _metadata)


def _column(name: str) -> sql.Composable:
    return sql.Identifier("documents", name)


_SUBJECTS: Mapping[str, _Subject] = {
    "author": _Subject(sql.SQL(_SQL["author"]), _rule_of_kind("person")),
    "class": _Subject(_column("document_class"), _rule_of_kind("text")),
    "collection": _Subject(_column("collection"), _rule_of_kind("text")),
    "created_at": _Subject(_column("created_at"), _moment),
    "date": _Subject(_column("dates"), _date, "has_items"),
    "document_id": _Subject(_column("document_id"), _rule_of_kind("uuid")),
    "external_id": _Subject(_column("external_id"), _rule_of_kind("text")),
    "filename": _Subject(_column("filename"), _rule_of_kind("text")),
    "keywords": _Subject(_column("keywords"), _rule_of_kind("tags"), "has_items"),
    "language": _Subject(_column("language"), _rule_of_kind("text")),
    "media_type": _Subject(_column("media_type"), _rule_of_kind("text")),
    "page_count": _Subject(_column("page_count"), _ordered_rule("number")),
    "parent_id": _Subject(_column("parent_id"), _rule_of_kind("uuid")),
    "sender": _Subject(sql.SQL(_SQL["sender"]), _rule_of_kind("person")),
    "size": _Subject(_column("byte_size"), _ordered_rule("number")),
    "source_type": _Subject(_column("source_type"), _rule_of_kind("text")),
    "tags": _Subject(_column("tags"), _rule_of_kind("tags"), "has_items"),
    "title": _Subject(_column("title"), _rule_of_kind("text")),
    "updated_at": _Subject(_column("updated_at"), _moment),
}
