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

_Candidate = TypeVar("_Candidate")
_MAX_WORDS = 12
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
_MIN_SHARED_WORDS = 0.5
"""Least share of common words of two names that other evidence may link."""
_VALUES = frozenset((EntityKind.DATE, EntityKind.AMOUNT))
"""Kinds that are values of facts and never their subjects."""
_IDENTIFYING = frozenset((EntityKind.EMAIL, EntityKind.PHONE, EntityKind.IBAN, EntityKind.VAT))
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
    for name in (*entity.normals, entity.name):
        for word in words_of(name)[:_MAX_WORDS]:
            yield word_key(word)
    for kind, normal in entity.belongings:
        yield _identifier_key(entity.kind, kind, normal)


def form_keys(name: str) -> tuple[str, ...]:
    """Return keys that are equal for spellings of one name, whatever its kind.

    Empty for a text that is too long for a name.

    >>> form_keys("The Acme Ltd")
    ('form\\nacme ltd', 'form\\nacme')
    """
    if len(words_of(name)) > _MAX_WORDS:
        return ()
    forms = dict.fromkeys(normal_name(name, kind) for kind in NAMED_KINDS)
    return tuple(f"form\n{form}" for form in forms if form)


def looked_up(entity: ExtractedEntity) -> Iterator[str]:
    """Yield the keys under which to look up candidates for the same entity."""
    for normal in entity.normals:
        yield f"name\n{entity.kind.value}\n{normal}"
    if entity.kind not in NAMED_KINDS:
        return
    for kind, normal in entity.belongings:
        yield _identifier_key(entity.kind, kind, normal)
    words = entity.normals[0].split()
    if len(words) > 1 and entity.kind is EntityKind.PERSON:
        # `Berg, Anna` is Anna Berg.
        for turned in ([*words[1:], words[0]], [words[-1], *words[:-1]]):
            yield f"name\n{entity.kind.value}\n{' '.join(turned)}"
    if len(words) > 1:
        long = {word for word in words if len(word) >= _LONG}
        for word in sorted(long, key=lambda candidate: (-len(candidate), candidate))[:_BLOCKS]:
            yield word_key(word)


def word_key(word: str) -> str:
    """The key of one word of a name, in its normal form."""
    return f"word\n{word}"


def _identifier_key(owner_kind: EntityKind, kind: EntityKind, normal: str) -> str:
    if kind is EntityKind.ADDRESS:
        # House number and street: how a town is written varies.
        normal = " ".join(normal.split()[:2])
    return f"beside\n{owner_kind.value}\n{kind.value}\n{normal}"


def link(entity: ExtractedEntity, other: ExtractedEntity) -> EntityLink | None:
    """Return why two are the same entity; None without evidence, or if kind or address differ."""
    reason: LinkReason | None = None
    if entity.kind is not other.kind:
        return None
    if entity.kind not in NAMED_KINDS:
        is_same = entity.normals == other.normals
        return EntityLink(reason=LinkReason.SAME_NAME, confidence=1.0) if is_same else None
    addresses, other_addresses = _addresses(entity), _addresses(other)
    shares_identifier = bool(_identifiers(entity) & _identifiers(other))
    if addresses and other_addresses:
        # Branches of one organisation have one name and several addresses.
        if any(
            _same_address(address, other_address)
            for address in addresses
            for other_address in other_addresses
        ) and (shares_identifier or _have_similar_names(entity, other)):
            reason = LinkReason.SAME_ADDRESS
    elif _same_name(entity, other):
        reason = LinkReason.SAME_NAME
    elif shares_identifier and _have_similar_names(entity, other):
        reason = LinkReason.SAME_IDENTIFIER
    elif any(_misspelled(entity.normals[0], normal) for normal in other.normals):
        reason = LinkReason.SIMILAR_NAME
    return None if reason is None else EntityLink(reason=reason, confidence=_CONFIDENCE[reason])


def _same_name(entity: ExtractedEntity, other: ExtractedEntity) -> bool:
    """Whether both share a name that identifies them; a person's must have two words."""
    common = set(entity.normals) & set(other.normals)
    if entity.kind is EntityKind.PERSON:
        sorted_names = {" ".join(sorted(normal.split())) for normal in other.normals}
        common |= {
            normal for normal in entity.normals if " ".join(sorted(normal.split())) in sorted_names
        }
        return any(" " in normal for normal in common)
    return any(len(normal) > 1 for normal in common)


def _misspelled(name: str, other_name: str) -> bool:
    """Whether two names of several words differ by one or two edits in one long word."""
    first, second = name.split(), other_name.split()
    if (
        len(first) != len(second)
        or len(first) < 2
        or _NUMBER.findall(name) != _NUMBER.findall(other_name)
    ):
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


def _have_similar_names(entity: ExtractedEntity, other: ExtractedEntity) -> bool:
    return any(
        shared_words(a, b) >= _MIN_SHARED_WORDS for a in entity.normals for b in other.normals
    )


def _identifiers(party: ExtractedEntity) -> set[tuple[EntityKind, str]]:
    return {belonging for belonging in party.belongings if belonging[0] in _IDENTIFYING}


def _addresses(party: ExtractedEntity) -> list[str]:
    return [normal for kind, normal in party.belongings if kind is EntityKind.ADDRESS]


def _same_address(address: str, other_address: str) -> bool:
    numbers = [_NUMBER.findall(text)[:1] for text in (address, other_address)]
    return numbers[0] == numbers[1] and similarity(address, other_address) >= SAME_ADDRESS


def best_link(
    entity: ExtractedEntity, candidates: Iterable[tuple[_Candidate, ExtractedEntity]]
) -> tuple[_Candidate, EntityLink] | None:
    """Return the link with the highest confidence, the first of equals; None without any."""
    best: tuple[_Candidate, EntityLink] | None = None
    for candidate_id, candidate in candidates:
        candidate_link = link(entity, candidate)
        if candidate_link is not None and (
            best is None or candidate_link.confidence > best[1].confidence
        ):
            best = candidate_id, candidate_link
    return best
