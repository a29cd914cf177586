"""Puts a follow-up question so that it can be searched alone, by rules and without a model.

Two kinds are known. One leaves out what the question before it said ("And for fire?"): there it is
that question with the new piece in place of the old. One points back ("When does it end?"): it is
given the names that were last spoken of. Everything else stands as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.domain import Turn
from footnote.errors import InvalidRequest
from footnote.language.calendar import months_of
from footnote.retrieval.prompts import trimmed
from footnote.retrieval.query import MAX_QUERY_CHARACTERS, parse_query
from footnote.retrieval.understanding import TURN_CHARACTERS, Notes
from footnote.validation.text import is_storable

_WORD = re.compile(r"\w+(?:[-'’./&]\w+)*")
_QUOTED = re.compile(r'["“„«]([^"“”„«»]+)["”“»]')
_MARKER = re.compile(r"\[\d+\]")
# Amounts and dates of an answer are seldom what is asked about next.
_FIGURE = re.compile(
    rf"\b(?:\d[\d.,:/%]*|[A-Z]{{3}}(?=\s\d)|{'|'.join(sorted(months_of('en', 'de')))})(?![\w-])",
    re.IGNORECASE,
)
_END = " \t\n?!.…¿¡,;:"

MOST_WORDS = 7
"""Of a piece that takes the place of another; what is longer says it all itself."""
MOST_NAMES = 6

_LEAD = re.compile(
    r"""^[\s¿¡]*(?:
        (?:(?:and|but|or|also|so|then|ok|okay)[,\s]+)* (?:what|how)\s+about\s
      | (?:and|but|or|also)[,\s]
      | (?:(?:und|aber|oder)\s+)? (?:was\s+ist|wie\s+ist\s+es|wie\s+steht\s+es)\s+mit\s
      | (?:und|aber|oder)[,\s]
      | (?:et\s+)? qu['’]en\s+est-il\s+(?:de|du|des)\s | (?:et|mais|ou)[,\s]
      | (?:¿?y\s+)? qué\s+(?:hay|pasa)\s+(?:de|con)\s | (?:y|pero|o)[,\s]
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_ASKING = frozenset(
    """what which who whom whose when where why how is are was were do does did can could will would
    shall should may might must has have had
    was welche welcher welches wer wem wen wessen wann wo warum wieso wie ist sind war waren hat
    haben kann können muss müssen darf dürfen wird werden
    que quoi quel quelle quels quelles qui quand où pourquoi comment combien est sont peut doit
    qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta por es son puede debe""".split()
)
_WHO = frozenset("who whom whose wer wem wen wessen qui quién quiénes".split())
_PREPOSITIONS = frozenset(
    """for of in on at to by with from about under over after before during between against without
    für von vom im am bei beim zu zum zur mit nach aus über unter vor ohne gegen
    pour de du des en à au aux sur avec dans par chez sans
    para del al con por sobre sin""".split()
)
_ARTICLES = frozenset(
    """the a an der die das den dem ein eine einen einem einer
    le la les l un une el los las una""".split()
)
_POINTING = frozenset(
    """it its they them their theirs he him his she her hers this these those there
    er ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner diese dieser dieses
    diesem diesen dort dessen deren davon dafür dazu dabei damit darin
    il elle ils elles lui leur leurs son sa ses cela ça celui celle
    él ella ellos ellas su sus esto eso este esta ese esa allí ello""".split()
)
_AUXILIARY = frozenset("is are was were be been does do did will would can could".split())
_SMALL = (
    _ASKING
    | _PREPOSITIONS
    | _ARTICLES
    | _POINTING
    | frozenset(
        """and or but not no any many much i you we my your our me us one that say says tell
        as been long
        und oder aber nicht kein keine ich sie wir mein unser es gibt
        et ou mais ne pas je nous vous mon notre y a
        o pero no mi nuestro hay""".split()
    )
)
_SHAPES = (
    re.compile(r"(?:1[5-9]|20)\d\d"),  # a year
    re.compile(r"\d[\d.,:/]*"),  # a number
    re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S+"),  # an identifier
    re.compile(r"[A-Z]\w+"),  # a name
)


_LANGUAGES = frozenset(("de", "en", "es", "fr"))
_NAMED = "English, German, French and Spanish"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandAlone:
    """Puts a question so that it can be searched without its conversation."""

    language_of: Callable[[str], str | None] = lambda _: None
    """From a text to its language, as ISO 639-1; None where it cannot tell."""

    def __call__(self, question: str, conversation: Sequence[Turn]) -> tuple[str, Notes]:
        """The question as it stands alone, or as it was with a note where that cannot be told.

        Each question of the conversation is put so in turn, since it may be a follow-up as well.
        """
        asked, answered = "", ""
        said = [question]
        for turn in conversation:
            # As much of a message as the rules read.
            kept = "".join(character if is_storable(character) else " " for character in turn.text)
            text = trimmed(kept, TURN_CHARACTERS).strip()
            if turn.role == "assistant":
                answered = text
            elif text:
                asked, answered = standing_alone(text, asked=asked, answered=answered), ""
                said.append(text)
        language = self.language_of(" ".join(said))
        if asked and language is not None and language not in _LANGUAGES:
            return question, (_of_no_known_language(language),)
        alone = standing_alone(question, asked=asked, answered=answered)
        if alone == question and _needs_more(question):
            return question, (_NOTHING_BEFORE,)
        return (alone, ()) if _can_be_searched(alone) else (question, (_TOO_MUCH,))


_NOTHING_BEFORE = (
    "condense: the question seems to go on from something, and the conversation holds nothing "
    "that it could be; it was searched as it is"
)
_TOO_MUCH = (
    "condense: the question with what it leaves out is no query any more; it was searched as it is"
)


def _of_no_known_language(language: str) -> str:
    return (
        f"condense: without a language model, follow-ups are understood in {_NAMED}, and the "
        f"conversation seems to be in {language!r}; the question was searched as it is"
    )


def _can_be_searched(alone: str) -> bool:
    try:
        parse_query(alone)
    except InvalidRequest:
        return False
    return len(alone) <= MAX_QUERY_CHARACTERS


def _needs_more(question: str) -> bool:
    """Whether it leaves something out that must have been said before."""
    lead = _LEAD.match(question)
    return bool(lead and _left_over(question)) or _says_little(question)


def standing_alone(question: str, *, asked: str, answered: str = "") -> str:
    """The question so that it can be searched without what came before it.

    `asked` is the question before it, itself standing alone, and `answered` what was answered.

    >>> standing_alone("And for fire?", asked="What is the deductible for storm damage?")
    'What is the deductible for fire?'
    >>> standing_alone("When does it end?", asked="Who signed the Hartwell lease?")
    'When does it end? Hartwell'
    """
    if not asked.strip():
        return question
    piece = _left_over(question)
    if piece:
        return _in_place(piece, asked)
    if _points_back(question):
        return _with(question, _spoken_of(asked, _MARKER.sub("", answered)))
    if _says_little(question):
        return _with(question, [*_names(asked), *_content(asked)])
    return question


def _left_over(question: str) -> str:
    """The piece that a question which leaves out the rest consists of; empty for any other."""
    lead = _LEAD.match(question)
    piece = question[lead.end() if lead else 0 :].strip(_END)
    words = [word.lower() for word in _WORD.findall(piece)]
    if not words or len(words) > MOST_WORDS or words[0] in _ASKING:
        return ""
    # Without a lead only what begins like the end of a question is taken for one: "For fire?"
    return piece if lead or words[0] in _PREPOSITIONS else ""


def _in_place(piece: str, asked: str) -> str:
    """The question asked, with the piece in place of what it takes the place of."""
    first = piece.split(maxsplit=1)[0]
    if first.lower() in _PREPOSITIONS:
        piece = _without_its_own_preposition(first.lower() + piece[len(first) :], asked)
    start, end = _place(piece, asked)
    before = asked[: max(start, 0)].split()
    if first.lower() in _ARTICLES and before and before[-1].lower() in _ARTICLES:
        start = asked.rindex(before[-1], 0, start)
    if start < 0:
        return _with(piece + "?", [*_names(asked), *_content(asked)])
    ending = asked[end:] or "?"
    gap = "" if ending[0] in _END else " "
    return f"{asked[:start]}{piece}{gap}{ending}"


def _without_its_own_preposition(piece: str, asked: str) -> str:
    """The year of "in 2023" where the question asked has one behind another preposition."""
    words = piece.split()
    old = list(_WORD.finditer(asked))
    if len(words) != 2 or words[0] in {match.group().lower() for match in old}:
        return piece
    return piece if _of_one_shape(words[1], old) is None else words[1]


def _place(piece: str, asked: str) -> tuple[int, int]:
    """Which stretch of the question the piece takes the place of; (-1, -1) if none."""
    new = [match.group() for match in _WORD.finditer(piece)]
    old = list(_WORD.finditer(asked))
    lowered = [match.group().lower() for match in old]
    first, last = new[0].lower(), new[-1].lower()
    if first in _PREPOSITIONS:
        if first not in lowered:
            return _object_place(old, lowered, with_preposition=True)
        at = len(lowered) - 1 - lowered[::-1].index(first)
        return old[at].start(), _phrase_end(old, lowered, at)
    bare = [word for word in new if word.lower() not in _ARTICLES]
    if len(bare) > 1 and (bare[0].lower() in lowered):
        at = lowered.index(bare[0].lower())
        return old[at].start(), old[min(at + len(bare), len(old)) - 1].end()
    if len(bare) > 1 and last in lowered:
        at = lowered.index(last)
        return old[max(at - len(bare) + 1, 0)].start(), old[at].end()
    alike = _of_one_shape(bare[0], old) if len(bare) == 1 else None
    if alike is not None:
        return alike.start(), alike.end()
    return _object_place(old, lowered, with_preposition=False)


def _of_one_shape(word: str, old: list[re.Match[str]]) -> re.Match[str] | None:
    """The last word of a question that has the shape of this one: a year, an identifier."""
    for shape in _SHAPES:
        if shape.fullmatch(word):
            alike = [match for match in old[1:] if shape.fullmatch(match.group())]
            if alike:
                return alike[-1]
    return None


def _object_place(
    old: list[re.Match[str]], lowered: list[str], *, with_preposition: bool
) -> tuple[int, int]:
    """What the last preposition of a question introduces."""
    found = [at for at, word in enumerate(lowered[:-1]) if at and word in _PREPOSITIONS]
    if not found:
        return -1, -1
    at = found[-1]
    start = old[at].start() if with_preposition else old[at + 1].start()
    return start, _phrase_end(old, lowered, at)


def _phrase_end(old: list[re.Match[str]], lowered: list[str], at: int) -> int:
    """Where the phrase ends that begins with the preposition at this place."""
    for following in range(at + 2, len(old)):
        if lowered[following] in _PREPOSITIONS:
            return old[following - 1].end()
    return old[-1].end()


def _points_back(question: str) -> bool:
    words = [match.group().lower() for match in _WORD.finditer(question)]
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if word == "there" and before in _AUXILIARY:
            continue  # "Is there a penalty?"
        if word in _POINTING:
            return True
        if word == "that" and (before in _AUXILIARY | _PREPOSITIONS or at == len(words) - 1):
            return True
    return False


def _says_little(question: str) -> bool:
    """Whether it is a bare "Why?" or "How much?"."""
    return not _content(question) and not _names(question)


def _spoken_of(asked: str, answered: str) -> list[str]:
    """What was last called by a name; without one, by its words. Whoever was asked for as well."""
    names = _names(asked)
    who = _names(_FIGURE.sub(" , ", answered))[:2]
    if not names:
        return [*_content(asked), *who]
    first = _WORD.search(asked)
    return [*names, *who] if first and first.group().lower() in _WHO else names


def _with(question: str, things: list[str]) -> str:
    said = question.lower()
    new = [each for each in dict.fromkeys(things) if each.lower() not in said]
    return " ".join([question, *new[: MOST_NAMES if new else 0]])


def _names(text: str) -> list[str]:
    """Quoted titles, identifiers, and words in capitals that do not begin a sentence."""
    names = [match[1] for match in _QUOTED.finditer(text)]
    run: list[str] = []
    end = -1
    for match in _WORD.finditer(text):
        word = match.group()
        before = text[: match.start()].rstrip(' "“„«¿¡([')
        # What begins a sentence is a name only where another one follows: "Harbour Estates".
        begins = not before or before[-1] in ".?!]\n"
        follows = begins and re.match(r" [A-Z]\w", text[match.end() :]) is not None
        capital = word[:1].isupper() and (not begins or follows) and word.lower() not in _SMALL
        is_name = capital or bool(re.search(r"\d", word))
        touches = run and text[end : match.start()].isspace()
        if is_name and touches:
            run[-1] = f"{run[-1]} {word}"
        elif is_name:
            run.append(word)
        else:
            names += run
            run = []
        end = match.end()
    return list(dict.fromkeys([*names, *run]))


def _content(text: str) -> list[str]:
    words = [match.group() for match in _WORD.finditer(text)]
    return [word for word in dict.fromkeys(words) if word.lower() not in _SMALL]
