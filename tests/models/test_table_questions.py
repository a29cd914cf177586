"""What a question asks of a table is told as an independent pass says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.models.question_tokens import encode_turns
from footnote.models.reader import PackagedReader, open_reader
from footnote.models.reader_weights import ReaderWeights, read_weights
from footnote.models.table_questions import (
    BOUNDS,
    CELL_LETTERS,
    MAX_CELLS,
    MIN_OTHER,
    OPERATIONS,
    RANGES,
    TABLE_TOKENS,
    TablesHead,
    encode_table_question,
)
from footnote.models.tokenizing import UnigramPieces
from footnote.ports import Operation, TitledColumn

from .test_reader_probes import reference_states
from .tiny_reader import write_tiny_reader


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    return write_tiny_reader(folder / "tables.safetensors", probes=1, tables=True)


@pytest.fixture(scope="module")
def weights(file: Path) -> ReaderWeights:
    return read_weights(file)


@pytest.fixture(scope="module")
def reader(file: Path, e5_folder: Path) -> Iterator[PackagedReader]:
    reader = open_reader(file, e5_folder, 2, "fp32")
    yield reader
    asyncio.run(reader.close())


def columns_of(number: int) -> list[TitledColumn]:
    """The column that names the rows, and one to four others, some of them with cells."""
    others = [
        TitledColumn(title=f"title {each} of {number}", cells=[f"cell {each}"] * (number % 3))
        for each in range(1 + number % 4)
    ]
    return [TitledColumn(title="thing"), *others]


words = st.text("abc 12", min_size=1, max_size=40).map(str.strip).filter(bool)
tables = st.lists(
    st.builds(
        lambda title, cells: TitledColumn(title=title, cells=cells),
        words,
        st.lists(words, max_size=3),
    ),
    min_size=1,
    max_size=9,
)


@given(columns=tables)
def test_each_column_stands_where_it_is_said(
    tokenizer: UnigramPieces, columns: list[TitledColumn]
) -> None:
    talk, places = encode_table_question(tokenizer, "Which is it?", columns)
    said = [talk.asked.text[start:end] for start, end in places]
    assert [each.split(": ")[0] for each in said] == [each.title for each in columns]
    assert all(map(talk.asked.tokens_of, places))
    for column, text in zip(columns, said, strict=True):
        cells = text.removeprefix(column.title).removeprefix(": ").split("; ")
        assert cells == ([each[:CELL_LETTERS] for each in column.cells[:MAX_CELLS]] or [""])


def test_of_a_wide_table_fewer_cells_are_read(tokenizer: UnigramPieces) -> None:
    cells = ["seventeen of ninety"] * MAX_CELLS
    columns = [TitledColumn(title=f"title {each}", cells=cells) for each in range(40)]
    talk, places = encode_table_question(tokenizer, "Which is it?", columns)
    assert len(talk.asked.offsets) < TABLE_TOKENS
    assert all(map(talk.asked.tokens_of, places))
    assert "seventeen" not in talk.asked.text


async def test_a_column_is_the_one_that_its_tokens_speak_for(
    reader: PackagedReader, weights: ReaderWeights, tokenizer: UnigramPieces
) -> None:
    head = weights.table_questions
    assert head is not None
    found, narrowed = set(), set()
    for number in range(12):
        columns = columns_of(number)
        question = f"Which of {number} is the {'very ' * (number % 5)}best?"
        talk, (_, *places) = encode_table_question(tokenizer, question, columns)
        states = reference_states(weights, talk.ids, above=weights.tables)
        said = states @ head.columns + head.columns_bias
        odds = [said[talk.asked.tokens_of(each), 0].mean() for each in places]
        chances = np.exp([*odds, said[0, 1]]) / np.exp([*odds, said[0, 1]]).sum()
        best = int(chances.argmax())
        believed = best < len(places) and chances[best] >= head.least_column
        told = await reader.column_probabilities(question, columns)
        assert told is not None
        assert [*told.probabilities, told.no_column_probability] == pytest.approx(
            chances.tolist(), abs=1e-3
        )
        meant = await reader.predict_column(question, columns)
        assert (None if meant is None else meant.number) == (best if believed else None)
        found.add(believed)
        if meant is not None:
            assert meant.probability == pytest.approx(chances[best], abs=1e-3)
            marks = (states @ head.narrowing + head.narrowing_bias).astype(np.float32)
            own = talk.question.stretches(talk.question.labelled(marks))
            assert list(meant.filter_phrases) == [question[start:end] for start, end in own]
            assert told.filter_phrases == meant.filter_phrases
            narrowed.add(bool(own))
    assert found == {True, False}
    assert narrowed
    assert await reader.predict_column("Which is best?", columns_of(3)[:1]) is None


def believed_operation(
    head: TablesHead, odds: npt.NDArray[np.float32]
) -> tuple[Operation | None, float] | None:
    """What these log-odds say, and its probability; None too near to a threshold."""
    chances = np.exp(odds) / np.exp(odds).sum()
    best = int(chances.argmax())
    other = OPERATIONS.index("other")
    margins = abs(chances[best] - head.least_operation), abs(chances[other] - MIN_OTHER)
    if min(margins) <= 0.01:
        return None
    number = best if chances[best] >= head.least_operation else 0
    number = other if chances[other] >= MIN_OTHER else number
    return Operation(OPERATIONS[number]) if number else None, float(chances[number])


async def test_an_operation_is_believed_from_its_probability_on(
    reader: PackagedReader, weights: ReaderWeights, tokenizer: UnigramPieces
) -> None:
    head = weights.table_questions
    assert head is not None
    found = set()
    for number in range(10):
        question = f"What do {number} things weigh on the {'other ' * number}side?"
        talk = encode_turns(tokenizer, question)
        state = reference_states(weights, talk.ids, above=weights.tables)[0]
        believed = believed_operation(head, state @ head.operations + head.operations_bias)
        if believed is not None:
            assert await reader.operation(question) == believed[0]
            found.add(believed[0])
    assert len(found) > 1


async def test_what_is_asked_is_told_beside_the_titles(
    reader: PackagedReader, weights: ReaderWeights, tokenizer: UnigramPieces
) -> None:
    head = weights.table_questions
    assert head is not None
    found = set()
    for number in range(10):
        columns = columns_of(number)
        question = f"What do {number} things weigh on the {'other ' * number}side?"
        talk, places = encode_table_question(tokenizer, question, columns)
        states = reference_states(weights, talk.ids, above=weights.tables)
        odds = states[0] @ head.operations_beside + head.operations_beside_bias
        believed = believed_operation(head, odds)
        if believed is not None:
            told = await reader.predict_operation(question, columns)
            assert told is not None
            assert told.operation == believed[0]
            assert told.probability == pytest.approx(believed[1], abs=1e-3)
            chances = await reader.column_probabilities(question, columns)
            assert chances is not None
            assert told.no_column_probability == pytest.approx(
                chances.no_column_probability, abs=1e-6
            )
            asked = states[: talk.question.end]
            for names, odds, chances_of in (
                (RANGES, asked @ head.ranges + head.ranges_bias, told.range_probabilities),
                (BOUNDS, asked @ head.bounds + head.bounds_bias, told.operator_probabilities),
            ):
                own = np.exp(odds.max(axis=0))
                shares = dict(zip(names, (own / own.sum()).tolist(), strict=True))
                assert {each.value: one for each, one in chances_of.items()} == pytest.approx(
                    {each: one for each, one in shares.items() if each != "none"}, abs=1e-3
                )
            said = states @ head.bounded + head.bounded_bias
            each_said = [said[talk.asked.tokens_of(one), 0].mean() for one in places]
            own = np.exp([*each_said, said[0, 1]])
            assert told.filter_column_probabilities == pytest.approx(
                (own / own.sum())[:-1].tolist(), abs=1e-3
            )
            found.add(told.operation)
    assert len(found) > 1


async def test_a_reader_without_it_cannot_tell(tmp_path: Path, e5_folder: Path) -> None:
    file = write_tiny_reader(tmp_path / "probed.safetensors", probes=1, rewriting=True)
    plain = open_reader(file, e5_folder, 2)
    columns = columns_of(2)
    assert await plain.predict_column("Which is the longest?", columns) is None
    assert await plain.column_probabilities("How long is the Heron?", columns) is None
    assert await plain.predict_operation("How many ships are there?", columns) is None
    assert await plain.operation("What is the sum of the prices?") is None
    await plain.close()
