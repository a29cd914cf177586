"""English by MiniLM, other languages by e5, compared in one space."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from footnote.domain.usage import UsageNote
from footnote.language.detection import is_english
from footnote.models.aligned import AlignedEncoder, read_languages
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.ports.metering import metering

ENGLISH = [
    "The tenant pays the rent on the first working day of each month.",
    "Penguins hatch their eggs during the polar winter.",
    "The company has its seat in Bremen and was founded in the year 1871.",
]
GERMAN = [
    "Der Mieter zahlt die Miete am ersten Werktag eines jeden Monats.",
    "Pinguine brüten ihre Eier im Winter der Polarregion aus.",
    "Die Gesellschaft hat ihren Sitz in Bremen und wurde im Jahr 1871 gegründet.",
]
CHINESE = [
    "承租人应在每月第一个工作日支付租金。",
    "企鹅在极地的冬天孵蛋。",
    "该公司总部位于不来梅，成立于1871年。",
]
QUESTIONS = {
    "en": ["When is the rent due?", "When do penguins breed?", "Where is the company's seat?"],
    "de": ["Wann ist die Miete fällig?", "Wann brüten Pinguine?", "Wo sitzt die Firma?"],
    "zh": ["租金什么时候支付？", "企鹅什么时候孵蛋？", "公司总部在哪里？"],
}
PASSAGES = {"en": ENGLISH, "de": GERMAN, "zh": CHINESE}


UNRELATED = {
    "en": ["Stir the soup before it boils.", "The comet returns every 76 years."],
    "de": ["Rühren Sie die Suppe, bevor sie kocht.", "Der Komet kehrt alle 76 Jahre zurück."],
    "zh": ["汤煮开之前要搅拌。", "这颗彗星每76年回归一次。"],
}
OTHERS = (
    "Договор аренды заключён на пять лет.",
    "የኪራይ ውል ለአምስት ዓመት ነው።",
    "Anhang 3: Kündigung",
)


async def test_english_has_the_vectors_of_minilm(
    aligned: AlignedEncoder, int8: SentenceEncoder
) -> None:
    vectors = await aligned.embed_documents(ENGLISH)
    np.testing.assert_array_equal(vectors, int8.encode(ENGLISH))
    languages = read_languages()
    for question in QUESTIONS["en"]:
        expected = languages.out_of(await int8.embed_query(question))
        np.testing.assert_array_equal(await aligned.embed_query(question), expected)


async def test_a_question_alone_and_among_others_has_the_same_vector(
    aligned: AlignedEncoder,
) -> None:
    asked = [question for questions in QUESTIONS.values() for question in questions]
    alone = [await aligned.embed_query(question) for question in asked]
    together = await asyncio.gather(*map(aligned.embed_query, asked))
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize(("language", "models"), [("en", 2), ("de", 1), ("zh", 1)])
async def test_a_question_is_noted_of_the_models_whose_vectors_were_used(
    aligned: AlignedEncoder, language: str, models: int
) -> None:
    notes: list[UsageNote] = []
    with metering(notes):
        await aligned.embed_query(QUESTIONS[language][0])
    assert [note.requests for note in notes] == [1] * models


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("held", PASSAGES)
async def test_a_question_finds_its_passage_in_any_language(
    aligned: AlignedEncoder, asked: str, held: str
) -> None:
    passages = await aligned.embed_documents(PASSAGES[held])
    questions = np.stack([await aligned.embed_query(text) for text in QUESTIONS[asked]])
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("asked", QUESTIONS)
async def test_a_question_is_no_nearer_to_its_own_language_than_to_others(
    aligned: AlignedEncoder, asked: str
) -> None:
    """Whatever is asked for: the mean of unrelated passages in one language is near to nothing."""
    questions = np.stack([await aligned.embed_query(text) for text in QUESTIONS[asked]])
    unrelated = await aligned.embed_documents(UNRELATED[asked])
    others = await aligned.embed_documents(
        [text for language, texts in UNRELATED.items() if language != asked for text in texts]
    )
    own, foreign = (float((questions @ each.T).mean()) for each in (unrelated, others))
    assert own - foreign < 0.08


def test_what_a_language_has_in_common_is_taken_away() -> None:
    languages = read_languages()
    assert languages.centres.shape[1] == 384
    chance = np.random.default_rng(0)
    for centre in languages.centres:
        common = centre / np.linalg.norm(centre)
        own = chance.normal(size=384).astype(np.float32)
        own -= (own @ common) * common
        asked = (common + 2 * own / np.linalg.norm(own)) / np.sqrt(5)
        left = languages.out_of(asked)
        assert float(np.linalg.norm(left)) == pytest.approx(1.0, abs=1e-5)
        assert float(left @ common) < float(asked @ common) - 0.05


async def test_passages_of_several_languages_keep_their_order(aligned: AlignedEncoder) -> None:
    mixed = [text for three in zip(ENGLISH, GERMAN, CHINESE, strict=True) for text in three]
    together = await aligned.embed_documents(mixed)
    alone = [(await aligned.embed_documents([text]))[0] for text in mixed]
    similarities = np.sum(together * np.stack(alone), axis=1)
    assert similarities.min() > 0.999


def test_the_lane_claims_all_languages(aligned: AlignedEncoder) -> None:
    assert aligned.lane.languages == ()
    assert aligned.lane.dimensions == 384
    assert "int8" in aligned.lane.revision


@pytest.mark.parametrize("text", [*ENGLISH, "", "2024-03-31 | 1,250.00 | 88"])
def test_a_passage_is_english_or_says_nothing(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", [*GERMAN, *CHINESE, *OTHERS])
def test_a_passage_is_not_english(text: str) -> None:
    assert not is_english(text)


async def test_an_english_question_finds_other_languages_by_a_vector_of_its_own(
    aligned: AlignedEncoder,
) -> None:
    made = [await aligned.embed_question(text) for text in QUESTIONS["en"]]
    across = np.stack(
        [each.cross_lingual_vector for each in made if each.cross_lingual_vector is not None]
    )
    assert np.linalg.norm(across, axis=1) == pytest.approx([1.0] * 3, abs=1e-5)
    for held in ("de", "zh"):
        passages = await aligned.embed_documents(PASSAGES[held])
        assert (across @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("asked", ["de", "zh"])
async def test_a_question_in_another_language_has_one_vector(
    aligned: AlignedEncoder, asked: str
) -> None:
    for text in QUESTIONS[asked]:
        assert (await aligned.embed_question(text)).cross_lingual_vector is None
