"""A setting's name becomes a language model: OpenAI's, Ollama's, another vendor's, or any URL's."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from footnote.errors import ModelUnavailable, UnsupportedSettings

if TYPE_CHECKING:
    from footnote.models.writing import WritingModel

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"


def language_model_from(
    name: str,
    base_url: str | None,
    api_key: str | None,
    timeout_seconds: float,
    max_output_tokens: int,
) -> WritingModel:
    """The language model that settings name; it implements `ports.LanguageModel`.

    `openai:MODEL` and `ollama:MODEL` are asked at `base_url`, or where they usually are. With a
    `base_url`, any other name is the model's name as the OpenAI-compatible server there knows
    it. Without one it is `VENDOR:MODEL` of pydantic-ai (`anthropic:…`, `google:…`).

    `timeout_seconds` bounds a whole call with its retry. Nothing is sent before the first call.
    Raises UnsupportedSettings for a name or a URL that cannot work, and ModelUnavailable when
    a library is not installed.
    """
    vendor, _, model = name.partition(":")
    _check(name, vendor, model, base_url, api_key)
    try:
        from footnote.models import writing  # noqa: PLC0415  # an optional package, slow to import
    except ImportError as error:
        raise ModelUnavailable(
            f"the language model {name} needs a library that is not installed",
            hint="pip install 'footnote[models]'",
        ) from error
    if vendor == "openai":
        written = writing.openai_model(model, base_url or OPENAI_URL, api_key)
    elif vendor == "ollama":
        written = writing.ollama_model(model, base_url or OLLAMA_URL, api_key)
    elif base_url is not None:
        written = writing.compatible_model(name, base_url, api_key)
    else:
        written = writing.vendor_model(vendor, model, api_key)
    return writing.WritingModel(
        name=name,
        model=written,
        timeout_seconds=timeout_seconds,
        max_output_tokens=max_output_tokens,
    )


def _check(name: str, vendor: str, model: str, base_url: str | None, api_key: str | None) -> None:
    if not name.strip() or (not model and (base_url is None or vendor in {"openai", "ollama"})):
        raise UnsupportedSettings(
            f"{name!r} names no language model",
            hint="say openai:MODEL or ollama:MODEL, or give FOOTNOTE_LANGUAGE_MODEL_URL too",
        )
    if base_url is not None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            # The URL is not repeated: it may carry a password.
            raise UnsupportedSettings(
                "the URL of the language model is not one of http or https",
                hint="give it in full, such as http://127.0.0.1:8000/v1",
            )
    if vendor == "openai" and base_url is None and not api_key:
        raise UnsupportedSettings(
            f"the language model {name} needs a key", hint="set FOOTNOTE_LANGUAGE_MODEL_API_KEY"
        )
