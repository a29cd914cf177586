"""How settings spell served models, and which key goes where."""

from __future__ import annotations

import json

import pytest

from footnote.errors import UnsupportedSettings
from footnote.models.served import ServedModel, model_keys_from, served_model


@pytest.mark.parametrize(
    ("text", "name", "url"),
    [
        ("openai:gpt-4o", "openai:gpt-4o", None),
        (" qwen3@http://127.0.0.1:8000/v1 ", "qwen3", "http://127.0.0.1:8000/v1"),
        ("compatible:bge#64@https://models.example/v1", "compatible:bge#64", None),
        ("anthropic:claude@20250514", "anthropic:claude@20250514", None),
        ("vertex:claude@001", "vertex:claude@001", None),
        ("cloudflare:@cf/meta/llama", "cloudflare:@cf/meta/llama", None),
        ("@cf/meta/llama@https://gate.example", "@cf/meta/llama", "https://gate.example"),
    ],
)
def test_an_address_stands_behind_the_name(text: str, name: str, url: str | None) -> None:
    found = served_model(text, "FOOTNOTE_LANGUAGE_MODEL")
    assert found.name == name
    assert url is None or found.url == url


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://host", "http://me:hunter2@host/v1", "http://", "http://[:1", ""),
        *("http://127.0.0.1:99999/v1", "http://exa mple/v1", "http://host/v1?key=hunter2"),
        *("127.0.0.1:9/v1", "10.0.0.7", "//127.0.0.1:9/v1", "models.example", "localhost/v1"),
    ],
)
def test_what_is_no_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(UnsupportedSettings, match="FOOTNOTE_SPEECH") as caught:
        served_model(f"whisper-1@{url}", "FOOTNOTE_SPEECH")
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_a_key_is_of_a_vendor_or_of_an_address_and_never_of_both() -> None:
    given = {"openai": "own", "http://Models.example:8000/v1": "theirs", "voyage": "v"}
    keys = model_keys_from(json.dumps(given))
    assert keys.of("openai", None) == "own"
    assert keys.of("openai", "https://proxy.example/v1") is None
    assert keys.of("compatible", "http://models.example:8000/other") == "theirs"
    assert keys.of("compatible", "http://models.example/v1") is None
    assert keys.of("voyageai", None) == "v"
    assert "theirs" not in repr(keys)
    assert model_keys_from(None).of("openai", None) is None


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "ключ", "  "])
def test_a_key_that_no_header_can_hold_is_refused_without_being_repeated(key: str) -> None:
    with pytest.raises(UnsupportedSettings, match="FOOTNOTE_MODEL_KEYS") as caught:
        model_keys_from(json.dumps({"cohere": key}))
    assert not key.strip() or key not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("text", ["sk-secret", "[1]", '{"openai": 3}', '{"openai": "sk-secret'])
def test_what_is_no_object_of_keys_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(UnsupportedSettings, match="no JSON object") as caught:
        model_keys_from(text)
    assert "secret" not in f"{caught.value} {caught.value.hint}"


def test_a_key_inside_another_object_is_told_by_the_name_it_stands_behind() -> None:
    with pytest.raises(UnsupportedSettings, match="what it has for 'openai' is no text"):
        model_keys_from('{"openai": {"key": "sk-secret"}}')
    with pytest.raises(UnsupportedSettings, match="it is nested too deeply"):
        model_keys_from('{"a":' * 9000 + "1" + "}" * 9000)


def test_vendor_and_model_are_the_parts_of_a_name() -> None:
    assert ServedModel(name="ollama:llama3.2:3b").vendor == "ollama"
    assert ServedModel(name="ollama:llama3.2:3b").model == "llama3.2:3b"
    assert ServedModel(name="qwen3").model == ""
