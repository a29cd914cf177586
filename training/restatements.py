"""A sentence said otherwise and still true: shortened, in another order, its numbers and names spelt another way; and a
question with an answer in the place of its question word."""  # fmt: skip

from __future__ import annotations

import random
import re
from collections.abc import Callable

from alterations import NAME, NUMBER_WORDS, UNSPACED

NUMBER_VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 20)
"""Of the words in `NUMBER_WORDS`, as far as a language has them there."""
HAN_NUMBERS = "二三四五六七八九十"
ASIDE = re.compile(r"\s*[(（][^()（）]{2,80}[)）]|\s*\[[^\[\]]{1,30}\]")
CLAUSES = re.compile(r"\s*[,;，；、–—]\s+|[，；]|\s[–—]\s")
CUT_BEFORE = {
    "en": "in|on|at|by|from|with|for|during|after|before|because|since|which|who|where|when|as well as|and",
    "es": "en|por|para|con|desde|durante|después|cuando|donde|porque|así como|debido|según",
    "fr": "dans|par|pour|avec|depuis|pendant|après|quand|où|parce|ainsi|afin|lors|sur|chez",
    "it": "nel|nella|per|con|dal|dalla|durante|dopo|quando|dove|perché|presso|nonché",
    "pt": "em|no|na|por|para|com|desde|durante|depois|quando|onde|porque|bem como",
    "ru": "в|во|на|по|для|с|из|от|после|перед|когда|где|потому|благодаря",
    "de": "nachdem|bevor|weil|da|damit|sodass|wobei|sowie|als|während|seit|durch|wegen|für|mit|nach|vor|aus|im|in|am|an|bei",
}  # fmt: skip
"""Words before which a sentence can mostly end and stay true."""
UNFINISHED = set(
    "of to by the a an its his her their and or as than that which such both in on at with from for is are was were "
    "junto de del la las los el un una y o que más al en con por der die das den dem des ein eine einen einer und oder "
    "von zu am im le les du des une et ou qui que plus di il lo gli della e che più o os as um uma и или что".split()
)
"""Words after which it cannot."""
TURNING = re.compile(
    r"\b(?:not?|never|none|only|unless|without|until|except|if|whether|would|could|may|might|planned|proposed|but|although|"
    r"nicht|kein\w*|nie|nur|ohne|bis|außer|sofern|falls|wenn|ob|würde\w*|könnte\w*|sollte\w*|geplant|aber|obwohl|"
    r"nunca|ning\w+|sólo|solo|sin|hasta|salvo|si|excepto|pero|aunque|pas|jamais|aucun\w*|seulement|sans|sauf|sinon|mais|"
    r"non|mai|nessun\w*|soltanto|senza|fino|eccetto|ma|não|apenas|sem|até|exceto|mas|не|ни|нет|только|без|до|кроме|если|но)\b",
    re.IGNORECASE,
)
"""Words with which what is left of a sentence may say something else than the whole."""
MODALS = {
    "en": (("must", "has to", "is required to", "shall"), ("must", "have to", "are required to", "shall"),
           ("may", "can", "is allowed to"), ("may", "can", "are allowed to", "are permitted to")),
    "de": (("darf", "kann"), ("dürfen", "können")),
    "es": (("debe", "tiene que", "ha de"), ("deben", "tienen que", "han de"), ("puede", "está autorizado a")),
    "fr": (("doit", "est tenu de"), ("doivent", "sont tenus de"), ("peut", "est autorisé à")),
    "it": (("deve", "è tenuto a"), ("devono", "sono tenuti a"), ("può", "è autorizzato a")),
    "zh": (("必须", "应当"), ("可以", "能够")),
}  # fmt: skip
"""Wordings that say the same of a duty or a leave."""
GROUPED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})([.,  ])(\d{3})(?![\d]|[.,]\d)")
SHARE = re.compile(r"(\d+(?:[.,]\d+)?)( ?%)")
SHARE_WORDS = {
    "en": ("percent", "per cent"), "de": ("Prozent",), "es": ("por ciento",), "fr": ("pour cent",),
    "it": ("per cento",), "pt": ("por cento",), "no": ("prosent",), "sv": ("procent",), "ru": ("процентов",),
    "id": ("persen",),
}  # fmt: skip
ASKING = {
    "en": r"who|what|which(?: \w+)?|where|when|how many|how much|why",
    "de": r"wer|wen|wem|was|welche[rnsm]?(?: \w+)?|wo|wann|wie viele?|warum",
    "es": r"quién(?:es)?|qué(?: \w+)?|cuál(?:es)?|dónde|cuándo|cuánt[oa]s?|por qué",
    "fr": r"qui|que|quel(?:le)?s?(?: \w+)?|où|quand|combien|pourquoi",
    "it": r"chi|che cosa|cosa|qual[ei]?(?: \w+)?|dove|quando|quant[oiae]|perché",
    "pt": r"quem|o que|qua(?:l|is)(?: \w+)?|onde|quando|quant[oa]s?|por que",
    "no": r"hvem|hva|hvilke[nt]?(?: \w+)?|hvor mange|hvor|når|hvorfor",
    "sv": r"vem|vad|vilke[nt](?: \w+)?|vilka|var|när|hur många|varför",
    "zh": r"什么(?:时候|地方)?|谁|哪里|哪(?:一)?[个年位座种项场]|多少|几|何时|何地",
    "zh-Hant": r"什麼(?:時候|地方)?|誰|哪裡|哪(?:一)?[個年位座種項場]|多少|幾|何時|何地",
    "ja": r"何|誰|どこ|いつ|どの\w|いくつ",
    "ru": r"кто|что|како[йе]|какая|где|когда|сколько|почему",
    "id": r"siapa|apa|mana|kapan|berapa",
}  # fmt: skip


def restated(draw: random.Random, sentence: str, language: str) -> str | None:
    """The sentence in one or two of these ways; None where nothing can be made of it."""
    ways: list[Callable[[str], str | None]] = [
        lambda text: shortened(draw, text),
        lambda text: reordered(draw, text),
        lambda text: respelt(draw, text, language),
        lambda text: named_shorter(draw, text, language),
        lambda text: cut(draw, text, language),
    ]
    ways = draw.choices(ways, (2, 1, 2, 1, 3), k=8)
    said = sentence
    wanted = draw.choice((1, 1, 2))
    for way in ways:
        made = way(said)
        if made is not None and made != said and len(made) > 12:
            said, wanted = made, wanted - 1
            if not wanted:
                break
    return said if said != sentence else None


def shortened(draw: random.Random, sentence: str) -> str | None:
    """Without its asides, or without one of its clauses."""
    bare = ASIDE.sub("", sentence)
    if bare != sentence and draw.random() < 0.6:
        return bare
    parts, gaps = parted(sentence)
    if len(parts) < 2:
        return bare if bare != sentence else None
    left = draw.choice((0, len(parts) - 1, len(parts) - 1, draw.randrange(len(parts))))
    kept = [i for i in range(len(parts)) if i != left]
    said = parts[kept[0]] + "".join(gaps[i - 1] + parts[i] for i in kept[1:])
    if len(said) < 0.35 * len(sentence):
        return None
    return closed(said, sentence)


def cut(draw: random.Random, sentence: str, language: str) -> str | None:
    """Without what follows a word before which it can end, as a plain answer says it; a German verb at the end stays."""
    words = CUT_BEFORE.get(language)
    if words is None or TURNING.search(sentence):
        return None
    bare = sentence.rstrip(".!")
    last = bare.split()[-1]
    places = [
        found.start()
        for found in re.finditer(rf"(?<=\w),? (?:{words}) ", bare)
        if found.start() > 0.4 * len(bare)
        and len(bare[: found.start()].split()) >= 5
        and bare[: found.start()].split()[-1] not in UNFINISHED
        # A verb at the end, as German has it, belongs to what comes before all but clauses.
        and not (language == "de" and last.islower() and bare[found.start()] != ",")
    ]
    if not places:
        return None
    return closed(bare[: draw.choice(places)], sentence)


def reordered(draw: random.Random, sentence: str) -> str | None:
    """With its last clause first, or its first one last."""
    parts, gaps = parted(sentence)
    if len(parts) < 2:
        return None
    if draw.random() < 0.6:
        said = parts[-1] + gaps[-1] + parts[0] + "".join(
            gap + part for gap, part in zip(gaps[:-1], parts[1:-1], strict=True)
        )  # fmt: skip
    else:
        said = parts[1] + "".join(
            gap + part for gap, part in zip(gaps[1:], parts[2:], strict=True)
        ) + gaps[0] + parts[0]  # fmt: skip
    return closed(said, sentence)


def respelt(draw: random.Random, sentence: str, language: str) -> str | None:
    """With a number in words for one in digits, or the other way round, or with other marks in it."""
    ways = []
    words = NUMBER_WORDS.get(language, "").split()
    for value, word in zip(NUMBER_VALUES, words, strict=False):
        if re.search(rf"(?<!\w){word}(?!\w)", sentence):
            ways.append((rf"(?<!\w){word}(?!\w)", str(value)))
        if re.search(rf"(?<![\w.,/:–-]){value}(?![\w.,/:–%-])", sentence):
            ways.append((rf"(?<![\w.,/:–-]){value}(?![\w.,/:–%-])", word))
    if language in ("zh", "zh-Hant", "ja"):
        for value, word in enumerate(HAN_NUMBERS, start=2):
            for old, new in ((str(value), word), (word, str(value))):
                pattern = rf"(?<![\d.{HAN_NUMBERS}一百千万]){old}(?=[个個名位人次年月日座种場场])"
                if re.search(pattern, sentence):
                    ways.append((pattern, new))
    for same in MODALS.get(language, ()):
        for word in same:
            bounds = ("", "") if language in UNSPACED else (r"(?<!\w)", r"(?! not\b|n't\b|\w)")
            if re.search(f"{bounds[0]}{word}{bounds[1]}", sentence):
                ways += [
                    (f"{bounds[0]}{word}{bounds[1]}", other) for other in same if other != word
                ]
    for found in GROUPED.finditer(sentence):
        marks = [mark for mark in ("", "", ",", ".", " ") if mark != found[2]]
        ways.append((re.escape(found.group()), f"{found[1]}{draw.choice(marks)}{found[3]}"))
    for found in SHARE.finditer(sentence):
        ways += [
            (re.escape(found.group()), f"{found[1]} {word}")
            for word in SHARE_WORDS.get(language, ())
        ]
    if not ways:
        return None
    pattern, new = draw.choice(ways)
    return re.sub(pattern, new, sentence, count=1)


def named_shorter(draw: random.Random, sentence: str, language: str) -> str | None:
    """With the last word alone of a name of two."""
    names = [name for name in NAME.findall(sentence) if " " in name]
    if not names or language == "de":
        return None
    name = draw.choice(names)
    return sentence.replace(name, name.split()[-1], 1)


def answered(question: str, answer: str, language: str) -> str | None:
    """The question with the answer in the place of its first question word, as a statement."""
    pattern = ASKING.get(language)
    if pattern is None:
        return None
    bare = question.strip(" ¿?？\n")
    whole = pattern if language in UNSPACED else rf"(?<!\w)(?:{pattern})(?!\w)"
    found = re.search(whole, bare, re.IGNORECASE)
    if found is None:
        return None
    gap = "" if language in UNSPACED else " "
    parts = (bare[: found.start()].strip(), answer.strip(" ."), bare[found.end() :].strip())
    said = gap.join(filter(None, parts))
    return said[:1].upper() + said[1:] + ("。" if language in UNSPACED else ".")


def parted(sentence: str) -> tuple[list[str], list[str]]:
    """The clauses of a sentence without its end, and what stands between them."""
    bare = sentence.rstrip(".。!！ ")
    parts, gaps, at = [], [], 0
    for found in CLAUSES.finditer(bare):
        if found.start() - at >= 4 and len(bare) - found.end() >= 4:
            parts.append(bare[at : found.start()])
            gaps.append(found.group())
            at = found.end()
    return [*parts, bare[at:]], gaps


def closed(said: str, sentence: str) -> str:
    """With a capital and the sentence's own end."""
    end = sentence[len(sentence.rstrip(".。!！ ")) :].strip() or "."
    return said[:1].upper() + said[1:] + end
