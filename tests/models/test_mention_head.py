"""The head that finds names: packaged for the packaged reader, in several languages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from footnote.errors import ModelUnavailable
from footnote.models.auxiliary_weights import companions_of
from footnote.models.mention_head import (
    LABELS,
    decoded,
    read_mention_head,
)
from footnote.models.reader import PackagedReader
from footnote.models.reader_weights import read_weights
from footnote.models.readers import packaged_file


def test_the_packaged_head_was_fitted_to_the_packaged_reader() -> None:
    weights = packaged_file()
    assert weights is not None
    read, reader = companions_of(weights).head, read_weights(weights)
    assert read is not None
    assert read.encoder == reader.encoder
    assert reader.probes is not None
    assert read.layers == reader.probes.layers
    assert read.hidden.shape[0] == 3 * reader.shape.width
    assert read.labels.shape == (read.hidden.shape[1], len(LABELS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Maria Keller moved to Hamburg.", {("Maria Keller", "person"), ("Hamburg", "place")}),
        ("Klaus Weber wohnt in Köln.", {("Klaus Weber", "person"), ("Köln", "place")}),
        ("Marie Lefèvre habite à Lyon.", {("Marie Lefèvre", "person"), ("Lyon", "place")}),
        ("马云在杭州出生。", {("马云", "person"), ("杭州", "place")}),
        ("it rains a lot in spring", set()),
        ("", set()),
    ],
)
async def test_names_are_found_in_several_languages(
    reader: PackagedReader, text: str, expected: set[tuple[str, str]]
) -> None:
    found = await reader.names([text])
    assert found is not None
    assert {(text[each.start : each.end], each.kind) for each in found[0]} == expected
    assert all(0 < each.probability <= 1 for each in found[0])


async def test_a_name_is_found_once_wherever_it_stands_in_a_long_text(
    reader: PackagedReader,
) -> None:
    filler = "The weather was fair and the sea was calm for days on end. "
    text = "".join(f"{filler * 3}Maria Keller came. " for _ in range(40))
    found = await reader.names([text, "Klaus Weber."])
    assert found is not None
    long, short = found
    said = [text[each.start : each.end] for each in long]
    assert said.count("Maria Keller") == 40
    assert all(a.end <= b.start for a, b in pairwise(long))
    assert len(short) == 1


@given(arrays(np.float32, (12, len(LABELS)), elements=st.floats(-9, 0, width=32)))
def test_a_name_goes_on_only_where_it_began(odds: npt.NDArray[np.float32]) -> None:
    labels, _ = decoded(odds)
    before = "O"
    for each in labels:
        name = LABELS[each]
        assert not name.startswith("I-") or before[2:] == name[2:]
        before = name


def test_a_file_that_is_no_head_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "mentions.safetensors"
    with pytest.raises(ModelUnavailable, match="weights that find names"):
        read_mention_head(wrong)
    wrong.write_bytes(b"nothing of the kind")
    with pytest.raises(ModelUnavailable, match="weights that find names"):
        read_mention_head(wrong)
