"""Patterns of sentences that state one fact: definitions, and subject, verb and object."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_SUBJECT_WORDS = 9
_LATEST_TERM = 12
"""Most characters before a quoted term: `The term “…`."""
_QUOTED = r"[“”\"„«『「]\s?(?P<subject>[^“”\"„«»『』「」\n]{2,80}?)\s?[“”\"»』」]"
_MEANS = (
    r"(?:\([^)]{0,60}\)\s*)?(?P<verb>shall\s+mean|means|refers?\s+to|is\s+defined\s+as|denotes"
    r"|bedeutet|bezeichnet|meint|désigne|signifie|significa|designa|se\s+refiere\s+a|是指|指的是"
    r"|意味着|指)"
)
_DEFINITION = re.compile(rf"{_QUOTED},?\s*{_MEANS}\s*(?P<object>.+)", re.DOTALL | re.IGNORECASE)
_PLAIN_DEFINITION = re.compile(
    r"(?P<subject>(?:(?:The|An?|Der|Die|Das|Le|La|El)\s+)?[^\W\d_][^,.;:()\n]{1,60}?)"
    rf"\s+{_MEANS}\s+(?P<object>.+)",
    re.DOTALL,
)
_VERBS = {
    "en": r"(?:do|does|did)\s+not\s+\w+|(?:do|does|did)n['’]t\s+\w+|is|are|was|were|has|have|had"
    r"|costs?|amount(?:s|ed)?\s+to|totall?ed|equals?|employs?|owns?|includes?|contains?|covers?"
    r"|requires?|provides?|applies\s+to|(?:expires?|ends?|begins?|starts?)\s+(?:on|at)|takes?|lasts?"
    r"|weighs?|measures?|(?:rose|fell|grew|increased|decreased)\s+to|acquired|founded|produces?"
    r"|sells?|sold|pays?|paid|holds?|consists?\s+of|lies\s+in|is\s+located\s+in"
    r"|was\s+(?:founded|born)\s+in|died\s+in|works?\s+for|leads?|manages?|supplies"
    r"|(?:must|shall|may|can|will|cannot)\s+(?:not\s+)?[a-z]+",
    "de": r"ist|sind|war|waren|hat|haben|hatte|kostet|kosten|beträgt|betragen|betrug|umfasst"
    r"|enthält|deckt|gilt|gelten|endet|enden|beginnt|dauert|wiegt|misst|stieg\s+auf|sank\s+auf"
    r"|erwarb|gründete|verkauft|beschäftigt|besitzt|besteht\s+aus|liegt\s+in|leitet|liefert",
    "fr": r"(?:ne\s+|n['’])?(?:est|sont|était|a|ont|coûte|coûtent|s['’]élève\s+à|comprend|contient"
    r"|couvre|exige|dure|pèse|emploie|possède|expire\s+le|commence\s+le|se\s+trouve\s+à|dirige"
    r"|vend)",
    "es": r"(?:no\s+)?(?:es|son|era|está|tiene|tienen|cuesta|cuestan|asciende\s+a|incluye|contiene"
    r"|cubre|exige|dura|pesa|emplea|posee|vence\s+el|comienza\s+el|se\s+encuentra\s+en|dirige"
    r"|vende)",
}
_STATEMENTS = {
    language: re.compile(
        rf"(?P<subject>[^\W_][^,;:()\n]{{1,90}}?)\s+(?P<verb>{verbs})\s+(?P<object>\S.*)",
        re.DOTALL,
    )
    for language, verbs in _VERBS.items()
}
_CHINESE = re.compile(
    r"(?P<subject>[^，。；：、\s]{2,30}?)(?P<verb>是|为|共计|达到|位于|成立于|拥有)(?P<object>[^，。；]{2,120})"
)
_UNRESOLVED = frozenset(
    "it this that these those they he she we i you there here which who what such one both some "
    "many all each its their his her our your my if when while where as in on at for by with after "
    "before during under although because since however but and or so then thus "
    "es er sie wir ich ihr dies diese dieser dieses das dort hier wenn als weil dass was wer "
    "welche alle einige in im am bei mit nach "
    "il elle ils elles nous vous on ce cela ceci ces ça y en si quand lorsque qui dans pour avec "
    "après él ella ellos ellas esto eso este esta estos estas aquí si cuando que quien en para con "
    "después 它 这 那 他 她 他们 我们 你 其 该 此".split()
)
"""First words of a subject that needs other sentences to be understood, or of no subject."""
_CLAUSE = frozenset("that said says dass daß que qu’il qu'il".split())
"""Words that begin a clause; a subject with one of them, `Ann said that Acme`, is rejected."""
_SUBORDINATE = re.compile(
    r"[?!]|\b(?:if|unless|whether|wenn|falls|sofern|ob|si|sauf|salvo)\b|如果|是否", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Subject, verb and object of a sentence, in its own words."""

    subject: str
    verb: str
    object: str
    object_start: int
    """Offset in the sentence."""
    defines: bool


def parse_clause(sentence: str, language: str) -> Clause | None:
    """Parse a definition or a plain sentence; None for any other sentence.

    >>> parsed = parse_clause("The policy does not cover earthquakes.", "en")
    >>> (parsed.subject, parsed.verb, parsed.object)
    ('The policy', 'does not cover', 'earthquakes')
    """
    match, defines = _definition(sentence), True
    if match is None:
        match, defines = _statement(sentence, language), False
    if match is None:
        return None
    stated = match["object"].rstrip(" .。\n")
    if not stated:
        return None
    return Clause(
        subject=_one_line(match["subject"]),
        verb=_one_line(match["verb"]),
        object=stated,
        object_start=match.start("object"),
        defines=defines,
    )


def _definition(sentence: str) -> re.Match[str] | None:
    quoted = _DEFINITION.search(sentence)
    if quoted is not None and quoted.start() <= _LATEST_TERM:
        return quoted
    match = _PLAIN_DEFINITION.match(sentence)
    return match if match is not None and _names_something(match["subject"]) else None


def _statement(sentence: str, language: str) -> re.Match[str] | None:
    if _SUBORDINATE.search(sentence):
        return None
    if language == "zh":
        match = _CHINESE.match(sentence)
        return match if match is not None and match["subject"] not in _UNRESOLVED else None
    pattern = _STATEMENTS.get(language)
    match = None if pattern is None else pattern.match(sentence)
    return match if match is not None and _names_something(match["subject"]) else None


def _names_something(subject: str) -> bool:
    """Whether a subject can be understood out of context."""
    words = subject.split()
    return (
        0 < len(words) <= _MAX_SUBJECT_WORDS
        and words[0].casefold() not in _UNRESOLVED
        and _CLAUSE.isdisjoint(words)
        and subject[0].isupper()
    )


def _one_line(text: str) -> str:
    return " ".join(text.replace("**", "").replace("__", "").split())
