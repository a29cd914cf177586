"""Refuses arguments of a type that a public verb cannot work with, alike here and far away."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, wraps
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

from footnote.domain.filters import Comparison
from footnote.errors import InvalidRequest
from footnote.filters.words import shown
from footnote.wrong_values import wrong_value

Kind = TypeVar("Kind", bound=type)
Verb = TypeVar("Verb", bound=Callable[..., object])


def _shared(kind: str) -> str:
    """How every entrance calls what an error of pydantic's asks for."""
    return wrong_value({"type": kind}).removeprefix("it must be ")


_ARRAY = _shared("list_type")
_OBJECT = _shared("dict_type")
_WORDS: Mapping[object, str] = {
    str: _shared("string_type"),
    bool: _shared("bool_type"),
    int: _shared("int_type"),
    float: _shared("float_type"),
    bytes: _shared("bytes_type"),
    UUID: "a uuid.UUID",
    Path: "a pathlib.Path",
    Callable: "a function",
}
_TEXTS = (str, bytes, bytearray, memoryview)
Sort = Literal["any", "mapping", "each", "one"]
Fault = tuple[str, str]
"""Where something is wrong, and what must stand there."""


def checks_arguments(kind: Kind) -> Kind:
    """Have every public async verb of a class raise InvalidRequest for arguments of other types.

    What counts are the annotations. Any collection will do for a sequence, but no text; a list
    will do for a tuple, and True is no number. A making that the class spells out is checked too.
    """
    for name, verb in list(vars(kind).items()):
        if inspect.isasyncgenfunction(verb) and not name.startswith("_"):
            setattr(kind, name, _checked_stream(verb))
        elif inspect.iscoroutinefunction(verb) and not name.startswith("_"):
            setattr(kind, name, _checked_verb(verb))
        elif name == "__init__" and not is_dataclass(kind):
            setattr(kind, name, _checked_making(verb))
    return kind


def checks(verb: Verb) -> Verb:
    """Have one async verb raise InvalidRequest for arguments of other types, but for its first."""
    stream = inspect.isasyncgenfunction(verb)
    return cast("Verb", (_checked_stream if stream else _checked_verb)(verb))


def _checked_verb(verb: Callable[..., object]) -> Callable[..., object]:
    @wraps(verb)
    async def checked(*args: object, **kwargs: object) -> object:
        _check(verb, args, kwargs)
        done = verb(*args, **kwargs)
        assert inspect.isawaitable(done)
        return await done

    return checked


def _checked_stream(verb: Callable[..., object]) -> Callable[..., object]:
    @wraps(verb)
    async def checked(*args: object, **kwargs: object) -> object:
        _check(verb, args, kwargs)
        done = verb(*args, **kwargs)
        assert inspect.isasyncgen(done)
        async with aclosing(done) as events:
            async for each in events:
                yield each

    return checked


def _checked_making(verb: Callable[..., object]) -> Callable[..., object]:
    @wraps(verb)
    def checked(*args: object, **kwargs: object) -> None:
        _check(verb, args, kwargs)
        verb(*args, **kwargs)

    return checked


def _check(
    verb: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> None:
    signature, hints = _declared(verb)
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        fault = _fault(hints[name], value, name) if name in hints else None
        if fault is not None:
            owner, _, own = verb.__qualname__.rpartition(".")
            called = owner if own == "__init__" else own
            raise InvalidRequest(f"{fault[0]}: {fault[1]}", hint=f"see the arguments of {called}")


@cache
def _declared(verb: Callable[..., object]) -> tuple[inspect.Signature, Mapping[str, object]]:
    """The signature, and the types of its arguments but the first, which the verb belongs to."""
    signature = inspect.signature(verb)
    own = next(iter(signature.parameters))
    told = {name: hint for name, hint in inspect.get_annotations(verb).items() if name != own}
    told.pop("return", None)
    holder = SimpleNamespace(__annotations__=told)
    return signature, get_type_hints(holder, vars(sys.modules[verb.__module__]))


@cache
def _fields_of(kind: object) -> tuple[tuple[str, object, object], ...]:
    """Name, type and default of each field of a record; none for what is no record."""
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return ()
    hints = get_type_hints(kind)
    return tuple((each.name, hints[each.name], each.default) for each in fields(kind))


@cache
def _sort_of(hint: object) -> tuple[object, tuple[object, ...], Sort]:
    """What a type is at its heart, its parts, and how values are held against it."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return kind, parts, "any"
    if isinstance(kind, type) and parts and issubclass(kind, Mapping):
        return kind, parts, "mapping"
    if isinstance(kind, type) and parts and issubclass(kind, Collection):
        return kind, parts, "each"
    return kind, parts, "one"


def _fault(hint: object, value: object, place: str) -> Fault | None:
    """What is wrong with a value; None where it is of the type."""
    kind, parts, sort = _sort_of(hint)
    if sort == "any":
        return _fault_of_any(hint, parts, value, place)
    if sort == "mapping":
        return _fault_of_mapping(parts, value, place)
    if sort == "each":
        return _fault_of_each(kind, parts[0], value, place)
    if not (value in parts if kind is Literal else _is_of(kind, value)):
        return place, _unlike(hint, value)
    for name, of, default in _fields_of(kind):
        given = getattr(value, name)
        if given is not default:  # Most are as they were made, and looked at on every search.
            fault = _fault(of, given, f"{place}.{name}")
            if fault is not None:
                return fault
    return None


def _is_of(kind: object, value: object) -> bool:
    if not isinstance(kind, type):
        return True
    if isinstance(value, bool):
        return kind in (bool, object)
    if kind is float:
        return isinstance(value, (int, float))
    if kind is bytes:
        return isinstance(value, (bytes, bytearray))
    return isinstance(value, kind)


def _fault_of_any(
    hint: object, parts: tuple[object, ...], value: object, place: str
) -> Fault | None:
    faults = [_fault(part, value, place) for part in parts]
    if None in faults:
        return None
    deep = [fault for fault in faults if fault is not None and fault[0] != place]
    return deep[0] if deep else (place, _unlike(hint, value))


def _fault_of_mapping(parts: tuple[object, ...], value: object, place: str) -> Fault | None:
    if not isinstance(value, Mapping):
        return place, _instead(_OBJECT, value)
    for key, each in value.items():
        if (fault := _fault(parts[0], key, f"{place}'s names")) is not None:
            return fault
        if (fault := _fault(parts[1], each, f"{place}.{key}")) is not None:
            return fault
    return None


def _fault_of_each(kind: object, part: object, value: object, place: str) -> Fault | None:
    wanted = (list, tuple) if kind is tuple else Collection
    if isinstance(value, (*_TEXTS, Mapping)) or not isinstance(value, wanted):
        return place, _instead(_ARRAY, value)
    found = (_fault(part, each, f"{place}[{number}]") for number, each in enumerate(value))
    return next(filter(None, found), None)


def _unlike(hint: object, value: object) -> str:
    """What must stand there, and what came."""
    return _instead(_wanted(hint), value)


def _instead(wanted: str, value: object) -> str:
    plain = value is None or isinstance(value, (str, int, float, list, tuple, dict))
    came = shown(value) if plain else f"a {type(value).__name__}"
    return f"it must be {wanted}, not {came}"


def _wanted(hint: object) -> str:
    """What a type is called, in the words of every entrance where those have any."""
    kind = get_origin(hint) or hint
    parts = [part for part in get_args(hint) if part is not NoneType]
    if kind in _WORDS:
        return _WORDS[kind]
    if Comparison in parts:
        return "what footnote.condition_from gives"
    if kind is Literal:
        return " or ".join(map(repr, parts))
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_wanted, parts)))
    return _name_of(kind) if isinstance(kind, type) else "something else"


def _name_of(kind: type) -> str:
    if issubclass(kind, Enum):
        return f"a footnote.{kind.__name__}, such as {kind.__name__}.{next(iter(kind)).name}"
    if issubclass(kind, Mapping):
        return _OBJECT
    if issubclass(kind, Collection):
        return _ARRAY
    return f"a footnote.{kind.__name__}" if is_dataclass(kind) else f"a {kind.__name__}"
