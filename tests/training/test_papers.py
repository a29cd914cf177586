"""Made-up office papers: every kind can be drawn in every language, and its labels are true."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

from office_texts import LANGUAGES, Asked
from paper_facts import said, specs
from paper_texts import Papers, holds


def in_one(papers: Papers, language: str) -> Papers:
    papers.languages = lambda: (language, language)
    return papers


def assert_true(asked: Asked) -> None:
    assert asked.question.strip()
    assert asked.text.strip()
    assert not set("{}") & set(asked.question + asked.text + asked.heading)
    if asked.answer:
        start, words = asked.answer["start"], asked.answer["text"]
        assert words.strip()
        assert asked.text[start : start + len(words)] == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_is_worded_in_every_language(language: str) -> None:
    names, facts = specs()
    worded, english = said(language), said("en")
    assert worded.keys() == english.keys()
    for paper in names:
        assert worded[paper, ""]["T"]
        assert worded[paper, ""]["F"]
    for spec in facts:
        marks = worded[spec.paper, spec.name]
        kinds = ["+", "-"] if spec.sort("v") == "yesno" else [":"]
        assert all(marks.get(kind) for kind in kinds), spec
        assert {m for m in marks if m[0] == "?"} == {
            m for m in english[spec.paper, spec.name] if m[0] == "?"
        }
        slots = {slot for slot, sort in spec.slots if sort != "yesno"}
        for template in [t for kind in kinds for t in marks[kind]]:
            assert slots <= {slot for slot in slots if "{" + slot in template}, template


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("apart", [False, True], ids=["training", "apart"])
def test_every_kind_can_be_drawn_and_answers_stand_where_they_are_said_to(
    language: str, apart: bool
) -> None:
    papers = in_one(Papers(random.Random(1), apart=apart), language)
    for paper in papers.specs:
        for _ in range(12):
            assert_true(papers.reading(paper))
            statement, quote, label = papers.claim(paper)
            assert label == 0 or statement.rstrip(".。") not in quote
    for _ in range(60):
        assert_true(papers.sheets.reading(language, language))


def test_a_passage_that_does_not_answer_holds_no_answer() -> None:
    papers = Papers(random.Random(2))
    for _ in range(800):
        question, slot, language, fact, facts = papers.asked()
        miss = papers.missing(question, slot, language, fact, facts)
        assert miss.answer is None
        assert not any(holds(miss.text, a) for a in papers.answers(fact, slot, language))


def test_a_passage_that_answers_does_so_whatever_the_language_of_the_question() -> None:
    papers = Papers(random.Random(3))
    for _ in range(400):
        right, *others = papers.choice(3)
        assert right.answer
        assert_true(right)
        assert all(each.answer is None and each.question == right.question for each in others)


def test_the_same_seed_gives_the_same_papers() -> None:
    first, second = Papers(random.Random(4)), Papers(random.Random(4))
    assert [first.reading() for _ in range(60)] == [second.reading() for _ in range(60)]
