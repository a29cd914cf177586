"""What every text passes before it leaves for a hosted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from footnote.errors import ModelUnavailable
from footnote.models.placeholders import placeholders_for
from footnote.ports.redaction import redaction_in_force

MEDIA_ADVICE = (
    "set FOOTNOTE_REDACT_MEDIA=send to have it sent as it is, or use a model on this machine"
)


async def redacted_texts(texts: Sequence[str]) -> list[str]:
    """Texts as a hosted embedder may have them: each for itself, so that it has one vector."""
    redaction = await redaction_in_force()
    if not (redaction.kinds and redaction.embeddings):
        return list(texts)
    return [placeholders_for((text,), redaction.kinds).redacted(text) for text in texts]


async def redacted_bodies(
    bodies: Sequence[Mapping[str, object]],
) -> list[Mapping[str, object]]:
    """Bodies of JSON as a hosted service may have them; each has placeholders of its own."""
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
    """Whether no picture and no recording may be sent."""
    return (await redaction_in_force()).withholds_media


def media_withheld() -> ModelUnavailable:
    """The error in place of a picture that is not sent."""
    return ModelUnavailable(
        "the picture is not sent to the hosted model: personal data in it cannot be redacted",
        hint=MEDIA_ADVICE,
    )


def mapped_json(value: object, written: Callable[[str], str]) -> object:
    """A value of JSON with its strings written anew, keys included.

    A number is replaced, by a string, where it would be as text. What does not change is given as
    it is.
    """
    if isinstance(value, str):
        return written(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = str(value)
        again = written(text)
        return value if again == text else again
    if isinstance(value, Mapping):
        mapped = {written(str(key)): mapped_json(each, written) for key, each in value.items()}
        return value if mapped == value else mapped
    if isinstance(value, (list, tuple)):
        each_mapped = [mapped_json(each, written) for each in value]
        return value if each_mapped == list(value) else each_mapped
    return value


def _strings_in(value: object) -> list[str]:
    seen: list[str] = []

    def note(text: str) -> str:
        seen.append(text)
        return text

    mapped_json(value, note)
    return seen
