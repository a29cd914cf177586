"""What is wrong with a value is said in our words: what must stand there, and what came."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, Field, Json, TypeAdapter, ValidationError

from footnote.domain import SourceType
from footnote.validation.messages import invalid_locations, wrong_value


def refused(value: object) -> str:
    raise ValueError(f"{value} is not to our taste")


OF_TYPES: list[tuple[Any, object, str]] = [
    (int, "many", "it must be a whole number, not 'many'"),
    (int, 3.5, "it must be a whole number, not 3.5"),
    (int, float("nan"), "it must be a finite number, not NaN"),
    (Annotated[int, Field(le=5)], 10**400, "it must be at most 5, not a huge number"),
    (float, [1], "it must be a number, not an array"),
    (str, object(), "it must be text, not a Python object"),
    (str, UUID(int=0), "it must be text, not a UUID"),
    (str, OSError(), "it must be text, not an OSError"),
    (Annotated[float, Field(allow_inf_nan=False)], float("-inf"), "a finite number, not -Infinity"),
    (bool, "maybe", "it must be true or false, not 'maybe'"),
    (str, None, "it must be text, not null"),
    (Annotated[str, Field(max_length=9)], "a\ud800", "it holds a character that cannot be stored"),
    (UUID, "nope", "it must be a UUID such as 0b9f5c1e-3a52-4d0e-9c3b-6f1d2a7e8b90, not 'nope'"),
    (datetime, "soon", "it must be a date and time such as 2024-05-31T09:30:00Z, not 'soon'"),
    (list[str], "a", "it must be an array, not 'a'"),
    (tuple[str, ...], {"a": 1}, "it must be an array, not an object"),
    (dict[str, str], [], "it must be an object, not an array"),
    (Literal["up", "down"], "left", "it must be 'up' or 'down', not 'left'"),
    (SourceType, "post", "'image_capture' or 'voice_memo', not 'post'"),
    (Annotated[int, Field(ge=1)], 0, "it must be at least 1, not 0"),
    (Annotated[int, Field(gt=1)], 1, "it must be more than 1, not 1"),
    (Annotated[int, Field(le=200)], 201, "it must be at most 200, not 201"),
    (Annotated[float, Field(lt=1)], 1.5, "it must be less than 1.0, not 1.5"),
    (Annotated[str, Field(min_length=1)], "", "it must not be empty"),
    (Annotated[str, Field(min_length=3)], "a", "it must have at least 3 characters, not 1"),
    (Annotated[str, Field(max_length=3)], "tides", "it must have at most 3 characters, not 5"),
    (
        Annotated[str, AfterValidator(str), Field(max_length=2)],
        "tide",
        "it must have at most 2 characters, not 4",
    ),
    (Annotated[list[int], Field(max_length=1)], [1, 2], "it must have at most 1 values, not 2"),
    (Json[dict[str, int]], '{"a"\n:}', "it is not JSON (line 2, column 2)"),
    (Annotated[str, AfterValidator(refused)], "this", "this is not to our taste"),
]


@pytest.mark.parametrize(("kind", "value", "said"), OF_TYPES, ids=[each[2] for each in OF_TYPES])
def test_a_wrong_value_is_told_what_must_stand_there_and_what_came(
    kind: Any, value: object, said: str
) -> None:
    with pytest.raises(ValidationError) as refusal:
        TypeAdapter(kind).validate_python(value)
    [(place, clause)] = invalid_locations(refusal.value.errors())
    assert place == ()
    assert clause.endswith(said)
    assert not [word for word in ("Input", "should", "valid", "Value error") if word in clause]


def test_what_may_be_of_several_kinds_is_told_of_once() -> None:
    shape = TypeAdapter(dict[str, list[str | tuple[int, ...]]])
    with pytest.raises(ValidationError) as refusal:
        shape.validate_python({"a": ["x", 5], "b": [None]})
    assert invalid_locations(refusal.value.errors()) == [
        (("a", 1), "it must be text or an array, not 5"),
        (("b", 0), "it must be text or an array, not null"),
    ]


def test_what_is_of_no_known_kind_is_told_which_there_are() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]

    class Dog(BaseModel):
        kind: Literal["dog"]

    shape: TypeAdapter[Any] = TypeAdapter(Annotated[Cat | Dog, Field(discriminator="kind")])
    with pytest.raises(ValidationError) as refusal:
        shape.validate_python({"kind": "cow"})
    said = "its 'kind' must be 'cat', 'dog', not 'cow'"
    assert invalid_locations(refusal.value.errors()) == [((), said)]


def test_the_kinds_of_a_union_are_no_part_of_a_place() -> None:
    with pytest.raises(ValidationError) as refusal:
        TypeAdapter(dict[str, str | list[dict[str, int]]]).validate_python({"a": [{"b": "x"}]})
    places = [place for place, _ in invalid_locations(refusal.value.errors())]
    assert places == [("a", "str"), ("a", 0, "b")]


def test_a_wrong_name_is_told_of_where_it_stands() -> None:
    with pytest.raises(ValidationError) as refusal:
        TypeAdapter(dict[Literal["a"], int]).validate_python({"b": 1})
    assert invalid_locations(refusal.value.errors()) == [(("b",), "it must be 'a', not 'b'")]


def test_each_member_that_is_missing_or_unknown_is_told_of() -> None:
    def about(name: str, kind: str) -> dict[str, object]:
        return {"type": kind, "loc": ("body", name), "msg": "", "input": {}}

    assert invalid_locations([about("int", "missing"), about("b", "extra_forbidden")]) == [
        (("body", "int"), "it is required, and missing"),
        (("body", "b"), "there is no such field"),
    ]


def test_a_value_that_may_be_a_secret_is_not_repeated() -> None:
    with pytest.raises(ValidationError) as refusal:
        TypeAdapter(int).validate_python("hunter2")
    [wrong] = refusal.value.errors()
    assert wrong_value(wrong, with_value=False) == "it must be a whole number"
