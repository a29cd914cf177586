"""The models beside the embedder, as the settings name them: reader, writer, reranker, judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.engine.answer_models import plain
from footnote.models.breaker import GuardedReranker
from footnote.models.judges import OwnedJudge, judge_from
from footnote.models.language import language_model_from
from footnote.models.readers import LazyReader, reader_from
from footnote.models.rerankers import reranker_from
from footnote.models.roles import WRITER
from footnote.models.served import model_keys_from, served_model
from footnote.settings import Settings

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.writing import WritingModel

_RERANKING_SHARE = 1 / 12
"""Reranker timeout as a share of the search timeout; after it the search goes on without it."""


def half_a_search(settings: Settings) -> float:
    """Time limit of one statement, or one reply of the language model, in seconds."""
    return settings.seconds.search / 2


def reader_from_settings(settings: Settings) -> LazyReader | None:
    """Return the configured reader, None if off or missing; nothing is loaded yet."""
    return reader_from(
        settings.reader,
        models_folder=settings.home / "models",
        threads=settings.model_threads,
    )


def language_model_from_settings(settings: Settings) -> WritingModel | None:
    """The configured language model; nothing is contacted yet. Raises UnsupportedSettings."""
    if settings.language_model is None:
        return None
    served = served_model(settings.language_model, WRITER.model)
    return language_model_from(
        served.name,
        served.url,
        model_keys_from(plain(settings.model_keys)).of(served.vendor, served.url),
        half_a_search(settings),
        settings.writing.tokens,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredModels:
    """The models that are configured beside the embedder; nothing is loaded or contacted yet."""

    reader: LazyReader | None
    language: WritingModel | None
    reranker: GuardedReranker | None
    judge: OwnedJudge | None


def configured_models(settings: Settings) -> ConfiguredModels:
    """Return the models that the settings configure. Raises UnsupportedSettings."""
    reader, language = reader_from_settings(settings), language_model_from_settings(settings)
    return ConfiguredModels(
        reader=reader,
        language=language,
        reranker=reranker_from_settings(settings, reader),
        judge=judge_from_settings(settings, reader, language),
    )


def reranker_from_settings(settings: Settings, reader: LazyReader | None) -> GuardedReranker | None:
    """The reranker the settings name; nothing is contacted yet. Raises UnsupportedSettings."""
    reranker = served_model(settings.reranker, "FOOTNOTE_RERANKER")
    google = _google(settings)
    url = google.url if reranker.vendor == "vertex" else reranker.url
    return reranker_from(
        kind=reranker.vendor,
        models_folder=settings.home / "models",
        model=reranker.model,
        url=url,
        api_key=model_keys_from(plain(settings.model_keys)).of(reranker.vendor, url),
        project=google.project,
        location=google.location,
        timeout_seconds=settings.seconds.search * _RERANKING_SHARE,
        threads=settings.model_threads,
        reader=reader,
    )


def judge_from_settings(
    settings: Settings, reader: LazyReader | None, language: WritingModel | None
) -> OwnedJudge | None:
    """The judge the settings name; nothing is contacted yet. Raises UnsupportedSettings."""
    google = _google(settings)
    return judge_from(
        kind=settings.grounding_judge,
        language_model=language,
        url=google.url,
        api_key=model_keys_from(plain(settings.model_keys)).of("vertex", google.url),
        project=google.project,
        location=google.location,
        reader=reader,
    )


@dataclass(frozen=True, slots=True)
class _Google:
    """Project, location and base URL of Google's models."""

    project: str
    location: str
    url: str | None


def _google(settings: Settings) -> _Google:
    served = served_model(settings.google_project, "FOOTNOTE_GOOGLE_PROJECT")
    project, _, location = served.name.partition("/")
    return _Google(project, location or "global", served.url)
