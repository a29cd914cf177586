"""Changes to a sentence that keep it true, or make it false, by rules for each language."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

_CLAUSE = re.compile(r",\s+(?=\D)|，|；|;\s+")
_ASIDE = re.compile(r"\s*[(（][^()（）]{3,}[)）]")
_LOWEST_SHARE = 0.35
_CJK = re.compile("[\u4e00-\u9fff]")

_SPELLED: Mapping[str, Sequence[str]] = {
    "en": "two three four five six seven eight nine ten eleven twelve".split(),
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(),
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce".split(),
    "zh": "二 三 四 五 六 七 八 九 十 十一 十二".split(),
}
_MONTHS: Mapping[str, Sequence[str]] = {
    "en": "January February March April May June July August September October November "
    "December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November "
    "Dezember".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre".split(),
}
_NUMBER = re.compile(r"(?<![\w.,/–-])\d[\d.,]*\d(?![\w/–-])|(?<![\w.,/–-])\d(?![\w/–-])")
_YEAR = re.compile(r"(?<!\d)1\d{3}(?!\d)|(?<!\d)20[0-4]\d(?!\d)")
_QUESTION_WORDS: Mapping[str, str] = {
    "en": r"(?:in|on|at|by|from|to|of|for|with)?\s*(?:what|which)\s+(?:year|date|day|century|type"
    r"\s+of|kind\s+of|percentage\s+of|was|is|were|are)?|how\s+(?:many|much|long|old|far|often)"
    r"|who(?:m|se)?|when|where|why|how|what|which",
    "de": r"in\s+welche[mnrs]\s+jahr|wie\s*viele?n?|wie\s+(?:lange|oft|hoch|alt|groß)|welche[mnrs]?"
    r"|was|we[rmn]|wessen|wann|wo(?:her|hin)?|warum|wie|wofür|wodurch|womit|worin|woraus",
    "es": r"(?:en|a|de|por|con|para|desde)?\s*(?:qué\s+(?:año|fecha|siglo)|qué"
    r"|cuál(?:es)?\s+(?:es|son|era|fue)?|cuánt[oa]s?|quién(?:es)?|cuándo|dónde|cómo)",
    "zh": r"什么(?:时候|时间|地方|人)?|多少|哪(?:一年|年|个|些|里|位|种|儿)?|几|谁"
    r"|何(?:时|地|处)?|如何|怎么样?|为什么|多(?:长|久|大|高)",
}
_VERBS: Mapping[str, str] = {
    "en": r"is|are|was|were|has|have|had|can|could|will|would|may|must|should|did|does",
    "de": r"ist|sind|war|waren|wurden?|hat|haben|hatten?|kann|können|konnten?|wird|werden|gab|gibt"
    r"|muss|müssen|soll|darf|liegt|befindet|besteht",
    "es": r"es|son|era|eran|fue|fueron|está|están|estaba|ha|han|había|tiene|tienen|tuvo"
    r"|puede|pueden|se\s+(?:encuentra|utiliza|conoce)|hizo|incluye|consiguió|ganó",
    "zh": r"是|有|能|会|可以|被|使用|成为|包括|位于|需要|认为|获得",
}
_DENIALS: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:not|never)\s|n't\b", re.IGNORECASE),
    "de": re.compile(r"\bnicht\s|\bk(?=ein)", re.IGNORECASE),
    "es": re.compile(r"\b(?:no|nunca)\s", re.IGNORECASE),
    "zh": re.compile(r"不(?=[是能会]|可以)|没(?=有)"),
}
_OTHER_DENIALS: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:no|none|neither|nor|without|cannot)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:keine?[mnrs]?|nie|ohne|weder)\b", re.IGNORECASE),
    "es": re.compile(r"\b(?:ning[uú]n|ninguna|nada|nadie|sin|ni)\b", re.IGNORECASE),
    "zh": re.compile("[不没未无非]"),
}
"""Where these stand, one more denial need not make a sentence false."""
_OPPOSED: Mapping[str, Sequence[tuple[str, str]]] = {
    "en": (
        ("more than", "less than"), ("at least", "at most"), ("before", "after"),
        ("increased", "decreased"), ("all", "none"), ("always", "never"), ("with", "without"),
        ("first", "last"), ("largest", "smallest"), ("highest", "lowest"), ("above", "below"),
        ("included", "excluded"), ("higher", "lower"), ("rose", "fell"), ("allowed", "forbidden"),
    ),
    "de": (
        ("mehr als", "weniger als"), ("mindestens", "höchstens"), ("vor", "nach"),
        ("immer", "nie"), ("mit", "ohne"), ("erste", "letzte"), ("ersten", "letzten"),
        ("größte", "kleinste"), ("größten", "kleinsten"), ("über", "unter"), ("alle", "keine"),
        ("höher", "niedriger"), ("einschließlich", "ausgenommen"),
    ),
    "es": (
        ("más de", "menos de"), ("al menos", "como máximo"), ("antes", "después"),
        ("siempre", "nunca"), ("con", "sin"), ("primer", "último"), ("primera", "última"),
        ("mayor", "menor"), ("todos", "ninguno"), ("aumentó", "disminuyó"), ("más", "menos"),
    ),
    "zh": (
        ("超过", "少于"), ("至少", "最多"), ("之前", "之后"), ("增加", "减少"), ("最大", "最小"),
        ("最高", "最低"), ("总是", "从不"), ("所有", "没有任何"), ("第一", "最后"),
        ("允许", "禁止"), ("上升", "下降"), ("大于", "小于"),
    ),
}  # fmt: skip


def shorten(sentence: str, answer: str) -> str | None:
    """The sentence without its asides and without some of the clauses that lack the answer."""
    text = _ASIDE.sub(lambda aside: aside.group() if answer in aside.group() else "", sentence)
    parts = _CLAUSE.split(text)
    if len(parts) > 1:
        at = next((n for n, part in enumerate(parts) if answer in part), None)
        if at is None:
            return None
        kept = parts[: max(1, at + 1)] if at <= len(parts) // 2 else [parts[0], parts[at]]
        text = _joined(kept, sentence)
    if text == sentence or len(text) < _LOWEST_SHARE * len(sentence) or answer not in text:
        return None
    return _closed(text)


def reorder(sentence: str) -> str | None:
    """The sentence with its last clause first."""
    parts = _CLAUSE.split(_open(sentence))
    if len(parts) < 2 or min(len(parts[0]), len(parts[-1])) < 4:
        return None
    first, *rest = [parts[-1], *parts[:-1]]
    return _closed(_joined([first[:1].upper() + first[1:], *rest], sentence))


def respell(sentence: str, language: str) -> str | None:
    """The sentence with a number in words written in digits, or the other way round."""
    words = _SPELLED[language]
    for value, word in enumerate(words, start=2):
        digits = re.compile(rf"(?<![\w.,/–-]){value}(?![\w.,/–%-])")
        spelled = re.compile(
            rf"{word}(?=[个次名位年])" if language == "zh" else rf"(?<!\w){word}(?!\w)"
        )
        if language == "zh" and re.search("[十百千万]", sentence):
            continue
        if digits.search(sentence):
            return digits.sub(word, sentence, count=1)
        if spelled.search(sentence):
            return spelled.sub(str(value), sentence, count=1)
    for match in _NUMBER.finditer(sentence):
        digits_only = re.sub("[.,]", "", match.group())
        if len(match.group()) - len(digits_only) == 1 and re.fullmatch(
            r"[1-9]\d{0,2}[.,]\d{3}", match.group()
        ):
            return sentence[: match.start()] + digits_only + sentence[match.end() :]
    return None


def from_question(question: str, answer: str, language: str) -> str | None:
    """The question with the answer in the place of its question word."""
    bare = question.strip(" ¿?？")
    pattern = _QUESTION_WORDS[language]
    found = re.search(
        pattern if language == "zh" else rf"(?<!\w)(?:{pattern})(?!\w)", bare, re.IGNORECASE
    )
    if found is None or not found.group().strip():
        return None
    gap = "" if language == "zh" else " "
    pieces = [bare[: found.start()].strip(), answer, bare[found.end() :].strip()]
    text = gap.join(piece for piece in pieces if piece)
    return _closed(text[:1].upper() + text[1:])


def alter_number(text: str, unlike: str, language: str, chance: random.Random) -> str | None:
    """The text with one number that is no year changed to one that `unlike` does not have."""
    spots = [match for match in _NUMBER.finditer(text) if not _YEAR.fullmatch(match.group())]
    if spots:
        spot = chance.choice(spots)
        for _ in range(20):
            other = _other_digits(spot.group(), chance)
            if not re.search(rf"(?<!\d){re.escape(other)}(?!\d)", unlike):
                return text[: spot.start()] + other + text[spot.end() :]
    words = _SPELLED[language]
    fresh = [word for word in words if word not in unlike.casefold()]
    for word in words[:11]:
        pattern = rf"{word}(?=[个次名位])" if language == "zh" else rf"(?<!\w){word}(?!\w)"
        if fresh and re.search(pattern, text):
            return re.sub(pattern, chance.choice(fresh), text, count=1)
    return None


def alter_date(text: str, unlike: str, language: str, chance: random.Random) -> str | None:
    """The text with a year or a month changed."""
    years = list(_YEAR.finditer(text))
    if years:
        spot = chance.choice(years)
        for _ in range(20):
            other = str(int(spot.group()) + chance.choice([-1, 1]) * chance.randint(1, 30))
            if other not in unlike:
                return text[: spot.start()] + other + text[spot.end() :]
    months = _MONTHS.get(language, ())
    for month in months:
        if re.search(rf"(?<!\w){month}(?!\w)", text):
            fresh = [each for each in months if each not in unlike]
            return re.sub(rf"(?<!\w){month}(?!\w)", chance.choice(fresh), text, count=1)
    return None


def alter_name(
    text: str, quote: str, elsewhere: Sequence[str], language: str, chance: random.Random
) -> str | None:
    """The text with one of its names exchanged for another of the same article."""
    pattern = _names(language)
    held = [match for match in pattern.finditer(text) if match.start() > 0]
    others = sorted(
        {
            match.group()
            for sentence in elsewhere
            for match in pattern.finditer(sentence)
            if match.start() > 0 and not _shares_word(match.group(), f"{quote} {text}", language)
        }
    )
    if not held or not others:
        return None
    spot = chance.choice(held)
    return text[: spot.start()] + chance.choice(others) + text[spot.end() :]


def negate(text: str, language: str, chance: random.Random) -> str | None:
    """The text with a denial put in, or taken out where it has one."""
    denied = _DENIALS[language].search(text)
    if denied:
        return text[: denied.start()] + text[denied.end() :]
    if language == "de" and chance.random() < 0.5 and re.search(r"\beine?[mnr]?\b", text):
        return re.sub(r"\b(eine?[mnr]?)\b", r"k\1", text, count=1)
    if _OTHER_DENIALS[language].search(text):
        return None
    verb = _VERBS[language]
    bounded = verb if language == "zh" else rf"(?<!\w)(?:{verb})(?!\w)"
    found = re.search(bounded, text)
    if found is None:
        return None
    word = found.group()
    if language == "zh":
        said = f"没{word}" if word == "有" else f"没有{word}" if word in "被获得" else f"不{word}"
    elif language == "es":
        said = f"{chance.choice(('no', 'no', 'nunca'))} {word}"
    elif language == "de":
        said = f"{word} {chance.choice(('nicht', 'nicht', 'nie'))}"
    else:
        said = f"{word} {chance.choice(('not', 'not', 'never'))}"
    return text[: found.start()] + said + text[found.end() :]


def oppose(text: str, language: str) -> str | None:
    """The text with a word exchanged for its opposite."""
    for pair in _OPPOSED[language]:
        for word, other in (pair, pair[::-1]):
            pattern = word if language == "zh" else rf"(?<!\w){word}(?!\w)"
            if re.search(pattern, text):
                return re.sub(pattern, other, text, count=1)
    return None


def _other_digits(digits: str, chance: random.Random) -> str:
    spots = [at for at, character in enumerate(digits) if character.isdigit()]
    at = chance.choice(spots)
    others = [each for each in "123456789" if each != digits[at]]
    return digits[:at] + chance.choice(others) + digits[at + 1 :]


def _names(language: str) -> re.Pattern[str]:
    if language == "zh":
        return re.compile("[\u4e00-\u9fff]{2}·[\u4e00-\u9fff]{2}|《[^》]+》|[A-Z][A-Za-z]+")
    word = r"[A-ZÀ-ÖØ-Þ][\w'’]+"
    if language == "de":
        return re.compile(rf"{word}(?: {word})+|\b[A-Z]{{2,}}\b")
    return re.compile(rf"{word}(?: {word})*")


def _shares_word(name: str, text: str, language: str) -> bool:
    if language == "zh":
        return name in text
    return any(word.casefold() in text.casefold() for word in name.split())


def _joined(parts: Sequence[str], sentence: str) -> str:
    comma = "，" if _CJK.search(sentence) else ", "
    return comma.join(part.strip() for part in parts)


def _open(text: str) -> str:
    return text.rstrip(" .。!?")


def _closed(text: str) -> str:
    return _open(text) + ("。" if len(_CJK.findall(text)) > len(text) / 2 else ".")
