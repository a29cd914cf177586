"""Normalise names, and recognise abbreviations and short forms of others."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler
from rapidfuzz.fuzz import token_set_ratio

from footnote.domain.entities import EntityKind

_LEGAL_FORMS = frozenset(
    "ab ag aktiengesellschaft as asa bhd bv corp corporation co company cv eg ek ev gbr gmbh inc"
    " incorporated kg kgaa kk llc llp lp ltd limited ltda mbh nv oy oyj plc pte pty sa sab sarl sas"
    " scs se sl slu sociedad spa spzoo srl ug 有限公司 股份有限公司 株式会社".split()
)
_HONORIFICS = frozenset(
    "mr mrs ms miss mx dr prof professor sir dame lord lady rev hon judge justice herr frau dipl"
    " ing med monsieur madame mme mlle m sr sra srta don dona senor senora".split()
)
_ARTICLES = frozenset("the der die das den dem des le la les el los las l".split())
_SMALL = frozenset(
    "of and for the in on at to de la du des del der die das und fur von y e et".split()
)
"""Words that an abbreviation may leave out."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_ABBREVIATION = re.compile(r"[A-Z][A-Za-z0-9&.-]{0,9}")


@lru_cache(maxsize=65_536)
def normal_name(name: str, kind: EntityKind) -> str:
    """Normalise a name of this kind: no case, accents, articles, honorifics or legal forms.

    At least one word is kept.

    >>> normal_name("The ACME Insurance Co., Ltd.", EntityKind.ORGANISATION)
    'acme insurance'
    >>> normal_name("Dr. José Müller", EntityKind.PERSON)
    'jose muller'
    """
    words = words_of(name)
    remaining = list(words)
    while len(remaining) > 1 and remaining[0] in _ARTICLES:
        remaining = remaining[1:]
    if kind is EntityKind.PERSON:
        while len(remaining) > 1 and remaining[0] in _HONORIFICS:
            remaining = remaining[1:]
    if kind is EntityKind.ORGANISATION:
        while len(remaining) > 1 and remaining[-1] in _LEGAL_FORMS:
            remaining = remaining[:-1]
    return " ".join(remaining)


def telling_words(name: str) -> tuple[str, ...]:
    """Return the words that the normal forms of all kinds keep.

    >>> telling_words("Dr. Klaus Weber"), telling_words("The Acme Ltd")
    (('klaus', 'weber'), ('acme',))
    """
    words = normal_name(normal_name(name, EntityKind.PERSON), EntityKind.ORGANISATION)
    return tuple(words.split())


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name without case and accents; `U.S.` is one.

    >>> words_of("Élan's U.S. office")
    ('elan', 'us', 'office')
    """
    without_dots = _DOTTED.sub(lambda match: match.group().replace(".", ""), name)
    without_accents = "".join(
        character
        for character in unicodedata.normalize("NFKD", without_dots)
        if not unicodedata.combining(character)
    )
    words = (_POSSESSIVE.sub("", match) for match in _WORD.findall(without_accents.casefold()))
    return tuple(word for word in words if word)


def is_abbreviation_candidate(name: str) -> bool:
    """Whether a name is written as abbreviations are: two to ten letters, two or more capital."""
    letters = [character for character in name if character.isalnum()]
    return (
        2 <= len(letters) <= 10
        and _ABBREVIATION.fullmatch(name) is not None
        and sum(map(str.isupper, letters)) > 1
    )


def is_abbreviation(short: str, name: str) -> bool:
    """Whether a short name consists of the initials of another's words, in order.

    Function words and legal forms may be skipped.

    >>> is_abbreviation("ECB", "European Central Bank"), is_abbreviation("BoE", "Bank of England")
    (True, True)
    >>> is_abbreviation("NASA", "National Bank")
    False
    """
    if not is_abbreviation_candidate(short):
        return False
    initials = "".join(filter(str.isalnum, short)).casefold()
    words = words_of(name)
    if len(words) < 2:
        return False
    every = "".join(word[0] for word in words)
    large = "".join(word[0] for word in words if word not in _SMALL)
    no_form = "".join(word[0] for word in words if word not in _SMALL | _LEGAL_FORMS)
    return initials in (every, large, no_form)


def is_part(short: str, name: str, kind: EntityKind) -> bool:
    """Whether a shorter name is a usual short form of another: the surname or first name of a
    person, the first words of an organisation. Both in their normal form.

    >>> is_part("muller", "jose muller", EntityKind.PERSON)
    True
    >>> is_part("acme", "acme insurance", EntityKind.ORGANISATION)
    True
    """
    short_words, name_words = short.split(), name.split()
    if not short_words or len(short_words) >= len(name_words):
        return False
    if kind is EntityKind.PERSON:
        return (
            len(short_words) == 1
            and short_words[0] in (name_words[0], name_words[-1])
            and len(short_words[0]) > 1
        )
    if kind is EntityKind.ORGANISATION:
        # Words after a function word distinguish it from others: the Church in the Maldives.
        remaining = name_words[len(short_words) :]
        return (
            name_words[: len(short_words)] == short_words
            and len("".join(short_words)) > 2
            and not _SMALL & set(remaining)
        )
    return False


def similarity(first: str, second: str) -> float:
    """Jaro-Winkler similarity of two normalised names, 0…1, regardless of word order."""
    if first == second:
        return 1.0
    sorted_first, sorted_second = (" ".join(sorted(name.split())) for name in (first, second))
    return max(
        JaroWinkler.similarity(first, second), JaroWinkler.similarity(sorted_first, sorted_second)
    )


def shared_words(first: str, second: str) -> float:
    """Token set ratio of two names, 0…1: how far the shorter's words are the longer's, fuzzily."""
    return token_set_ratio(first, second) / 100
