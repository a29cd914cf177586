"""Sentences said otherwise stay true, and limits are labelled as their quotes set them."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

from limit_texts import LEAST, MOST, OVER, UNDER, WORDINGS, limit_claim
from office_texts import CONTRADICTED, SUPPORTED
from restatements import answered, cut, reordered, respelt, restated, shortened

from footnote.language.figures import agrees, figures_of

SENTENCES = [
    ("en", "In 1854, the town, which had 1,200 inhabitants (most of them poor), built two mills."),
    ("de", "Im Jahr 1854 baute die Stadt, die 1.200 Einwohner hatte, zwei Brücken und 3 Tore."),
    ("es", "En 1854 la villa, que tenía el 25 % de los molinos, construyó dos puentes."),
    ("zh", "1854年，该镇有1200名居民，修建了3座桥。"),
]  # fmt: skip
SEEDS = st.integers(0, 10_000)


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
@given(seed=SEEDS)
def test_a_number_that_is_spelt_otherwise_has_its_value(
    language: str, sentence: str, seed: int
) -> None:
    made = respelt(random.Random(seed), sentence, language)
    assert made is not None
    assert made != sentence
    before, after = (
        [each for each in figures_of(text, language) if each.claims] for text in (sentence, made)
    )
    assert len(before) == len(after)
    assert all(agrees(one, other) for one, other in zip(after, before, strict=True))


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
@given(seed=SEEDS)
def test_a_sentence_is_shortened_or_reordered_and_nothing_is_added(
    language: str, sentence: str, seed: int
) -> None:
    draw = random.Random(seed)
    there = sorted(re.findall(r"\w", sentence.casefold()))
    for made in (shortened(draw, sentence), reordered(draw, sentence)):
        if made is None:
            continue
        kept = re.findall(r"\w", made.casefold())
        assert all(kept.count(each) <= there.count(each) for each in set(kept))
    turned = reordered(draw, sentence)
    assert turned is not None
    assert sorted(re.findall(r"\w", turned.casefold())) == there


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
@given(seed=SEEDS)
def test_what_is_restated_differs_from_the_sentence(
    language: str, sentence: str, seed: int
) -> None:
    assert restated(random.Random(seed), sentence, language) != sentence


@pytest.mark.parametrize(
    ("language", "question", "answer", "statement"),
    [
        ("en", "Who built the mill?", "Ada Lorn", "Ada Lorn built the mill."),
        ("de", "Wie viele Brücken baute die Stadt?", "zwei", "Zwei Brücken baute die Stadt."),
        ("es", "¿Quién construyó el puente?", "la villa", "La villa construyó el puente."),
        ("zh", "谁修建了桥？", "该镇", "该镇修建了桥。"),
        ("en", "Name the river.", "Elm", None),
        ("sw", "Nani alijenga daraja?", "mji", None),
    ],
)
def test_an_answer_takes_the_place_of_the_question_word(
    language: str, question: str, answer: str, statement: str | None
) -> None:
    assert answered(question, answer, language) == statement


def bounds_in(text: str, language: str) -> set[int]:
    """The bounds that the wordings of a text set; the longest wording at a place counts."""
    found: list[tuple[int, int, int]] = []
    for bound, wordings in enumerate(WORDINGS[language]):
        for wording in wordings:
            before, behind = (re.escape(each) for each in wording.split("{}"))
            pattern = rf"{before}(?P<value>[^.。:：]*?){behind}(?=[.。]|$| are| applies)"
            found += [(m.start(), -len(wording), bound) for m in re.finditer(pattern, text)]
    return {min(found)[2]} if found else set()


def test_what_is_at_least_is_neither_at_most_nor_less() -> None:
    labels = {}
    for seed in range(4000):
        said, quote, label = limit_claim(random.Random(seed))
        if said.startswith("The notice period is ") and quote.startswith("The notice period is "):
            labels[said.split(" is ")[1], quote.split(" is ")[1]] = label
    told = [
        (next(iter(bounds_in(one, "en")), None), next(iter(bounds_in(other, "en")), None), label)
        for (one, other), label in labels.items()
        if ". " not in other
    ]
    assert told
    for one, other, label in told:
        if label == CONTRADICTED:
            assert (one in (LEAST, OVER)) != (other in (LEAST, OVER))
        elif label == SUPPORTED:
            assert (one in (LEAST, OVER)) == (other in (LEAST, OVER))
            assert (one in (MOST, UNDER)) == (other in (MOST, UNDER))


@pytest.mark.parametrize(
    ("language", "sentence", "may_be"),
    [
        ("en", "The deposit of 900 euros is paid back within six weeks after the handover.",
         {"The deposit of 900 euros is paid back within six weeks."}),
        ("de", "Die Miete ist am dritten Werktag zu zahlen, weil der Vermieter sie braucht.",
         {"Die Miete ist am dritten Werktag zu zahlen."}),
        ("es", "El alquiler se paga el primer día del mes desde la firma del contrato.",
         {"El alquiler se paga el primer día del mes."}),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_where_it_can_end(language: str, sentence: str, may_be: set[str]) -> None:
    made = {cut(random.Random(seed), sentence, language) for seed in range(30)}
    assert may_be <= made
    assert all(each and sentence.startswith(each[:-1]) and each.endswith(".") for each in made)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Dogs are allowed only in the garden on Sundays during the summer months."),
        ("en", "Nobody may enter the building unless they wear a badge at the front door."),
        ("de", "Hunde sind im Garten nicht erlaubt, weil dort Kinder am Nachmittag spielen."),
        ("zh", "狗只能在星期天进入花园。"),
    ],
)
def test_a_sentence_that_a_cut_could_turn_round_is_left_whole(language: str, sentence: str) -> None:
    assert all(cut(random.Random(seed), sentence, language) is None for seed in range(30))
