"""Normalise a query to its bare wording: only queries of equal wording may share a response."""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ´", "'"))
_CLOSING = " .!?…。！？؟"
_QUOTES = re.compile('["“”„‟«»「」『』＂]')

_TOKEN = re.compile(
    r"""
      \w+ (?: (?: [-'./\\@&] | (?<=\d)[,:](?=\d) ) \w+ )*  # a word, a number, an identifier
    | (?P<sign> [^\w\s.,;:!?…()\[\]{}¿¡。、] | \. (?=\w) )   # may mean something: -x, C++, .net
    """,
    re.VERBOSE,
)
_JOINER = "⁀"  # Marks where a sign touches its neighbour, since `-draft` is not `- draft`.

# `a` and `die` are left out: "vitamin a", "when did he die".
_ARTICLES = frozenset("the der das den dem el los las la le les il lo gli het".split())

_NAMES_IN_CAPITALS = frozenset(
    "am as at be can do go he if in is it may me no or so us we who".split()
)

_COURTESY = r"""(?:
    please | hi | hello | (?:can|could|would)\ you | i\ want\ to\ know
  | (?:tell|show|give)\ (?:me|us) | bitte | (?:zeige?|nenne?|sage?)\ (?:mir|uns)
  | por\ favor | dime | muéstrame | s'il\ (?:te|vous)\ pla[iî]t | (?:dis|dites|montrez?)-moi
  | per\ favore | dimmi | mostrami
)"""
_QUESTION_OPENING = re.compile(
    rf"""
    ^ (?: {_COURTESY} (?:\ |$) )*
    (?: (?:
        (?:what|which) (?:\ (?:is|are|do|does))?
      | was\ (?:ist|sind) | welche[nmrs]? (?:\ (?:ist|sind))?
      | qu[eé]\ (?:es|son) | cu[aá]l\ es | cu[aá]les\ son
      | quel(?:le)?\ est | quel(?:le)?s\ sont | qual\ è | quali\ sono
    ) (?:\ |$) )?
    """,
    re.VERBOSE,
)
"""Matches question openings in the present tense, which carry no meaning; a past tense would."""

_HOW_TO = re.compile(r"^how (?:(?:do|can|could) (?:i|we|you|one)|to)(?= )")
_CONTRACTED = re.compile(r"\b(what|which|who|where|when|how|why)'s\b")
# Bounded, because a run of them would be tried from each of its words.
_THANKS = re.compile(
    r"""(?: (?:^|(?<!⁀)\ ) (?: please | thanks | thank\ you | bitte | danke | por\ favor
      | gracias | s'il\ (?:te|vous)\ pla[iî]t | svp | merci | per\ favore | grazie ) ){1,3} $""",
    re.VERBOSE,
)


def bare_wording(query: str) -> tuple[str, ...]:
    """Return the tokens of a query without case, punctuation, articles and courtesies.

    Everything else counts, in order: names, numbers, identifiers, quotation marks and all between
    them, signs such as `-` and `<`, negations of any language, question words, tenses, "more" and
    "less". Capitals count where they may distinguish a name from a function word: US, IT, WHO.
    Empty for a query without words or signs.

    >>> bare_wording("Please tell me: what's the notice period?")
    ('notice', 'period')
    >>> bare_wording("Which of the limits for US citizens is < 5 %?")
    ('of', 'limits', 'for', 'US', 'citizens', 'is', '<', '5', '%')
    """
    text = unicodedata.normalize("NFC", query).translate(_APOSTROPHES).rstrip(_CLOSING)
    tokens = [_token_text(match) for match in _TOKEN.finditer(text)]
    # Articles are dropped if in lower case or first, unless quoted or attached to a sign.
    retained: list[str] = []
    quoted = False
    for position, token in enumerate(tokens):
        quoted ^= _QUOTES.search(token) is not None
        article = (token if position else token.casefold()) in _ARTICLES
        bound = quoted or (position > 0 and tokens[position - 1].endswith(_JOINER))
        if bound or not article:
            retained.append(token)
    spelled = " ".join(map(_folded, retained))
    stripped = _THANKS.sub("", _QUESTION_OPENING.sub("", _CONTRACTED.sub(r"\1 is", spelled)))
    return tuple(_HOW_TO.sub("how", stripped).split(" ")) if stripped else tuple(tokens)


def _token_text(match: re.Match[str]) -> str:
    if match["sign"] is None:
        return match.group()
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    prefix = _JOINER if before.strip() else ""
    return prefix + match.group() + (_JOINER if after.strip() else "")


def _folded(word: str) -> str:
    folded = word.casefold()
    return word if word.isupper() and folded in _NAMES_IN_CAPITALS else folded
