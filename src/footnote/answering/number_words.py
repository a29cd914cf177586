"""Words that say a number become its value: English, German, Spanish, French, Italian, Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

_SMALL: Mapping[str, str] = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
    "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize dix-sept dix-huit dix-neuf vingt",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici "
    "quattordici quindici sedici diciassette diciotto diciannove venti",
}
"""From 0 up."""
_TENS: Mapping[str, str] = {
    "en": "thirty forty fifty sixty seventy eighty ninety",
    "de": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "es": "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "trente quarante cinquante soixante septante huitante nonante",
    "it": "trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
"""From 30 up."""
_ORDINALS: Mapping[str, str] = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "de": "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte",
    "es": "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
    "fr": "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième "
    "dixième",
    "it": "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
}
"""From 1 up; endings that agree with a noun are allowed for."""
_HUNDREDS: Mapping[str, int] = {
    "doscientos": 200,
    "trescientos": 300,
    "cuatrocientos": 400,
    "quinientos": 500,
    "seiscientos": 600,
    "setecientos": 700,
    "ochocientos": 800,
    "novecientos": 900,
}
SCALES: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys("hundred hundreds hundert cien ciento cent cents cento".split(), (100,)),
    **dict.fromkeys(
        "thousand thousands tausend mil mille mila k tsd".split(),
        (1000,),
    ),
    **dict.fromkeys(
        "million millions mio millionen millón millones milione milioni mn mln".split(), (10**6,)
    ),
    **dict.fromkeys(
        "bn milliarde milliarden mrd milliard milliards miliardo miliardi".split(), (10**9,)
    ),
    # A thousand millions to some, a million millions to others.
    **dict.fromkeys("billion billions billionen billón billones".split(), (10**9, 10**12)),
    **dict.fromkeys("trillion trillions".split(), (10**12, 10**18)),
}
"""What a word multiplies the number before it with, in each of its readings."""
_VAGUE: Mapping[str, float] = {
    **dict.fromkeys("a an one single once sole ein eine einen einem einer eines einmal".split(), 1),
    **dict.fromkeys("un una uno une única único unique solo einzige einziger".split(), 1),
    **dict.fromkeys(
        "both two-fold twice pair couple double doubled beide beiden zweimal".split(), 2
    ),
    **dict.fromkeys("doppelt ambos ambas dos-veces double deux-fois entrambi doppio".split(), 2),
    **dict.fromkeys("triple tripled dreifach triplo".split(), 3),
    **dict.fromkeys("dozen dutzend docena douzaine dozzina".split(), 12),
    **dict.fromkeys(
        "half halved halb halbe halben hälfte mitad medio media moitié metà".split(), 0.5
    ),
    **dict.fromkeys("quarter viertel".split(), 0.25),
    **dict.fromkeys("decade jahrzehnt década décennie decennio".split(), 10),
    **dict.fromkeys("century jahrhundert siglo siècle secolo".split(), 100),
}
"""Words that bear a number out, but do not claim one: most of them are articles or manners."""
_JOINING = frozenset(("and", "und", "y", "et", "e"))
_WORD = re.compile(r"[^\W\d_]+")
_GERMAN_TEEN = re.compile("(?P<unit>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und")
_ITALIAN_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()

_CHINESE_DIGITS = {**dict(zip("零一二三四五六七八九", range(10), strict=True)), "〇": 0, "两": 2}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_CHINESE = re.compile("[零〇一二两三四五六七八九十百千万亿]+")
_CHINESE_COUNTED = re.compile(
    "[个名位次年月日天人分种项条座家件世倍岁所支场届只本层章部艘架英公里米元]"
)


def _valued() -> dict[str, float]:
    """The value of each whole word that is not a scale."""
    found: dict[str, float] = {}
    for words in _SMALL.values():
        found.update((word, value) for value, word in enumerate(words.split()) if "-" not in word)
    for words in _TENS.values():
        found.update(
            (word, value) for value, word in zip(range(30, 100, 10), words.split(), strict=True)
        )
    for ten, word in zip(range(20, 100, 10), _ITALIAN_TENS, strict=True):
        for unit, tail in enumerate(_SMALL["it"].split()[1:10], start=1):
            stem = word[:-1] if tail[0] in "uo" else word
            found[stem + tail] = ten + unit
    found.update(_HUNDREDS)
    found.update({"dreissig": 30, "tre": 3, "veintiún": 21, "veintidos": 22, "dieciseis": 16})
    return {word: value for word, value in found.items() if word not in _VAGUE}


_VALUES = _valued()
_ORDINAL_VALUES = {
    word[:-1] if word[-1] in "eo" else word: value
    for words in _ORDINALS.values()
    for value, word in enumerate(words.split(), start=1)
}
_ORDINAL_ENDINGS = ("", "e", "er", "en", "es", "em", "o", "a", "os", "as", "i", "s", "ère")
_AMBIGUOUS = frozenset("once sei second seconds secondo quarto quarti sette mille due nove".split())
"""Also other words in a language of the six: they bear out, but claim nothing."""


@lru_cache(maxsize=4096)
def word_value(word: str) -> tuple[float, bool] | None:
    """The number a case-folded word says, and whether it surely says it.

    >>> word_value("einundzwanzig"), word_value("third"), word_value("a"), word_value("rent")
    ((21, True), (3, True), (1, False), None)
    """
    if word in _VAGUE:
        return _VAGUE[word], False
    if word in _VALUES:
        return _VALUES[word], word not in _AMBIGUOUS
    for ending in _ORDINAL_ENDINGS:
        stem = word[: len(word) - len(ending)]
        if word.endswith(ending) and stem in _ORDINAL_VALUES:
            value = _ORDINAL_VALUES[stem]
            return value, value > 2 and word not in _AMBIGUOUS
    german = _german(word)
    return None if german is None else (german, True)


def _german(word: str) -> int | None:
    """The value of a German compound such as zweihundertdreiundvierzig."""
    for name, scale in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(name)
        if found:
            front = 1 if head in ("", "ein") else _german(head)
            tail = tail.removeprefix("und")
            back = (1 if tail == "ein" else _german(tail)) if tail else 0
            return None if front is None or back is None else front * scale + back
    teen = _GERMAN_TEEN.match(word)
    tens = word[teen.end() :] if teen else ""
    if teen and tens in _VALUES and _VALUES[tens] >= 20:
        unit = teen["unit"]
        return int(_VALUES[tens]) + (1 if unit == "ein" else int(_VALUES[unit]))
    return int(_VALUES[word]) if word in _VALUES and word in _GERMAN_WORDS else None


_GERMAN_WORDS = frozenset(f"{_SMALL['de']} {_TENS['de']}".casefold().split())


def spelled_numbers(text: str) -> Iterator[tuple[int, int, float, bool]]:
    """Start, end, value and sureness of each number that is written in words.

    >>> list(spelled_numbers("two hundred and five of three"))
    [(0, 20, 205, True), (24, 29, 3, True)]
    """
    yield from _chinese(text)
    run: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        joined = run and not text[run[-1][1] : match.start()].strip(" -\u2011\u00a0")
        counts = word_value(word) is not None or word in SCALES
        if run and joined and (counts or word in _JOINING):
            run.append((match.start(), match.end(), word))
            continue
        yield from _added(run)
        run = [(match.start(), match.end(), word)] if counts else []
    yield from _added(run)


def _added(run: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, float, bool]]:
    """The numbers of neighbouring number words: what cannot be added begins a new one."""
    while run and run[-1][2] in _JOINING:
        run = run[:-1]
    total = current = 0.0
    start = end = -1
    sure = False
    for first, last, word in run:
        scale = SCALES.get(word)
        if word in _JOINING:
            continue
        if scale is not None:
            if scale[0] == 100:
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * scale[0], 0.0
            # "Hundreds of" claims no number, "two hundred" does.
            sure = sure or start >= 0
        else:
            value, certain = word_value(word) or (0.0, False)
            if current == 4 and value == 20:
                # Quatre-vingts.
                current = 80.0
                end = last
                continue
            if start >= 0 and not _fits(total, current, value):
                yield start, end, total + current, sure
                total = current = 0.0
                start, sure = -1, False
            current += value
            sure = sure or certain
        start, end = (first if start < 0 else start), last
    if start >= 0:
        yield start, end, total + current, sure


def _fits(total: float, current: float, value: float) -> bool:
    """Whether a word may add its value: twenty takes five, five does not take seven."""
    if not current:
        return bool(total) and value < 1000
    if current % 100 == 0:
        return value < 100
    if current % 20 == 0 and value < 20 and current % 100 in (60, 80):
        return True
    return current % 10 == 0 and current % 100 >= 20 and value < 10


def _chinese(text: str) -> Iterator[tuple[int, int, float, bool]]:
    for match in _CHINESE.finditer(text):
        word = match.group()
        behind = text[match.end() : match.end() + 1]
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        # `12万` is read with its digits.
        if before.isdecimal():
            continue
        value = chinese_value(word)
        counted = bool(_CHINESE_COUNTED.match(behind)) and word not in ("一", "两")
        if value is not None:
            yield match.start(), match.end(), value, counted or before in ("第", "之")


def chinese_value(word: str) -> float | None:
    """The value of a Chinese numeral; None where a scale stands alone.

    >>> chinese_value("三百二十五"), chinese_value("二〇一五"), chinese_value("万")
    (325, 2015, None)
    """
    if all(character in _CHINESE_DIGITS for character in word):
        return int("".join(str(_CHINESE_DIGITS[character]) for character in word))
    if word in ("百", "千", "万", "亿"):
        return None
    total = section = digit = 0
    for character in word:
        if character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
            continue
        scale = _CHINESE_SCALES[character]
        if scale >= 10**4:
            total, section, digit = (total + section + digit or 1) * scale, 0, 0
        else:
            section, digit = section + (digit or 1) * scale, 0
    return total + section + digit
