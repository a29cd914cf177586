"""Recognise that a model says, in any wording, that the documents do not answer."""

from __future__ import annotations

import re

from footnote.answering.context import NOT_FOUND
from footnote.language.phrases_by_language import PHRASES

_LETTERS = re.compile(r"[\W_]+")
_NOTHING_FOUND = re.compile(
    r"""
      \b(?:could\s*n[o']t|can\s*no?t|can't|was\s+(?:not|un)\s*able|am\s+(?:not|un)\s*able|unable|did\s*n[o']t)\b
      .{0,40}\b(?:find|found|answer|determine|locate)
    | \b(?:documents?|sources?|text|information|context)\b.{0,30}
      \b(?:do(?:es)?\s*n[o']t|is\s+not|are\s+not|is\s*n't|are\s*n't)\b
      .{0,20}\b(?:contain|mention|answer|provide|say|state|specif|include|enough|sufficient|available)
    | \bno\s+(?:information|mention|answer|reference)\b.{0,60}\b(?:documents?|sources?|context)
    | \bnicht\b.{0,60}\b(?:finden|gefunden|beantworten|enthalten|erwähnt|hervor)
    | \b(?:dokumente?n?|quellen?|unterlagen)\b.{0,40}\bkein
    | \bn['e].{0,12}\bpas\b.{0,40}\b(?:trouv|mentionn|contien|répon|précis|indiqu)
    | \bno\b.{0,24}\b(?:encontr|mencion|contien|respond|aparec)
    | \bnon\b.{0,30}\b(?:trov|menzion|contien|contengono|rispond|risulta)
    | \bnão\b.{0,30}\b(?:encontr|mencion|cont[eé]m|respond|const)
    | (?:未|没有|沒有|无法|無法|不能) .{0,12}
      (?:找到|提及|提到|说明|說明|回答|包含|相关|相關|信息|資訊|答案)
    | 找不到
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
LONGEST_REFUSAL = 400
"""Characters; longer text without a source is made up, not a refusal."""


def is_the_refusal(text: str) -> bool:
    """Whether a text is the refusal sentence of the instructions, whatever its punctuation.

    This includes its translations, which a model may copy from an earlier answer.

    >>> is_the_refusal("**I could not find this in your documents**")
    True
    """
    return _normalised(text) in _NOT_FOUND


def sounds_like_refusal(text: str) -> bool:
    """Whether a text without a footnote says, in one of seven languages, that nothing was found.

    >>> sounds_like_refusal("Dazu konnte ich in Ihren Dokumenten nichts finden, nicht gefunden.")
    True
    >>> sounds_like_refusal("The rent is CHF 900.")
    False
    """
    plain = text.replace("’", "'")
    return len(plain) <= LONGEST_REFUSAL and bool(_NOTHING_FOUND.search(plain))


def _normalised(text: str) -> str:
    return _LETTERS.sub(" ", text.casefold()).strip()


_NOT_FOUND = frozenset(
    map(_normalised, (NOT_FOUND, *(phrases.not_found for phrases in PHRASES.values())))
)
