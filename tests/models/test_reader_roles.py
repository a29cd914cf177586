"""The reader judges and reranks, and settings that need one say so where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.errors import UnsupportedSettings
from footnote.models.judges import judge_from
from footnote.models.reader_roles import TEXTS_AT_ONCE, ReaderReranker
from footnote.models.rerankers import reranker_from
from footnote.models.testing import WordReader


class OwnedWords(WordReader):
    """The fake with nothing to close."""

    async def close(self) -> None:
        """Nothing is open."""


async def test_the_reader_judges_how_far_a_quote_carries_a_statement() -> None:
    judge = judge_from(kind="reader", reader=OwnedWords())
    assert judge is not None
    quote = "The monthly rent is 1,450 francs."
    supports = await judge(["The rent is 1,450 francs.", "The rent is 1,650 francs."], [quote] * 2)
    assert supports[0] > 0.5 > supports[1]
    await judge.close()


async def test_many_texts_are_reranked_in_parts_and_stay_in_their_places() -> None:
    reranker = ReaderReranker(reader=OwnedWords())
    texts = ["Penguins hatch eggs."] * (2 * TEXTS_AT_ONCE) + ["The monthly rent is due in May."]
    scores = await reranker("When is the monthly rent due?", texts)
    assert len(scores) == len(texts)
    assert scores.index(max(scores)) == len(texts) - 1


def test_without_a_reader_nobody_judges() -> None:
    assert judge_from(kind="reader") is None


def test_a_reranker_without_its_reader_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedSettings, match="has no reader"):
        reranker_from(kind="reader", models_folder=tmp_path)
