"""Arguments that a model made up are held against the schema of the tool."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.models.agent_tools import problem_with


@given(st.text(), st.integers() | st.none())
def test_arguments_of_the_right_kinds_fit(query: str, limit: int | None) -> None:
    schema = {
        "properties": {
            "query": {"type": "string"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["query"],
    }
    assert problem_with({"query": query, "limit": limit}, schema) == ""


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 3.0, True),
        ({"type": "integer"}, 3.5, False),
        ({"type": "number"}, 3, True),
        ({"type": "boolean"}, True, True),
        ({"type": ["string", "null"]}, None, True),
        ({"enum": ["a", "b"]}, "c", False),
        ({"enum": ["a", "b"]}, "a", True),
        ({"type": "array"}, {}, False),
        ({}, {}, True),
    ],
)
def test_a_value_fits_its_schema_or_not(
    schema: Mapping[str, object], value: object, fits: bool
) -> None:
    problem = problem_with({"it": value}, {"properties": {"it": schema}})
    assert (problem == "") == fits
