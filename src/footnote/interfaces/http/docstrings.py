"""The docstrings of the fields of records, for the description of the API."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import get_args, get_type_hints

_PYTHON_WORDS = {"None": "null", "True": "true", "False": "false", "…": " to "}
_PYTHON_WORD = re.compile(r"\b(?:None|True|False)\b|(?<=\d)…(?=\d)")


def records_in(kinds: Iterable[object]) -> Iterator[type]:
    """The dataclasses that types consist of, and those of their fields, each once."""
    left, seen = list(kinds), set[object]()
    while left:
        kind = left.pop()
        if kind in seen:
            continue
        seen.add(kind)
        left += get_args(kind)
        if isinstance(kind, type) and is_dataclass(kind):
            left += get_type_hints(kind).values()
            yield kind


def described_fields(record: type) -> Mapping[str, str]:
    """What the docstrings of a class say of its fields and properties, in JSON's words."""
    fields: dict[str, str] = {}
    for base in reversed(record.__mro__[:-1]):
        fields |= _of_module(base.__module__).get(base.__name__, {})
    return fields


@cache
def _of_module(name: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings of fields by class and field; none where the source is not to be had."""
    try:
        source = inspect.getsource(sys.modules[name])
    except OSError:
        return {}
    classes = (each for each in ast.parse(source).body if isinstance(each, ast.ClassDef))
    return {each.name: dict(_of_class(each)) for each in classes}


def _of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for each, following in zip(node.body, [*node.body[1:], None], strict=True):
        match each, following:
            case ast.FunctionDef(), _:
                if said := ast.get_docstring(each):
                    yield each.name, _in_json(said)
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                yield name, _in_json(said)


def _in_json(docstring: str) -> str:
    return _PYTHON_WORD.sub(lambda word: _PYTHON_WORDS[word[0]], inspect.cleandoc(docstring))
