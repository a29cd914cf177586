"""Tells what is wrong with bytes that should be a message of JSON-RPC."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Literal

from pydantic import ValidationError

from footnote.interfaces.tools.library import optional_import
from footnote.validation.text import is_unicode, json_fault

with optional_import("mcp", "mcp"):
    from mcp.types import (
        INVALID_REQUEST,
        PARSE_ERROR,
        ErrorData,
        JSONRPCError,
        JSONRPCNotification,
        jsonrpc_message_adapter,
    )

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Of one message, including the end of its line."""


def error_of(line: bytes, *, unit: Literal["line", "body"]) -> JSONRPCError | None:
    """What is wrong with a line, or a body, under the identifier of its request if it has one."""
    if len(line) > MAX_LINE_BYTES:
        limit = f"{MAX_LINE_BYTES // 2**20} MiB"
        return _error(INVALID_REQUEST, f"This {unit} is longer than a message may be, {limit}.")
    message = None
    with suppress(ValidationError):
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    # A request whose `id` is null passes for a notification, which gets no answer.
    if message is not None and not (isinstance(message, JSONRPCNotification) and b'"id"' in line):
        return None
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        return _error(
            PARSE_ERROR,
            f"This cannot be read: {json_fault(error)}. Send a message as JSON in UTF-8, "
            f"{'on one line' if unit == 'line' else 'one in each request'}.",
        )
    if message is not None and "id" not in value:
        return None
    reason, identifier = "This is no message of JSON-RPC 2.0.", None
    if isinstance(value, dict) and "method" in value and "id" in value:
        identifier = value["id"]
        if type(identifier) not in (int, str):
            reason, identifier = "The `id` of a request is a string or a whole number.", None
        elif isinstance(identifier, str) and not is_unicode(identifier):
            reason, identifier = "The `id` of a request has half a surrogate pair.", None
    return _error(INVALID_REQUEST, reason, identifier)


def _error(code: int, message: str, identifier: int | str | None = None) -> JSONRPCError:
    error = ErrorData(code=code, message=message)
    return JSONRPCError(jsonrpc="2.0", id=identifier, error=error)
