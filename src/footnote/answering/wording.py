"""A question and the document that is spoken of become the phrases that the answer is said in."""

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
"""The phrases for what is said of a document in this language."""

_KANA, _EAST_ASIAN = re.compile(f"[{KANA_LETTERS}]"), re.compile(f"[{HAN}{KANA_LETTERS}]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_OWN_LETTERS = {"ru": frozenset("ыэё"), "uk": frozenset("іїєґ")}
"""That the other one and Bulgarian do not have."""
_MUCH_ALIKE = frozenset(("da", "no"))
"""Languages in which short questions are often the same."""


def in_english(_document_language: str | None) -> AnswerPhrases:
    """Whatever the question."""
    return ENGLISH


def worded_for(question: str, analyzer: Analyzer) -> Wording:
    """The wording of an answer to this question, whose language is told when something is said."""
    return partial(_phrases, question, analyzer)


async def localised_refusal(answer: Answer, analyzer: Analyzer) -> Answer:
    """The answer; where it is `NOT_FOUND` that is said in the language of its question."""
    if answer.found:
        return answer
    best = min(answer.evidence, key=lambda each: (each.rank, each.passage.chunk_id), default=None)
    language = None if best is None else best.passage.language
    # What tells languages is loaded by the first question that needs it.
    phrases = await asyncio.to_thread(_phrases, answer.question, analyzer, language)
    said = {NOT_FOUND: phrases.not_found}
    return replace(
        answer,
        sentences=tuple(
            replace(one, text=said.get(one.text, one.text)) for one in answer.sentences
        ),
    )


def _phrases(question: str, analyzer: Analyzer, document_language: str | None) -> AnswerPhrases:
    return PHRASES.get(question_language(question, analyzer, document_language), ENGLISH)


def question_language(question: str, analyzer: Analyzer, document_language: str | None) -> str:
    """The language of a question, as an ISO 639-1 code.

    Where it is too short to tell, it is the document's if its words are of that rather than of
    English, and else English.
    """
    own = (document_language or "en").replace("_", "-").partition("-")[0].lower()
    told = detect_language(question)
    if told is not None and {told, own} != _MUCH_ALIKE:
        return told
    written = _written_in(question, own)
    if written is not None:
        return written
    # English wins where both have as many function words.
    is_heard = analyzer.language_of(question, ["en", own]) == own
    return own if is_heard or likeliest_language(question) in (own, told) else "en"


def _written_in(question: str, own: str) -> str | None:
    """The language of a few words by their script; None where they are in another one."""
    if _is_mostly(_EAST_ASIAN, question):
        return "ja" if _KANA.search(question) else own if own in ("ja", "zh") else "zh"
    if not _is_mostly(_CYRILLIC, question):
        return None
    letters = frozenset(question.lower())
    by_letters = next((code for code, its in _OWN_LETTERS.items() if its & letters), None)
    likeliest = own if own in _OWN_LETTERS else likeliest_language(question)
    # A few words of Ukrainian have one of its letters; what is taken for it without may be Russian.
    return by_letters or ("en" if likeliest == "uk" and own != "uk" else likeliest)


def _is_mostly(script: re.Pattern[str], text: str) -> bool:
    return 2 * len(script.findall(text)) > sum(map(str.isalpha, text))
