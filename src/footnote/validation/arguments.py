"""Check the arguments of public verbs against their annotations, strictly.

Pydantic checks the values, and the fields of records among them. A list is taken for a tuple, True
is no number, and only the types of `footnote.validation.constrained_types` convert a value.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, wraps
from types import SimpleNamespace
from typing import TypeVar, cast, get_type_hints

from pydantic import (
    ConfigDict,
    GetPydanticSchema,
    TypeAdapter,
    ValidationError,
    with_config,
)
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import TypedDict

from footnote.errors import InvalidArguments
from footnote.validation.messages import invalid_locations

Kind = TypeVar("Kind", bound=type)
Verb = TypeVar("Verb", bound=Callable[..., object])

OfItsClass = GetPydanticSchema(lambda kind, _: core_schema.is_instance_schema(kind))
"""Marks an argument that only has to be an instance of its class; its fields are not validated."""

_STRICT = ConfigDict(strict=True, revalidate_instances="always", arbitrary_types_allowed=True)


def checks_arguments(kind: Kind) -> Kind:
    """Have every public async method of a class raise InvalidArguments for unusable arguments.

    An `__init__` that the class defines itself is checked too.
    """
    for name, verb in list(vars(kind).items()):
        public = inspect.isasyncgenfunction(verb) or inspect.iscoroutinefunction(verb)
        if (public and not name.startswith("_")) or (name == "__init__" and not is_dataclass(kind)):
            setattr(kind, name, checks(verb))
    return kind


def checks(verb: Verb) -> Verb:
    """Have a function raise InvalidArguments for unusable arguments; the first one is not checked.

    A generator is checked when it is called, a coroutine when it is awaited.
    """
    call = cast("Callable[..., object]", verb)
    if hasattr(call, "checks_its_arguments"):
        return verb
    if inspect.iscoroutinefunction(call):

        @wraps(call)
        async def checked_verb(*args: object, **kwargs: object) -> object:
            return await call(**_checked(call, args, kwargs))

        checked: Callable[..., object] = checked_verb
    else:

        @wraps(call)
        def checked_function(*args: object, **kwargs: object) -> object:
            return call(**_checked(call, args, kwargs))

        checked = checked_function
    checked.checks_its_arguments = True  # type: ignore[attr-defined]  # a mark of ours
    return cast("Verb", checked)


def arguments_of(
    verb: Callable[..., object],
    signature: inspect.Signature,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
) -> dict[str, object]:
    """The arguments of a call by name. Raises TypeError with the name of the verb."""
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{_verb_name(verb)}(): {error}") from None


def _verb_name(verb: Callable[..., object]) -> str:
    """Return the public name of a method; of an `__init__`, the class name."""
    owner, _, name = verb.__qualname__.rpartition(".")
    return owner if name == "__init__" else name.removeprefix("_")


def _checked(
    verb: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """Return the arguments by name, validated and converted by their annotations."""
    signature, adapter = _signature_and_validator(verb)
    arguments = arguments_of(verb, signature, args, kwargs)
    receiver = next(iter(signature.parameters))
    try:
        validated = adapter.validate_python(
            {name: _as_list(argument) for name, argument in arguments.items() if name != receiver}
        )
    except ValidationError as error:
        message = "; ".join(
            f"{_path_text(path)}: {clause}"
            for path, clause in invalid_locations(error.errors(include_url=False))
        )
        raise InvalidArguments(message, hint=f"see the arguments of {_verb_name(verb)}") from None
    return {receiver: arguments[receiver], **validated}


@cache
def _signature_and_validator(
    verb: Callable[..., object],
) -> tuple[inspect.Signature, SchemaValidator]:
    """Return the signature, and a validator of all arguments but the first (such as `self`)."""
    signature = inspect.signature(verb)
    receiver = next(iter(signature.parameters))
    argument_annotations = {
        name: hint for name, hint in inspect.get_annotations(verb).items() if name != receiver
    }
    argument_annotations.pop("return", None)
    holder = SimpleNamespace(__annotations__=argument_annotations)
    hints = get_type_hints(holder, vars(sys.modules[verb.__module__]), include_extras=True)
    arguments = TypedDict("arguments", hints, total=False)  # type: ignore[misc]  # made from a verb
    schema = TypeAdapter(with_config(_STRICT)(arguments)).core_schema
    _take_lists_for_tuples(schema)
    return signature, SchemaValidator(schema)


def _take_lists_for_tuples(schema: object) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "tuple":
            schema["strict"] = False
        for name, member in schema.items():
            if name not in ("cls", "ref"):
                _take_lists_for_tuples(member)
    elif isinstance(schema, Collection) and not isinstance(schema, (str, bytes)):
        for member in schema:
            _take_lists_for_tuples(member)


def _as_list(value: object) -> object:
    """Convert an unordered collection to a list, to be accepted as a sequence; not a string."""
    ordered = (Sequence, Mapping, bytearray, memoryview)
    if isinstance(value, Collection) and not isinstance(value, ordered):
        return list(value)
    return value


def _path_text(path: tuple[str | int, ...]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")
