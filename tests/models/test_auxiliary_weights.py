"""What is fitted to a reader is found beside its weights, and what is lacking is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from footnote.errors import ModelUnavailable
from footnote.models.auxiliary_weights import companions_of
from footnote.models.mention_head import MENTIONS_FILE
from footnote.models.mismatch_probe import UNMET_WORDS_FILE
from footnote.models.reader_weights import read_weights
from footnote.models.readers import packaged_file

from .tiny_reader import WIDTH, write_tiny_reader


def write_unmet_words(folder: Path, encoder: str, bias: float, layers: int = 1) -> None:
    save_file(
        {"weight": np.ones(WIDTH, np.float32), "bias": np.array([bias], np.float32)},
        folder / UNMET_WORDS_FILE,
        metadata={"encoder": encoder, "layers": str(layers)},
    )


def test_the_packaged_reader_lacks_nothing() -> None:
    weights = packaged_file()
    assert weights is not None
    found = companions_of(weights)
    assert found.lacking == ()
    assert found.screened


def test_the_same_weights_elsewhere_have_what_is_packaged(tmp_path: Path) -> None:
    weights = packaged_file()
    assert weights is not None
    moved = Path(shutil.copy(weights, tmp_path / "moved.safetensors"))
    found = companions_of(moved)
    assert found.lacking == ()
    assert found.head is not None
    assert found.mismatch is not None


def test_another_reader_has_what_lies_beside_it_and_says_what_it_lacks(tmp_path: Path) -> None:
    weights = write_tiny_reader(tmp_path / "own.safetensors", probes=1, tables=True)
    found = companions_of(weights)
    assert (found.head, found.mismatch, found.screened) == (None, None, False)
    assert [each.partition(":")[0] for each in found.lacking] == [MENTIONS_FILE, UNMET_WORDS_FILE]

    write_unmet_words(tmp_path, read_weights(weights).encoder, 0.25)
    found = companions_of(weights)
    assert found.mismatch is not None
    assert found.mismatch.bias == 0.25
    assert [each.partition(":")[0] for each in found.lacking] == [MENTIONS_FILE]


@pytest.mark.parametrize(("encoder", "layers"), [("of another", 1), (None, 2)], ids=str)
def test_what_belongs_to_another_reader_is_of_no_use(
    tmp_path: Path, encoder: str | None, layers: int
) -> None:
    weights = write_tiny_reader(tmp_path / "own.safetensors", probes=1)
    write_unmet_words(tmp_path, encoder or read_weights(weights).encoder, 0.25, layers)
    assert companions_of(weights).mismatch is None


def test_a_reader_without_probes_says_so(tmp_path: Path) -> None:
    lacking = companions_of(write_tiny_reader(tmp_path / "bare.safetensors")).lacking
    assert "orders to a model are told by their form alone" in lacking[0]


def test_a_reader_that_tells_no_tables_says_so(tmp_path: Path) -> None:
    lacking = companions_of(write_tiny_reader(tmp_path / "probed.safetensors", probes=1)).lacking
    assert "nothing is computed over columns" in lacking[0]


def test_what_is_broken_beside_a_reader_is_told(tmp_path: Path) -> None:
    weights = write_tiny_reader(tmp_path / "own.safetensors", probes=1)
    (tmp_path / UNMET_WORDS_FILE).write_bytes(b"no weights")
    with pytest.raises(ModelUnavailable, match="find unmet words"):
        companions_of(weights)
