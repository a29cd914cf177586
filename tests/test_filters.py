"""The grammar of filters: what it reads, what it refuses and where it says the fault is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import (
    FILTER_FIELDS,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    MetadataValue,
    Not,
    Operator,
)
from footnote.errors import InvalidRequest
from footnote.filters import (
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_VALUES,
    checked_condition,
    condition_from,
    condition_from_text,
    condition_to_json,
)
from footnote.filters.fields import MAX_TEXT_CHARACTERS, kind_of
from footnote.filters.json_text import line_and_column, path_text, read_located
from tests.docs.pages import page

GUIDE = page("docs/filters.md")


def compared(
    field: str, operator: Operator, value: MetadataValue | tuple[MetadataValue, ...]
) -> Comparison:
    return Comparison(field=field, operator=operator, value=value)


# --- what is read ---------------------------------------------------------------------------

GERMAN = compared("language", Operator.EQUALS, "de")
LONG = compared("page_count", Operator.AT_LEAST, 3)
SHORT = compared("page_count", Operator.LESS, 10)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"language": "de"}, GERMAN),
        ({"language": {"eq": "de"}}, GERMAN),
        (
            {"language": {"in": ["de", "en"]}},
            compared("language", Operator.ONE_OF, ("de", "en")),
        ),
        ({"page_count": {"gte": 3, "lt": 10}}, AllOf(conditions=(LONG, SHORT))),
        (
            {"language": "de", "page_count": {"gte": 3, "lt": 10}},
            AllOf(conditions=(GERMAN, LONG, SHORT)),
        ),
        ({"all": [{"language": "de"}]}, AllOf(conditions=(GERMAN,))),
        ({"any": []}, AnyOf(conditions=())),
        ({"not": {"language": "de"}}, Not(condition=GERMAN)),
        (
            {"language": "de", "any": [{"page_count": {"lt": 10}}]},
            AllOf(conditions=(GERMAN, AnyOf(conditions=(SHORT,)))),
        ),
        ({}, AllOf(conditions=())),
        (
            {"metadata.year": {"gte": 2023}},
            compared("metadata.year", Operator.AT_LEAST, 2023),
        ),
        ({"metadata.a.b": True}, compared("metadata.a.b", Operator.EQUALS, True)),
        ({"tags": {"contains": "urgent"}}, compared("tags", Operator.CONTAINS, "urgent")),
        ({"author": {"exists": True}}, compared("author", Operator.EXISTS, True)),
    ],
    ids=str,
)
def test_json_becomes_the_condition_it_stands_for(
    value: dict[str, object], expected: Condition
) -> None:
    assert condition_from(value) == expected
    assert condition_from_text(json.dumps(value, indent=1)) == expected


@pytest.mark.parametrize(
    ("field", "value", "canonical"),
    [
        ("date", "20240531", "2024-05-31"),
        ("created_at", "2024-05-31", "2024-05-31"),
        ("created_at", "2024-05-31T12:00:00+02:00", "2024-05-31T10:00:00+00:00"),
        ("created_at", "2024-05-31 12:00", "2024-05-31T12:00:00+00:00"),
        ("updated_at", "2024-05-31T12:00:00Z", "2024-05-31T12:00:00+00:00"),
        (
            "document_id",
            "0198C0DE5C1E7D2A9B3F1A2B3C4D5E6F",
            "0198c0de-5c1e-7d2a-9b3f-1a2b3c4d5e6f",
        ),
        ("tags", "gro\u0308sse", "gr\u00f6sse"),
    ],
)
def test_values_come_out_in_one_form(field: str, value: str, canonical: str) -> None:
    condition = condition_from({field: value})
    assert condition == compared(field, Operator.EQUALS, canonical)
    assert checked_condition(condition) == condition


VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)
KEYS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
COMPARISONS = st.builds(
    lambda key, value: {f"metadata.{key}": value},
    KEYS.map(lambda key: key[:50]),
    VALUES
    | st.fixed_dictionaries({"in": st.lists(VALUES, max_size=3)})
    | st.fixed_dictionaries({"exists": st.booleans()}),
)
CONDITIONS: st.SearchStrategy[dict[str, object]] = st.recursive(
    COMPARISONS,
    lambda inner: (
        st.builds(lambda parts: {"all": parts}, st.lists(inner, max_size=3))
        | st.builds(lambda parts: {"any": parts}, st.lists(inner, max_size=3))
        | st.builds(lambda part: {"not": part}, inner)
        | st.builds(lambda one, other: one | other, inner, inner)
    ),
    max_leaves=5,
)


@given(CONDITIONS)
def test_a_condition_written_as_json_reads_as_itself(value: dict[str, object]) -> None:
    condition = condition_from(value)
    assert condition_from(condition_to_json(condition)) == condition
    assert condition_from_text(json.dumps(value)) == condition
    assert condition_from_text(json.dumps(value, ensure_ascii=False, indent=2)) == condition


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]))
def test_every_value_of_a_text_is_found_where_it_stands(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    if "Infinity" in text:
        return
    located = read_located(text)
    assert located.value == value
    for path, offset in located.values.items():
        inner = value
        for part in path:
            inner = inner[part]  # type: ignore[index]  # the path leads through containers
        decoded, _ = json.JSONDecoder().raw_decode(text, offset)
        assert decoded == inner
    for path, offset in located.names.items():
        assert json.JSONDecoder().raw_decode(text, offset)[0] == path[-1]


def refused(read: Callable[[], Condition]) -> InvalidRequest | None:
    """Why it is refused, if it is; anything else that goes wrong is ours."""
    try:
        read()
    except InvalidRequest as error:
        return error
    return None


@given(JSON)
def test_whatever_is_given_is_read_or_refused_with_advice(value: object) -> None:
    error = refused(lambda: condition_from(value))
    assert error is None or (str(error).startswith("$") and error.hint)


@given(st.text(alphabet='{}[]":,\\ntrue0-1e."language', max_size=30))
def test_whatever_text_is_given_is_read_or_refused_with_its_place(text: str) -> None:
    error = refused(lambda: condition_from_text(text))
    if error is not None:
        place = re.search(r"\(line \d+, column \d+, character (\d+)\)$", str(error))
        assert place is not None
        assert 0 <= int(place[1]) <= len(text)


def test_conditions_that_select_differently_are_never_equal() -> None:
    # What a condition selected is remembered under it, and in Python True equals 1.
    for one, other in ((1, True), (0, False), ({"in": [1, 2]}, {"in": [True, 2]})):
        assert condition_from({"metadata.x": one}) != condition_from({"metadata.x": other})
    same = [condition_from({"metadata.x": {"in": [1, "a"]}}) for _ in range(2)]
    assert len(set(same)) == 1


# --- what is refused ------------------------------------------------------------------------


def refusal(value: object) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as raised:
        condition_from(value)
    return raised.value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("language", "$"),
        ({"nonsense": 1}, "$.nonsense"),
        ({"metadata.": 1}, '$["metadata."]'),
        ({"metadata.a\0": 1}, '$["metadata.a\\u0000"]'),
        ({"all": {"language": "de"}}, "$.all"),
        ({"any": [{"language": "de"}, 3]}, "$.any[1]"),
        ({"not": []}, "$.not"),
        ({"language": {}}, "$.language"),
        ({"language": ["de"]}, "$.language"),
        ({"language": None}, "$.language"),
        ({"language": 3}, "$.language"),
        ({"language": {"like": "d%"}}, "$.language.like"),
        ({"language": {"lt": "de"}}, "$.language.lt"),
        ({"language": {"in": "de"}}, "$.language.in"),
        ({"language": {"in": ["de", 3]}}, "$.language.in[1]"),
        ({"language": "a\0b"}, "$.language"),
        ({"language": "\ud800"}, "$.language"),
        ({"page_count": "3"}, "$.page_count"),
        ({"page_count": True}, "$.page_count"),
        ({"page_count": 3.0}, "$.page_count"),
        ({"size": {"gt": 2**63}}, "$.size.gt"),
        ({"created_at": "yesterday"}, "$.created_at"),
        ({"created_at": "0001-01-01T00:00:00+14:00"}, "$.created_at"),
        ({"date": "2024-05-31T12:00:00Z"}, "$.date"),
        ({"date": {"lt": "2024-02-30"}}, "$.date.lt"),
        ({"document_id": "42"}, "$.document_id"),
        ({"class": "novel"}, "$.class"),
        ({"source_type": {"in": ["upload", "fax"]}}, "$.source_type.in[1]"),
        ({"author": {"exists": "yes"}}, "$.author.exists"),
        ({"metadata.x": {"lt": False}}, '$["metadata.x"].lt'),
        ({"metadata.x": float("nan")}, '$["metadata.x"]'),
        ({"metadata.x": {"contains": 3}}, '$["metadata.x"].contains'),
        ({"metadata.x": {"in": [[]]}}, '$["metadata.x"].in[0]'),
        ({"any": [{"all": [{"page_count": {"gte": "3"}}]}]}, "$.any[0].all[0].page_count.gte"),
    ],
    ids=str,
)
def test_a_fault_is_named_by_its_path(value: object, path: str) -> None:
    error = refusal(value)
    assert str(error).startswith(f"{path}: ")
    assert error.hint


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"autor": "x"}, "author"),
        ({"pagecount": 3}, "page_count"),
        ({"and": []}, "all"),
        ({"$or": []}, "any"),
        ({"page_count": {"$gte": 3}}, "gte"),
        ({"title": {"contain": "x"}}, "contains"),
        ({"class": "contrakt"}, "contract"),
        ({"source_type": "mail"}, "email"),
    ],
    ids=str,
)
def test_what_was_probably_meant_is_suggested(value: object, meant: str) -> None:
    assert refusal(value).hint == f"did you mean `{meant}`?"


def test_the_limits_are_exact() -> None:
    def nested(depth: int) -> dict[str, object]:
        return {"not": nested(depth - 1)} if depth > 1 else {"language": "de"}

    condition_from(nested(MAX_DEPTH))
    assert str(refusal(nested(MAX_DEPTH + 1))).startswith("$" + ".not" * MAX_DEPTH + ":")
    condition_from({"any": [{"language": "de"}] * MAX_COMPARISONS})
    assert str(refusal({"any": [{"language": "de"}] * (MAX_COMPARISONS + 1)})).startswith("$: ")
    condition_from({"language": {"in": ["de"] * MAX_VALUES}})
    refusal({"language": {"in": ["de"] * (MAX_VALUES + 1)}})
    condition_from({"language": "d" * MAX_TEXT_CHARACTERS})
    refusal({"language": "d" * (MAX_TEXT_CHARACTERS + 1)})
    condition_from({f"metadata.{'k' * 200}": 1})
    refusal({f"metadata.{'k' * 201}": 1})


@pytest.mark.parametrize(
    ("text", "line", "column", "character"),
    [
        ("", 1, 1, 0),
        ("{", 1, 2, 1),
        ('{"language" "de"}', 1, 13, 12),
        ('{"language": "de",}', 1, 19, 18),
        ("{'language': 'de'}", 1, 2, 1),
        ('{"language": de}', 1, 14, 13),
        ('{"language": "de}', 1, 14, 13),
        ('{"language": "de"} x', 1, 20, 19),
        ('{\n "language": "de",\n "language": "en"}', 3, 2, 22),
        ('{\n "language": "de",\n "page_count": "3"}', 3, 16, 36),
        ('{\n "languag": "de"}', 2, 2, 3),
        ('{"page_count": NaN}', 1, 16, 15),
        ('{"page_count": ' + "9" * 5000 + "}", 1, 16, 15),
        ('{"language": "\\ud800"}', 1, 14, 13),
        ("[" * 100_000, 1, 34, 33),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_fault_in_text_is_named_by_its_place(
    text: str, line: int, column: int, character: int
) -> None:
    with pytest.raises(InvalidRequest) as raised:
        condition_from_text(text)
    assert str(raised.value).endswith(f"(line {line}, column {column}, character {character})")
    assert raised.value.hint


def test_a_message_is_short_and_printable_whatever_it_is_about() -> None:
    for value in ({"x\ud800\x1b[31m" * 1000: 1}, {"class": "\x1b\ud800" * 400}, {"size": 10**400}):
        message = str(refusal(value))
        assert message.isprintable()
        assert len(message) < 400


def test_paths_and_places_read_as_people_write_them() -> None:
    assert path_text(()) == "$"
    assert path_text(("any", 1, "page_count", "gte")) == "$.any[1].page_count.gte"
    assert path_text(("metadata.it's", "ß")) == '$["metadata.it\'s"]["ß"]'
    assert line_and_column("ab\ncd", 4) == "line 2, column 2, character 4"


# --- the guide ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GUIDE.blocks("json"))
def test_every_filter_of_the_guide_is_read(text: str) -> None:
    condition_from_text(text)


@pytest.mark.parametrize(
    "text",
    re.findall(r"`(\{[^`]*\})`", GUIDE.text.split("## Errors")[0]),
)
def test_every_filter_in_the_sentences_of_the_guide_is_read(text: str) -> None:
    if text == '{"exists": false}':
        text = f'{{"author": {text}}}'
    condition_from_text(text)


ERRORS = re.findall(r"^\| `(.*)` \| `(.*)` \| (.*) \|$", GUIDE.section("Errors"), re.MULTILINE)


@pytest.mark.parametrize(("text", "message", "advice"), ERRORS)
def test_every_error_of_the_guide_is_said_in_these_words(
    text: str, message: str, advice: str
) -> None:
    with pytest.raises(InvalidRequest) as raised:
        condition_from_text(text)
    assert str(raised.value) == message
    assert raised.value.hint == advice


def test_the_guide_names_every_field_with_its_operators() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| .* \| ((?:`\w+` ?)+) \|$", GUIDE.text, re.MULTILINE)
    described = {name: set(re.findall(r"\w+", operators)) for name, operators in rows}
    known = {name: set(kind_of(name, ()).operators) for name in (*FILTER_FIELDS, "metadata.KEY")}
    assert described == known


def test_the_guide_names_every_operator_and_limit() -> None:
    named = set(re.findall(r"`(\w+)`", GUIDE.section("Operators")))
    assert {each.value for each in Operator} <= named
    limits = (MAX_DEPTH, MAX_COMPARISONS, MAX_VALUES, f"{MAX_TEXT_CHARACTERS:,}")
    assert all(str(limit) in GUIDE.section("Grammar") for limit in limits)
