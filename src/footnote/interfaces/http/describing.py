"""The description of the API, with what every route may answer beside what it says itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from footnote.interfaces.http.chat_errors import error_responses
from footnote.interfaces.http.examples import problem_responses
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
        for operation in _operations(schema):
            _complete(operation)
        app.openapi_schema = schema
    return app.openapi_schema


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


def _add(responses: dict[str, Any], more: dict[int | str, dict[str, Any]]) -> None:
    for status, response in more.items():
        known = responses.setdefault(str(status), {**response, "content": {}})
        known["content"] = {**response["content"], **known["content"]}
