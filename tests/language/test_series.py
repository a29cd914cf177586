"""What names say of a series of documents: what they have in common, and their order."""

from __future__ import annotations

import pytest

from footnote.language.series import (
    ordered_by,
    series_name,
    stated,
    without_year_or_version,
    year_or_version,
)


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        (("pets-2023.md", "Pets 2023"), ("pets-2026.pdf", "Pets 2026"), "year"),
        (("pay-v4.txt", "Pay, version 4"), ("pay-v5.docx", "Pay, Version 5"), "version"),
        (("Hausordnung_Fassung_2.docx", ""), ("Hausordnung_Fassung_10.docx", ""), "version"),
        (("manual rev. 1.9.pdf", "Manual"), ("manual rev. 1.10.pdf", "Manual"), "version"),
    ],
)
def test_what_replaces_another_is_called_alike_and_comes_later(
    older: tuple[str, str], newer: tuple[str, str], kind: str
) -> None:
    assert series_name(*older) == series_name(*newer)
    said = [stated(f"{name}\n{title}") for name, title in (older, newer)]
    assert ordered_by(said) == kind
    assert said[0][kind] < said[1][kind]


def test_other_papers_of_the_same_years_are_no_series() -> None:
    first = series_name("pets-policy-2023.md", "Pets Policy 2023")
    assert first != series_name("luggage-policy-2026.md", "Luggage Policy 2026")
    assert first != series_name("pets-policy-2026.md", "Pets Policy of Norvane 2026")


@pytest.mark.parametrize(
    "text", ["the fee is 4 %", "v-shaped hull", "a versatile crew of 12", "review 3 items"]
)
def test_other_numbers_are_no_versions(text: str) -> None:
    assert "version" not in stated(text)


@pytest.mark.parametrize(
    ("question", "said", "left"),
    [
        ("What was the fare in 2023?", ("year", (2023,)), "What was the fare in?"),
        ("What is the fee in version 4?", ("version", (4,)), "What is the fee in?"),
        ("Was kostet das laut Fassung 2?", ("version", (2,)), "Was kostet das laut?"),
        ("How did the fare change from 2023 to 2026?", None, "How did the fare change from to?"),
        ("How long may a lead be?", None, "How long may a lead be?"),
        ("What does part 12-2023 cost?", None, "What does part 12-2023 cost?"),
        ("What is 2,023 euros for?", None, "What is 2,023 euros for?"),
    ],
)
def test_a_question_states_one_year_or_version(
    question: str, said: tuple[str, tuple[int, ...]] | None, left: str
) -> None:
    assert year_or_version(question) == said
    assert without_year_or_version(question) == left
