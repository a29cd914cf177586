"""Words that deny are found; what only looks like a denial is not."""

from __future__ import annotations

import pytest

from footnote.language.negators import negators_in


@pytest.mark.parametrize(
    ("language", "text", "denials"),
    [
        ("en", "It is not only large; it can't close, and nobody may enter.", ["can't", "nobody"]),
        ("de", "Nicht nur Hunde, auch keine Katzen.", ["keine"]),
        ("es", "No solo perros, sin embargo ningún gato.", ["ningún"]),
        ("fr", "Il n'est pas ouvert, sans doute.", ["pas"]),
        ("it", "Non solo cani, nessun gatto.", ["nessun"]),
        ("zh", "不仅有狗，没有猫。", ["没有"]),
        ("sv", "It is not Swedish.", ["not"]),
    ],
)
def test_what_denies_is_found(language: str, text: str, denials: list[str]) -> None:
    assert [text[start:end] for start, end in negators_in(text, language)] == denials
