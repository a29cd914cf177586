"""Text becomes what it denies, as far as words show it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from footnote.answering.opposites import bounded, limits_in

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
_HARMLESS: Mapping[str, str] = {
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
"""What looks like a denial and is none; it is read first."""
_EDGE = re.compile(
    r"[,;:.!?()\[\]—，；：。！？、（）]\s|[，；：。！？（）]|\s[-–—]\s"
    r"|(?<!\w)(?:but|although|while|whereas|because|aber|sondern|obwohl|während|weil|pero|sino"
    r"|aunque|mientras|porque|mais|alors|parce|ma|bensì|mentre|perché|但是|但|而)(?!\w)",
    re.IGNORECASE,
)
_PREFIX = re.compile("(?:un|in|im|ir|il|dis|non|des|dés|nicht)[-]?(?=.{3})")

ANCHORS_BEHIND = 3
ANCHORS_BEFORE = 2
"""Content terms around a negator that it may deny."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A content term of a text where it stands."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A negator and what it denies."""

    anchors: tuple[Term, ...]
    """The nearest content terms in its clause, the likeliest first."""

    @property
    def terms(self) -> frozenset[str]:
        """The distinct terms among them."""
        return frozenset(each.term for each in self.anchors)


def denials_in(text: str, language: str, terms: Sequence[Term]) -> tuple[Denial, ...]:
    """Each negator of a text with the content terms it is near, within its clause."""
    edges = [match.span() for match in _EDGE.finditer(text)]
    denials = []
    for start, end in _negators(text, language):
        left = max((last for _, last in edges if last <= start), default=0)
        right = min((first for first, _ in edges if first >= end), default=len(text))
        behind = [each for each in terms if end <= each.start and each.end <= right]
        before = [each for each in terms if left <= each.start and each.end <= start]
        anchors = (*behind[:ANCHORS_BEHIND], *before[: -ANCHORS_BEFORE - 1 : -1])
        if anchors:
            denials.append(Denial(anchors=anchors))
    return tuple(denials)


def denied_terms(denials: Sequence[Denial]) -> frozenset[str]:
    """Every term that one of the denials is near."""
    return frozenset[str]().union(*(each.terms for each in denials))


def affirmed_terms(denials: Sequence[Denial], terms: Sequence[Term]) -> frozenset[str]:
    """Every term that stands somewhere in the text where none of its denials is near."""
    denied = {each.start for denial in denials for each in denial.anchors}
    return frozenset(each.term for each in terms if each.start not in denied)


def one_sided(
    denials: Sequence[Denial],
    affirmed: frozenset[str],
    denied: frozenset[str],
    ignored: frozenset[str] = frozenset(),
) -> float:
    """How far one text denies what the other affirms, 0…1.

    `denials` are those of the one, `affirmed` and `denied` the terms of the other; a term that is
    both speaks neither for nor against. What is `ignored` does not count as affirmed.
    """
    strongest = 0.0
    for denial in denials:
        against = len(denial.terms & affirmed - denied - ignored)
        along = len(denial.terms & denied - affirmed)
        strongest = max(strongest, (against - along) / len(denial.terms))
    return strongest


def prefixed_opposites(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a term of one text is a term of the other with a denying prefix: lawful, unlawful."""
    return any(
        (match := _PREFIX.match(longer)) is not None
        and longer[match.end() :] in fewer
        and longer not in fewer
        and longer[match.end() :] not in many
        for many, fewer in ((one, other), (other, one))
        for longer in many - fewer
    )


def _negators(text: str, language: str) -> Iterator[tuple[int, int]]:
    pattern = _NEGATOR_OF.get(language, _NEGATOR_OF["en"])
    quantities = [match.span() for match in limits_in(text, language)]
    for match in pattern.finditer(text):
        inside = any(start <= match.start() < end for start, end in quantities)
        # "Not more than" is a limit and denies nothing.
        if match.lastgroup == "negator" and not inside:
            yield match.span()


_NEGATOR_OF = {
    language: re.compile(
        f"(?P<harmless>{bounded(_HARMLESS[language], language)})"
        f"|(?P<negator>{bounded(words, language)})",
        re.IGNORECASE,
    )
    for language, words in _NEGATORS.items()
}
