"""Redact every text before it is sent to a hosted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from footnote.errors import ModelUnavailable
from footnote.models.placeholders import placeholders_for
from footnote.ports.redaction import redaction_in_force

MEDIA_ADVICE = (
    "set FOOTNOTE_REDACT_MEDIA=send to have it sent as it is, or use a model on this machine"
)


async def redacted_texts(texts: Sequence[str]) -> list[str]:
    """Redact texts for a hosted embedder, each alone, so that no text changes another's vector."""
    redaction = await redaction_in_force()
    if not (redaction.kinds and redaction.embeddings):
        return list(texts)
    return [placeholders_for((text,), redaction.kinds).redacted(text) for text in texts]


async def redacted_bodies(
    bodies: Sequence[Mapping[str, object]],
) -> list[Mapping[str, object]]:
    """Redact JSON bodies for a hosted service; each has its own placeholders."""
    redaction = await redaction_in_force()
    if not redaction.kinds:
        return list(bodies)
    redacted: list[Mapping[str, object]] = []
    for body in bodies:
        placeholders = placeholders_for(_strings_in(body), redaction.kinds)
        redacted.append(
            {name: mapped_json(value, placeholders.redacted) for name, value in body.items()}
        )
    return redacted


async def withholds_media() -> bool:
    """Return whether pictures and recordings must not be sent."""
    return (await redaction_in_force()).withholds_media


def media_withheld() -> ModelUnavailable:
    """Return the error for a picture that must not be sent."""
    return ModelUnavailable(
        "the picture is not sent to the hosted model: personal data in it cannot be redacted",
        hint=MEDIA_ADVICE,
    )


def mapped_json(value: object, transform: Callable[[str], str]) -> object:
    """Apply `transform` to the strings of a JSON value, keys included.

    A number is replaced by a string if its text would change. Unchanged values are returned as they
    are.
    """
    if isinstance(value, str):
        return transform(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = str(value)
        mapped_text = transform(text)
        return value if mapped_text == text else mapped_text
    if isinstance(value, Mapping):
        mapped = {transform(str(key)): mapped_json(item, transform) for key, item in value.items()}
        return value if mapped == value else mapped
    if isinstance(value, (list, tuple)):
        mapped_items = [mapped_json(item, transform) for item in value]
        return value if mapped_items == list(value) else mapped_items
    return value


def _strings_in(value: object) -> list[str]:
    texts: list[str] = []

    def note(text: str) -> str:
        texts.append(text)
        return text

    mapped_json(value, note)
    return texts
