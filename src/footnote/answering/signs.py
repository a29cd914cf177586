"""Certain questions become signs that an answer to them shows, whatever else it says.

After the fine classes of answers of Li and Roth, "Learning Question Classifiers" (COLING 2002).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """What is asked for in some words shows itself in others."""

    asked: re.Pattern[str]
    shown: re.Pattern[str]


def _sign(asked: str, shown: str) -> Sign:
    return Sign(re.compile(asked, re.IGNORECASE), re.compile(shown, re.IGNORECASE))


REASON = _sign(
    r"^\W*(?:why|for what reason|warum|wieso|weshalb|pourquoi|por qué|perché)\b|为什么",
    r"\b(?:because|since|so that|so|due to|owing to|therefore|as|reasons?|caused?|after|for|to"
    r"|weil|da|denn|wegen|damit|deshalb|um|grund|parce|car|afin|pour|raison|porque|debido|para"
    r"|perché|poiché|per|causa)\b|[:;–]|因为|由于",
)
ADDRESS = _sign(r"\be-?mail|\bcorreo electrónico|\bcourriel|邮箱", "@")
TELEPHONE = _sign(
    r"\b(?:tele)?phone(?: number)?\b|\btelefon\w*|\btéléphone|\bteléfono|\bhotline\b|电话"
    r"|\bnumber\b.*\b(?:call|called|ring|rung|dial|dialled)\b|\b(?:call|ring|dial)\b.*\bnumber\b"
    r"|\bnummer\b.*\b(?:anrufen|angerufen|anzurufen|wählen|gewählt)\b",
    r"(?:\d[\s()/.-]*){5,}|\bext(?:ension|\.)?\s*\d",
)
AGE = _sign(
    r"\bhow old\b|\bwie alt\b|\bquel âge\b|\bqué edad\b|\bche età\b|\bquanti anni ha\b",
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\b(?:aged?|born|built|founded|erected|new|brand-new)\b"
    r"|\b(?:years?|months?|weeks?)[ -](?:old|of age)\b"
    r"|\bjahre? alt|jährig|\bgeboren\b|\b(?:ge|er)baut\b|\bgegründet\b|\bâgée?\b|\bnée?\b"
    r"|\bconstruit|\bnacid|\bconstruid|\bnat[oa]\b|\bcostruit|\bde edad\b|\bd'età\b",
)
FREQUENCY = _sign(
    r"\bhow (?:often|frequently)\b|\bwie (?:oft|häufig)\b|\bfréquence\b|\bcon qué frecuencia\b"
    r"|\bcombien de fois\b|\bcu[aá]ntas veces\b|\bquante volte\b|\bcon quale frequenza\b",
    r"\b(?:every|each|once|twice|thrice|times?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?"
    r"|per|an?|always|never|after|before|jede[nrsm]?|alle|mal|\w+mal|pro|nach|vor|immer|nie"
    r"|\w*(?:täg|wöchent|monat|jähr)lich\w*|tou(?:s|tes)|chaque|fois|par|après|avant|jamais|cada"
    r"|todos|todas|vez|veces|por|nunca|ogni|volt[ae]|dopo|prima|mai)\b",
)
WEIGHT = _sign(
    r"\bweigh(?:s|t)?\b|\bhow heavy\b|\bgewicht\b|\bwie schwer\b|\bwiegt\b|\bpoids\b|\bpèse\b"
    r"|\bpesa\b",
    r"\d\s*(?:kg|g|mg|t|lbs?|oz)\b|_(?:kg|g|t|lbs?)\b|\((?:kg|g|t|lbs?)\)|\bkg\b"
    r"|\b(?:kilo(?:gram\w*|s)?|gram(?:me?s?|s)?|tonn\w*|tons?|pounds?|ounces?|pfund|zentner)\b",
)
TEMPERATURE = _sign(
    r"\btemperature\b|\bhow (?:hot|cold|warm)\b|\btemperatur\b|\bwie (?:heiß|kalt|warm)\b"
    r"|\btempérature\b|\btemperatura\b",
    r"°|\d\s*[CFK]\b|_[cf]\b|\((?:C|F)\)|\b(?:degrees?|grad|degrés?|grados?|gradi|celsius|kelvin)\b",
)
LENGTH = _sign(
    r"\bhow (?:tall|wide|deep)\b|\bhow far (?:is|are|away|from|apart)\b"
    r"|\b(?:height|width|depth|distance|diameter)\b|\bwie (?:breit|tief|weit)\b",
    r"\d\s*(?:m|cm|mm|km|ft|in|mi|nm)\b|_(?:m|cm|mm|km)\b|\((?:m|cm|mm|km|ft|in)\)"
    r"|\b(?:\w*met(?:er|re)s?|miles?|feet|foot|inch(?:es)?|yards?|mètres?|metros?|metri)\b",
)

SIGNS = (REASON, ADDRESS, TELEPHONE, AGE, FREQUENCY, WEIGHT, TEMPERATURE, LENGTH)

NAMED_ASKED = re.compile(
    r"\b(?:which|what|whose) (?:\w+ )?(?:bank|insurer|insurance company|compan(?:y|ies)|firms?"
    r"|hotels?|schools?|universit(?:y|ies)|college|hospital|clinic|suppliers?|manufacturer|maker"
    r"|vendor|dealer|airline|restaurant|newspaper)\b"
    r"|\bwho (?:is|was|are|were) (?:the|our|your|its|their)\b",
    re.IGNORECASE,
)
"""Asks for an organisation or whoever holds an office, who have names; English alone, since German
writes every noun as English writes names."""


def lacks_sign(text: str, question: str) -> bool:
    """Whether something is asked for that shows itself in certain signs, and none is there.

    >>> lacks_sign("Your adviser is Ann Lee.", "What is the telephone number of Ann Lee?")
    True
    """
    asked = next((each for each in SIGNS if each.asked.search(question)), None)
    return asked is not None and asked.shown.search(text) is None
