"""A server of embeddings on loopback that speaks OpenAI's wire format, and does as it is told."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from footnote.models.testing import HashEmbedder

from .openai_server import Asked, OpenAiServer, Reply

DIMENSIONS = 32


def texts_of(asked: Asked) -> list[str]:
    """What a request wants embedded."""
    wanted = asked.payload["input"]
    return [wanted] if isinstance(wanted, str) else cast("list[str]", wanted)


def embeds(asked: Asked, dimensions: int = DIMENSIONS, *, model: str = "served") -> Reply:
    """Vectors of hashed words, ten times unit length, with one token for each word."""
    embedder = HashEmbedder(dimensions=dimensions, model=model)
    texts = texts_of(asked)
    vectors = 10 * embedder.encode(texts) + 0.1  # No beginning of a vector is empty.
    tokens = sum(embedder.count_tokens(texts))
    body = {
        "object": "list",
        "model": asked.payload["model"],
        "data": [
            {"object": "embedding", "index": index, "embedding": _written(vector, asked)}
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
    return Reply(body=json.dumps(body).encode())


def _written(
    vector: np.ndarray[tuple[int], np.dtype[np.float32]], asked: Asked
) -> str | list[float]:
    if asked.payload.get("encoding_format") == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()


def first(*replies: Reply, then: Callable[[Asked], Reply] = embeds) -> Callable[[Asked], Reply]:
    """These replies one after another, then vectors."""
    waiting = list(replies)

    def respond(asked: Asked) -> Reply:
        return waiting.pop(0) if waiting else then(asked)

    return respond


def embedding_server(*replies: Reply, then: Callable[[Asked], Reply] = embeds) -> OpenAiServer:
    """Serves vectors at `server.url`, after these replies."""
    return OpenAiServer(respond=first(*replies, then=then))


def embedded_texts(servers: Sequence[OpenAiServer]) -> list[str]:
    """Every text the servers were asked for, in order."""
    return [text for server in servers for asked in server.asked for text in texts_of(asked)]
