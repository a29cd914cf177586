"""What a client hears whose request is in hand when the server has to end."""

from __future__ import annotations

import asyncio
import json
from asyncio import StreamReader, StreamWriter

import httpx
import pytest

from footnote.settings import Settings
from tests.interfaces.serving import served

LARGE = 48 * 1024 * 1024
"""Bytes that no buffer between a server and its client takes."""


async def connected(http: httpx.AsyncClient) -> tuple[StreamReader, StreamWriter]:
    return await asyncio.open_connection(http.base_url.host, http.base_url.port)


def head(method: str, path: str, *headers: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", "")
    return "\r\n".join(lines).encode()


async def test_an_upload_that_is_cut_off_is_told_to_come_again(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(settings, grace_seconds=0) as http:
        reader, writer = await connected(http)
        form = "Content-Type: multipart/form-data; boundary=xx"
        # The server says that it goes on once it begins to read the body.
        upload = head(
            "POST", "/v1/documents", form, "Content-Length: 100000", "Expect: 100-continue"
        )
        writer.write(upload)
        assert b"100" in await reader.readuntil(b"\r\n\r\n")
        named = b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nhello'
        writer.write(named)
        await writer.drain()
    answered, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    status, *headers = answered.decode().lower().split("\r\n")
    assert " 503 " in status
    assert {"content-type: application/problem+json", "connection: close"} <= set(headers)
    assert any(each.startswith("retry-after: ") for each in headers)
    problem = json.loads(body)
    assert problem["type"] == "urn:footnote:problem:not-ready"
    assert "stopped" in problem["detail"]
    assert not [each for each in caplog.records if each.exc_info]


async def test_an_answer_that_has_begun_breaks_off_without_a_word(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(settings, grace_seconds=0) as http:
        kept = await http.post("/v1/documents", files={"file": ("large.txt", b"a " * (LARGE // 2))})
        reader, writer = await connected(http)
        writer.write(head("GET", f"{kept.headers['location']}/content"))
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
    assert len(await reader.read()) < LARGE
    writer.close()
    assert not [each for each in caplog.records if each.exc_info]
