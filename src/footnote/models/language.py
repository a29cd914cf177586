"""Build the language model that a setting names: of OpenAI, Ollama, another vendor or any URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.errors import (
    FootnoteError,
    ModelUnavailable,
    UnsupportedSettings,
    how_to_install,
)
from footnote.models.roles import DESCRIBER, WRITER, Role, unknown_vendor
from footnote.models.served import KEYS
from footnote.validation.served_names import VENDORS

if TYPE_CHECKING:
    from footnote.models.vision import VisionModel
    from footnote.models.writing import WritingModel


def language_model_from(
    name: str,
    base_url: str | None,
    api_key: str | None,
    timeout_seconds: float,
    max_output_tokens: int,
    *,
    role: Role = WRITER,
) -> WritingModel:
    """Return the language model that settings name; it implements `ports.LanguageModel`.

    `openai:MODEL` and `ollama:MODEL` are called at `base_url`, or at their usual address, and
    `VENDOR:MODEL` (`anthropic:…`, `google:…`) by the vendor's own API through pydantic-ai.
    `compatible:MODEL`, or `MODEL` alone, is on the OpenAI-compatible server at `base_url`.

    `timeout_seconds` limits a whole call with its retry. Nothing is sent before the first call.
    Raises UnsupportedSettings for a name or a URL that cannot work, and ModelUnavailable when
    a library is not installed.
    """
    check_name(name, base_url, api_key, role)
    try:
        from footnote.models import writing  # noqa: PLC0415  # an optional package, slow to import
        from footnote.models.redacted_chat import RedactingModel  # noqa: PLC0415  # likewise
    except ImportError as error:
        raise without_library(name, role) from error
    return writing.WritingModel(
        name=name,
        model=RedactingModel(writing.model_named(name, base_url, api_key, role)),
        timeout_seconds=timeout_seconds,
        max_output_tokens=max_output_tokens,
        role=role,
    )


def vision_model_from(
    name: str,
    base_url: str | None,
    api_key: str | None,
    timeout_seconds: float,
    max_output_tokens: int,
) -> VisionModel:
    """Return the model that describes pictures; it implements `ports.Describer`.

    Names and errors are as in `language_model_from`.
    """
    inner = language_model_from(
        name, base_url, api_key, timeout_seconds, max_output_tokens, role=DESCRIBER
    )
    from footnote.models.vision import guarded  # noqa: PLC0415  # an optional package

    return guarded(inner)


def without_library(name: str, role: Role) -> FootnoteError:
    """Return the error for a model whose library is not installed.

    No library would help with an unknown vendor, so that is the error then.
    """
    vendor, _, model = name.partition(":")
    if model and vendor != "compatible" and vendor not in VENDORS:
        return unknown_vendor(vendor, model, role)
    return ModelUnavailable(
        f"the {role.title} {name} needs a library that is not installed",
        hint=how_to_install("models"),
    )


def check_name(name: str, base_url: str | None, api_key: str | None, role: Role) -> None:
    """Raise UnsupportedSettings for what is wrong without consulting a library."""
    vendor, _, model = name.partition(":")
    lacks_address = base_url is None and (not model or vendor == "compatible")
    if not name.strip() or lacks_address or (not model and vendor in {"openai", "ollama"}):
        raise UnsupportedSettings(
            f"{name!r} names no {role.title}",
            hint=f"set {role.model} to openai:MODEL or ollama:MODEL, or to "
            "MODEL@http://127.0.0.1:8000/v1 for one of any other server",
        )
    if vendor == "openai" and base_url is None and not api_key:
        raise UnsupportedSettings(
            f"the {role.title} {name} needs a key", hint=f'set {KEYS} to {{"openai": "…"}}'
        )
