from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.language.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One", ["One"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. No met J. R. Smith. He paid 3.5 EUR.",
            ["Dr. No met J. R. Smith.", "He paid 3.5 EUR."],
        ),
        (
            "Der Verein Aue e. V. zahlt, z. B. die Halle. Der Chor e. V. Die Mitglieder singen.",
            [
                "Der Verein Aue e. V. zahlt, z. B. die Halle.",
                "Der Chor e. V.",
                "Die Mitglieder singen.",
            ],
        ),
        ("Der Chor e. V. Aue singt.", ["Der Chor e. V. Aue singt."]),
        ("See Fig. 3 and No. 5. Done.", ["See Fig. 3 and No. 5.", "Done."]),
        ("The answer is no. Then he left.", ["The answer is no.", "Then he left."]),
        ("e.g. this, i.e. that. End.", ["e.g. this, i.e. that.", "End."]),
        ("The U.S. Senate met. It left.", ["The U.S. Senate met.", "It left."]),
        ("He lives in the U.S. The end.", ["He lives in the U.S.", "The end."]),
        (
            "Quiet after 9 p.m. Subletting requires consent. It opens at 9 a.m. Tenants may come.",
            [
                "Quiet after 9 p.m.",
                "Subletting requires consent.",
                "It opens at 9 a.m.",
                "Tenants may come.",
            ],
        ),
        ("Open until 9:30 P.M. Pets stay out.", ["Open until 9:30 P.M.", "Pets stay out."]),
        ("Shut in the p.m. The end.", ["Shut in the p.m.", "The end."]),
        ("Call at 9 a.m. Monday.", ["Call at 9 a.m. Monday."]),
        ("Open 9 a.m. Saturdays, 1 p.m. Sun.", ["Open 9 a.m. Saturdays, 1 p.m. Sun."]),
        (
            "It ends at 8 p.m. June 3 or 9 p.m. Sept. 4.",
            ["It ends at 8 p.m. June 3 or 9 p.m. Sept. 4."],
        ),
        (
            "It ends at 9 p.m. EST or 8 p.m. Central Time.",
            ["It ends at 9 p.m. EST or 8 p.m. Central Time."],
        ),
        ("Ask A.M. Best or P.M. Jones.", ["Ask A.M. Best or P.M. Jones."]),
        ("Frankfurt a.M. Sachsenhausen ruht.", ["Frankfurt a.M. Sachsenhausen ruht."]),
        ("Am 30. Juni zahlt er. Gut.", ["Am 30. Juni zahlt er.", "Gut."]),
        ("1. First. More.\n2. Second", ["1. First.", "More.", "2. Second"]),
        ("- one\n- two", ["- one", "- two"]),
        ("| a. b | c |\n| d | e |", ["| a. b | c |", "| d | e |"]),
        ("A line\nbroken here. Next.", ["A line\nbroken here.", "Next."]),
        ("Heading\n\nText", ["Heading", "Text"]),
        ("Wait... and go. Yes… Now.", ["Wait... and go.", "Yes…", "Now."]),
        ("He said “Go.” Then left.", ["He said “Go.”", "Then left."]),
        ("你好。世界！「是的。」他说。", ["你好。", "世界！", "「是的。」", "他说。"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(st.sampled_from('aB1 .!?。\n\t|-("’é'), max_size=80) | st.text(max_size=80))
def test_only_white_space_lies_between_sentences(text: str) -> None:
    position = 0
    for start, end in sentence_spans(text):
        assert start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
