"""The scripted server is taken for the real one by the official clients."""

from __future__ import annotations

import httpx
import pytest
from anthropic import AsyncAnthropic
from openai import APIError, AsyncOpenAI, RateLimitError

from . import WireServer, calls, cut_off, endless, fails, says


def openai(server: WireServer) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=server.openai_url, api_key="key", max_retries=0)


def anthropic(server: WireServer) -> AsyncAnthropic:
    return AsyncAnthropic(base_url=server.anthropic_url, api_key="key", max_retries=0)


async def test_openai_is_streamed_and_whole(wire_server: WireServer) -> None:
    wire_server.script(says("Hel", "lo"), says("Hel", "lo"))
    async with openai(wire_server) as client:
        whole = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hi"}]
        )
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    assert whole.choices[0].message.content == "Hello"
    assert [piece for piece in pieces if piece] == ["Hel", "lo"]
    assert [asked.prompt for asked in wire_server.asked] == ["Hi", "Hi"]


async def test_anthropic_streams_text_and_a_tool_call(wire_server: WireServer) -> None:
    wire_server.script(calls("look", '{"for": "rent"}', text="Let me see."))
    async with (
        anthropic(wire_server) as client,
        client.messages.stream(
            model="m",
            max_tokens=9,
            system="Be brief.",
            messages=[{"role": "user", "content": "Hi"}],
        ) as stream,
    ):
        message = await stream.get_final_message()
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert message.content[1].model_dump()["input"] == {"for": "rent"}
    assert wire_server.asked[0].instructions == "Be brief."


async def test_errors_and_broken_streams_are_seen_by_the_client(wire_server: WireServer) -> None:
    wire_server.script(fails(429), cut_off("Hel"))
    async with openai(wire_server) as client:
        with pytest.raises(RateLimitError):
            await client.chat.completions.create(model="m", messages=[])
        stream = await client.chat.completions.create(model="m", messages=[], stream=True)
        with pytest.raises((httpx.RemoteProtocolError, APIError)):
            [chunk async for chunk in stream]


async def test_a_client_that_leaves_is_noted(wire_server: WireServer) -> None:
    wire_server.script(endless())
    async with openai(wire_server) as client:
        stream = await client.chat.completions.create(model="m", messages=[], stream=True)
        async for _ in stream:
            break
        assert not wire_server.asked[0].left.is_set()
        await stream.close()
        assert await wire_server.asked[0].was_left()
