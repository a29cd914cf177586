"""Link entities of several documents that are the same, each link with its reason.

Names are compared only where a blocking key is equal, so that the cost of a document does not grow
with the number of all names. Keys are normalised names, identifiers beside a name, and long words
of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rapidfuzz.distance import DamerauLevenshtein

from footnote.domain.entities import (
    NAMED_KINDS,
    EntityKind,
    EntityLink,
    ExtractedEntity,
    LinkReason,
)
from footnote.knowledge.names import normal_name, shared_words, similarity, words_of

_Whose = TypeVar("_Whose")
_MOST_WORDS = 12
"""Most words of a name that become keys."""
_NUMBER = re.compile(r"\d+")
_LONG = 5
"""Least letters of a word that is a key for names of several words."""
_BLOCKS = 2
"""Number of a name's longest words that are looked up."""
_MISSPELLED = 2
"""Most edits between two words that count as a misspelling."""
SAME_ADDRESS = 0.85
"""Least similarity of two addresses with one house number that are the same."""
_ALIKE = 0.5
"""Least share of common words of two names that other evidence may link."""
_VALUES = frozenset((EntityKind.DATE, EntityKind.AMOUNT))
"""Kinds that are values of facts and never their subjects."""
_TELLING = frozenset((EntityKind.EMAIL, EntityKind.PHONE, EntityKind.IBAN, EntityKind.VAT))
"""Kinds of identifiers that are unique to one entity."""
_CONFIDENCE = {
    LinkReason.SAME_NAME: 0.95,
    LinkReason.SAME_IDENTIFIER: 0.97,
    LinkReason.SAME_ADDRESS: 0.95,
    LinkReason.SIMILAR_NAME: 0.85,
}


def keys_of(entity: ExtractedEntity) -> Iterator[str]:
    """Yield the keys under which an entity is stored: its names, identifiers and words.

    Also its written forms, by which facts about it are found, except for dates and amounts.
    """
    for normal in entity.normals:
        yield f"name\n{entity.kind.value}\n{normal}"
    if entity.kind not in _VALUES:
        for form in (*entity.normals, *entity.forms):
            yield from form_keys(form)
    for written in (*entity.normals, entity.name):
        for word in words_of(written)[:_MOST_WORDS]:
            yield word_key(word)
    for kind, normal in entity.belongings:
        yield _beside(entity.kind, kind, normal)


def form_keys(written: str) -> tuple[str, ...]:
    """Return keys that are equal for spellings of one name, whatever its kind.

    Empty for a text that is too long for a name.

    >>> form_keys("The Acme Ltd")
    ('form\\nacme ltd', 'form\\nacme')
    """
    if len(words_of(written)) > _MOST_WORDS:
        return ()
    forms = dict.fromkeys(normal_name(written, kind) for kind in NAMED_KINDS)
    return tuple(f"form\n{each}" for each in forms if each)


def looked_up(entity: ExtractedEntity) -> Iterator[str]:
    """Yield the keys under which to look up candidates for the same entity."""
    for normal in entity.normals:
        yield f"name\n{entity.kind.value}\n{normal}"
    if entity.kind not in NAMED_KINDS:
        return
    for kind, normal in entity.belongings:
        yield _beside(entity.kind, kind, normal)
    words = entity.normals[0].split()
    if len(words) > 1 and entity.kind is EntityKind.PERSON:
        # `Berg, Anna` is Anna Berg.
        for turned in ([*words[1:], words[0]], [words[-1], *words[:-1]]):
            yield f"name\n{entity.kind.value}\n{' '.join(turned)}"
    if len(words) > 1:
        long = {each for each in words if len(each) >= _LONG}
        for word in sorted(long, key=lambda each: (-len(each), each))[:_BLOCKS]:
            yield word_key(word)


def word_key(word: str) -> str:
    """The key of one word of a name, in its normal form."""
    return f"word\n{word}"


def _beside(whose: EntityKind, kind: EntityKind, normal: str) -> str:
    if kind is EntityKind.ADDRESS:
        # House number and street: how a town is written varies.
        normal = " ".join(normal.split()[:2])
    return f"beside\n{whose.value}\n{kind.value}\n{normal}"


def link(own: ExtractedEntity, other: ExtractedEntity) -> EntityLink | None:
    """Return why two are the same entity; None without evidence, or if kind or address differ."""
    reason: LinkReason | None = None
    if own.kind is not other.kind:
        return None
    if own.kind not in NAMED_KINDS:
        is_same = own.normals == other.normals
        return EntityLink(reason=LinkReason.SAME_NAME, confidence=1.0) if is_same else None
    here, there = _addresses(own), _addresses(other)
    shares_identifier = bool(_telling(own) & _telling(other))
    if here and there:
        # Branches of one organisation have one name and several addresses.
        if any(_same_address(one, two) for one in here for two in there) and (
            shares_identifier or _alike(own, other)
        ):
            reason = LinkReason.SAME_ADDRESS
    elif _same_name(own, other):
        reason = LinkReason.SAME_NAME
    elif shares_identifier and _alike(own, other):
        reason = LinkReason.SAME_IDENTIFIER
    elif any(_misspelled(own.normals[0], each) for each in other.normals):
        reason = LinkReason.SIMILAR_NAME
    return None if reason is None else EntityLink(reason=reason, confidence=_CONFIDENCE[reason])


def _same_name(own: ExtractedEntity, other: ExtractedEntity) -> bool:
    """Whether both share a name that identifies them; a person's must have two words."""
    common = set(own.normals) & set(other.normals)
    if own.kind is EntityKind.PERSON:
        sorted_names = {" ".join(sorted(each.split())) for each in other.normals}
        common |= {each for each in own.normals if " ".join(sorted(each.split())) in sorted_names}
        return any(" " in each for each in common)
    return any(len(each) > 1 for each in common)


def _misspelled(one: str, two: str) -> bool:
    """Whether two names of several words differ by one or two edits in one long word."""
    first, second = one.split(), two.split()
    if len(first) != len(second) or len(first) < 2 or _NUMBER.findall(one) != _NUMBER.findall(two):
        return False
    differing = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    if len(differing) != 1:
        return False
    [(a, b)] = differing
    return (
        min(len(a), len(b)) >= _LONG
        and a[0] == b[0]
        and DamerauLevenshtein.distance(a, b, score_cutoff=_MISSPELLED) <= _MISSPELLED
        and DamerauLevenshtein.distance(a, b) * 4 <= max(len(a), len(b))
        and not (a.startswith(b) or b.startswith(a))
    )


def _alike(own: ExtractedEntity, other: ExtractedEntity) -> bool:
    return any(shared_words(a, b) >= _ALIKE for a in own.normals for b in other.normals)


def _telling(party: ExtractedEntity) -> set[tuple[EntityKind, str]]:
    return {each for each in party.belongings if each[0] in _TELLING}


def _addresses(party: ExtractedEntity) -> list[str]:
    return [normal for kind, normal in party.belongings if kind is EntityKind.ADDRESS]


def _same_address(one: str, two: str) -> bool:
    numbers = [_NUMBER.findall(each)[:1] for each in (one, two)]
    return numbers[0] == numbers[1] and similarity(one, two) >= SAME_ADDRESS


def best_link(
    own: ExtractedEntity, others: Iterable[tuple[_Whose, ExtractedEntity]]
) -> tuple[_Whose, EntityLink] | None:
    """Return the link with the highest confidence, the first of equals; None without any."""
    best: tuple[_Whose, EntityLink] | None = None
    for whose, other in others:
        found = link(own, other)
        if found is not None and (best is None or found.confidence > best[1].confidence):
            best = whose, found
    return best
