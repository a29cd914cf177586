"""Text becomes which of two opposite words it uses: at least or at most, before or after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from footnote.language.negators import bounded

Sides = Mapping[str, frozenset[int]]
"""For each pair of opposites that a text uses, which of the two."""

LIMITS = "limits"
_OPPOSITES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    LIMITS: {
        "en": (
            r"at\s+most|no(?:t)?\s+more\s+than|not?\s+later\s+than|not?\s+(?:to\s+)?exceed(?:ing|s)?"
            r"|up\s+to|(?:a\s+)?maximum",
            r"at\s+least|not?\s+(?:less|fewer)\s+than|not?\s+earlier\s+than|(?:a\s+)?minimum",
        ),
        "de": (
            r"höchstens|maximal|nicht\s+mehr\s+als|nicht\s+länger\s+als|bis\s+zu|spätestens",
            r"mindestens|wenigstens|minimal|nicht\s+weniger\s+als|frühestens",
        ),
        "es": (
            r"no\s+más\s+de|como\s+máximo|a\s+lo\s+sumo|máximo|hasta\s+un",
            r"al\s+menos|por\s+lo\s+menos|como\s+mínimo|mínimo|no\s+menos\s+de",
        ),
        "fr": (
            r"au\s+(?:plus|maximum)|pas\s+plus\s+de|jusqu['’][àa]",
            r"au\s+m(?:oins|inimum)|pas\s+moins\s+de",
        ),
        "it": (
            r"al\s+(?:massimo|più)|non\s+più\s+di|fino\s+a",
            r"almeno|non\s+meno\s+di|come\s+minimo",
        ),
        "zh": (r"不超过|最多|至多|不多于", r"至少|不少于|不低于|最少"),
    },
    "amount": {
        "en": (
            r"more(?:\s+than)?|over|above|exceed(?:s|ed|ing)?|outnumber(?:s|ed)?",
            r"less(?:\s+than)?|fewer(?:\s+than)?|under|below",
        ),
        "de": (r"mehr(?:\s+als)?|über|oberhalb", r"weniger(?:\s+als)?|unter|unterhalb"),
        "es": (r"más(?:\s+de)?|supera(?:n|ba|ron)?", r"menos(?:\s+de)?"),
        "fr": (r"plus\s+(?:de|que)|au-dessus", r"moins(?:\s+(?:de|que))?|au-dessous"),
        "it": (r"più(?:\s+di)?|oltre", r"meno(?:\s+di)?"),
        "zh": (r"超过|多于|大于|高于", r"少于|低于|小于|不到"),
    },
    "order": {
        "en": (
            r"before|prior\s+to|earlier|preced(?:es?|ed|ing)",
            r"after|afterwards|later|following",
        ),
        "de": (r"vor|bevor|früher|vorher", r"nach|nachdem|später|danach"),
        "es": (r"antes", r"después|tras"),
        "fr": (r"avant", r"après"),
        "it": (r"prima(?=\s+d)", r"dopo"),
        "zh": (r"之前|以前", r"之后|以后"),
    },
    "change": {
        "en": (
            r"increas(?:es?|ed|ing)|rises?|rose|risen|rising|grew|grow(?:s|n|ing|th)?|gain(?:s|ed)?",
            r"decreas(?:es?|ed|ing)|falls?|fell|fallen|falling|declin(?:es?|ed|ing)"
            r"|drop(?:s|ped|ping)?|shrinks?|shrank|reduc(?:es?|ed|ing|tion)",
        ),
        "de": (
            r"stieg(?:en)?|steig(?:t|en|end|erung)|gestiegen|wuchs(?:en)?|gewachsen|zugenommen"
            r"|erhöht(?:e|en)?",
            r"sank(?:en)?|sink(?:t|en|end)|gesunken|fiel(?:en)?|gefallen|abgenommen"
            r"|verringert(?:e|en)?|reduziert(?:e|en)?",
        ),
        "es": (
            r"aument(?:a|an|ó|aron|ado|o)|crec(?:e|en|ió|ieron|ido)|sub(?:e|en|ió|ieron)",
            r"disminu(?:ye|yen|yó|yeron|ido)|baj(?:a|an|ó|aron|ado)|redu(?:ce|cen|jo|jeron|cido)",
        ),
        "fr": (
            r"augment(?:e|ent|é|és|ée|ation)|hausse|cr(?:oît|û)|progress(?:e|é)",
            r"diminu(?:e|ent|é|és|ée|tion)|baiss(?:e|ent|é)|recul(?:e|é)?|rédui(?:t|te|ts)",
        ),
        "it": (
            r"aument(?:a|ano|ato|ò)|cresc(?:e|ono|iuto)|crebbe",
            r"diminu(?:isce|ito|ì)|cal(?:a|ano|ato|ò)|ridott[oaei]|scend(?:e|ono)",
        ),
        "zh": (r"增加|上升|增长|提高", r"减少|下降|降低|下跌"),
    },
    "ever": {
        "en": (r"always", r"never"),
        "de": (r"immer|stets", r"nie|niemals"),
        "es": (r"siempre", r"nunca|jamás"),
        "fr": (r"toujours", r"jamais"),
        "it": (r"sempre", r"mai"),
        "zh": (r"总是|始终|一直", r"从不|从未|从来没有"),
    },
    "every": {
        "en": (r"all|every|each", r"none|no|few"),
        "de": (r"alle[rnms]?|jede[rnms]?", r"keine?[rnms]?|wenige"),
        "es": (r"tod[oa]s", r"ningun[oa]s?|ningún"),
        "fr": (r"tous|toutes|chaque", r"aucune?"),
        "it": (r"tutt[ei]|ogni", r"nessun[oa]?"),
        "zh": (r"所有|每个|全部", r"没有任何|少数"),
    },
    "leave": {
        "en": (
            r"allow(?:s|ed)?|permit(?:s|ted)?|may",
            r"prohibit(?:s|ed)?|forbid(?:s|den)?|forbade|banned",
        ),
        "de": (r"erlaubt|gestattet|darf|dürfen|zulässig", r"verboten|untersagt|unzulässig"),
        "es": (r"permit(?:e|en|ido|ida)", r"prohib(?:e|en|ido|ida)"),
        "fr": (r"permis(?:es?)?|autorisée?s?", r"interdite?s?"),
        "it": (r"consentit[oaei]|ammess[oaei]", r"vietat[oaei]"),
        "zh": (r"允许|可以", r"禁止|不得"),
    },
    "part": {
        "en": (r"includ(?:es?|ed|ing)", r"exclud(?:es?|ed|ing)|except"),
        "de": (r"einschließlich|inklusive|umfasst", r"ausgenommen|ausgeschlossen|exklusive"),
        "es": (r"incluye(?:n|ndo)?|incluid[oa]s?", r"excluye(?:n|ndo)?|except[ou]|excluid[oa]s?"),
        "fr": (r"y\s+compris|inclus(?:es?)?", r"sauf|exclu(?:e|s|es)?|excepté"),
        "it": (r"inclus[oaei]|compres[oaei]", r"esclus[oaei]|tranne"),
        "zh": (r"包括|包含", r"除外|除了|不包括"),
    },
    "with": {
        "en": (r"with", r"without"),
        "de": (r"mit", r"ohne"),
        "es": (r"con", r"sin"),
        "fr": (r"avec", r"sans"),
        "it": (r"con", r"senza"),
    },
    "end": {
        "en": (r"first|earliest", r"last|latest|final"),
        "de": (r"erste[rnms]?", r"letzte[rnms]?"),
        "es": (r"primer[oa]?s?", r"últim[oa]s?"),
        "fr": (r"premi(?:er|ère)s?", r"derni(?:er|ère)s?"),
        "it": (r"prim[oaei]", r"ultim[oaei]"),
        "zh": (r"第一|首", r"最后"),
    },
    "size": {
        "en": (
            r"largest|biggest|greatest|highest|larger|bigger|greater|higher|upper|major",
            r"smallest|lowest|least|smaller|lower|minor",
        ),
        "de": (
            r"größte[rnms]?|höchste[rnms]?|größer(?:e[rnms]?)?|höher(?:e[rnms]?)?",
            r"kleinste[rnms]?|niedrigste[rnms]?|kleiner(?:e[rnms]?)?|niedriger(?:e[rnms]?)?"
            r"|geringer(?:e[rnms]?)?",
        ),
        "es": (
            r"mayor(?:es)?|superior(?:es)?|más\s+(?:grande|alt[oa])s?",
            r"menor(?:es)?|inferior(?:es)?|más\s+(?:pequeñ[oa]|baj[oa])s?",
        ),
        "fr": (
            r"plus\s+(?:grand|haut|élevé)e?s?|supérieure?s?",
            r"plus\s+(?:petit|bas|faible)(?:se|e)?s?|inférieure?s?",
        ),
        "it": (
            r"maggior[ei]|superior[ei]|più\s+(?:grand[ei]|alt[oaei])",
            r"minor[ei]|inferior[ei]",
        ),
        "zh": (r"最大|最高|较大|较高", r"最小|最低|较小|较低"),
    },
}
STRICT = frozenset((LIMITS, "amount", "ever", "every", "leave", "part", "with"))
"""Pairs that leave no room: who uses the one where the other stands says something else."""


def sides_in(text: str, language: str) -> Sides:
    """Which of each pair a text uses; "not more than" is a limit, not an amount.

    >>> sides_in("at least three", "en")
    {'limits': frozenset({1})}
    """
    taken = [match.span() for match in limits_in(text, language)]
    found: dict[str, set[int]] = {}
    for name, pair in _SIDES.get(language, _SIDES["en"]).items():
        for side, pattern in enumerate(pair):
            for match in pattern.finditer(text):
                free = all(match.start() >= end or match.end() <= start for start, end in taken)
                if free or name == LIMITS:
                    found.setdefault(name, set()).add(side)
    return {name: frozenset(sides) for name, sides in found.items()}


def limits_in(text: str, language: str) -> Iterator[re.Match[str]]:
    """Where a text says at least or at most."""
    for pattern in _SIDES.get(language, _SIDES["en"])[LIMITS]:
        yield from pattern.finditer(text)


def opposed(one: Sides, other: Sides) -> frozenset[str]:
    """The pairs of which one text uses only the one word, and the other text only the other."""
    return frozenset(
        name for name, sides in one.items() if name in other and not sides & other[name]
    )


def _compiled(language: str) -> Mapping[str, Sequence[re.Pattern[str]]]:
    return {
        name: [re.compile(bounded(side, language), re.IGNORECASE) for side in words[language]]
        for name, words in _OPPOSITES.items()
        if language in words
    }


_SIDES = {language: _compiled(language) for language in ("en", "de", "es", "fr", "it", "zh")}
