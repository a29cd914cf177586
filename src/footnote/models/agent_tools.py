"""Adapt tools to the interface of pydantic-ai, with their failures as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import Tool as VendorTool
from pydantic_core import from_json

from footnote.errors import FootnoteError
from footnote.ports import Refusal, Tool

WhyForbidden = Callable[[str], str]
"""Returns why an IP address may not be contacted; empty when it may be."""

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class _Objects:
    """Validates that the arguments of a tool are an object, with the library's interface."""

    name: str

    def validate_json(self, text: str, **_: object) -> dict[str, object]:
        """Parse a text as a JSON object. Raises ToolFailed."""
        try:
            return self.validate_python(from_json(text))
        except ValueError:
            raise ToolFailed(f"{self.name} was not called: the arguments are not JSON.") from None

    def validate_python(self, value: object, **_: object) -> dict[str, object]:
        """Return the arguments if they are an object. Raises ToolFailed."""
        if not isinstance(value, dict):
            message = "the arguments must be a JSON object"
            raise ToolFailed(f"{self.name} was not called: {message}.")
        return value


def vendor_tool(tool: Tool) -> VendorTool[object]:
    """Return the tool in pydantic-ai's form. Invalid calls are reported as failures to a model."""

    async def call(**arguments: object) -> str:
        problem = problem_with(arguments, tool.parameters)
        if problem:
            raise ToolFailed(f"{tool.name} was not called: {problem}.")
        try:
            result = await tool.call(arguments)
        except FootnoteError as error:
            hint = f" ({error.hint})" if error.hint else ""
            raise ToolFailed(f"{tool.name} failed: {error}{hint}") from None
        if isinstance(result, Refusal):
            raise ToolFailed(str(result))
        return result

    wrapped: VendorTool[object] = VendorTool.from_schema(
        call, name=tool.name, description=tool.description, json_schema=dict(tool.parameters)
    )
    # The library's own would accept a list as an object, and word JSON errors in its own way.
    wrapped.function_schema.validator = _Objects(tool.name)  # type: ignore[assignment]  # as it is used
    return wrapped


def problem_with(arguments: Mapping[str, object], schema: Mapping[str, object]) -> str:
    """Return why arguments do not fit the JSON Schema of an object; empty when they fit.

    Checks names, types and enumerations of the first level; the tool itself checks the rest.
    """
    properties = _mapping(schema.get("properties"))
    missing = [name for name in _names(schema.get("required")) if name not in arguments]
    if missing:
        return f"it needs {', '.join(missing)}"
    unknown = [name for name in arguments if name not in properties]
    if unknown and schema.get("additionalProperties") is False:
        return f"it has no {', '.join(unknown)}, but {', '.join(properties)}"
    for name, value in arguments.items():
        expected = _mapping(properties.get(name))
        if expected and not _fits(value, expected):
            return f"{name} does not fit {dict(expected)}"
    return ""


def _fits(value: object, schema: Mapping[str, object]) -> bool:
    for several in ("anyOf", "oneOf"):
        choices = schema.get(several)
        if isinstance(choices, list):
            return any(_fits(value, _mapping(choice)) for choice in choices)
    listed = schema.get("enum")
    if isinstance(listed, list) and value not in listed:
        return False
    kinds = [kind for kind in _names(schema.get("type")) if kind in _KINDS]
    return not kinds or any(_is_a(value, kind) for kind in kinds)


def _is_a(value: object, kind: str) -> bool:
    if isinstance(value, bool):  # A bool is an int in Python.
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind])


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _names(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(name) for name in value] if isinstance(value, list) else []
