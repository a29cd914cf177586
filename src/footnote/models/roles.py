"""What language models are used for, and where the usual ones are reached."""

from __future__ import annotations

from dataclasses import dataclass

from footnote.errors import UnsupportedSettings
from footnote.validation.served_names import RENAMED

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What a model is for, and the settings that errors point to."""

    title: str
    model: str
    """The setting that names the model, and its address where it has one."""
    limit: str
    """The member of FOOTNOTE_TIMEOUTS that bounds a call."""
    share: float
    """Of that time, which a call may take."""


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
    """Names the vendor, and how it is called now."""
    now = RENAMED.get(vendor)
    return UnsupportedSettings(
        f"the {role.title} {vendor}:{model} cannot be asked: the vendor {vendor!r} is not known",
        hint=f"set {role.model} to {now}:{model}, as it is called now"
        if now
        else f"set {role.model} to openai:MODEL, ollama:MODEL, or that of another vendor that "
        "pydantic-ai knows, such as anthropic:MODEL; a model of any other server is "
        "compatible:MODEL@ADDRESS",
    )
