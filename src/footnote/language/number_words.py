"""Find numbers that are written in words, with their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from text_to_num import alpha2digit, find_numbers

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
    # 10**9 in the short scale, 10**12 in the long scale.
    **dict.fromkeys("billion billions billionen billón billones".split(), (10**9, 10**12)),
    **dict.fromkeys("trillion trillions".split(), (10**12, 10**18)),
}
"""The factors by which a word may multiply the number before it."""
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
"""Words that can support a number but do not assert one: most are articles or figures of speech."""
NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand million billion half quarter third twice double "
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig "
    "sechzig siebzig achtzig neunzig hundert tausend million millionen "
    "deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante "
    "soixante cent cents mille millions dos tres cuatro cinco seis siete ocho nueve diez doce "
    "quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil "
    "due tre quattro cinque sei sette otto nove dieci dodici venti trenta quaranta cinquanta "
    "sessanta settanta ottanta novanta cento mila dois duas três quatro sete oito dez doze vinte "
    "trinta quarenta cinquenta sessenta cem milhões millones twee drie vijf zes zeven acht negen "
    "tien elf twaalf twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd "
    "".split()
)
"""Single words that are a number above one in some language, but no article; case-folded."""
_LANGUAGES = frozenset("da de en es fr it nl pt".split())
_ARTICLES = frozenset("a an ein eine einen einem einer un una une".split())
_POWERS = frozenset((100, 1000, 10**6, 10**9, 10**12))
_CLAUSE = re.compile(r"[^.;:!?()]+")
_TOKEN = re.compile(r"[^\W\d_]+|[^\w\s]|\d+")

_CHINESE_DIGITS = {**dict(zip("零一二三四五六七八九", range(10), strict=True)), "〇": 0, "两": 2}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
CHINESE_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]+"
_CHINESE = re.compile(CHINESE_NUMERAL)
_COUNTED = re.compile("[个名位次年月日天人分种项条座家件世倍岁所支场届只本层章部艘架英公里米元]")


class _Word:
    """A token of a text, with the interface that `find_numbers` expects."""

    def __init__(self, match: re.Match[str], offset: int) -> None:
        self.word = match.group()
        self.start = offset + match.start()
        self.end = offset + match.end()

    def text(self) -> str:
        return self.word

    def nt_separated(self, _: _Word) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        # `find_numbers` would read it as a dictated zero.
        return self.word in ("o", "O")


def spelled_numbers(
    text: str, language: str | None = None
) -> Iterator[tuple[int, int, float, bool]]:
    """Yield start, end, value and certainty of each number that is written in words.

    Articles, ordinals up to the second and powers of ten that stand alone ("hundreds of") are
    uncertain. An unsupported language is read as English; Chinese numerals and words such as
    "both" are read in any text.

    >>> list(spelled_numbers("two hundred and five of three"))
    [(0, 20, 205.0, True), (24, 29, 3.0, True)]
    """
    code = language if language in _LANGUAGES else "en"
    yield from _chinese(text)
    for clause in _CLAUSE.finditer(text):
        words = [_Word(match, clause.start()) for match in _TOKEN.finditer(clause.group())]
        covered: set[int] = set()
        # Checking whether there is any number takes a fraction of the time of locating it.
        spaced = clause.group().replace("-", " ")
        if alpha2digit(spaced, code, threshold=0) != spaced:
            for number in find_numbers(words, code, threshold=0):
                first = number.start
                sure = number.value > (2 if number.is_ordinal else 1) or not number.value
                if number.end - first == 1 and number.value in _POWERS and not number.is_ordinal:
                    sure = bool(first) and words[first - 1].word.casefold() in _ARTICLES
                    first -= sure
                covered.update(range(first, number.end))
                yield words[first].start, words[number.end - 1].end, number.value, sure
        for index, word in enumerate(words):
            if index not in covered and (value := _VAGUE.get(word.word.casefold())) is not None:
                yield word.start, word.end, value, False


def _chinese(text: str) -> Iterator[tuple[int, int, float, bool]]:
    for match in _CHINESE.finditer(text):
        word = match.group()
        behind = text[match.end() : match.end() + 1]
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        # `12万` is parsed elsewhere, with its digits.
        if before.isdecimal():
            continue
        value = chinese_value(word)
        counted = bool(_COUNTED.match(behind)) and word not in ("一", "两")
        if value is not None:
            yield match.start(), match.end(), value, counted or before in ("第", "之")


def chinese_value(word: str) -> float | None:
    """Return the value of a Chinese numeral; None for a scale that stands alone.

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
