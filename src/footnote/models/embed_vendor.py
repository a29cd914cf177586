"""Call embedding services through pydantic-ai, and convert their errors to `CallFailed`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from openai import AsyncOpenAI
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, infer_embedding_model
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.embeddings.settings import EmbeddingSettings
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from footnote.errors import LaneUnavailable, UnsupportedSettings
from footnote.models.embed_hosted import CallFailed, Embedded, InputType
from footnote.models.embedder_specs import unknown_vendor

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent without a key, or else the library would send the environment's key to any URL."""

_MISSING_VARIABLE = re.compile(r"Set the `([A-Z][A-Z0-9_]{2,60})` environment variable")
_BUSY = (429, 503)
_TOO_LARGE = 413
_ADVICE = {
    401: ("refused the key", "check FOOTNOTE_MODEL_KEYS"),
    403: ("refused the key", "check what the key in FOOTNOTE_MODEL_KEYS may do"),
    404: (
        "is not known at its URL",
        "check its name and address in FOOTNOTE_EMBEDDING_MODELS",
    ),
    429: (
        "is asked too often",
        "wait, or have its limit raised",
    ),
}
_FAILED = ("failed at its server", "try again later, or see the log of the model's server")
_REFUSED = (
    "refused the request",
    "check the model's name and its #DIMENSIONS, and that it takes 32 texts in a request",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorClient:
    """An EmbeddingClient over a model of pydantic-ai.

    A provider's error message is never repeated: it may contain the key or the texts.
    """

    model: EmbeddingModel = field(repr=False)
    close_connections: Callable[[], Awaitable[object]] = field(repr=False)

    async def __call__(
        self, texts: Sequence[str], input_type: InputType, dimensions: int | None
    ) -> Embedded:
        # Token counts are estimates, so the service truncates what is still too long.
        settings = EmbeddingSettings(truncate=True)
        if dimensions is not None:
            settings["dimensions"] = dimensions
        try:
            result = await self.model.embed(list(texts), input_type=input_type, settings=settings)
            return Embedded(
                vectors=result.embeddings, tokens=result.usage.input_tokens, cost=_cost(result)
            )
        except (AgentRunError, UserError) as error:
            raise _failure(error) from None
        except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
            raise CallFailed(
                f"gave nothing usable ({type(error).__name__})",
                "check that its address in FOOTNOTE_EMBEDDING_MODELS speaks the API of its kind",
            ) from None

    async def max_input_tokens(self) -> int | None:
        """Return the most tokens that the model reads of a text; None if it is unknown."""
        return await self.model.max_input_tokens()

    async def close(self) -> None:
        await self.close_connections()


def openai_client(model: str, base_url: str | None, api_key: str | None) -> VendorClient:
    """Return a client for a model of OpenAI, at its own address or behind a proxy."""
    client = _sdk(base_url or OPENAI_URL, api_key)
    embedding_model = OpenAIEmbeddingModel(model, provider=OpenAIProvider(openai_client=client))
    return VendorClient(model=embedding_model, close_connections=client.close)


def compatible_client(model: str, base_url: str, api_key: str | None) -> VendorClient:
    """Return a client for a model of any OpenAI-compatible server."""
    client = _sdk(base_url, api_key)
    provider = OpenAICompatibleProvider("compatible", openai_client=client)
    embedding_model = OpenAIEmbeddingModel(model, provider=provider)
    return VendorClient(model=embedding_model, close_connections=client.close)


def other_client(vendor: str, model: str, api_key: str | None) -> VendorClient:
    """Return a client for another vendor that pydantic-ai supports, through the vendor's library.

    Raises LaneUnavailable without the library, UnsupportedSettings for an unknown vendor or
    unusable settings.
    """
    providers: list[Provider[object]] = []

    def provider_of(name: str) -> Provider[object]:
        provider_class: Callable[..., Provider[object]] = infer_provider_class(name)
        provider = provider_class() if api_key is None else provider_class(api_key=api_key)
        providers.append(provider)
        return provider

    async def close() -> None:
        for provider in providers:
            async with provider:
                pass

    try:
        embedding_model = infer_embedding_model(f"{vendor}:{model}", provider_factory=provider_of)
    except ImportError:
        raise LaneUnavailable(
            f"the embedding model {vendor}:{model} needs a library that is not installed",
            hint=f"pip install 'pydantic-ai-slim[{vendor}]'",
        ) from None
    except ValueError:
        raise unknown_vendor(vendor, model) from None
    except (UserError, TypeError) as error:
        # Not chained, since a vendor's message may repeat the key.
        why, hint = _why_unusable(vendor, error, has_key=api_key is not None)
        raise UnsupportedSettings(
            f"the embedding model {vendor}:{model} cannot be used: {why}", hint=hint
        ) from None
    return VendorClient(model=embedding_model, close_connections=close)


def _why_unusable(vendor: str, error: UserError | TypeError, *, has_key: bool) -> tuple[str, str]:
    """Return what is wrong with the settings of a vendor, and which of them to change."""
    message = str(error)
    if isinstance(error, TypeError) and has_key:
        return f"the vendor {vendor!r} takes no key", "take its key out of FOOTNOTE_MODEL_KEYS"
    if match := _MISSING_VARIABLE.search(message):
        variable = match[1]
        ours = "FOOTNOTE_MODEL_KEYS or " if variable.endswith("KEY") else ""
        return f"{variable} is not set", f"set {ours}{variable}"
    if "region_name" in message:
        return "its region is not set", "set AWS_DEFAULT_REGION"
    if "Unknown embeddings model" in message:
        return f"the vendor {vendor!r} has no embedding models", (
            "set FOOTNOTE_EMBEDDING_MODELS to a model of another vendor"
        )
    return f"the vendor {vendor!r} lacks a setting", (
        "check FOOTNOTE_EMBEDDING_MODELS, FOOTNOTE_MODEL_KEYS and the vendor's own variables"
    )


def _sdk(base_url: str, api_key: str | None) -> AsyncOpenAI:
    # `HostedEmbedder` retries, so that a pause the service asks for applies to all requests.
    return AsyncOpenAI(api_key=api_key or NO_KEY, base_url=base_url, max_retries=0, timeout=None)


def _failure(error: AgentRunError | UserError) -> CallFailed:
    if isinstance(error, ModelQuotaExceededError):
        return CallFailed("wants to be paid", "see to the account at the model's provider")
    if isinstance(error, ModelHTTPError):
        status = error.status_code
        problem, advice = _ADVICE.get(status, _FAILED if status >= 500 else _REFUSED)
        return CallFailed(
            f"{problem} (HTTP {status})",
            advice,
            passing=status in _BUSY or status >= 500,
            pause_seconds=error.retry_after,
            too_long=status == _TOO_LARGE or isinstance(error, ModelContextWindowExceededError),
        )
    if isinstance(error, ModelTimeoutError):
        return CallFailed("did not answer in time", "see to the service", passing=True)
    if isinstance(error, ModelConnectionError):
        return CallFailed(
            "cannot be reached, or broke off",
            "see that it is running, and check its address in FOOTNOTE_EMBEDDING_MODELS",
            passing=True,
        )
    return CallFailed(
        f"gave nothing usable ({type(error).__name__})",
        "check that its address in FOOTNOTE_EMBEDDING_MODELS speaks the API of its kind",
        passing=isinstance(error, ModelAPIError),
    )


def _cost(result: EmbeddingResult) -> Decimal | None:
    """Return the cost in US dollars by the list price; None if it is unknown."""
    try:
        return result.cost().total_price
    except (AssertionError, LookupError, ValueError):
        return None
