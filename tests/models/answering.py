"""Answer models that ask a scripted server, for any test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec

import pytest
from _pytest.mark import ParameterSet

from footnote.models.answer_models import AnswerModelChoices, AnswerModels, models_from
from footnote.models.served import model_keys_from
from tests.wire import WireServer

KEY = "sk-very-secret-0123456789"
GOOGLE = "google:gemini-2.5-flash"
MISTRAL = "mistral:mistral-small-latest"
BEDROCK = "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0"


def _needs(name: str, library: str) -> ParameterSet:
    """A model whose library is an extra that may not be installed."""
    reason = f"{library} is not installed"
    return pytest.param(name, marks=pytest.mark.skipif(not _installed(library), reason=reason))


def _installed(library: str) -> bool:
    with suppress(ModuleNotFoundError):
        return find_spec(library) is not None
    return False


EXTRAS = [_needs(GOOGLE, "google.genai"), _needs(MISTRAL, "mistralai")]
"""Names for `parametrize`, of vendors whose own library asks the scripted server."""


def anywhere(address: str) -> str:
    """No address is forbidden."""
    return ""


def nowhere_private(address: str) -> str:
    """Every address of a test is of a private network."""
    return f"{address} is an address of this machine or of a private network"


def choices_at(server: WireServer, *names: str, **more: float) -> AnswerModelChoices:
    """The named models, all of them asked at the server, each in its vendor's words."""
    places = {
        "openai": server.openai_url,
        "ollama": server.openai_url,
        "compatible": server.openai_url,
        "anthropic": server.anthropic_url,
        "google": server.google_url,
        "mistral": server.mistral_url,
        "bedrock": server.anthropic_url,  # Refused by its library: a key needs HTTPS.
    }
    return AnswerModelChoices(
        models=models_from(",".join(f"{n}@{places[n.partition(':')[0]]}" for n in names)),
        keys=model_keys_from(json.dumps(dict.fromkeys(places.values(), KEY))),
        timeout_seconds=more.get("timeout_seconds", 20.0),
        first_token_seconds=more.get("first_token_seconds", 10.0),
        max_output_tokens=64,
        why_forbidden=anywhere if more.get("private", 1) else nowhere_private,
    )


@asynccontextmanager
async def models_at(server: WireServer, *names: str, **more: float) -> AsyncIterator[AnswerModels]:
    """The same, closed at the end."""
    models = AnswerModels(choices_at(server, *names, **more))
    try:
        yield models
    finally:
        await models.close()
