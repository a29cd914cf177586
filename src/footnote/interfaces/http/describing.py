"""The description of the API, with what every route may answer beside what it says itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any, cast, get_type_hints

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from footnote.interfaces.http.chat_errors import error_responses
from footnote.interfaces.http.docstrings import described_fields, records_in
from footnote.interfaces.http.examples import problem_responses, recorded_examples
from footnote.interfaces.http.problems import Problem
from footnote.interfaces.http.streaming import MEDIA_TYPE

_ANYWHERE = problem_responses("bad-request", "request-timeout", "head-too-large")
"""What is refused before a route is chosen."""

_EVENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "event": {"type": "string"},
        "data": {"type": "string", "description": "JSON, or `[DONE]` in OpenAI's shape."},
        "retry": {"type": "integer", "description": "Milliseconds before a new connection."},
    },
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of an application, made once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            tags=app.openapi_tags,
            routes=app.routes,
        )
        template = "#/components/schemas/{model}"
        described = Problem.model_json_schema(ref_template=template)
        components = schema.setdefault("components", {}).setdefault("schemas", {})
        components.update(described.pop("$defs", {}))
        components["Problem"] = described
        for record in records_in(answers_of(app.state.routers)):
            if record.__name__ in components:
                _describe(components[record.__name__], record)
        for operation in _operations(schema):
            _complete(operation)
            _show(operation)
        app.openapi_schema = schema
    return app.openapi_schema


def answers_of(routers: Iterable[APIRouter]) -> Iterator[object]:
    """What routes answer with."""
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                yield route.response_model
                yield from (each.get("model") for each in route.responses.values())


def _describe(component: dict[str, Any], record: type) -> None:
    """Describe the members of a record by its docstrings; each is always there."""
    said = dict(described_fields(record))
    for name, kind in get_type_hints(record).items():
        if name not in component["properties"] and is_dataclass(kind):
            said = {**described_fields(cast("type", kind)), **said}
    for name, member in component["properties"].items():
        if name in said:
            member.setdefault("description", said[name])
    component["required"] = list(component["properties"])


def _operations(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in schema["paths"].values():
        yield from methods.values()


def _complete(operation: dict[str, Any]) -> None:
    """Add what the guards answer, and what one event of a stream is."""
    responses = operation["responses"]
    in_their_shape = "application/json" in responses.get("404", {}).get("content", {})
    _add(responses, _ANYWHERE)
    if "requestBody" in operation:
        ours = problem_responses("content-too-large")
        _add(responses, error_responses(413) if in_their_shape else ours)
    for response in responses.values():
        stream = response.get("content", {}).get(MEDIA_TYPE)
        if stream is not None:
            # What each event is; `schema` would be of all of them (OpenAPI 3.2).
            stream.pop("schema", None)
            stream["itemSchema"] = _EVENT


def _show(operation: dict[str, Any]) -> None:
    """Add the recorded examples of its request and its answers, by the names of their schemas."""
    recorded = recorded_examples()
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        for each in (schema, *schema.get("anyOf", ())):
            if (name := _name_of(each)) in recorded["requests"]:
                content["examples"] = recorded["requests"][name]
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json", {})
        name = _name_of(content.get("schema", {}))
        example = recorded["responses"].get(f"{name} {status}", recorded["responses"].get(name))
        if example is not None:
            content.setdefault("example", example)


def _name_of(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _add(responses: dict[str, Any], more: dict[int | str, dict[str, Any]]) -> None:
    for status, response in more.items():
        known = responses.setdefault(str(status), {**response, "content": {}})
        known["content"] = {**response["content"], **known["content"]}
