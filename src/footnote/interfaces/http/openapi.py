"""The OpenAPI description: FastAPI's, completed from docstrings, recorded examples and guards."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, cast, get_args, get_type_hints

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from footnote.interfaces.http.authentication import OPEN_PATHS
from footnote.interfaces.http.chat_errors import error_responses
from footnote.interfaces.http.login import LOGIN_PATH, SESSION_COOKIE
from footnote.interfaces.http.problems import Problem, Responses, problem_responses
from footnote.interfaces.http.sharing import SHARED_PATH
from footnote.interfaces.http.streaming import MEDIA_TYPE
from footnote.settings import Settings

_ANYWHERE = problem_responses("bad-request", "request-timeout", "head-too-large")
"""What is refused before a route is chosen."""

_PROVIDER, _LINK = "provider", "link"
"""The scheme that opens no route by itself, and the only one for what a link shows."""

_EVENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "event": {"type": "string"},
        "data": {"type": "string", "description": "JSON, or `[DONE]` in OpenAI's shape."},
        "retry": {"type": "integer", "description": "Milliseconds before a new connection."},
    },
}

_PYTHON_WORDS = {"None": "null", "True": "true", "False": "false", "…": " to "}
_PYTHON_WORD = re.compile(r"\b(?:None|True|False)\b|(?<=\d)…(?=\d)")


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of an application, made once."""
    if app.openapi_schema is None:
        schema = _schema_of(app.state.routers)
        schemes = _security_schemes(app.state.lifecycle.settings)
        app.openapi_schema = {
            **get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                tags=app.openapi_tags,
                routes=(),
            ),
            "paths": {
                path: {
                    method: {
                        **operation,
                        "security": [{name: []} for name in _schemes_for(path, schemes)],
                    }
                    for method, operation in methods.items()
                }
                for path, methods in schema["paths"].items()
            },
            "components": {
                **schema["components"],
                **({"securitySchemes": schemes} if schemes else {}),
            },
        }
    return app.openapi_schema


_cached_schemas: dict[tuple[int, ...], dict[str, Any]] = {}
"""Descriptions by the identities of routers, which are those of modules."""


def _schema_of(routers: Sequence[APIRouter]) -> dict[str, Any]:
    """The paths and the components of routes, which applications share: nobody changes them."""
    identities = tuple(map(id, routers))
    if identities in _cached_schemas:
        return _cached_schemas[identities]
    routes = [route for router in routers for route in router.routes]
    schema = get_openapi(title="", version="", routes=routes)
    components = schema["components"]["schemas"]
    problem_schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    components.update(problem_schema.pop("$defs", {}))
    components["Problem"] = problem_schema
    for record in records_in(answers_of(routers)):
        if record.__name__ in components:
            _describe_members(components[record.__name__], record)
    for methods in schema["paths"].values():
        for operation in methods.values():
            _complete(operation)
            _add_examples(operation)
    _cached_schemas[identities] = schema
    return schema


def _security_schemes(settings: Settings) -> dict[str, dict[str, str]]:
    """What proves who asks, by the settings; none where identities are not asked for."""
    ways = settings.identity_ways
    schemes: dict[str, dict[str, str]] = {}
    if "keys" in ways:
        schemes["apiKey"] = {
            "type": "http",
            "scheme": "bearer",
            "description": "A key of a workspace, `fn_ID_SECRET`: `footnote keys create`.",
        }
    if "tokens" in ways:
        schemes["token"] = {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": f"A token that {settings.accepted_tokens.issuer} signed for "
            f"{settings.accepted_tokens.audience}.",
        }
    if "login" in ways:
        schemes["session"] = {
            "type": "apiKey",
            "in": "cookie",
            "name": SESSION_COOKIE,
            "description": f"The session of a person who logged in at {LOGIN_PATH}. What changes "
            "something must come from a page of this server.",
        }
        issuer = (settings.login_provider.issuer or "").rstrip("/")
        schemes[_PROVIDER] = {
            "type": "openIdConnect",
            "openIdConnectUrl": f"{issuer}/.well-known/openid-configuration",
            "description": f"Where people log in: {LOGIN_PATH} sends the browser there, and makes "
            "a session of what it answers. Its own tokens open nothing.",
        }
    if ways:
        schemes[_LINK] = {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a link, `fl_ID_SECRET`. One to a collection searches, "
            "asks and reads there as a reader does.",
        }
    return schemes


def _schemes_for(path: str, schemes: Iterable[str]) -> list[str]:
    """The schemes of which any one opens a path; none where the path is open."""
    if path in OPEN_PATHS:
        return []
    if path == SHARED_PATH:
        return [name for name in schemes if name == _LINK]
    return [name for name in schemes if name != _PROVIDER]


def answers_of(routers: Iterable[APIRouter]) -> Iterator[object]:
    """What routes answer with."""
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                yield route.response_model
                yield from (response.get("model") for response in route.responses.values())


def records_in(kinds: Iterable[object]) -> Iterator[type]:
    """The dataclasses that types consist of, and those of their fields, each once."""
    pending, visited = list(kinds), set[object]()
    while pending:
        kind = pending.pop()
        if kind in visited:
            continue
        visited.add(kind)
        pending += get_args(kind)
        if isinstance(kind, type) and is_dataclass(kind):
            pending += get_type_hints(kind).values()
            yield kind


def _describe_members(component: dict[str, Any], record: type) -> None:
    """Describe the members of a record by its docstrings; each is always there."""
    descriptions = dict(_described_fields(record))
    for name, kind in get_type_hints(record).items():
        if name not in component["properties"] and is_dataclass(kind):
            descriptions = {**_described_fields(cast("type", kind)), **descriptions}
    for name, member in component["properties"].items():
        if name in descriptions:
            member.setdefault("description", descriptions[name])
    component["required"] = list(component["properties"])


def _described_fields(record: type) -> Mapping[str, str]:
    """What the docstrings of a class say of its fields and properties, in JSON's words."""
    fields: dict[str, str] = {}
    for base in reversed(record.__mro__[:-1]):
        fields |= _docstrings_of(base.__module__).get(base.__name__, {})
    return fields


@cache
def _docstrings_of(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings of fields by class and field; none where there is no source."""
    try:
        source = inspect.getsource(sys.modules[module])
    except OSError:
        return {}
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return {node.name: dict(_docstrings_in(node)) for node in classes}


def _docstrings_in(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        match statement, following:
            case ast.FunctionDef(), _:
                if docstring := ast.get_docstring(statement):
                    yield statement.name, _in_json(docstring)
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(docstring))),
            ):
                yield name, _in_json(docstring)


def _in_json(docstring: str) -> str:
    return _PYTHON_WORD.sub(lambda word: _PYTHON_WORDS[word[0]], inspect.cleandoc(docstring))


def _complete(operation: dict[str, Any]) -> None:
    """Add the summary, what the guards answer, and what one event of a stream is."""
    operation["summary"] = operation["description"].partition("\n")[0].removesuffix(".")
    responses = operation["responses"]
    openai_shape = "application/json" in responses.get("404", {}).get("content", {})
    _add(responses, _ANYWHERE)
    if "requestBody" in operation:
        too_large = problem_responses("content-too-large")
        _add(responses, error_responses(413) if openai_shape else too_large)
    for status, response in responses.items():
        if response["description"] == "Successful Response":
            response["description"] = HTTPStatus(int(status)).phrase
        stream = response.get("content", {}).get(MEDIA_TYPE)
        if stream is not None:
            # What each event is; `schema` would be of all of them (OpenAPI 3.2).
            stream.pop("schema", None)
            stream["itemSchema"] = _EVENT


def _add(responses: dict[str, Any], added: Responses) -> None:
    for status, response in added.items():
        existing = responses.setdefault(str(status), {**response, "content": {}})
        existing["content"] = {**response["content"], **existing["content"]}


@cache
def _recorded() -> Mapping[str, Mapping[str, Any]]:
    """Examples that `tests/interfaces/test_examples.py` recorded from a server.

    `requests` and `responses` are named by their schema, and its status where it has several, or
    else by their operation; texts by operation and media type.
    """
    text = files(__package__).joinpath("examples.json").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, Any]]", json.loads(text))


def _add_examples(operation: dict[str, Any]) -> None:
    recorded, operation_id = _recorded(), operation["operationId"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        names = {operation_id, *map(_schema_name, (schema, *schema.get("anyOf", ())))}
        for name in names & recorded["requests"].keys():
            content["examples"] = recorded["requests"][name]
    for status, response in operation["responses"].items():
        for media_type, content in response.get("content", {}).items():
            name = _schema_name(content.get("schema", {}))
            for key in (f"{operation_id} {media_type}", f"{name} {status}", name):
                if key in recorded["responses"]:
                    content.setdefault("example", recorded["responses"][key])


def _schema_name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]
