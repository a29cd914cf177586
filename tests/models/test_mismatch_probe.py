"""What a question speaks of and its passage does not: the packaged probe tells it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footnote.errors import ModelUnavailable
from footnote.models.auxiliary_weights import companions_of
from footnote.models.mismatch_probe import MismatchProbe, read_mismatch_probe
from footnote.models.reader import PackagedReader
from footnote.models.reader_weights import read_weights
from footnote.models.readers import packaged_file
from footnote.ports import PassageText


def test_the_packaged_probe_was_fitted_to_the_packaged_reader() -> None:
    weights = packaged_file()
    assert weights is not None
    read, reader = companions_of(weights).mismatch, read_weights(weights)
    assert read is not None
    assert read.encoder == reader.encoder
    assert reader.probes is not None
    assert read.layers == reader.probes.layers
    assert read.weight.shape == (reader.shape.width,)


@pytest.mark.parametrize(
    ("question", "there", "sibling"),
    [
        ("Are {} allowed in the office?", "dogs", "cats"),
        ("Wie viel Urlaub haben {}?", "Angestellte", "Praktikanten"),
        ("¿Quién dirige la oficina de {}?", "Lisboa", "Oporto"),
    ],
)
async def test_a_sibling_of_what_a_passage_has_is_unmet(
    reader: PackagedReader, question: str, there: str, sibling: str
) -> None:
    passages = [
        PassageText(text=text, heading="House rules")
        for text in (
            "Dogs are allowed in the office on Fridays.",
            "Angestellte haben 28 Tage Urlaub im Jahr.",
            "La oficina de Lisboa la dirige la señora Hansen.",
        )
    ]

    async def least_unmet(thing: str) -> float:
        readings = await reader.read(question.format(thing), passages)
        return min(each.mismatch for each in readings)

    assert await least_unmet(sibling) > await least_unmet(there) + 1.0


def test_the_word_that_is_met_least_counts() -> None:
    probe = MismatchProbe(layers=1, encoder="", weight=np.array([1, 0], np.float32), bias=0.5)
    states = np.array([[1, 9], [3, 0], [-2, 0]], np.float32)
    assert probe.odds(states) == 3.5
    assert probe.odds(states[:0]) == 0.0


def test_other_files_are_told(tmp_path: Path) -> None:
    wrong = tmp_path / "unmet_words.safetensors"
    with pytest.raises(ModelUnavailable, match="find unmet words"):
        read_mismatch_probe(wrong)
    wrong.write_bytes(b"no weights")
    with pytest.raises(ModelUnavailable, match="find unmet words"):
        read_mismatch_probe(wrong)
