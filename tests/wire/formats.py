"""Replies in the words of OpenAI's chat completions, which are Mistral's, and of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from .replies import Call, Finish, Reply

Json = Mapping[str, object]

_OPENAI_FINISH: dict[Finish, str] = {
    "stop": "stop",
    "length": "length",
    "filtered": "content_filter",
    "calls": "tool_calls",
}
_ANTHROPIC_FINISH: dict[Finish, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "filtered": "refusal",
    "calls": "tool_use",
}
_ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def openai_error(reply: Reply) -> Json:
    """The body of an error of OpenAI's."""
    return {
        "error": {
            "message": reply.message,
            "type": "scripted",
            "param": None,
            "code": reply.code,
        }
    }


def anthropic_error(reply: Reply) -> Json:
    """The body of an error of Anthropic's."""
    kind = reply.code or _ANTHROPIC_ERRORS.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.message}}


def openai_body(reply: Reply, model: str) -> Json:
    """The whole reply at once, as OpenAI writes it."""
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [_openai_call(call, call.arguments) for call in reply.calls]
    choice = {"index": 0, "message": message, "finish_reason": _OPENAI_FINISH[reply.finish]}
    body: dict[str, object] = {**_openai_head(model, "chat.completion"), "choices": [choice]}
    return {**body, "usage": _openai_usage(reply)} if reply.tells_usage else body


def mistral_events(reply: Reply, model: str) -> Iterator[tuple[bool, bytes]]:
    """The same as Mistral streams it, who sends a tool's call in one piece."""
    return openai_events(reply, model, whole_calls=True)


def openai_events(
    reply: Reply, model: str, *, whole_calls: bool = False
) -> Iterator[tuple[bool, bytes]]:
    """The reply piece by piece, as OpenAI streams it; True marks a piece of the text."""
    head = _openai_head(model, "chat.completion.chunk")

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({**head, "choices": [choice], "usage": None})

    yield False, chunk({"role": "assistant", "content": ""})
    for piece in reply.pieces:
        yield True, chunk({"content": piece})
    for index, call in enumerate(reply.calls):
        if whole_calls:
            whole = {"index": index, **_openai_call(call, call.arguments)}
            yield False, chunk({"tool_calls": [whole]})
            continue
        yield False, chunk({"tool_calls": [{"index": index, **_openai_call(call, "")}]})
        for part in _parts(call.arguments):
            written = {"index": index, "function": {"arguments": part}}
            yield False, chunk({"tool_calls": [written]})
    yield False, chunk({}, _OPENAI_FINISH[reply.finish])
    if reply.tells_usage:
        yield False, _data({**head, "choices": [], "usage": _openai_usage(reply)})
    yield False, b"data: [DONE]\n\n"


def anthropic_body(reply: Reply, model: str) -> Json:
    """The whole reply at once, as Anthropic writes it."""
    content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {
            "type": "tool_use",
            "id": each.call_id,
            "name": each.name,
            "input": json.loads(each.arguments),
        }
        for each in reply.calls
    ]
    finish = _ANTHROPIC_FINISH[reply.finish]
    return {**_anthropic_head(reply, model), "content": content, "stop_reason": finish}


def anthropic_events(reply: Reply, model: str) -> Iterator[tuple[bool, bytes]]:
    """The reply piece by piece, as Anthropic streams it; True marks a piece of the text."""
    yield False, _event("message_start", message=_anthropic_head(reply, model))
    index = 0
    if reply.pieces:
        yield (
            False,
            _event("content_block_start", index=index, content_block={"type": "text", "text": ""}),
        )
        for piece in reply.pieces:
            yield (
                True,
                _event(
                    "content_block_delta", index=index, delta={"type": "text_delta", "text": piece}
                ),
            )
        yield False, _event("content_block_stop", index=index)
        index += 1
    for call in reply.calls:
        block = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
        yield False, _event("content_block_start", index=index, content_block=block)
        for part in _parts(call.arguments):
            delta = {"type": "input_json_delta", "partial_json": part}
            yield False, _event("content_block_delta", index=index, delta=delta)
        yield False, _event("content_block_stop", index=index)
        index += 1
    finish = {"stop_reason": _ANTHROPIC_FINISH[reply.finish], "stop_sequence": None}
    usage = {"output_tokens": reply.output_tokens}
    yield False, _event("message_delta", delta=finish, usage=usage)
    yield False, _event("message_stop")


def _openai_head(model: str, kind: str) -> dict[str, object]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _openai_usage(reply: Reply) -> Json:
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }


def _openai_call(call: Call, arguments: str) -> dict[str, object]:
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def _anthropic_head(reply: Reply, model: str) -> dict[str, object]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }


def _parts(arguments: str) -> tuple[str, str]:
    """The arguments in two parts, so that whoever reads a stream has to join them."""
    middle = len(arguments) // 2
    return arguments[:middle], arguments[middle:]


def _data(body: Json) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


def _event(kind: str, **body: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **body})}\n\n".encode()
