"""Find keys of served models in the settings that no configured model uses."""

from __future__ import annotations

import structlog

from footnote.domain import Check
from footnote.engine.answer_models import plain
from footnote.errors import FootnoteError
from footnote.models.answer_models import models_from
from footnote.models.embedder_specs import EmbedderSpec, parse_spec
from footnote.models.served import KEYS, ServedModel, key_location, model_keys_from, served_model
from footnote.models.transcription import transcription_service
from footnote.settings import Settings, listed

_HINT = "name a model of that vendor or at that host and port, or take the key out"


def unused_model_keys(settings: Settings) -> tuple[str, ...]:
    """Vendors and addresses that have a key and at which no model is configured.

    Raises UnsupportedSettings.
    """
    keys = model_keys_from(plain(settings.model_keys)).keys
    if not keys:
        return ()
    google = served_model(settings.google_project, "FOOTNOTE_GOOGLE_PROJECT").url
    model_names = (settings.language_model, settings.vision_model)
    models: tuple[ServedModel | EmbedderSpec, ...] = (
        *models_from(settings.answer_models or ""),
        *(served_model(name, KEYS) for name in model_names if name is not None),
        *(parse_spec(name) for name in listed(settings.embedding_models)),
        served_model(settings.reranker, "FOOTNOTE_RERANKER"),
        *filter(None, (transcription_service(settings.speech),)),
    )
    used = {
        key_location(model.vendor, google if model.vendor == "vertex" else model.url)
        for model in models
    }
    if settings.grounding_judge == "vertex":
        used.add(key_location("vertex", google))
    return tuple(sorted(keys.keys() - used))


def warn_of_unused_model_keys(settings: Settings) -> None:
    """Log them. Raises UnsupportedSettings."""
    if unused := unused_model_keys(settings):
        structlog.get_logger(__name__).warning(
            "model_keys_unused", keys_of=", ".join(unused), hint=_HINT
        )


def model_keys_checks(settings: Settings) -> list[Check]:
    """Whether each key is for a model; nothing where there is no key, or another check says why."""
    if settings.model_keys is None:
        return []
    try:
        unused = unused_model_keys(settings)
    except FootnoteError:
        return []
    detail = f"no model is configured for {', '.join(unused)}" if unused else "each is for a model"
    return [Check(name="model keys", ok=not unused, detail=detail, hint=_HINT)]
