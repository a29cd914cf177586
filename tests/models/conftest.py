"""The embedders under test, each loaded once, and an environment without keys."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from footnote.errors import LaneUnavailable
from footnote.models import minilm
from footnote.models.aligned import AlignedEncoder, load_aligned
from footnote.models.e5 import load_e5, shared_files
from footnote.models.e5_file import packaged_file
from footnote.models.minilm import load_minilm
from footnote.models.reader import PackagedReader, load_reader
from footnote.models.readers import packaged_file as packaged_reader
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.models.tokenizing import UnigramPieces


@pytest.fixture(autouse=True)
def asked_for_nobody(sent_as_it_is: None) -> None:
    """Models are asked here on nobody's behalf, for whom everything would be redacted."""


def is_installed(find: Callable[[], Path]) -> bool:
    try:
        find()
    except LaneUnavailable:
        return False
    return True


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not is_installed(minilm.packaged_folder):
        pytest.skip("the packaged weights are not installed")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def fp32(models_folder: Path) -> Iterator[SentenceEncoder]:
    embedder = load_minilm(models_folder, "fp32", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def int8(models_folder: Path) -> Iterator[SentenceEncoder]:
    embedder = load_minilm(models_folder, "int8", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not is_installed(packaged_file):
        pytest.skip("the packaged multilingual weights are not installed")
    return tmp_path_factory.mktemp("e5-models")


@pytest.fixture(scope="session")
def tokenizer(e5_folder: Path) -> UnigramPieces:
    return UnigramPieces(shared_files(e5_folder).tokenizer.read_bytes())


@pytest.fixture(scope="session")
def e5(e5_folder: Path) -> Iterator[SentenceEncoder]:
    embedder = load_e5(e5_folder, "int8", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def aligned(models_folder: Path, e5_folder: Path) -> Iterator[AlignedEncoder]:
    embedder = load_aligned(e5_folder, "int8", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


@pytest.fixture
def no_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment that no vendor's library finds anything in."""
    for name in [each for each in os.environ if each.startswith(("AWS_", "AZURE_", "GOOGLE_"))]:
        monkeypatch.delenv(name)
    for name in [each for each in os.environ if each.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(scope="module")
async def reader(model_home: Path) -> AsyncIterator[PackagedReader]:
    """The reader that comes with Footnote."""
    file = packaged_reader()
    assert file is not None
    loaded = load_reader(file, model_home / "models", 1)
    yield loaded
    await loaded.close()
