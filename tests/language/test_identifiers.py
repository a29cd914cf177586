"""What is an identifier is told by its form."""

from __future__ import annotations

import pytest

from footnote.language.identifiers import is_identifier, is_numbered_otherwise, numbered_things


@pytest.mark.parametrize("word", ["pol-2024/88-a", "ctr-2024/17-b", "e-64", "kl-t-50211"])
def test_identifiers_are_recognised(word: str) -> None:
    assert is_identifier(word)


@pytest.mark.parametrize("word", ["2024", "15th", "70's", "30km", "q3", "1620-21", "4,500"])
def test_counts_dates_and_measures_are_not_identifiers(word: str) -> None:
    assert not is_identifier(word)


@pytest.mark.parametrize(
    ("question", "text", "is_another"),
    [
        ("How many lanterns does crate 2-1 hold?", "Crate 1-2 holds 102 lanterns.", True),
        ("How many lanterns does crate 2-1 hold?", "Crate 2–1 holds 201 lanterns.", False),
        ("How many lanterns does crate 2-1 hold?", "Crates 1-2 and 2-1 are full.", False),
        ("How many lanterns does crate 2-1 hold?", "The lanterns are for the foyer.", False),
        ("Who has bay 3/4?", "Bay 3/5 is let to Norvane.", True),
        ("What changed in season 2024-2025?", "In season 2023-2024 nothing changed.", False),
        ("What happened on day 2026-03-01?", "On 1 March 2026 the pier was closed.", False),
        ("Does it take 2-3 weeks?", "It takes 4-5 weeks.", False),
    ],
)
def test_a_thing_of_another_number_is_another(question: str, text: str, is_another: bool) -> None:
    assert is_numbered_otherwise(numbered_things(question), text) is is_another
