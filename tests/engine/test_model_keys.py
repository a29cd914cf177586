"""A key that no configured model is asked with is told of, and never shown."""

from __future__ import annotations

import json

import pytest
from structlog.testing import capture_logs

from footnote.engine import model_keys
from footnote.engine.diagnosis import optional_checks
from footnote.settings import settings_from

PROXY = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("given", "models", "unused"),
    [
        (["openai"], {"answer_models": "openai:gpt-5"}, ()),
        (["openai"], {"answer_models": f"openai:gpt-5@{PROXY}"}, ("openai",)),
        (["127.0.0.1:8000"], {"vision_model": f"seer@{PROXY}"}, ()),
        (["127.0.0.1:8001"], {"language_model": f"writer@{PROXY}"}, ("127.0.0.1:8001",)),
        (["cohere", "voyage"], {"reranker": "cohere:rerank-v3.5"}, ("voyage",)),
        (["voyageai"], {"embedding_models": "e5,voyageai:voyage-3"}, ()),
        (["openai", "anthropc"], {"speech": "openai:whisper-1"}, ("anthropc",)),
        (["vertex"], {"grounding_judge": "vertex", "google_project": "acme"}, ()),
        (["proxy:1"], {"reranker": "vertex", "google_project": "acme@https://proxy:1"}, ()),
        (["vertex"], {}, ("vertex",)),
    ],
    ids=str,
)
def test_a_key_without_a_model_is_told_of(
    given: list[str], models: dict[str, str], unused: tuple[str, ...]
) -> None:
    keys = json.dumps(dict.fromkeys(given, "sk-never-shown"))
    settings = settings_from(None, {"model_keys": keys, **models})
    assert model_keys.unused_model_keys(settings) == unused
    with capture_logs() as lines:
        model_keys.warn_of_unused_model_keys(settings)
    assert [each["keys_of"] for each in lines] == ([", ".join(unused)] if unused else [])
    [check] = [each for each in optional_checks(settings) if each.name == "model keys"]
    assert check.ok is (unused == ())
    assert all(each in check.detail for each in unused)
    assert "never-shown" not in f"{lines}{check}"


def test_without_keys_nothing_is_said() -> None:
    checks = optional_checks(settings_from(None, {}))
    assert all(each.name != "model keys" for each in checks)
