"""What a question is for is told from its words, in many languages."""

from __future__ import annotations

import pytest

from footnote.models.sentence_encoder import SentenceEncoder

LATEST = (
    "What did the latest inspection say about the boiler?",
    "newest fee schedule",
    "Was steht im aktuellen Mietvertrag über Haustiere?",
    "Que dit le dernier compte rendu sur le parking ?",
    "最新的会议记录对停车场怎么说？",
)
EARLIEST = (
    "What did the oldest newsletter say about the pond?",
    "Was stand im ältesten Protokoll über den Teich?",
)
ANY = (
    "How has the number of members changed over the years?",
    "Compare the latest budget with the one before.",
    "Who was the last king of the island?",
    "Wann fährt der letzte Bus?",
    "notice period",
    "Qui a écrit la lettre ?",
)
FIGURES = (
    "How much did the club spend on coal?",
    "Wie hoch waren die Ausgaben für Kohle?",
    "俱乐部的煤炭支出是多少？",
)
NO_FIGURES = (
    "Who may use the boat house?",
    "Welche Regeln gelten im Bootshaus?",
    "Pourquoi la réunion a-t-elle été reportée ?",
)


@pytest.mark.parametrize("question", LATEST)
async def test_a_question_for_the_newest_is_told(e5: SentenceEncoder, question: str) -> None:
    assert (await e5.embed_question(question)).kind.period == "latest"


@pytest.mark.parametrize("question", EARLIEST)
async def test_a_question_for_the_oldest_is_told(e5: SentenceEncoder, question: str) -> None:
    assert (await e5.embed_question(question)).kind.period == "earliest"


@pytest.mark.parametrize("question", ANY)
async def test_a_question_for_neither_is_left_alone(e5: SentenceEncoder, question: str) -> None:
    assert (await e5.embed_question(question)).kind.period is None


@pytest.mark.parametrize("question", FIGURES)
async def test_a_question_for_a_figure_is_told(e5: SentenceEncoder, question: str) -> None:
    assert (await e5.embed_question(question)).kind.asks_for_number


@pytest.mark.parametrize("question", NO_FIGURES)
async def test_a_question_for_something_else_is_not(e5: SentenceEncoder, question: str) -> None:
    assert not (await e5.embed_question(question)).kind.asks_for_number


async def test_the_vector_is_that_of_any_query(e5: SentenceEncoder) -> None:
    question = LATEST[0]
    made = await e5.embed_question(question)
    assert (made.vector == await e5.embed_query(question)).all()
