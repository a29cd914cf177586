"""A real HTTP server on loopback that speaks the reranking APIs, and fails as it is told."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import cast

KEY = "secret-key-Zx81"
_COHERE = {"model", "query", "documents", "top_n"}
FIELDS = {
    "cohere": _COHERE,
    "jina": _COHERE | {"return_documents"},
    "voyage": {"model", "query", "documents", "top_k", "return_documents", "truncation"},
    "tei": {"query", "texts", "raw_scores", "return_text", "truncate"},
    "vertex": {"model", "query", "records", "ignoreRecordDetailsInResponse"},
}
"""What a request of each API has, which tells them apart."""
MAX_TEXTS = {"cohere": 1000, "jina": 1000, "voyage": 1000, "tei": 32, "vertex": 200}


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer that is given instead of the true one."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut_off: bool = False
    """Whether half of the body is sent, and then the connection closed."""
    held: bool = False
    """Whether it waits until the server closes."""


@dataclass(slots=True, kw_only=True)
class RerankServer:
    """Scores texts by the share of the query's words they hold."""

    url: str = ""
    key: str | None = KEY
    replies: deque[Reply] = field(default_factory=deque)
    received: list[Received] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve the requests of one connection."""
        try:
            while (request := await _request(reader)) is not None:
                self.received.append(request)
                self.arrived.set()
                reply = self.replies.popleft() if self.replies else self._answer(request)
                if not await self._send(writer, reply):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The client hung up, which some tests make it do.
        finally:
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        if reply.held:
            await self.closing.wait()
            return False
        head = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
        head += [f"{name}: {value}" for name, value in reply.headers.items()]
        head += [f"content-length: {len(reply.body)}", "content-type: application/json", "", ""]
        body = reply.body[: len(reply.body) // 2] if reply.cut_off else reply.body
        writer.write("\r\n".join(head).encode("latin-1") + body)
        await writer.drain()
        return not reply.cut_off

    def _answer(self, request: Received) -> Reply:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return Reply(status=401)
        [kind] = [name for name, fields in FIELDS.items() if fields == request.body.keys()] or [""]
        texts = _texts(request.body)
        if not kind or not texts or len(texts) > MAX_TEXTS[kind]:
            return Reply(status=422)
        scores = [overlap(cast("str", request.body["query"]), text) for text in texts]
        order = sorted(range(len(texts)), key=lambda position: -scores[position])
        answer = answer_of(kind, [(position, scores[position]) for position in order])
        return Reply(body=json.dumps(answer).encode())


def answer_of(kind: str, placed: list[tuple[int, float]]) -> object:
    """What the API would answer for these positions and scores, in this order."""
    if kind == "vertex":
        # Protocol buffers leave out a score of zero.
        return {
            "records": [{"id": str(n), **({"score": s} if s else {})} for n, s in placed],
        }
    if kind == "tei":
        return [{"index": position, "score": score} for position, score in placed]
    ranked = [{"index": position, "relevance_score": score} for position, score in placed]
    if kind == "voyage":
        return {"object": "list", "data": ranked, "usage": {"total_tokens": 1}}
    return {"id": "1", "results": ranked, "meta": {"billed_units": {"search_units": 1}}}


def overlap(query: str, text: str) -> float:
    """The share of the query's words that the text holds, less what makes it long."""
    wanted = set(re.findall(r"\w+", query.lower()))
    words = re.findall(r"\w+", text.lower())
    return len(wanted & set(words)) / (len(wanted) or 1) / (1 + math.log1p(len(words)) / 10)


def _texts(body: Mapping[str, object]) -> list[str]:
    if "records" in body:
        records = cast("list[dict[str, str]]", body["records"])
        return [record["content"] for record in records]
    return cast("list[str]", body.get("documents", body.get("texts", [])))


async def _request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = dict(line.lower().split(": ", 1)[:1] + line.split(": ", 1)[1:] for line in head[1:-2])
    body = await reader.readexactly(int(headers["content-length"]))
    return Received(path=head[0].split(" ")[1], headers=headers, body=json.loads(body))


@asynccontextmanager
async def rerank_server() -> AsyncIterator[RerankServer]:
    """A server on a free port of loopback."""
    service = RerankServer()
    conversations: set[asyncio.Task[None]] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        conversations.add(task)
        await service.converse(reader, writer)

    listening = await asyncio.start_server(converse, "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()
    service.url = f"http://{host}:{port}"
    try:
        yield service
    finally:
        service.closing.set()
        listening.close()
        await asyncio.gather(*conversations)
        await listening.wait_closed()
