"""Made-up office papers: their labels are true of their texts."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

import alterations
from office_texts import CONTRADICTED, SUPPORTED, Office


@pytest.mark.parametrize("apart", [False, True], ids=["training", "apart"])
def test_answers_stand_where_they_are_said_to(apart: bool) -> None:
    papers = Office(random.Random(1), apart=apart)
    for _ in range(1500):
        asked = papers.reading()
        assert asked.question
        assert asked.text
        assert "{" not in asked.question + asked.text
        if asked.answer:
            start, said = asked.answer["start"], asked.answer["text"]
            assert said.strip()
            assert asked.text[start : start + len(said)] == said


def test_the_same_seed_gives_the_same_papers() -> None:
    first, second = Office(random.Random(2)), Office(random.Random(2))
    assert [first.reading() for _ in range(50)] == [second.reading() for _ in range(50)]


def test_only_the_first_of_a_choice_answers() -> None:
    papers = Office(random.Random(3))
    for _ in range(200):
        right, *others = papers.choice()
        assert right.answer
        assert len(others) == 7
        assert all(each.answer is None and each.question == right.question for each in others)
        sentence = right.text[right.answer["start"] - 25 : right.answer["start"] + 25]
        assert all(sentence not in each.text for each in others if len(sentence) > 49)


def test_a_contradicted_statement_is_not_in_its_quote() -> None:
    papers = Office(random.Random(4))
    labels = set()
    for _ in range(1500):
        said, quote, label = papers.claim()
        labels.add(label)
        assert label == SUPPORTED or said.rstrip(".。") not in quote, (said, quote)
    assert len(labels) == 3
    assert CONTRADICTED in labels


def test_an_altered_sentence_differs() -> None:
    draw = random.Random(5)
    for _ in range(50):
        assert alterations.denied(draw, "The shop is not open.", "en") == "The shop is open."
        assert alterations.denied(draw, "但是他来了", "zh") is None
        assert alterations.other_number(draw, "page 12 [3]").endswith("[3]")
        said = "At least 30 days before May, the tenant pays."
        assert alterations.alter(draw, said, "en", []) != said
