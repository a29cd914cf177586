"""Parse model settings of the form NAME or NAME@ADDRESS of a server."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

VENDORS = frozenset(
    """
    alibaba anthropic azure azure-responses bedrock bedrock-mantle cerebras cohere crusoe deepseek
    elevenlabs fireworks github github-copilot google google-cloud google-decisions groq heroku
    huggingface litellm meta mistral moonshotai nebius ollama openai openai-chat openai-chatgpt
    openai-codex openai-decisions openai-responses openrouter ovhcloud sambanova
    sentence-transformers snowflake system-one together typesafe vercel vllm voyageai xai zai
    """.split()
)
"""The vendors that pydantic-ai supports, to detect a wrong name without importing it."""
RENAMED = {"google-gla": "google", "google-vertex": "google-cloud"}
"""Former names of vendors to their current names."""

NO_ADDRESS = "stands no address of http or https without password and query"
_BEFORE_ADDRESS = re.compile(r"@(?=[A-Za-z]+://)")  # names of models have an @, too
_HALF_AN_ADDRESS = re.compile(
    r"[^:@]@(?:$|.*[/:]|[\d.]+\.\d+$|localhost$"
    r"|[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*\.[A-Za-z]{2,}$)"
)
"""Matches an @ followed by what looks like an address without `http://`. Taken as part of the name,
it would send to the vendor what is meant for that server."""


def name_and_address(text: str) -> tuple[str, str | None]:
    """Return the name, and the address if one is given. Raises ValueError if it is invalid.

    The error does not repeat the address, as it may contain a password.
    """
    name, *address = _BEFORE_ADDRESS.split(text.strip(), maxsplit=1)
    url = address[0] if address else None
    if _HALF_AN_ADDRESS.search(name.strip()) or (url is not None and not _is_address(url)):
        raise ValueError(f"behind @ {NO_ADDRESS}")
    return name.strip(), url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and parts.port != 0  # raises ValueError for what is no port
            and not (parts.username or parts.query or parts.fragment)
            and not re.search(r"\s", url)
        )
    except ValueError:
        return False
