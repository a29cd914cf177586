"""What asks for the whole of many documents is told from what asks for something in them."""

from __future__ import annotations

import pytest

from footnote.models.global_questions import packaged_global_questions
from footnote.models.sentence_encoder import SentenceEncoder

WHOLE = (
    "What are the main risks across these contracts?",
    "Worum geht es in all diesen Berichten?",
    "Donne-moi une vue d'ensemble de tous les documents",
    "¿Qué temas se repiten en los informes?",
    "这些文件主要讲了什么？",
    "ما المواضيع الرئيسية في هذه الوثائق؟",
)
PARTICULAR = (
    "What does clause 4 name as the main risk?",
    "Who signed the lease of the warehouse?",
    "Wie lange ist die Kündigungsfrist?",
    "Combien coûte un capteur de salinité ?",
    "¿Cuándo vence la garantía de la bomba?",
    "水泵的保修期是多久？",
    "كم تبلغ مهلة الإشعار؟",
    "notice period",
)


@pytest.mark.parametrize("question", WHOLE)
async def test_a_question_about_the_whole_is_recognised(e5: SentenceEncoder, question: str) -> None:
    assert await packaged_global_questions().recognises(e5, question)


@pytest.mark.parametrize("question", PARTICULAR)
async def test_a_question_about_something_particular_is_not(
    e5: SentenceEncoder, question: str
) -> None:
    assert not await packaged_global_questions().recognises(e5, question)
