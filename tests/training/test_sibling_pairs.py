"""A word exchanged for a sibling: two texts together tell what answers, never the odd word."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from footnote.models.aligned import AlignedEncoder

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

from office_texts import Asked
from rewordings import Rewordings
from sibling_pairs import Exchanged, Siblings, replaced, stands_alone

TEXT = "Die Katzen schlafen im Haus. Katzen bekommen zweimal am Tag Futter."
ASKED = Asked(
    question="Wie oft bekommen Katzen Futter?",
    text=TEXT,
    answer={"text": "zweimal am Tag", "start": TEXT.index("zweimal")},
    heading="Katzen",
)
THINGS = "Hunde Vögel Kaninchen Pferde Mäuse Hamster Fische Schafe Ziegen Hühner Enten Kühe".split()


@pytest.fixture(scope="module")
def exchanges(packaged_models: AlignedEncoder) -> list[Exchanged]:
    siblings = Siblings(random.Random(1), Rewordings(None), packaged_models)
    siblings.learn("pets", "de", [*THINGS, ASKED.question, "schlafen fressen laufen"], [TEXT])
    found = [siblings.exchange("pets", "de", ASKED) for _ in range(80)]
    return [each for each in found if each is not None]


def test_what_answers_speaks_of_the_same_thing(exchanges: list[Exchanged]) -> None:
    assert exchanges
    for each in exchanges:
        asked, answer = each.asked, each.asked.answer
        assert answer
        assert asked.text[answer["start"] :][: len(answer["text"])] == "zweimal am Tag"
        assert each.thing.casefold() in asked.text.casefold()
        assert (each.thing.casefold() in asked.question.casefold()) == each.met


def test_a_question_and_a_passage_are_exchanged_alone_and_together(
    exchanges: list[Exchanged],
) -> None:
    ways = {
        (each.asked.question != ASKED.question, each.asked.text != TEXT, each.met)
        for each in exchanges
    }
    assert ways == {(True, False, False), (False, True, False), (True, True, True)}


@pytest.mark.parametrize(
    ("word", "alone"), [("Katzen", True), ("Hunde", False), ("Tag", False), ("Haus", True)]
)
def test_a_word_is_exchanged_where_nothing_else_says_it(word: str, alone: bool) -> None:
    assert ASKED.answer
    assert stands_alone(word, TEXT, "Katzen", ASKED.answer) == alone


def test_another_form_of_the_word_in_a_passage_leaves_it_as_it_is() -> None:
    assert ASKED.answer
    assert not stands_alone("Katzen", TEXT, "Das Katzenhaus", ASKED.answer)


def test_a_capital_stays() -> None:
    assert replaced("Dogs bark. A dog, dogs.", "dogs", "cats") == "Cats bark. A dog, cats."
