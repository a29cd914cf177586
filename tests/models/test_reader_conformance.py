"""What every reader promises, held against the fake and against the model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from footnote.models.reader import open_reader
from footnote.models.testing import WordReader
from footnote.ports import Operation, PassageText, Reader

from .tiny_reader import write_tiny_reader

QUESTION = "When is the monthly rent due?"
PASSAGES = [
    PassageText(text="Penguins hatch eggs during polar winter."),
    PassageText(text="The monthly rent is due on the first working day.", heading="Lease › Rent"),
    PassageText(text=""),
    PassageText(text="  \n\t "),
    PassageText(text="Über die Kündigung entscheidet der Vorstand. 取締役会が決定する。 🙂🙂"),
    PassageText(text="nul \x00 and a lone surrogate \ud800 inside, ﬁrst Å ligature"),
    PassageText(text="A word that repeats itself. " * 300 + "The monthly rent is due in May."),
    PassageText(text="| City | Rent |\n|---|---|\n| Basel | 1,200 |"),
]


@pytest.fixture(params=["fake", "model"])
async def reader(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Reader]:
    if request.param == "fake":
        yield WordReader()
        return
    folder: Path = request.getfixturevalue("e5_folder")
    file = write_tiny_reader(tmp_path_factory.mktemp("weights") / "tiny.safetensors", probes=1)
    model = open_reader(file, folder, 2)
    yield model
    await model.close()


async def test_each_passage_has_a_reading_in_its_place(reader: Reader) -> None:
    readings = await reader.read(QUESTION, PASSAGES)
    assert len(readings) == len(PASSAGES)
    assert all(not each.spans for each in readings[2:4])
    assert [each.probability for each in readings[2:4]] == [0.0, 0.0]


async def test_spans_are_stretches_of_the_text_without_outer_white_space(reader: Reader) -> None:
    for passage, reading in zip(PASSAGES, await reader.read(QUESTION, PASSAGES), strict=True):
        for span in reading.spans:
            assert 0 <= span.start < span.end <= len(passage.text)
            said = passage.text[span.start : span.end]
            assert said == said.strip()


async def test_spans_come_best_first_and_do_not_overlap(reader: Reader) -> None:
    for reading in await reader.read(QUESTION, PASSAGES):
        probabilities = [each.probability for each in reading.spans]
        assert probabilities == sorted(probabilities, reverse=True)
        assert all(0 <= each <= 1 for each in probabilities)
        assert reading.probability == max(probabilities, default=0.0)
        ordered = sorted(reading.spans, key=lambda each: each.start)
        for one, following in pairwise(ordered):
            assert one.end <= following.start


async def test_readings_follow_their_passages_into_another_order(reader: Reader) -> None:
    forward = await reader.read(QUESTION, PASSAGES)
    backward = await reader.read(QUESTION, PASSAGES[::-1])
    for one, other in zip(forward, backward[::-1], strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-4)
        assert one.relevance == pytest.approx(other.relevance, abs=1e-3)


async def test_no_passages_have_no_readings(reader: Reader) -> None:
    assert list(await reader.read(QUESTION, [])) == []


async def test_an_empty_question_is_read(reader: Reader) -> None:
    assert len(await reader.read("", PASSAGES[:2])) == 2


async def test_the_odds_of_each_statement_sum_to_one(reader: Reader) -> None:
    statements = ["The rent is due in May.", "", "Pinguine \ud800", "word " * 900]
    quotes = ["The rent is due in May.", "It rains.", "", "other " * 900]
    odds = await reader.judge(statements, quotes)
    assert len(odds) == len(statements)
    for each in odds:
        assert each.supported + each.contradicted + each.neither == pytest.approx(1, abs=1e-5)
        assert min(each.supported, each.contradicted, each.neither) >= 0


async def test_nothing_to_judge_has_no_odds(reader: Reader) -> None:
    assert await reader.judge([], []) == []


async def test_each_text_has_a_chance_of_giving_orders(reader: Reader) -> None:
    texts = [each.text for each in PASSAGES]
    chances = await reader.injection_probabilities(texts)
    assert chances is not None
    assert len(chances) == len(texts)
    assert all(0 <= each <= 1 for each in chances)
    backward = await reader.injection_probabilities(texts[::-1])
    assert backward is not None
    assert list(backward)[::-1] == pytest.approx(list(chances), abs=1e-3)
    assert list(await reader.injection_probabilities([]) or []) == []


@pytest.mark.parametrize("question", [QUESTION, "", "\ud800", "What is the sum? " * 200])
async def test_a_question_asks_one_thing_of_a_column_or_nothing(
    reader: Reader, question: str
) -> None:
    asked = await reader.operation(question)
    assert asked is None or asked in Operation
    assert await reader.operation(question) == asked
