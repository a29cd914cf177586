"""A follow-up question is put so that it can be searched alone, and other questions stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.retrieval.followup import standing_alone

STORM = "What is the deductible for storm damage?"


@pytest.mark.parametrize(
    ("asked", "question", "expected"),
    [
        (STORM, "And for fire?", "What is the deductible for fire?"),
        (STORM, "For fire?", "What is the deductible for fire?"),
        (STORM, "What about fire?", "What is the deductible for fire?"),
        (
            "How many claims were reported in 2023 in Spain?",
            "And 2024?",
            "How many claims were reported in 2024 in Spain?",
        ),
        (
            "What does clause 4.2 say about termination?",
            "And clause 4.3?",
            "What does clause 4.3 say about termination?",
        ),
        ("What does POL-1 cover?", "And POL-2?", "What does POL-2 cover?"),
        (
            "When is the first premium due?",
            "And the second premium?",
            "When is the second premium due?",
        ),
        ("What is the notice period?", "What about renewal?", "renewal? notice period"),
        ("Who signed the Hartwell lease?", "When does it end?", "When does it end? Hartwell"),
        (
            "What does policy POL-88213-X cover?",
            "What is its notice period?",
            "What is its notice period? POL-88213-X",
        ),
        ("What is the penalty for late reports?", "How much?", "How much? penalty late reports"),
        (
            "Wie hoch ist der Selbstbehalt für Sturmschäden?",
            "Und für Feuer?",
            "Wie hoch ist der Selbstbehalt für Feuer?",
        ),
        (
            "Quelle est la franchise pour la tempête?",
            "Et pour le feu?",
            "Quelle est la franchise pour le feu?",
        ),
        (
            "¿Cuál es la franquicia para tormentas?",
            "¿Y para incendios?",
            "¿Cuál es la franquicia para incendios?",
        ),
    ],
)
def test_a_follow_up_takes_over_what_it_leaves_out(
    asked: str, question: str, expected: str
) -> None:
    assert standing_alone(question, asked=asked) == expected


def test_who_is_meant_may_have_been_named_in_the_answer() -> None:
    alone = standing_alone(
        "Where are they based?",
        asked="Who owns Flat 3?",
        answered="Since 3 May 2021 it belongs to Harbour Estates Ltd for EUR 900. [1]",
    )
    assert alone == "Where are they based? Flat 3 Harbour Estates Ltd"


@pytest.mark.parametrize(
    "question",
    [
        "Who audited the accounts of 2023?",
        "Is there a penalty for late payment?",
        "And when does the lease of the office end?",
        "Wer hat den Jahresabschluss geprüft?",
        "deductible storm",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(question: str) -> None:
    assert standing_alone(question, asked=STORM) == question


@given(question=st.text(max_size=80), asked=st.text(max_size=80), answered=st.text(max_size=80))
def test_it_never_fails_and_never_loses_the_question(
    question: str, asked: str, answered: str
) -> None:
    alone = standing_alone(question, asked=asked, answered=answered)
    assert standing_alone(question, asked="") == question
    assert alone.strip() or not question.strip()
