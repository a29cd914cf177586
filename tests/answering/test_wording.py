"""What an answer says beside its quotes is said in the language of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote.answering import NOT_FOUND
from footnote.answering.reader_answers import ReaderAnswerer
from footnote.answering.refusals import is_the_refusal
from footnote.answering.wording import localised_refusal, question_language, worded_for
from footnote.domain import Answer, AnswerSentence, BlockKind
from footnote.index.analysis import TextAnalyzer
from footnote.language.phrases_by_language import PHRASES
from footnote.ports import Operation

from .drawn import assert_every_statement_can_be_opened
from .factories import make_evidence, make_passage
from .test_reader_answers import MarkingReader
from .test_row_comparison import Titled

ANALYZER = TextAnalyzer()

GERMAN = """| Mitglied | Ort | Beitrag | Eintritt |
|---|---|---|---|
| Anna Moll | Köln | 120,50 EUR | 03.02.2019 |
| Ben Ahrens | Bonn | 95,00 EUR | 17.05.2021 |
| Cleo Vogt | Köln | 131,00 EUR | 08.11.2020 |
| **Summe** | | 346,50 EUR | |"""
CHINESE = """| 姓名 | 工资 |
|---|---|
| 张伟 | 5200 |
| 李娜 | 6100 |
| 王芳 | 4800 |"""
POLISH = """| Pracownik | Miasto | Pensja |
|---|---|---|
| Anna Nowak | Kraków | 5200 |
| Jan Kowal | Gdynia | 6100 |
| Ewa Lis | Kraków | 4800 |"""

ASKED = {
    "en": "How many members does the club have in all?",
    "de": "Wie viele Mitglieder hat der Verein insgesamt?",
    "fr": "Combien de membres l'association compte-t-elle en tout ?",
    "es": "¿Cuántos socios tiene el club en total?",
    "it": "Quanti soci ha l'associazione in tutto?",
    "pt": "Quantos sócios tem o clube no total?",
    "nl": "Hoeveel leden heeft de vereniging in totaal?",
    "sv": "Hur många medlemmar har föreningen sammanlagt?",
    "da": "Hvor mange medlemmer har foreningen i alt, og hvornår blev de optaget?",
    "no": "Hvor mange medlemmer har foreningen til sammen, og når ble de tatt opp?",
    "fi": "Kuinka monta jäsentä yhdistyksellä on yhteensä?",
    "pl": "Ilu członków liczy łącznie stowarzyszenie?",
    "cs": "Kolik členů má spolek celkem a kdy vstoupili?",
    "ru": "Сколько всего членов состоит в этом обществе?",
    "uk": "Скільки всього членів налічує це товариство?",
    "tr": "Derneğin toplam kaç üyesi bulunmaktadır?",
    "zh": "协会总共有多少名会员？",
    "ja": "協会には全部で何人の会員がいますか？",
}


async def answered(
    question: str,
    table: str,
    language: str | None,
    asks: Operation | None,
    *marked: tuple[str, float],
) -> Answer:
    passage = make_passage(table, kinds=[BlockKind.TABLE])
    evidence = make_evidence(replace(passage, language=language))
    answerer = ReaderAnswerer(reader=MarkingReader(marked=marked, asks=asks), analyzer=ANALYZER)
    answer = await answerer(question, evidence)
    assert_every_statement_can_be_opened(answer, evidence)
    return answer


@pytest.mark.parametrize("language", sorted(PHRASES))
def test_a_question_is_told_by_itself_whatever_the_document(language: str) -> None:
    for document in (language, "en", None):
        assert question_language(ASKED[language], ANALYZER, document) == language


@pytest.mark.parametrize(
    ("question", "document", "language"),
    [
        pytest.param("Umsatz Nord 2024?", "de", "de", id="few words of the document's language"),
        pytest.param("Umsatz Nord 2024?", "en", "en", id="few words beside an English document"),
        pytest.param("Ab wann?", "de", "de", id="function words of the document's language"),
        pytest.param("And who is it?", "de", "en", id="English beside a German document"),
        pytest.param("2024?", "de", "en", id="no words"),
        pytest.param("", "de", "en", id="nothing"),
        pytest.param("多少会员？", "en", "zh", id="few characters of Chinese"),
        pytest.param("会員数", "ja", "ja", id="characters that Japanese has as well"),
        pytest.param("メンバーは？", "zh", "ja", id="characters that Chinese does not have"),
        pytest.param("Сколько стоит?", "en", "ru", id="few words of Russian"),
        pytest.param("Оплата?", "uk", "uk", id="a word that Russian has as well"),
        pytest.param("Кто её нашёл?", "uk", "ru", id="letters that Ukrainian does not have"),
        pytest.param("Хто її знайшов?", "ru", "uk", id="letters that Russian does not have"),
        pytest.param("合同 deadline?", "en", "en", id="a few characters in English"),
        pytest.param("Wie viel kostet der Eintritt?", "de-CH", "de", id="a tag with a region"),
    ],
)
def test_what_is_too_short_to_tell_is_taken_for_the_document_s_or_for_english(
    question: str, document: str, language: str
) -> None:
    assert question_language(question, ANALYZER, document) == language


def test_a_language_without_phrases_is_answered_in_english() -> None:
    asked = "회원은 모두 몇 명이고 언제 가입했습니까?"
    assert worded_for(asked, ANALYZER)("ko") == PHRASES["en"]


@pytest.mark.parametrize(
    ("question", "asks", "marked", "said"),
    [
        (
            "Was zahlen alle zusammen an Beitrag?",
            Operation.SUM,
            "95,00 EUR",
            "Summe Beitrag: 346,50 EUR (3 Zeilen, ohne die Summenzeile „Summe“) [1] [2] [3]",
        ),
        (
            "Wie hoch ist der Beitrag im Durchschnitt?",
            Operation.AVERAGE,
            "95,00 EUR",
            "Durchschnitt Beitrag: 115,50 EUR (3 Zeilen, ohne die Summenzeile „Summe“) [1] [2] [3]",
        ),
        (
            "Wer zahlt den höchsten Beitrag?",
            Operation.LARGEST,
            "95,00 EUR",
            "Cleo Vogt — Beitrag: 131,00 EUR "
            "(größter Wert aus 3 Zeilen, ohne die Summenzeile „Summe“) [1]",
        ),
        (
            "Wann war der letzte Eintritt?",
            Operation.LARGEST,
            "17.05.2021",
            "Ben Ahrens — Eintritt: 17.05.2021 "
            "(spätestes Datum aus 3 Zeilen, ohne die Summenzeile „Summe“) [1]",
        ),
        (
            "Wie viele Mitglieder gibt es in Köln?",
            Operation.COUNT,
            "Anna Moll",
            "Anzahl Mitglied: 2 (Ort: Köln) [1] [2]",
        ),
    ],
)
async def test_a_german_question_over_a_german_table_is_answered_in_german(
    question: str, asks: Operation, marked: str, said: str
) -> None:
    answer = await answered(question, GERMAN, "de", asks, (marked, 0.9))
    assert answer.text == said


async def test_an_english_question_over_a_german_table_is_answered_in_english() -> None:
    answer = await answered(
        "What do all of the fees add up to?", GERMAN, "de", Operation.SUM, ("95,00 EUR", 0.9)
    )
    assert answer.text == (
        "Sum of Beitrag: 346,50 EUR (3 rows, without the row of totals “Summe”) [1] [2] [3]"
    )


@pytest.mark.parametrize(
    ("question", "asks", "marked", "said"),
    [
        (
            "所有人的工资总和是多少？",
            Operation.SUM,
            "4800",
            "“工资”的总和：16100（3 行） [1] [2] [3]",
        ),
        ("谁的工资最高？", Operation.LARGEST, "4800", "李娜 — 工资: 6100（最大值，3 行） [1]"),
    ],
)
async def test_a_chinese_question_over_a_chinese_table_is_answered_in_chinese(
    question: str, asks: Operation, marked: str, said: str
) -> None:
    answer = await answered(question, CHINESE, "zh", asks, (marked, 0.9))
    assert answer.text == said


@pytest.mark.parametrize(
    ("question", "asks", "marked", "said"),
    [
        (
            "Ile wynosi suma wszystkich pensji?",
            Operation.SUM,
            "4800",
            "Suma (Pensja): 16100 (wiersze: 3) [1] [2] [3]",
        ),
        (
            "Kto ma najniższą pensję?",
            Operation.SMALLEST,
            "6100",
            "Ewa Lis — Pensja: 4800 (najmniejsza wartość, wiersze: 3) [1]",
        ),
        (
            "Ile jest różnych miast w tabeli?",
            Operation.COUNT,
            "Gdynia",
            "Liczba różnych wartości (Miasto): 2 (wiersze: 3) [1] [2] [3]",
        ),
    ],
)
async def test_a_polish_question_over_a_polish_table_is_answered_in_polish(
    question: str, asks: Operation, marked: str, said: str
) -> None:
    answer = await answered(question, POLISH, "pl", asks, (marked, 0.9))
    assert answer.text == said


async def test_rows_that_are_compared_and_equal_are_called_so_in_german() -> None:
    table = "| Ort | Umsatz |\n|---|---|\n| Köln | 120 |\n| Bonn | 120 |\n| Aachen | 90 |"
    passage = replace(make_passage(table, kinds=[BlockKind.TABLE]), language="de")
    answerer = ReaderAnswerer(
        reader=MarkingReader(marked=()), finder=Titled(title="Umsatz"), analyzer=ANALYZER
    )
    answer = await answerer(
        "Wo ist der Umsatz höher, in Köln oder in Bonn?", make_evidence(passage)
    )
    assert answer.text == "Köln — Umsatz: 120 (Bonn: 120, gleich) [1] [2]"


@pytest.mark.parametrize("language", sorted(PHRASES))
async def test_nothing_found_is_said_in_the_language_of_the_question(language: str) -> None:
    passage = replace(make_passage("Nothing of the kind."), language="en")
    for evidence in (make_evidence(passage), []):
        answerer = ReaderAnswerer(reader=MarkingReader(marked=()), analyzer=ANALYZER)
        answer = await answerer(ASKED[language], evidence)
        assert not answer.found
        assert answer.text == PHRASES[language].not_found
        assert answer.degraded == ()
        assert is_the_refusal(answer.text)


async def test_why_nothing_was_computed_stays_in_english_for_who_runs_it() -> None:
    table = "| Name | Lohn |\n|---|---|\n| Anna | 1.200 EUR |\n| Ben | 950 CHF |"
    answer = await answered(
        "Wie hoch ist der Lohn von allen zusammen?", table, "de", Operation.SUM, ("950 CHF", 0.9)
    )
    assert answer.text == PHRASES["de"].not_found
    assert answer.degraded[0].startswith("answer: not computed, since ")


@pytest.mark.parametrize(("found", "texts"), [(True, [NOT_FOUND]), (False, ["Nothing was done."])])
async def test_only_the_sentence_of_a_refusal_is_said_in_other_words(
    found: bool, texts: Sequence[str]
) -> None:
    answer = Answer(
        question=ASKED["de"],
        found=found,
        sentences=tuple(AnswerSentence(text=one, markers=(), support=0.0) for one in texts),
        citations=(),
        evidence=(),
        confidence=0.0,
    )
    assert await localised_refusal(answer, ANALYZER) == answer
