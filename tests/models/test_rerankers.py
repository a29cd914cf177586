"""From settings to a reranker, without loading or reaching anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.errors import UnsupportedSettings
from footnote.models.rerankers import reranker_from

from .tiny_cross_encoder import build_cross_encoder


def test_none_is_no_reranker(tmp_path: Path) -> None:
    assert reranker_from(kind="none", models_folder=tmp_path) is None


@pytest.mark.parametrize(
    ("kind", "model", "name"),
    [
        ("local", "", "local:Xenova/ms-marco-MiniLM-L-6-v2"),
        ("local", "acme/own", "local:acme/own"),
        ("cohere", "", "cohere:rerank-v3.5"),
        ("jina", "own", "jina:own"),
        ("voyage", "", "voyage:rerank-2.5"),
        ("vertex", "", "vertex:semantic-ranker-default-004"),
    ],
)
def test_each_kind_has_a_usual_model(tmp_path: Path, kind: str, model: str, name: str) -> None:
    made = reranker_from(kind=kind, models_folder=tmp_path, model=model, project="acme")
    assert made is not None
    assert made.name == name
    assert list(tmp_path.iterdir()) == []


def test_a_folder_names_the_local_model_and_a_service_of_ones_own_its_kind(tmp_path: Path) -> None:
    folder = build_cross_encoder(tmp_path / "ours")
    local = reranker_from(kind="local", models_folder=tmp_path, model=str(folder))
    own = reranker_from(kind="tei", models_folder=tmp_path, url="http://127.0.0.1:9/")
    assert local is not None
    assert own is not None
    assert (local.name, own.name) == ("local:ours", "tei")


def test_the_time_out_is_as_set_and_five_failures_make_a_pause(tmp_path: Path) -> None:
    made = reranker_from(
        kind="cohere",
        models_folder=tmp_path,
        timeout_seconds=1.5,
    )
    assert made is not None
    assert made.timeout_seconds == 1.5
    assert (made.breaker.failures_to_open, made.breaker.pause_seconds) == (5, 30)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("tei", "FOOTNOTE_RERANKER to where it runs, such as tei@http://localhost:8081"),
        ("vertex", "FOOTNOTE_GOOGLE_PROJECT"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, kind: str, setting: str) -> None:
    with pytest.raises(UnsupportedSettings) as raised:
        reranker_from(kind=kind, models_folder=tmp_path)
    assert setting in (raised.value.hint or "")
