"""Words of negation, in any text or in one language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_NEGATORS: Mapping[str, str] = {
    "en": r"not|no|never|none|nobody|nothing|neither|nor|nowhere|cannot|without|\w+n['’]t|unable"
    r"|fail(?:s|ed)?\s+to|lack(?:s|ed|ing)?|refus(?:es|ed)|hardly|barely|excluding|no\s+longer"
    r"|false",
    "de": r"nicht|kein(?:e[rmns]?)?|nie|niemals|niemand(?:e[mn])?|nirgends|nirgendwo|nichts|ohne"
    r"|weder|kaum|keineswegs|keinesfalls|falsch",
    "es": r"no|nunca|jamás|ning(?:ún|un[oa]s?)|nada|nadie|sin|tampoco|ni|falso",
    "fr": r"pas|jamais|aucune?|rien|sans|ni|non|nulle?|guère|faux",
    "it": r"non|mai|nessun[oa]?|niente|nulla|senza|né|neppure|nemmeno|neanche|falso",
    "zh": r"没有|并非|并不|从未|从不|毫无|不是|不|没|未|无|非|勿|莫",
}
_NOT_NEGATING: Mapping[str, str] = {
    "en": r"not\s+(?:only|just|merely|least)|nothing\s+but|no\.?\s*\d|no\s+doubt|whether\s+or\s+not"
    r"|more\s+often\s+than\s+not|if\s+not|or\s+not",
    "de": r"nicht\s+(?:nur|bloß|allein|zuletzt|selten)|oder\s+nicht|ohne\s+weiteres|ohne\s+zweifel",
    "es": r"no\s+(?:solo|sólo|solamente|obstante)|o\s+no|sin\s+(?:embargo|duda)|ni\s+siquiera",
    "fr": r"(?:pas|non)\s+seulement|ou\s+(?:non|pas)|sans\s+doute|n['’]est-ce\s+pas|pas\s+à\s+pas",
    "it": r"non\s+(?:solo|soltanto|solamente|appena)|o\s+(?:no|meno)|senza\s+dubbio",
    "zh": r"不仅|不但|不只|不光|不同|不过|不久|不断|不等|不一|不少|不论|不管|不得不|不可分"
    r"|非常|非洲|无论|无线|无数|无非|未来|南非|北非|西非|东非|中非|差不多|与众不同|莫斯|非裔|无机|无限|莫尔|非政府"
    r"|是否|能否|与否",
}
"""Phrases that contain a negator but do not negate; they are matched first."""

NEGATION_WORDS = frozenset(
    # `t` and `n` are what is left of `can't` and `n'est`.
    "no not never none nothing nobody neither nor without cannot t except unless nicht nie niemals "
    "kein keine keinen keinem keiner keines nichts ohne weder außer ne n pas jamais aucun aucune "
    "rien sans ni sauf nunca jamás ninguno ninguna ningún nada sin non mai nessuno nessuna nessun "
    "niente senza não nenhum nenhuma sem niet nooit geen zonder не нет ни без "
    "不 没 沒 无 無 未 非 否 勿".split()
)
"""Case-folded words that negate in some language."""


def negators_in(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of negators in a text; a language without a list is read as English.

    >>> list(negators_in("Not only cats, but not dogs.", "en"))
    [(19, 22)]
    """
    for match in _NEGATOR_OF.get(language, _NEGATOR_OF["en"]).finditer(text):
        if match.lastgroup == "negator":
            yield match.span()


def bounded(pattern: str, language: str) -> str:
    """Group the alternatives, as whole words where the language has spaces between them."""
    return f"(?:{pattern})" if language == "zh" else rf"(?<!\w)(?:{pattern})(?!\w)"


_NEGATOR_OF = {
    language: re.compile(
        f"(?P<harmless>{bounded(_NOT_NEGATING[language], language)})"
        f"|(?P<negator>{bounded(words, language)})",
        re.IGNORECASE,
    )
    for language, words in _NEGATORS.items()
}
