"""A text and a kind of answer become the tokens that could be such an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from footnote.answering.question import AnswerKind
from footnote.answering.signs import NAMED_ASKED
from footnote.language.calendar import ANY_MONTH, WEEKDAYS
from footnote.language.identifiers import without_identifiers
from footnote.language.number_words import CHINESE_NUMERAL, NUMBER_WORDS

# Italian "due" is left out: in English papers it stands in every payment clause.
_NUMBER_WORDS = "|".join(
    (
        *sorted(NUMBER_WORDS - {"due", "third", "quarter", "double"}),
        "one|once|both|none|no|(?:hundred|thousand|million|billion|dozen)s|billion|dozen",
        "ein|eine[mnr]?|milliarden?|dutzend|beide|keine?|un|une|un[ao]|millones|milioni",
    )
)
_NUMBER = rf"\d[\d.,' ]*\d|\d|(?<!\w)(?:{_NUMBER_WORDS})(?!\w)|{CHINESE_NUMERAL}"
_WEEKDAYS = "|".join(chain.from_iterable(WEEKDAYS.values()))
_DATE = (
    rf"(?<!\d)(?:1\d|20)\d\d(?!\d)|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}"
    rf"|(?<!\w)(?:{ANY_MONTH}|{_WEEKDAYS})(?!\w)|\d{{1,2}}:\d\d"
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
_AT_ONCE = (
    "at once|immediately|promptly|forthwith|right away|straight away|instantly"
    "|without (?:undue )?delay|(?:the )?same day|overnight|sofort|umgehend"
    "|unverzüglich|gleich|am selben tag"
    "|immédiatement|sans (?:délai|retard)|le jour même|inmediatamente|sin demora|el mismo día"
    "|immediatamente|senza indugio|subito|lo stesso giorno"
)
_DURATION = (
    rf"(?:{_NUMBER})[\s-]*(?:\(\w+\)\s*)?(?:\w+\s)?(?:{_UNIT})(?!\w)|\d+\s*{_CJK_UNIT}"
    rf"|(?<!\w)(?:{_AT_ONCE})(?!\w)"
)
_ROLES = (
    "agency|agent|assistant|auditor|authority|board|broker|buyer|captain|caretaker|chair(?:man|woman)?"
    "|chief|committee|consul|contractor|coordinator|council|court|customer|dean|department|director"
    "|doctor|editor|employees?|employer|engineer|foreman|guardian|head|insurer|inspector|keeper"
    "|landlord|lawyer|leader|lessee|lessor|librarian|manager|management|master|members?|mechanic"
    "|notary|nurse|office|officer|owner|parents?|partners?|police|porter|president|principal"
    "|representative|secretary|seller|shareholders?|society|staff|supervisor|supplier|teacher|team"
    "|technician|tenant|trainer|treasurer|trustee|warden"
    "|amt|arbeitgeber|ärztin|arzt|behörde|betriebsrat|eigentümer|gericht|geschäftsführung|hausmeister"
    "|hausverwaltung|konsul|konsulat|lieferant|meister|mieter|polizei|verkäufer|vermieter"
    "|versammlung|versicherer|verwalter|verwaltung|vorgesetzten?|vorstand|\\w+(?:leiter|führer)(?:in)?"
    "|assureur|bailleur|direction|directeur|directrice|locataire|maire|propriétaire|responsable"
    "|alcalde|arrendador|arrendatario|aseguradora?|directora?|gerente|propietari[oa]"
    "|amministratore|assicuratore|direttore|direttrice|inquilino|proprietario|sindaco"
)
"""Who may act without being named."""
_NAME = r"(?<=[\w,;:(\"“] )[A-ZÀ-ÖØ-Þ][\w'’-]+|(?:[A-ZÀ-ÖØ-Þ][\w'’.-]* ){1,3}[A-ZÀ-ÖØ-Þ][\w'’-]+|·"
_NAME_IN_TEXT = re.compile(_NAME)
_PERSON = rf"{_NAME}|(?i:\b(?:{_ROLES})\b)"

_TOKENS: Mapping[AnswerKind, re.Pattern[str]] = {
    AnswerKind.PERSON: re.compile(_PERSON),
    AnswerKind.DATE: re.compile(_DATE, re.IGNORECASE),
    AnswerKind.DURATION: re.compile(_DURATION, re.IGNORECASE),
    AnswerKind.AMOUNT: re.compile(_NUMBER, re.IGNORECASE),
    AnswerKind.COUNT: re.compile(_NUMBER, re.IGNORECASE),
}


_DATES = re.compile(
    rf"\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|(?:\d{{1,2}}\.?\s+)(?:{ANY_MONTH})(?!\w)(?:\s+\d{{4}})?"
    rf"|(?<!\w)(?:{ANY_MONTH})(?!\w)(?:\s+\d{{1,2}},)?(?:\s+\d{{4}})?|\d{{1,2}}:\d\d",
    re.IGNORECASE,
)
_CALENDAR = re.compile(rf"(?:{ANY_MONTH}|{_WEEKDAYS})", re.IGNORECASE)
_MONEY_ASKED = re.compile(
    r"\b(?:prices?|costs?|fees?|salar(?:y|ies)|wages?|rents?|budget|premium|deposit|charged?|charges"
    r"|pay|pays|paid|spent|spend|profit|surplus|loss|refund(?:ed)?|deductible|earn|subsidy|fine"
    r"|kostet|kosten|preis|miete|gebühr|kaution|gehalt|lohn|verdient|prämie|beitrag|strafe"
    r"|coûte|coût|prix|loyer|salaire|caution|prime|amende|cuesta|precio|coste|alquiler|salario"
    r"|costa|prezzo|affitto|stipendio|canone|guadagna)\b",
    re.IGNORECASE,
)
_CURRENCY = (
    r"(?:€|\$|£|¥|%|(?:eur|euros?|pounds?|francs?|francos?|franken|franchi|chf|usd|gbp|dollars?"
    r"|cents?|percent|per cent|prozent|pour cent|por ciento|per cento|kronen?|yen|yuan|元)(?!\w))"
)
_MONEY = re.compile(
    rf"\d[\d.,'’ ]*\s*{_CURRENCY}|{_CURRENCY}\s*\d|\d[.,'’ ]\d{{3}}(?!\d)|\d[.,]\d\d(?!\d)"
    rf"|(?:{_NUMBER_WORDS})\s+{_CURRENCY}"
    r"|\b(?:free|nothing|no (?:cost|charge)|gratis|gratuit\w*|kostenlos|kostenfrei|umsonst|half"
    r"|third|fifth|quarter|twice|double|hälfte|moitié|mitad|metà)\b",
    re.IGNORECASE,
)
"""What a sum of money looks like: with its currency, or with the decimals or groups of one."""
_COUNTED = re.compile(
    r"(?:how many|number of|wie ?viele[nr]?|anzahl (?:der|von)|combien d[e']\s?|cu[aá]nt[oa]s"
    r"|quant[ie])\s+((?:[^\W\d_][\w'’-]*\s*){1,3})",
    re.IGNORECASE,
)
_NOT_COUNTED = frozenset(
    """a an the of in on at per for to by is are was were do does did has have had can may must
    will would should been there der die das den des im am hat haben ist sind war waren gibt kann
    darf muss werden wird bleiben les la le du des y a sont est ont peut peuvent faut doivent
    hay tiene tienen son ha hanno sono si può possono ci""".split()
)
_WORDS = re.compile(r"[^\W_]+(?:[-'’.,:][^\W_]+)*")
_SHORTEST_STEM = 4
_WORDS_BEFORE, _WORDS_AFTER = 2, 4
LONGEST_ACRONYM = 5
_COUNTING = (AnswerKind.AMOUNT, AnswerKind.COUNT)


def holds_kind(text: str, kind: AnswerKind, question: str, *, is_row: bool = False) -> bool:
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
    if kind is AnswerKind.AMOUNT and _MONEY_ASKED.search(question) and not is_row:
        return any(
            _is_new(match.group(), kind, question.casefold()) for match in _MONEY.finditer(text)
        )
    if kind is AnswerKind.AMOUNT:
        text = _TOKENS[AnswerKind.DURATION].sub(" ", text)
    said = question.casefold()
    return any(_is_new(match.group(), kind, said) for match in pattern.finditer(text))


def lacks_name(text: str, question: str) -> bool:
    """Whether a company or the like is asked for, and the text names nothing new.

    >>> lacks_name("The loan was granted in May.", "Which bank granted the loan?")
    True
    """
    if NAMED_ASKED.search(question) is None:
        return False
    said = question.casefold()
    found = (match.group() for match in _NAME_IN_TEXT.finditer(text))
    return not any(_is_new(each, AnswerKind.PERSON, said) for each in found)


def lacks_counted(text: str, question: str) -> bool:
    """Whether a number of things is asked for, and no number stands beside these things.

    >>> lacks_counted("The motion for 3 lamps got 22 votes.", "How many chairs are there?")
    True
    """
    asked = _COUNTED.search(question)
    if asked is None:
        return False
    things = []
    for word in asked[1].casefold().split():
        if word in _NOT_COUNTED:
            break
        things.append(word)
    if not things:
        return False
    thing = things[-1] if len(things) < 3 else things[0]
    stems = {each[: max(_SHORTEST_STEM, len(each) - 3)] for each in (thing, *things[:2])}
    words = [match.group().casefold() for match in _WORDS.finditer(text)]
    for place, word in enumerate(words):
        if _TOKENS[AnswerKind.COUNT].fullmatch(word) or word[0].isdigit():
            near = words[max(0, place - _WORDS_BEFORE) : place + _WORDS_AFTER + 1]
            if any(each.startswith(stem) for each in near for stem in stems):
                return False
    return True


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
