"""How settings spell models that are served: a name, and behind an @ the address of a server."""

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
"""That pydantic-ai knows, to tell a wrong name without it."""
RENAMED = {"google-gla": "google", "google-vertex": "google-cloud"}
"""Vendors as they were called, and are called now."""

NO_ADDRESS = "stands no address of http or https without password and query"
_BEFORE_ADDRESS = re.compile(r"@(?=[A-Za-z]+://)")  # names of models have an @, too
_HALF_AN_ADDRESS = re.compile(
    r"[^:@]@(?:$|.*[/:]|[\d.]+\.\d+$|localhost$"
    r"|[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*\.[A-Za-z]{2,}$)"
)
"""An @ behind a name with what can only be meant as an address, though nothing says `http`. Were it
read as a name, what is meant for that server would go to the vendor."""


def name_and_address(text: str) -> tuple[str, str | None]:
    """The name, and the address where one is said. Raises ValueError where it is none.

    The address is not repeated: it may carry a password.
    """
    name, *rest = _BEFORE_ADDRESS.split(text.strip(), maxsplit=1)
    url = rest[0] if rest else None
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
