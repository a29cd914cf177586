"""The pages of the reference that follow from the code: HTTP, its schemas, commands and Python."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import footnote
from footnote.interfaces.cli.main import COMMANDS, load_command
from footnote.interfaces.http.app import create_app
from footnote.settings import Settings

Description = dict[str, Any]
_FIELD = re.compile(r'^    (\w+): [^\n]+\n    """(.+?)"""', re.MULTILINE | re.DOTALL)
"""A field of a record in its source, with the docstring below it."""


def reference_pages() -> dict[str, str]:
    """Path and Markdown of each."""
    described = create_app(Settings()).openapi()
    return {
        "reference/http.md": "\n".join(_operations(described)),
        "reference/schemas.md": "\n".join(_schemas(described)),
        "reference/command-line.md": "\n".join(_commands()),
        "reference/python.md": "\n".join(_python()),
    }


# --- HTTP -------------------------------------------------------------------------------------


def _operations(described: Description) -> Iterator[str]:
    yield "# Every request of the HTTP API\n"
    yield (
        "Written from the description that a server gives at `/openapi.json`. How to use it is in "
        "[http-api.md](../docs/http-api.md).\n"
    )
    by_tag: dict[str, list[tuple[str, str, Description]]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            tag = operation.get("tags", ["other"])[0]
            by_tag.setdefault(tag, []).append((method.upper(), path, operation))
    texts = {tag["name"]: tag.get("description", "") for tag in described.get("tags", ())}
    for tag, operations in by_tag.items():
        yield f"## {tag.capitalize()}\n"
        yield f"{texts.get(tag, '')}\n"
        for method, path, operation in operations:
            yield from _operation(method, path, operation)


def _operation(method: str, path: str, operation: Description) -> Iterator[str]:
    yield f"### `{method} {path}`\n"
    yield f"{_paragraphs(operation.get('description') or operation.get('summary', ''))}\n"
    parameters = operation.get("parameters", ())
    if parameters:
        yield "| parameter | in | type | meaning |\n|---|---|---|---|"
        for each in parameters:
            required = ", required" if each.get("required") and each["in"] != "path" else ""
            yield _row(
                f"`{each['name']}`",
                each["in"] + required,
                _type(each.get("schema", {})),
                each.get("description", ""),
            )
        yield ""
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        yield f"**Body** (`{kind}`): {_type(body.get('schema', {}))}\n"
        for example in list(body.get("examples", {}).values())[:1]:
            if "value" in example:
                yield _fenced(example["value"])
    yield "| status | answer | meaning |\n|---|---|---|"
    for status, answer in sorted(operation.get("responses", {}).items()):
        kinds = ", ".join(
            f"{_type(content.get('schema', {}))} (`{kind}`)"
            for kind, content in answer.get("content", {}).items()
        )
        yield _row(status, kinds, answer.get("description", ""))
    yield ""


def _schemas(described: Description) -> Iterator[str]:
    yield "# Every record of the HTTP API\n"
    yield (
        "Written from the JSON Schemas in the description that a server gives at `/openapi.json`. "
        "What the records mean together is in [json.md](../docs/json.md).\n"
    )
    for name, schema in sorted(described["components"]["schemas"].items()):
        yield f"## {_plain(name)}\n"
        yield f"{_paragraphs(schema.get('description', ''))}\n"
        if "enum" in schema:
            yield ", ".join(f"`{value}`" for value in schema["enum"]) + "\n"
        if schema.get("properties"):
            required = set(schema.get("required", ()))
            yield "| member | type | meaning |\n|---|---|---|"
            for member, each in schema["properties"].items():
                optional = "" if member in required else ", optional"
                yield _row(f"`{member}`", _type(each) + optional, each.get("description", ""))
            yield ""


def _type(schema: Description) -> str:
    """A schema in a few words, with links to records."""
    if "$ref" in schema:
        name = _plain(schema["$ref"].rpartition("/")[2])
        return f"[{name}](schemas.md#{name.lower()})"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{json.dumps(value)}`" for value in values)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[key]))
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    limits = [
        f"{word} {schema[key]}"
        for key, word in (
            *(("minimum", "from"), ("maximum", "to")),
            *(("minLength", "at least"), ("maxLength", "at most")),
        )
        if key in schema
    ]
    said = schema.get("format", kind)
    return f"{said} ({', '.join(limits)})" if limits else str(said)


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-")


# --- commands ---------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    yield "# Every command and option\n"
    yield "Written from the commands. What they are for is in [cli.md](../docs/cli.md).\n"
    for name in COMMANDS:
        yield from _command(load_command(name), ("footnote", name))


def _command(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    if inner:
        for name, each in inner.items():
            yield from _command(each, (*words, name))
        return
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    usage = " ".join([*words, *map(_argument, arguments)])
    yield f"## `{' '.join(words)}`\n"
    yield f"{_paragraphs(command.help or '')}\n"
    yield f"```text\n{usage}\n```\n"
    if shown:
        yield "| argument or option | meaning |\n|---|---|"
        for each in shown:
            names = [*each.opts, *each.secondary_opts]
            spelled = _argument(each) if each in arguments else ", ".join(names)
            yield _row(f"`{spelled}`", getattr(each, "help", "") or "")
        yield ""


def _argument(each: Any) -> str:
    return str(each.metavar or each.name.upper())


# --- Python -----------------------------------------------------------------------------------


def _python() -> Iterator[str]:
    yield "# Every public name of the Python API\n"
    yield (
        "Written from the docstrings of what `footnote` exports. How to use it is in "
        "[python.md](../docs/python.md).\n"
    )
    for name in footnote.__all__:
        found = getattr(footnote, name)
        yield f"## `footnote.{name}`\n"
        if inspect.isclass(found):
            yield from _class(found)
        elif callable(found):
            yield f"```python\n{name}{_signature(found)}\n```\n"
            yield f"{_docstring(found)}\n"


def _class(found: type) -> Iterator[str]:
    yield f"{_docstring(found)}\n"
    if issubclass(found, enum.Enum):
        yield ", ".join(f"`{member.value}`" for member in found) + "\n"
        return
    described = _field_docstrings(found)
    if dataclasses.is_dataclass(found):
        yield "| field | type | meaning |\n|---|---|---|"
        for each in dataclasses.fields(found):
            yield _row(f"`{each.name}`", f"`{each.type}`", described.get(each.name, ""))
        yield ""
    if issubclass(found, Settings):
        yield "The fields are those of [settings](../docs/settings.md).\n"
        return
    for name, member in inspect.getmembers_static(found):
        function = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function) and function.__doc__:
            yield f"### `{found.__name__}.{name}`\n"
            yield f"```python\n{name}{_signature(function)}\n```\n"
            yield f"{_docstring(function)}\n"


def _signature(function: Any) -> str:
    try:
        return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))
    except ValueError:
        return "(…)"


def _docstring(found: Any) -> str:
    return _paragraphs(inspect.getdoc(found) or "")


def _field_docstrings(found: type) -> dict[str, str]:
    """The docstrings below the fields of a record."""
    try:
        source = inspect.getsource(found)
    except (OSError, TypeError):
        return {}
    pattern = re.compile(
        r'^    (\w+): [^\n]+\n(?:    [^"\n][^\n]*\n)*?    """(.+?)"""', re.M | re.S
    )
    return {name: " ".join(text.split()) for name, text in pattern.findall(source)}


# --- Markdown ---------------------------------------------------------------------------------


def _row(*cells: str) -> str:
    flat = (" ".join(str(cell).split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(flat)} |"


def _paragraphs(text: str) -> str:
    """Plain text in which nothing is taken for markup but code."""
    return re.sub(r"(?<!`)<(?=\w)", "&lt;", inspect.cleandoc(text))


def _fenced(value: object) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```\n"
