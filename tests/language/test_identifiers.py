"""What is an identifier is told by its form."""

from __future__ import annotations

import pytest

from footnote.language.identifiers import is_identifier


@pytest.mark.parametrize("word", ["pol-2024/88-a", "ctr-2024/17-b", "e-64", "kl-t-50211"])
def test_identifiers_are_recognised(word: str) -> None:
    assert is_identifier(word)


@pytest.mark.parametrize("word", ["2024", "15th", "70's", "30km", "q3", "1620-21", "4,500"])
def test_counts_dates_and_measures_are_not_identifiers(word: str) -> None:
    assert not is_identifier(word)
