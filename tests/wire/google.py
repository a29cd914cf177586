"""Requests and replies in the words of Google's Gemini API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from .replies import Finish, Reply

Json = Mapping[str, object]
PATH = re.compile(r"/v1beta/models/([^:]+):(generateContent|streamGenerateContent)")
"""The model, and whether its reply is streamed; the body tells neither."""

_FINISH: dict[Finish, str] = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "filtered": "SAFETY",
    "calls": "STOP",
}
_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def error(reply: Reply) -> Json:
    """The body of an error."""
    status = reply.code or _ERRORS.get(reply.status, "INTERNAL")
    return {"error": {"code": reply.status, "message": reply.message, "status": status}}


def body(reply: Reply, model: str) -> Json:
    """The whole reply at once."""
    parts: list[Json] = [{"text": reply.text}] if reply.text else []
    return _response(reply, model, [*parts, *_calls(reply)], last=True)


def events(reply: Reply, model: str) -> Iterator[tuple[bool, bytes]]:
    """The reply piece by piece; True marks a piece of the text."""
    for piece in reply.pieces:
        yield True, _event(_response(reply, model, [{"text": piece}]))
    yield False, _event(_response(reply, model, _calls(reply), last=True))


def said_by(payload: Json, role: str) -> str:
    """Everything that somebody says: `system`, or `user`."""
    if role == "system":
        return "\n".join(_texts(payload.get("systemInstruction") or {}))
    contents = cast("list[Json]", payload["contents"])
    return "\n".join(text for each in contents if each["role"] == role for text in _texts(each))


def tools(payload: Json) -> dict[str, Json]:
    """The tools that are offered: name to JSON Schema."""
    offered = cast("list[dict[str, list[Json]]]", payload.get("tools") or [])
    declared = [each for group in offered for each in group.get("functionDeclarations", [])]
    return {str(each["name"]): cast("Json", each["parameters_json_schema"]) for each in declared}


def tool_results(payload: Json) -> list[str]:
    """What tools gave, oldest first."""
    parts = [part for each in cast("list[Json]", payload["contents"]) for part in _parts(each)]
    given = (cast("Json", part.get("functionResponse") or {}) for part in parts)
    return [str(cast("Json", each["response"])["return_value"]) for each in given if each]


def _response(reply: Reply, model: str, parts: list[Json], *, last: bool = False) -> Json:
    candidate: dict[str, object] = {"index": 0, "content": {"role": "model", "parts": parts}}
    told: dict[str, object] = {"candidates": [candidate], "modelVersion": model, "responseId": "r1"}
    if last:
        candidate["finishReason"] = _FINISH[reply.finish]
    if last and reply.tells_usage:
        told["usageMetadata"] = {
            "promptTokenCount": reply.input_tokens,
            "candidatesTokenCount": reply.output_tokens,
            "totalTokenCount": reply.input_tokens + reply.output_tokens,
        }
    return told


def _calls(reply: Reply) -> list[Json]:
    return [
        {
            "functionCall": {
                "id": call.call_id,
                "name": call.name,
                "args": json.loads(call.arguments),
            }
        }
        for call in reply.calls
    ]


def _texts(content: object) -> list[str]:
    return [str(part["text"]) for part in _parts(content) if "text" in part]


def _parts(content: object) -> list[Json]:
    return cast("list[Json]", cast("Json", content).get("parts") or [])


def _event(told: Json) -> bytes:
    return f"data: {json.dumps(told)}\n\n".encode()
