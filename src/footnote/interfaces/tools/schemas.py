"""The tools as the function schemas of the large APIs."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.ports import Tool


def openai(tools: Sequence[Tool]) -> list[dict[str, object]]:
    """As chat completions, and servers that copy them, take `tools`."""
    return [
        {
            "type": "function",
            "function": {
                "name": each.name,
                "description": each.description,
                "parameters": dict(each.parameters),
            },
        }
        for each in tools
    ]


def openai_responses(tools: Sequence[Tool]) -> list[dict[str, object]]:
    """As OpenAI's responses API takes `tools`."""
    return [
        {
            "type": "function",
            "name": each.name,
            "description": each.description,
            "parameters": dict(each.parameters),
            # Strict schemas may not leave anything out that a call leaves out.
            "strict": False,
        }
        for each in tools
    ]


def anthropic(tools: Sequence[Tool]) -> list[dict[str, object]]:
    """As Anthropic's messages API takes `tools`."""
    return [
        {
            "name": each.name,
            "description": each.description,
            "input_schema": dict(each.parameters),
        }
        for each in tools
    ]
