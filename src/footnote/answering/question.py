"""A question becomes what an answer must hold: weighted terms, names, figures, a kind of answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from types import MappingProxyType

from footnote.answering.sanitise import without_hidden
from footnote.language.identifiers import WORD, is_identifier
from footnote.language.scripts import HAN, KANA
from footnote.language.thesaurus import LANGUAGES, related_words
from footnote.ports import Analyzer


class AnswerKind(StrEnum):
    """What sort of thing the question asks for."""

    PERSON = "person"
    DATE = "date"
    DURATION = "duration"
    AMOUNT = "amount"
    COUNT = "count"
    ANY = "any"


PLAIN_WEIGHT = 1.0
"""Weight of a term from a plain word."""
IDENTIFIER_WEIGHT = 3.0
"""Weight of a term from an identifier or a number beside a plain word's 1: it names one thing."""
NAME_WEIGHT = 1.5
"""Weight of a term from a proper name: it names few things, but is often abbreviated."""

_OPENERS: Mapping[AnswerKind, str] = {
    AnswerKind.COUNT: (
        "how many|number of|wie ?viele[nr]?|anzahl|combien de|cu[aá]nt[oa]s|quanti|quante"
        "|多少个|多少名|多少人|几个|几名|几|多少"
    ),
    AnswerKind.AMOUNT: (
        "how (?:much|high|large|big|tall|deep|wide|heavy|loud|thick)"
        "|what (?:is|was|are|were) the (?:\\w+ ){0,3}"
        "(?:price|cost|costs|fee|salary|budget|revenue|rate|rent|percentage|total|amount"
        "|deductible|premium|deposit|wage|allowance|penalty|surcharge|commission|discount"
        "|subsidy|tariff|fare|profit|turnover)(?!\\s+(?:used|about|called|for\\?))"
        "|(?:what|which) (?:percentage|percent|price|amount)"
        "|what (?:do|does|did|will|would)(?=\\s.*\\b(?:cost|weigh)\\b)"
        "|wie ?viel|wie hoch|wie teuer|was kostet|combien|cu[aá]nto cuesta|cu[aá]nta?o?"
        "|quanto|quanta|多少钱"
    ),
    AnswerKind.DURATION: (
        "how (?:long|old|soon|quickly)|how many (?:days|weeks|months|years|hours|minutes)"
        "|for how many|how much (?:time|notice)|(?:with)?in what time"
        "|wie (?:lange|schnell)|innerhalb welcher frist|combien de temps|cu[aá]nto tiempo"
        "|quanto tempo|多久|多长时间"
    ),
    AnswerKind.DATE: (
        "when|since when|until when|by when"
        "|(?:what|which|on what|by what|by which|in what|in which|on which) "
        "(?:\\w+ )?(?:date|day|year|month|deadline|century|decade)"
        "|what (?:is|was) the (?:\\w+ ){0,3}(?:date|deadline)"
        "|wann|seit wann|welche[ns]? (?:jahr|tag|datum)|in welchem jahr|am welchem tag"
        "|quand|quelle (?:date|année)|en quelle année|cu[aá]ndo|(?:en )?qu[eé] (?:a[nñ]o|fecha)"
        "|quando|(?:in )?(?:che|quale) (?:anno|data)|什么时候|何时|哪一年|哪年|哪天"
    ),
    AnswerKind.PERSON: ("who|whom|whose|wer|wem|wen|wessen|qui|qui[eé]n(?:es)?|chi|谁"),
    AnswerKind.ANY: (
        "what|which|why|where|how|was|welche[rsnm]?|warum|wieso|wo|woher|wohin|wie|wozu"
        "|que|quoi|quels?|quelles?|pourquoi|où|comment|qué|cu[aá]l(?:es)?|por qué|dónde|cómo"
        "|che|cosa|quale|quali|perché|dove|come|什么|哪个|哪些|哪里|为什么|如何|怎么"
    ),
}
_INTERROGATIVE = {
    kind: re.compile(rf"(?<!\w)(?:{pattern})(?!\w)|(?:{'|'.join(cjk) or '(?!)'})", re.IGNORECASE)
    for kind, pattern, cjk in (
        (kind, pattern, [part for part in pattern.split("|") if re.match(f"[{HAN}{KANA}]", part)])
        for kind, pattern in _OPENERS.items()
    )
}
_KIND_ORDER = (
    AnswerKind.DURATION,
    AnswerKind.DATE,
    AnswerKind.COUNT,
    AnswerKind.AMOUNT,
    AnswerKind.PERSON,
    AnswerKind.ANY,
)
"""Which reading wins when two begin at the same place: the more particular one."""

_YES_OR_NO = re.compile(
    r"\s*(?:do|does|did|can|could|may|must|should|will|would|is|are|were|has|have|had)\s",
    re.IGNORECASE,
)
_FURTHER = re.compile(r"[,;:]\s+(?:(?:and|or)\s+)?|\band\s+", re.IGNORECASE)
"""What stands before a question word that opens another part of a question."""

_DESIGNATOR = re.compile(r"(?<!\w)[^\W\d_]{3,} [A-Z](?![\w'’.&])")
_LOWER_HEAVY = re.compile(r"[a-zà-öø-ÿß]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an answer must hold."""

    text: str
    kind: AnswerKind
    figures: tuple[str, ...]
    """Identifiers and numbers asked about, case-folded, in order."""
    names: tuple[str, ...]
    """Words that look like proper names, case-folded, in order."""
    designators: tuple[str, ...] = ()
    """Words with the single capital that tells one thing from its like: `hall a`, case-folded."""
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For each language of the evidence (empty for unknown), the weight of each content term."""
    identifying: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each language, the terms that belong to an identifier."""
    language: str = ""
    """What it is written in, as far as its function words tell."""
    meanings: Mapping[str, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    """For each language, what the thesaurus knows of each term."""

    def terms(self, language: str | None) -> Mapping[str, float]:
        """The weighted terms to look for in a text of this language."""
        return self.weights.get(language or "", MappingProxyType({}))

    def meanings_of(self, language: str | None) -> Mapping[str, frozenset[int]]:
        """What the terms looked for in a text of this language can mean."""
        return self.meanings.get(language or "", MappingProxyType({}))

    def is_foreign(self, language: str | None) -> bool:
        """Whether a text is written in another language than the question."""
        return bool(self.language and language) and language != self.language

    @property
    def all_terms(self) -> frozenset[str]:
        """The terms in every language of the evidence."""
        return frozenset(chain.from_iterable(self.weights.values()))

    def identifiers(self, language: str | None) -> frozenset[str]:
        """Those of the terms that name one particular thing: they say where to look."""
        return self.identifying.get(language or "", frozenset())

    def attributes(self, language: str | None) -> frozenset[str]:
        """Those of the terms that are plain words: they say what about it is asked."""
        terms = self.terms(language)
        return frozenset(term for term, weight in terms.items() if weight == PLAIN_WEIGHT)


def read_question(text: str, languages: Sequence[str | None], analyzer: Analyzer) -> Question:
    """Read a question against evidence in these languages.

    >>> read_question("Who signed POL-2024/88-A?", ["en"], analyzer).figures
    ('pol-2024/88-a',)
    """
    text = without_hidden(text)
    kind, opener = _kind(text)
    words = [(match.group(), match.start()) for match in WORD.finditer(text)]
    figures = tuple(word.casefold() for word, _ in words if any(map(str.isdigit, word)))
    names = tuple(
        word.casefold()
        for word, start in words
        if len(word) > 1
        and _looks_like_name(word, start, text)
        and not opener[0] <= start < opener[1]
    )
    designators = tuple(match.group().casefold() for match in _DESIGNATOR.finditer(text))
    asked = text[: opener[0]] + " " + text[opener[1] :]
    own = _language_of(text, languages, analyzer)
    wordings = {
        language or "": _wording(asked, own, language, analyzer)
        for language in dict.fromkeys(languages)
    }
    weights = {
        language: _weigh(wording, language or None, figures, names, analyzer)
        for language, wording in wordings.items()
    }
    codes = [word for word in figures if is_identifier(word)]
    identifying = {
        language: frozenset(
            chain.from_iterable(analyzer.terms(word, language or None) for word in codes)
        )
        & held.keys()
        for language, held in weights.items()
    }
    return Question(
        text=text,
        kind=kind,
        figures=figures,
        names=names,
        designators=designators,
        weights=weights,
        identifying=identifying,
        language=own,
        meanings={
            language: _meanings(wording, own, language, analyzer)
            for language, wording in wordings.items()
        },
    )


def _language_of(text: str, languages: Sequence[str | None], analyzer: Analyzer) -> str:
    """The language of a text that its function words single out; empty if they do not."""
    candidates = list(dict.fromkeys([*filter(None, languages), *LANGUAGES]))
    first = analyzer.language_of(text, candidates)
    last = analyzer.language_of(text, candidates[::-1])
    return first if first and first == last else ""


def _wording(text: str, own: str, language: str | None, analyzer: Analyzer) -> str:
    """The text to look up in a language: without function words if it is another than its own."""
    if not own or not language or own == language:
        return text
    words = (match.group() for match in WORD.finditer(text))
    return " ".join(word for word in words if analyzer.terms(word, own))


def _meanings(
    text: str, own: str, language: str, analyzer: Analyzer
) -> Mapping[str, frozenset[int]]:
    """What each term of the text means, which is known by the language it is written in."""
    related = related_words(analyzer)
    written = own or language or "en"
    terms = analyzer.terms(text, written)
    known = dict(zip(terms, related.meanings(terms, written), strict=True))
    found: dict[str, frozenset[int]] = {}
    for match in WORD.finditer(text):
        held = [known[term] for term in analyzer.terms(match.group(), written) if term in known]
        for term in analyzer.terms(match.group(), language or None):
            found[term] = found.get(term, frozenset()).union(*held)
    return found


def _kind(text: str) -> tuple[AnswerKind, tuple[int, int]]:
    """The kind whose words come first, and where they stand."""
    readings = [
        (match.start(), order, match.end())
        for order, kind in enumerate(_KIND_ORDER)
        if (match := _INTERROGATIVE[kind].search(text)) is not None
    ]
    if _YES_OR_NO.match(text):
        # "Does it pay when it rains?" asks for no date; "and who is told?" still asks for someone.
        asking = {match.end() for match in _FURTHER.finditer(text)}
        readings = [reading for reading in readings if reading[0] in asking]
    if not readings:
        return AnswerKind.ANY, (0, 0)
    start, order, end = min(readings)
    kind = _KIND_ORDER[order]
    # "What is the total cost": the noun is part of what is asked, only the question word goes.
    plain = _INTERROGATIVE[AnswerKind.ANY].match(text, start)
    if plain is not None and text.count(" ", start, end) > 1:
        end = plain.end()
    return kind, (start, end)


def _looks_like_name(word: str, start: int, text: str) -> bool:
    if start == 0 or not word[0].isupper() or any(map(str.isdigit, word)):
        return False
    return bool(_LOWER_HEAVY.search(text))


def _weigh(
    text: str,
    language: str | None,
    figures: Sequence[str],
    names: Sequence[str],
    analyzer: Analyzer,
) -> Mapping[str, float]:
    # Terms as a text has them: a query's also hold spellings joined for recall, which no text
    # that answers need hold.
    weights = dict.fromkeys(analyzer.terms(text, language), PLAIN_WEIGHT)
    for words, weight in ((names, NAME_WEIGHT), (figures, IDENTIFIER_WEIGHT)):
        for word in words:
            parts = [term for term in analyzer.terms(word, language) if term in weights]
            # An identifier is one thing, in however many parts it is indexed.
            share = weight / len(parts) if words is figures and parts else weight
            weights.update(dict.fromkeys(parts, share))
    return weights
