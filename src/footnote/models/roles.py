"""The roles of language models, and the usual addresses of providers."""

from __future__ import annotations

from dataclasses import dataclass

from footnote.errors import UnsupportedSettings
from footnote.validation.served_names import RENAMED

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The purpose of a model, and the settings that errors refer to."""

    title: str
    model: str
    """The setting with the model's name, and its address if it has one."""
    limit: str
    """The member of FOOTNOTE_TIMEOUTS that bounds a call."""
    share: float
    """The fraction of that time that one call may take."""


WRITER = Role(
    title="language model",
    model="FOOTNOTE_LANGUAGE_MODEL",
    limit="search",
    share=1 / 2,
)
DESCRIBER = Role(
    title="vision model",
    model="FOOTNOTE_VISION_MODEL",
    limit="parse",
    share=1 / 5,
)


def unknown_vendor(vendor: str, model: str, role: Role) -> UnsupportedSettings:
    """Return the error for an unknown vendor, with its present name if it was renamed."""
    now = RENAMED.get(vendor)
    return UnsupportedSettings(
        f"the {role.title} {vendor}:{model} cannot be asked: the vendor {vendor!r} is not known",
        hint=f"set {role.model} to {now}:{model}, as it is called now"
        if now
        else f"set {role.model} to openai:MODEL, ollama:MODEL, or that of another vendor that "
        "pydantic-ai knows, such as anthropic:MODEL; a model of any other server is "
        "compatible:MODEL@ADDRESS",
    )
