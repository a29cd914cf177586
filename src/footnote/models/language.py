"""A setting's name becomes a language model: OpenAI's, Ollama's, another vendor's, or any URL's."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from footnote.errors import ModelUnavailable, UnsupportedSettings, how_to_install
from footnote.models.roles import DESCRIBER, WRITER, Role

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
    """The language model that settings name; it implements `ports.LanguageModel`.

    `openai:MODEL` and `ollama:MODEL` are asked at `base_url`, or where they usually are. With a
    `base_url`, any other name is the model's name as the OpenAI-compatible server there knows
    it. Without one it is `VENDOR:MODEL` of pydantic-ai (`anthropic:…`, `google:…`).

    `timeout_seconds` bounds a whole call with its retry. Nothing is sent before the first call.
    Raises UnsupportedSettings for a name or a URL that cannot work, and ModelUnavailable when
    a library is not installed.
    """
    check_name(name, base_url, api_key, role)
    try:
        from footnote.models import writing  # noqa: PLC0415  # an optional package, slow to import
        from footnote.models.redacted_chat import RedactingModel  # noqa: PLC0415  # likewise
    except ImportError as error:
        raise ModelUnavailable(
            f"the {role.title} {name} needs a library that is not installed",
            hint=how_to_install("models"),
        ) from error
    return writing.WritingModel(
        name=name,
        model=RedactingModel(writing.named_model(name, base_url, api_key, role)),
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
    """The model that describes pictures; it implements `ports.Describer`.

    Named as in `language_model_from`, which tells what it raises.
    """
    inner = language_model_from(
        name, base_url, api_key, timeout_seconds, max_output_tokens, role=DESCRIBER
    )
    from footnote.models.vision import guarded  # noqa: PLC0415  # an optional package

    return guarded(inner)


def check_name(name: str, base_url: str | None, api_key: str | None, role: Role) -> None:
    """Raise UnsupportedSettings for what can be seen to be wrong without a library."""
    vendor, _, model = name.partition(":")
    if not name.strip() or (not model and (base_url is None or vendor in {"openai", "ollama"})):
        raise UnsupportedSettings(
            f"{name!r} names no {role.title}",
            hint=f"say openai:MODEL or ollama:MODEL, or give {role.prefix}_URL too",
        )
    if base_url is not None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            # The URL is not repeated: it may carry a password.
            raise UnsupportedSettings(
                f"the URL of the {role.title} is not one of http or https",
                hint="give it in full, such as http://127.0.0.1:8000/v1",
            )
    if vendor == "openai" and base_url is None and not api_key:
        raise UnsupportedSettings(
            f"the {role.title} {name} needs a key", hint=f"set {role.prefix}_API_KEY"
        )
