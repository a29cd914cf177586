"""A follow-up question is put so that it can be searched alone, and other questions stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Turn
from footnote.retrieval.followup import StandAlone, standing_alone
from footnote.retrieval.query import MAX_QUERY_CHARACTERS

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


def user(text: str) -> Turn:
    return Turn(role="user", text=text)


def assistant(text: str) -> Turn:
    return Turn(role="assistant", text=text)


def test_each_question_of_a_conversation_may_be_a_follow_up_itself() -> None:
    said = (user(STORM), assistant("EUR 500. [1]"), user("And for fire?"), assistant("EUR 900."))
    assert StandAlone()("For theft?", said) == ("What is the deductible for theft?", ())


def test_a_name_of_the_last_answer_is_minded_and_none_of_an_earlier_one() -> None:
    said = (
        user("Who owns Flat 2?"),
        assistant("It belongs to Old Owners Ltd."),
        user("Who owns Flat 3?"),
        assistant("It belongs to Harbour Estates Ltd."),
    )
    alone, notes = StandAlone()("Where are they based?", said)
    assert (alone, notes) == ("Where are they based? Flat 3 Harbour Estates Ltd", ())


def test_a_follow_up_in_a_language_without_rules_is_left_alone() -> None:
    alone, [note] = StandAlone(language_of=lambda _: "nl")("En bij brand?", (user(STORM),))
    assert alone == "En bij brand?"
    assert "'nl'" in note


@pytest.mark.parametrize("said", [(), (assistant("How can I help?"),), (user("  "),)])
def test_a_follow_up_to_nothing_is_noted(said: tuple[Turn, ...]) -> None:
    alone, notes = StandAlone()("And for fire?", said)
    assert alone == "And for fire?"
    assert [note.partition(":")[0] for note in notes] == ["condense"]


def test_what_is_no_query_any_more_is_searched_as_it_was() -> None:
    excluded = " ".join(f"-w{number}" for number in range(40))
    alone, notes = StandAlone()("And for fire?", (user(f"What is due {excluded} for storm?"),))
    assert alone == "And for fire?"
    assert [note.partition(":")[0] for note in notes] == ["condense"]


@given(
    question=st.text(max_size=80),
    said=st.lists(
        st.builds(Turn, role=st.sampled_from(["user", "assistant"]), text=st.text(max_size=80))
    ),
)
def test_any_conversation_leaves_something_that_can_be_asked(
    question: str, said: list[Turn]
) -> None:
    alone, notes = StandAlone()(question, said)
    assert alone.strip() or not question.strip()
    assert alone == question or not notes
    assert len(alone) <= MAX_QUERY_CHARACTERS


def test_a_long_conversation_is_read_in_part() -> None:
    """A hundred messages of 20,000 characters are no work worth speaking of."""
    long = user("What is due for " + "storm and fire " * 1300 + "?")
    alone, _ = StandAlone()("And for theft?", (long,) * 100)
    assert len(alone) < 2000
