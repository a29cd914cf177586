"""Call a language model through pydantic-ai, and turn its errors into plain messages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from footnote.domain import Usage
from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import ModelUnavailable, UnsupportedSettings, how_to_raise
from footnote.models.roles import (
    DESCRIBER,
    OLLAMA_URL,
    OPENAI_URL,
    WRITER,
    Role,
    unknown_vendor,
)
from footnote.models.served import KEYS
from footnote.ports.metering import note_usage

ATTEMPTS = 2
PAUSE_SECONDS = 0.5
"""Pause before the retry if the server gives no Retry-After."""

NO_KEY = "none"
"""API key that is passed where none is set: without one, the library would send the key from the
environment to any URL."""

# Servers that copy OpenAI's API know the older of its two fields for the length of an answer.
_MAX_TOKENS = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)

_UNPAID = ("wants to be paid", "see to the account at the model's provider")
_TOO_LONG = ("found the prompt too long", "configure a model with a larger context")
_ADVICE = {
    401: ("refused the key", f"check {KEYS}"),
    402: _UNPAID,
    403: ("refused the key", f"check what the key in {KEYS} may do"),
    404: ("is not known at its URL", "check the name and the address in {model}"),
    413: _TOO_LONG,
    429: ("is asked too often", "wait, or have the limit at the model's provider raised"),
}
_ADVICE_BY_CODE = {"insufficient_quota": _UNPAID, "context_length_exceeded": _TOO_LONG}
_REFUSED = (
    "refused the request",
    f"check that the model is one for chat, its limits, and {KEYS}",
)
# Extract from pydantic-ai's errors the missing environment variable, and the missing extra.
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")
_EXTRA = re.compile(r"pydantic-ai-slim\[([a-z0-9-]+)\]")
_OWN_VARIABLES = {
    "bedrock": "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "google-cloud": "GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_API_KEY",
}
"""The environment variables of vendors whose library does not name them in its errors."""
_FAILED = ("failed at its server", "try again later, or see the log of the model's server")


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingModel:
    """A language model behind `ports.LanguageModel`.

    The provider's error messages are never repeated, as they may contain the key or the prompt.
    """

    name: str
    model: Model = field(repr=False)
    timeout_seconds: float
    """Limit for a whole call, its retry included."""
    max_output_tokens: int
    role: Role = WRITER

    async def __call__(self, instructions: str, prompt: str) -> str:
        """Return the model's reply without surrounding white space; never empty.

        Raises what `reply` raises.
        """
        message = ModelRequest.user_text_prompt(
            encodable(prompt), instructions=encodable(instructions)
        )
        return await self.reply(message)

    async def reply(self, message: ModelRequest) -> str:
        """Return the reply to a message without surrounding white space; never empty.

        Retries once if the server is busy or fails (429, 5xx) and the time allows. Raises
        ModelUnavailable, also for a reply that was cut off.
        """
        try:
            async with asyncio.timeout(self.timeout_seconds):
                response = await self._response(message)
        except (TimeoutError, ModelTimeoutError):
            raise ModelUnavailable(
                f"{self._title} did not answer within {self.timeout_seconds:g} s",
                hint=how_to_raise(
                    self.role.limit,
                    "FOOTNOTE_TIMEOUTS",
                    self.timeout_seconds / self.role.share,
                    "seconds",
                )
                + ", or configure a faster model",
            ) from None
        return self._finished(response)

    async def close(self) -> None:
        async with self.model:
            pass

    @property
    def _title(self) -> str:
        return f"the {self.role.title} {self.name}"

    async def _response(self, message: ModelRequest) -> ModelResponse:
        deadline = asyncio.get_running_loop().time() + self.timeout_seconds
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._request(message)
            except ModelHTTPError as error:
                pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
                is_too_late = asyncio.get_running_loop().time() + pause >= deadline
                if attempt == ATTEMPTS or is_too_late or not may_pass(error):
                    raise refusal(error, self._title, self.role) from None
            await asyncio.sleep(pause)
        raise AssertionError  # The last attempt returns or raises.

    async def _request(self, message: ModelRequest) -> ModelResponse:
        settings = settings_for(self.model, self.max_output_tokens)
        try:
            response = await model_request(self.model, [message], model_settings=settings)
        except (ModelHTTPError, ModelTimeoutError):
            raise
        except ModelConnectionError:
            raise ModelUnavailable(
                f"{self._title} cannot be reached",
                hint=f"see that it is running, and check the address in {self.role.model}",
            ) from None
        # Libraries raise these for a response in another vendor's format.
        except (
            AgentRunError,
            AttributeError,
            LookupError,
            OSError,
            TypeError,
            UserError,
            ValueError,
        ) as error:
            raise ModelUnavailable(
                f"{self._title} gave nothing usable ({type(error).__name__})",
                hint=f"check that the address in {self.role.model} speaks the API of its kind",
            ) from None
        except Exception as error:
            if not is_library_error(error):
                raise
            raise refused_by_library(error, self._title, self.name) from None
        kind = UsageKind.VISION if self.role is DESCRIBER else UsageKind.GENERATION
        note_reply(self.name, usage_of(response), kind)
        return response

    def _finished(self, response: ModelResponse) -> str:
        if response.finish_reason == "length":
            raise ModelUnavailable(
                f"{self._title} was cut off at {self.max_output_tokens} tokens",
                hint=how_to_raise("tokens", "FOOTNOTE_ANSWER_LIMITS", self.max_output_tokens),
            )
        if response.finish_reason in {"content_filter", "error"}:
            raise ModelUnavailable(
                f"{self._title} declined to answer",
                hint="ask in other words; its provider filters what it writes",
            )
        text = (response.text or "").strip()
        if not text:
            raise ModelUnavailable(
                f"{self._title} wrote nothing",
                hint="check that the model is one for chat",
            )
        return text


def openai_model(model: str, base_url: str, api_key: str | None) -> Model:
    """A model that OpenAI's own API serves, there or through a proxy."""
    provider = OpenAIProvider(base_url=base_url, api_key=api_key or NO_KEY)
    return OpenAIChatModel(model, provider=provider)


def ollama_model(model: str, base_url: str, api_key: str | None) -> Model:
    """A model that an Ollama server runs."""
    provider = OllamaProvider(base_url=base_url, api_key=api_key or NO_KEY)
    return OllamaModel(model, provider=provider, profile=_MAX_TOKENS)


def compatible_model(model: str, base_url: str, api_key: str | None) -> Model:
    """A model of any server that copies OpenAI's API."""
    provider = OpenAICompatibleProvider(
        "compatible", base_url=base_url, api_key=api_key or NO_KEY, profile=_MAX_TOKENS
    )
    return OpenAIChatModel(model, provider=provider)


def vendor_model(
    vendor: str,
    model: str,
    api_key: str | None,
    role: Role = WRITER,
    *,
    base_url: str | None = None,
) -> Model:
    """Return a model of another vendor that pydantic-ai supports, through the vendor's library.

    A `base_url` replaces the vendor's address; the protocol stays the vendor's own. Raises
    ModelUnavailable for a missing library, UnsupportedSettings for missing or wrong settings.
    """
    arguments = {
        name: value
        for name, value in (
            ("base_url", base_url),
            ("api_key", api_key or (NO_KEY if base_url is not None else None)),
        )
        if value is not None
    }

    def provider_of(name: str) -> Provider[object]:
        provider_class: Callable[..., Provider[object]] = infer_provider_class(name)
        return provider_class(**arguments)

    try:
        infer_provider_class(vendor)
    except ImportError:
        pass  # A supported vendor; the missing library is reported below.
    except (UserError, ValueError):
        raise unknown_vendor(vendor, model, role) from None
    try:
        return infer_model(f"{vendor}:{model}", provider_factory=provider_of)
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        raise ModelUnavailable(
            f"the {role.title} {vendor}:{model} needs a library that is not installed",
            hint=f"pip install 'pydantic-ai-slim[{extra[1] if extra else vendor}]'",
        ) from error
    except Exception as error:  # each vendor's library has its own
        # Not chained, since a vendor's message may repeat the key.
        raise _unset(f"the {role.title} {vendor}:{model}", vendor, error, role) from None


def _unset(title: str, vendor: str, error: Exception, role: Role) -> UnsupportedSettings:
    """Return an error that says which setting a vendor's library lacks, and where to set it."""
    # Only pydantic-ai's own messages are parsed; they name variables and contain no values.
    message = str(error) if isinstance(error, UserError) else ""
    match = _VARIABLE.search(message)
    if match is not None and match[1].endswith(("KEY", "TOKEN")):
        return UnsupportedSettings(f"{title} needs a key", hint=f"set {KEYS} or {match[1]}")
    if match is not None:
        return UnsupportedSettings(f"{title} needs {match[1]}", hint=f"set {match[1]}")
    if "region_name" in message:
        return UnsupportedSettings(
            f"{title} needs a region", hint="set AWS_DEFAULT_REGION, such as eu-central-1"
        )
    if isinstance(error, TypeError):
        return UnsupportedSettings(
            f"{title} takes no key or no address from Footnote",
            hint=f"take its key out of {KEYS} and its address out of {role.model}; its library "
            "reads variables of its own",
        )
    return UnsupportedSettings(
        f"{title} cannot be opened: its library ends with {type(error).__name__}",
        hint=_where_set(vendor),
    )


def _where_set(vendor: str) -> str:
    """Return a hint: the settings in which a vendor's library looks for its credentials."""
    return f"set {_OWN_VARIABLES.get(vendor, KEYS)}"


def is_library_error(error: Exception) -> bool:
    """Return whether an error comes from a library, neither from Python nor from Footnote.

    pydantic-ai passes on unchanged what a vendor's library raises before it sends a request, for
    example for lack of credentials.
    """
    return type(error).__module__.partition(".")[0] not in {"builtins", "footnote"}


def refused_by_library(error: Exception, title: str, name: str) -> ModelUnavailable:
    """Return the error for a vendor's library that failed before it sent a request."""
    return ModelUnavailable(
        f"{title} cannot be asked: its library ends with {type(error).__name__}",
        hint=_where_set(name.partition(":")[0]),
    )


def model_named(name: str, base_url: str | None, api_key: str | None, role: Role) -> Model:
    """The model of a name that was checked; `language_model_from` tells what names there are."""
    vendor, _, model = name.partition(":")
    if vendor == "openai":
        return openai_model(model, base_url or OPENAI_URL, api_key)
    if vendor == "ollama":
        return ollama_model(model, base_url or OLLAMA_URL, api_key)
    if base_url is not None and (vendor == "compatible" or not model):
        return compatible_model(model or name, base_url, api_key)
    return vendor_model(vendor, model, api_key, role, base_url=base_url)


def settings_for(model: Model, max_output_tokens: int) -> ModelSettings:
    """Return the settings of every request: token limit, temperature 0, no retries by the library.

    The temperature is left out for reasoning models, which refuse it.
    """
    settings = ModelSettings(max_tokens=max_output_tokens)
    if not model.profile.get("supports_thinking"):  # Those refuse a temperature.
        settings["temperature"] = 0.0
    if "max_retries" not in model.unsupported_settings:
        settings["max_retries"] = 0  # They would multiply with our own.
    return settings


def may_pass(error: ModelHTTPError) -> bool:
    """Return whether a retry of the same request may succeed."""
    unpaid = error.provider_error_code == "insufficient_quota"
    return error.status_code >= 500 or (error.status_code == 429 and not unpaid)


def refusal(error: ModelHTTPError, title: str, role: Role) -> ModelUnavailable:
    """Return the error for a response with an error status, with advice."""
    usual = _FAILED if error.status_code >= 500 else _REFUSED
    by_status = _ADVICE.get(error.status_code, usual)
    problem, advice = _ADVICE_BY_CODE.get(error.provider_error_code or "", by_status)
    return ModelUnavailable(
        f"{title} {problem} (HTTP {error.status_code})",
        hint=advice.format(model=role.model),
    )


def encodable(text: str) -> str:
    """Replace each lone surrogate by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def usage_of(response: ModelResponse) -> Usage:
    """Return the usage of a response; its cost is None if pydantic-ai has no price for it."""
    cost = None
    if response.model_name:
        try:
            cost = float(response.cost().total_price)
        except (LookupError, ValueError):
            cost = None
    return Usage(
        requests=1,
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        cost_usd=cost,
    )


def note_reply(model: str, usage: Usage, kind: UsageKind = UsageKind.GENERATION) -> None:
    """Record the usage of a model's replies for the caller's metering."""
    note_usage(
        UsageNote(
            kind=kind,
            model=model,
            requests=usage.requests,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            units=usage.requests,
            cost_usd=usage.cost_usd,
        )
    )
