"""Group the mentions of one document into entities, each with all its mentions.

Mentions are of one entity if their normalised names are equal, if the document defines one as short
for the other, if one is the initials of the other, or if one is a usual short form of exactly one
other name in the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote.domain.entities import NAMED_KINDS, EntityKind, ExtractedEntity, LinkReason
from footnote.knowledge.mentions import Mention
from footnote.knowledge.names import (
    is_abbreviation,
    is_abbreviation_candidate,
    is_part,
    normal_name,
)

MAX_MENTIONS = 200_000
"""Most mentions of one document that are grouped; the rest is ignored."""
_DEFINED = re.compile(
    r"\s*,?\s*[(（](?:[^()（）]{0,40}?\s)?[\"“„«「'‘](?P<term>[^\"”“»」'’()]{1,60})[\"”“»」'’]\s*[)）]"
)
"""Matches the defined short form after a name: `("Bank")`."""
_ARTICLE = re.compile(r"^(?:(?:the|der|die|das|le|la|les|el|los|las)\s+|l['’])", re.IGNORECASE)
_NEAR = 120
"""Most characters between an entity's name and an identifier of it, such as its telephone
number."""
_BELONGING = frozenset(
    (EntityKind.EMAIL, EntityKind.PHONE, EntityKind.IBAN, EntityKind.VAT, EntityKind.ADDRESS)
)


@dataclass(slots=True)
class _Group:
    kind: EntityKind
    normal: str
    mentions: list[Mention]
    reasons: set[LinkReason] = field(default_factory=set)
    normals: list[str] = field(default_factory=list)


def entities_of(text: str, mentions: Sequence[Mention]) -> tuple[ExtractedEntity, ...]:
    """Group the mentions of a text into entities, in the order of their first mentions."""
    groups = _by_name(mentions[:MAX_MENTIONS])
    named_groups = {key: group for key, group in groups.items() if group.kind in NAMED_KINDS}
    joined = _Joined(named_groups)
    _join_defined(text, joined)
    _join_abbreviations(text, joined)
    _join_parts(joined)
    all_groups = [
        *joined.groups(),
        *(group for key, group in groups.items() if key not in named_groups),
    ]
    all_groups.sort(key=lambda group: group.mentions[0].start)
    # Assign identifiers to the person or organisation named before them in the paragraph.
    places = sorted(
        (mention.start, mention.end, at)
        for at, group in enumerate(all_groups)
        for mention in group.mentions
    )
    identifiers: dict[int, dict[tuple[EntityKind, str], None]] = defaultdict(dict)
    owner: tuple[int, int] | None = None
    for start, end, at in places:
        kind = all_groups[at].kind
        if kind in (EntityKind.PERSON, EntityKind.ORGANISATION):
            owner = (end, at)
        elif kind in _BELONGING and owner is not None:
            between = text[owner[0] : start]
            if len(between) <= _NEAR and "\n\n" not in between:
                identifiers[owner[1]][kind, all_groups[at].normal] = None
    belongings = {at: tuple(owned) for at, owned in identifiers.items()}
    return tuple(
        _entity(text, group, belongings.get(at, ())) for at, group in enumerate(all_groups)
    )


def _by_name(mentions: Iterable[Mention]) -> dict[tuple[EntityKind, str], _Group]:
    groups: dict[tuple[EntityKind, str], _Group] = {}
    for mention in mentions:
        key = (mention.kind, mention.normal)
        group = groups.setdefault(
            key, _Group(mention.kind, mention.normal, [], normals=[mention.normal])
        )
        group.mentions.append(mention)
    return groups


class _Joined:
    """A union-find over groups; the group that others join keeps its name."""

    def __init__(self, groups: dict[tuple[EntityKind, str], _Group]) -> None:
        self.by_key = groups
        self._into: dict[tuple[EntityKind, str], tuple[EntityKind, str]] = {}

    def find(self, key: tuple[EntityKind, str]) -> tuple[EntityKind, str]:
        while key in self._into:
            key = self._into[key]
        return key

    def join(
        self, short: tuple[EntityKind, str], full: tuple[EntityKind, str], why: LinkReason
    ) -> None:
        short_root, full_root = self.find(short), self.find(full)
        if short_root == full_root:
            return
        into, merged = self.by_key[full_root], self.by_key[short_root]
        into.mentions += merged.mentions
        into.normals += merged.normals
        into.reasons |= merged.reasons | {why}
        self._into[short_root] = full_root

    def groups(self) -> list[_Group]:
        roots = [group for key, group in self.by_key.items() if key not in self._into]
        for group in roots:
            group.mentions.sort(key=lambda mention: mention.start)
        return roots


def _join_defined(text: str, joined: _Joined) -> None:
    """Join names with the short forms that the text defines: `Silicon Valley Bank ("Bank")`.

    Every later occurrence of the capitalised term becomes a mention as well.
    """
    occupied = sorted((m.start, m.end) for g in joined.by_key.values() for m in g.mentions)
    starts = {start for start, _ in occupied}
    for key, group in list(joined.by_key.items()):
        for mention in list(group.mentions):
            match = _DEFINED.match(text, mention.end)
            if match is None:
                continue
            term = _ARTICLE.sub("", match["term"].strip(" .,"))
            normal = normal_name(term, group.kind)
            if not normal or not term[:1].isupper() or normal == group.normal:
                continue
            for same_named in [existing for existing in joined.by_key if existing[1] == normal]:
                joined.join(same_named, key, LinkReason.DEFINED)
            into = joined.by_key[joined.find(key)]
            if normal not in into.normals:
                into.reasons.add(LinkReason.DEFINED)
            places = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)")
            for occurrence in places.finditer(text, match.start("term")):
                start = occurrence.start()
                if start not in starts and not _overlaps(occupied, start, start + len(term)):
                    starts.add(start)
                    into.mentions.append(
                        Mention(
                            kind=into.kind, start=start, end=start + len(term), normal=normal,
                            confidence=mention.confidence,
                        )
                    )  # fmt: skip


def _overlaps(occupied: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_right(occupied, (start, end))
    return (at > 0 and occupied[at - 1][1] > start) or (
        at < len(occupied) and occupied[at][0] < end
    )


def _join_abbreviations(text: str, joined: _Joined) -> None:
    """Join an abbreviation with the name it stands for, if the text has exactly one."""
    by_kind: dict[EntityKind, list[tuple[tuple[EntityKind, str], str]]] = defaultdict(list)
    for key, group in joined.by_key.items():
        longest = max((text[m.start : m.end] for m in group.mentions[:50]), key=len)
        by_kind[group.kind].append((key, longest))
    for kind, names in by_kind.items():
        if kind is EntityKind.PERSON:
            continue
        for key, short in names:
            if not is_abbreviation_candidate(short):
                continue
            wholes = {
                joined.find(full_key)
                for other_kind in NAMED_KINDS
                if other_kind is not EntityKind.PERSON
                for full_key, name in by_kind.get(other_kind, ())
                if is_abbreviation(short, name)
            }
            wholes.discard(joined.find(key))
            if len(wholes) == 1:
                joined.join(key, wholes.pop(), LinkReason.ABBREVIATION)


def _join_parts(joined: _Joined) -> None:
    """Join a short form with the longer name of its kind, if exactly one fits."""
    for kind in (EntityKind.PERSON, EntityKind.ORGANISATION):
        keys = [key for key in joined.by_key if key[0] is kind]
        by_word: dict[str, list[tuple[EntityKind, str]]] = defaultdict(list)
        for key in keys:
            words = key[1].split()
            for word in {words[0], words[-1]}:
                by_word[word].append(key)
        for key in sorted(keys, key=lambda name_key: len(name_key[1])):
            first = key[1].split()[0]
            wholes = {
                joined.find(longer) for longer in by_word[first] if is_part(key[1], longer[1], kind)
            }
            wholes.discard(joined.find(key))
            if len(wholes) == 1:
                joined.join(key, wholes.pop(), LinkReason.SHORT_FORM)


def _entity(
    text: str, group: _Group, belongings: tuple[tuple[EntityKind, str], ...]
) -> ExtractedEntity:
    form_counts = Counter(" ".join(text[m.start : m.end].split()) for m in group.mentions)
    # Of equally long forms prefer one that is not all capitals.
    forms = sorted(
        form_counts, key=lambda form: (-len(form.split()), form.isupper(), -len(form), form)
    )
    normals = dict.fromkeys((normal_name(forms[0], group.kind), *group.normals))
    formed = group.kind not in NAMED_KINDS
    return ExtractedEntity(
        kind=group.kind,
        name=forms[0],
        forms=tuple(forms),
        normals=(group.normal,) if formed else tuple(normal for normal in normals if normal),
        spans=tuple((m.start, m.end) for m in group.mentions),
        confidence=max(m.confidence for m in group.mentions),
        reasons=tuple(sorted(group.reasons)),
        belongings=belongings,
    )
