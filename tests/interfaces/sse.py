"""Server-Sent Events as a client reads them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One event."""

    event: str
    data: Any
    id: str = ""


async def told(response: httpx.Response) -> AsyncIterator[Told]:
    """The events of a response, without comments and those that carry nothing."""
    fields: dict[str, str] = {}
    last_id = ""
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
            last_id = fields.get("id", last_id)
            continue
        if "data" in fields:
            data = fields["data"]
            yield Told(
                event=fields.get("event", "message"),
                data=data if data == "[DONE]" else json.loads(data),
                id=last_id,
            )
        fields = {}


@asynccontextmanager
async def streaming(
    client: httpx.AsyncClient,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[AsyncIterator[Told]]:
    """The events that a POST of the body, or a GET without one, is answered with."""
    method = "GET" if body is None else "POST"
    async with client.stream(method, path, json=body, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield told(response)
