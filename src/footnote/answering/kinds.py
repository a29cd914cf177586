"""A text and a kind of answer become the tokens that could be such an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from footnote.answering.question import AnswerKind, without_identifiers

# Italian "due" is left out: in English papers it stands in every payment clause.
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?"
    "|billions?|dozens?|half|twice|once|both|none|no"
    "|ein|eine[mnr]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend"
    "|million(?:en)?|milliarden?|dutzend|beide|keine?"
    "|un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|cent|mille"
    "|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|ciento|mil|millones"
    "|uno|tre|quattro|cinque|sei|sette|otto|nove|dieci|cento|mila|milioni"
)
_NUMBER = rf"\d[\d.,' ]*\d|\d|(?<!\w)(?:{_NUMBER_WORDS})(?!\w)|[零一二两三四五六七八九十百千万亿]+"
_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|mar(?:ch|s|zo)?|märz|apr(?:il|ile)?|may|mai"
    "|june?|juni|juillet|jul[yi]?|aug(?:ust)?|août|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?"
    "|nov(?:ember)?|de[cz](?:ember)?|janvier|février|avril|juin|septembre|octobre|novembre"
    "|décembre|enero|febrero|abril|mayo|junio|julio|agosto|se(?:p)?tiembre|octubre|noviembre"
    "|diciembre|gennaio|febbraio|maggio|giugno|luglio|settembre|ottobre|dicembre"
)
_WEEKDAYS = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch"
    "|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
)
_DATE = (
    rf"(?<!\d)(?:1\d|20)\d\d(?!\d)|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}"
    rf"|(?<!\w)(?:{_MONTHS}|{_WEEKDAYS})(?!\w)|\d{{1,2}}:\d\d"
    r"|(?<!\w)(?:century|jahrhunderts?|siglo|siècle|secolo)(?!\w)|\d+\s*(?:年|月|日|世纪)"
)
_UNIT = (
    "seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|decades?|centur(?:y|ies)"
    "|sekunden?|minuten?|stunden?|tagen?|tage|wochen?|monate?n?|jahre?n?|jahrhunderte?"
    "|secondes?|heures?|jours?|semaines?|mois|ans?|années?"
    "|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|siglos?"
    "|secondi|minuti|ore|giorni|settimane|mesi|anni"
)
_CJK_UNIT = "(?:年|月|日|天|小时|分钟|周)"
_DURATION = rf"(?:{_NUMBER})[\s-]*(?:\(\w+\)\s*)?(?:\w+\s)?(?:{_UNIT})(?!\w)|\d+\s*{_CJK_UNIT}"
_PERSON = (
    r"(?<=[\w,;:(\"“] )[A-ZÀ-ÖØ-Þ][\w'’-]+|(?:[A-ZÀ-ÖØ-Þ][\w'’.-]* ){1,3}[A-ZÀ-ÖØ-Þ][\w'’-]+|·"
)

_TOKENS: Mapping[AnswerKind, re.Pattern[str]] = {
    AnswerKind.PERSON: re.compile(_PERSON),
    AnswerKind.DATE: re.compile(_DATE, re.IGNORECASE),
    AnswerKind.DURATION: re.compile(_DURATION, re.IGNORECASE),
    AnswerKind.AMOUNT: re.compile(_NUMBER, re.IGNORECASE),
    AnswerKind.COUNT: re.compile(_NUMBER, re.IGNORECASE),
}


_DATES = re.compile(
    rf"\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|(?:\d{{1,2}}\.?\s+)(?:{_MONTHS})(?!\w)(?:\s+\d{{4}})?"
    rf"|(?<!\w)(?:{_MONTHS})(?!\w)(?:\s+\d{{1,2}},)?(?:\s+\d{{4}})?|\d{{1,2}}:\d\d",
    re.IGNORECASE,
)
_CALENDAR = re.compile(rf"(?:{_MONTHS}|{_WEEKDAYS})", re.IGNORECASE)
LONGEST_ACRONYM = 5
_COUNTING = (AnswerKind.AMOUNT, AnswerKind.COUNT)


def holds_kind(text: str, kind: AnswerKind, question: str) -> bool:
    """Whether the text holds something of this kind that the question did not already say.

    The digits of an identifier neither count nor date anything, and a date is no amount.

    >>> holds_kind("Signed in 2021.", AnswerKind.DATE, "When was the 2021 lease signed?")
    False
    >>> holds_kind("It carries CTR-2024/17-B.", AnswerKind.DATE, "When was it signed?")
    False
    """
    pattern = _TOKENS.get(kind)
    if pattern is None:
        return True
    text = without_identifiers(text)
    if kind in _COUNTING:
        text = _DATES.sub(" ", text)
    if kind is AnswerKind.AMOUNT:
        text = _TOKENS[AnswerKind.DURATION].sub(" ", text)
    said = question.casefold()
    return any(_is_new(match.group(), kind, said) for match in pattern.finditer(text))


def _is_new(token: str, kind: AnswerKind, said: str) -> bool:
    if kind is not AnswerKind.PERSON:
        return token.strip().casefold() not in said
    return any(
        part.casefold() not in said and not _CALENDAR.fullmatch(part) and not _is_shouted(part)
        for part in token.split()
    )


def _is_shouted(word: str) -> bool:
    """Whether a word is in capitals as headings are, and too long for an acronym."""
    return word.isupper() and len(word) > LONGEST_ACRONYM
