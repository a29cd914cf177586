"""Choose the phrases of an answer by the language of the question and of the document."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from footnote.answering.context import NOT_FOUND
from footnote.domain import Answer
from footnote.language.answer_phrases import ENGLISH, AnswerPhrases
from footnote.language.detection import detect_language, likeliest_language
from footnote.language.phrases_by_language import PHRASES
from footnote.language.scripts import HAN, KANA_LETTERS
from footnote.ports import Analyzer

Wording = Callable[[str | None], AnswerPhrases]
"""Returns the phrases for a document in this language."""

_KANA, _EAST_ASIAN = re.compile(f"[{KANA_LETTERS}]"), re.compile(f"[{HAN}{KANA_LETTERS}]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_OWN_LETTERS = {"ru": frozenset("ыэё"), "uk": frozenset("іїєґ")}
"""Letters that the other language and Bulgarian do not have."""
_MUCH_ALIKE = frozenset(("da", "no"))
"""Languages in which short questions are often the same."""


def in_english(_document_language: str | None) -> AnswerPhrases:
    """English phrases, whatever the language."""
    return ENGLISH


def worded_for(question: str, analyzer: Analyzer) -> Wording:
    """The phrases for a question, whose language is detected on the first use."""
    return partial(_phrases, question, analyzer)


async def localised_refusal(answer: Answer, analyzer: Analyzer) -> Answer:
    """The answer, with `NOT_FOUND` translated to the language of its question."""
    if answer.found:
        return answer
    top_evidence = min(
        answer.evidence, key=lambda item: (item.rank, item.passage.chunk_id), default=None
    )
    language = None if top_evidence is None else top_evidence.passage.language
    # Language detection is loaded by the first question that needs it.
    phrases = await asyncio.to_thread(_phrases, answer.question, analyzer, language)
    translations = {NOT_FOUND: phrases.not_found}
    return replace(
        answer,
        sentences=tuple(
            replace(sentence, text=translations.get(sentence.text, sentence.text))
            for sentence in answer.sentences
        ),
    )


def _phrases(question: str, analyzer: Analyzer, document_language: str | None) -> AnswerPhrases:
    return PHRASES.get(question_language(question, analyzer, document_language), ENGLISH)


def question_language(question: str, analyzer: Analyzer, document_language: str | None) -> str:
    """The language of a question, as an ISO 639-1 code.

    If it is too short to detect: the document's language if its words fit that better than English,
    else English.
    """
    fallback = (document_language or "en").replace("_", "-").partition("-")[0].lower()
    detected = detect_language(question)
    if detected is not None and {detected, fallback} != _MUCH_ALIKE:
        return detected
    by_script = _language_by_script(question, fallback)
    if by_script is not None:
        return by_script
    # English wins if both have as many function words.
    is_fallback = analyzer.language_of(question, ["en", fallback]) == fallback
    return fallback if is_fallback or likeliest_language(question) in (fallback, detected) else "en"


def _language_by_script(question: str, fallback: str) -> str | None:
    """The language of a few words by their script; None for other scripts."""
    if _is_mostly_in_script(_EAST_ASIAN, question):
        return "ja" if _KANA.search(question) else fallback if fallback in ("ja", "zh") else "zh"
    if not _is_mostly_in_script(_CYRILLIC, question):
        return None
    question_letters = frozenset(question.lower())
    by_letters = next(
        (code for code, own_letters in _OWN_LETTERS.items() if own_letters & question_letters), None
    )
    likeliest = fallback if fallback in _OWN_LETTERS else likeliest_language(question)
    # A few words of Ukrainian have one of its letters; text classified as Ukrainian without one may
    # be Russian.
    return by_letters or ("en" if likeliest == "uk" and fallback != "uk" else likeliest)


def _is_mostly_in_script(script: re.Pattern[str], text: str) -> bool:
    return 2 * len(script.findall(text)) > sum(map(str.isalpha, text))
